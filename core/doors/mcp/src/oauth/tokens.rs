//! The tokens of a login, for the wire: read from its file, and renewed when they are old or refused.

use futures::future::BoxFuture;
use rmcp::transport::auth::{AuthError, AuthorizationManager, OAuthClientConfig};
use tokio::sync::Mutex;
use url::Url;

use super::LoginError;
use super::store::{LoginEntry, LoginStore};
use crate::tls;
use crate::wire::http::Bearer;

/// Tokens for one address.
pub(super) struct Tokens {
    store: LoginStore,
    url: Url,
    manager: Mutex<Option<Manager>>,
}

struct Manager {
    auth: AuthorizationManager,
    /// It knows the authorization server: that has to be found out only to renew a token.
    ready: bool,
}

impl Tokens {
    pub(super) fn new(store: LoginStore, url: Url) -> Self {
        Self { store, url, manager: Mutex::new(None) }
    }

    async fn get(&self, refused: Option<String>) -> Result<Option<String>, AuthError> {
        let mut manager = self.manager.lock().await;
        let store = self.store.clone();
        let entry = tokio::task::spawn_blocking(move || store.read_entry()).await;
        let entry = entry.map_err(|error| AuthError::InternalError(error.to_string()))?;
        let Some(entry) = entry.map_err(|error| AuthError::CredentialStoreError(error.to_string()))? else {
            // Logged out.
            *manager = None;
            return Ok(None);
        };
        let manager = match &mut *manager {
            Some(manager) => manager,
            none => none.insert(Manager { auth: self.new_manager(&entry).await?, ready: false }),
        };
        let mut token = manager.auth.get_access_token().await;
        if let Err(AuthError::InternalError(_)) = token
            && !manager.ready
        {
            self.prepare_renewal(manager, &entry).await?;
            token = manager.auth.get_access_token().await;
        }
        let token = token?;
        if refused.is_none_or(|refused| refused != token) {
            return Ok(Some(token));
        }
        if !manager.ready {
            self.prepare_renewal(manager, &entry).await?;
        }
        manager.auth.refresh_token().await?;
        manager.auth.get_access_token().await.map(Some)
    }

    async fn new_manager(&self, entry: &LoginEntry) -> Result<AuthorizationManager, AuthError> {
        let mut store = self.store.clone();
        store.private_network = entry.private_network;
        store.client_secret.clone_from(&entry.client_secret);
        let mut auth = authorization_manager(&self.url, entry.private_network).await?;
        auth.set_credential_store(store);
        Ok(auth)
    }

    async fn prepare_renewal(&self, manager: &mut Manager, entry: &LoginEntry) -> Result<(), AuthError> {
        // What is kept may belong to an authorization server that is not the server's any more.
        if !manager.auth.initialize_from_store().await? {
            return Err(AuthError::AuthorizationRequired);
        }
        if let Some(secret) = &entry.client_secret {
            let (client_id, _) = manager.auth.get_credentials().await?;
            let config = OAuthClientConfig::new(client_id, self.url.as_str());
            manager.auth.configure_client(config.with_client_secret(secret))?;
        }
        manager.ready = true;
        Ok(())
    }
}

impl Bearer for Tokens {
    fn token(&self, refused: Option<String>) -> BoxFuture<'_, Result<Option<String>, String>> {
        Box::pin(async move {
            match self.get(refused).await {
                Ok(token) => Ok(token),
                // There is nothing left but to log in again.
                Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => Ok(None),
                Err(error) => Err(LoginError::from_auth_error(&error).to_string()),
            }
        })
    }
}

/// What speaks with the authorization server of `url`.
pub(super) async fn authorization_manager(
    url: &Url,
    private_network: bool,
) -> Result<AuthorizationManager, AuthError> {
    tls::install_provider();
    if private_network {
        AuthorizationManager::new_allowing_private_addresses(url.clone()).await
    } else {
        AuthorizationManager::new(url.clone()).await
    }
}
