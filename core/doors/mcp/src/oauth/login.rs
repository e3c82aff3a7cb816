//! One login, from the address for the browser to the tokens.

use std::fmt;
use std::time::Duration;

use axum::http::StatusCode;
use rmcp::transport::auth::{AuthorizationRequest, AuthorizationSession};
use url::Url;

use super::LoginError;
use super::callback::{self, BrowserReturn, Callback};
use super::store::LoginStore;
use super::tokens::authorization_manager;
use crate::wire::http::is_loopback;
use mayi_core::approval::escape_line;

/// What a login is for.
#[derive(Clone, Default)]
pub struct LoginRequest {
    /// The server's address.
    pub url: String,
    /// What to ask for; nothing: what the server says is needed.
    pub scopes: Vec<String>,
    /// A client that the authorization server knows already; else mayi registers itself.
    pub client_id: Option<String>,
    /// Its secret, if it has one.
    pub client_secret: Option<String>,
    /// Where the browser comes back to; zero is any port.
    pub port: u16,
    /// The authorization server may be in a private network.
    pub private_network: bool,
}

impl fmt::Debug for LoginRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginRequest").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A login that waits for the person. Dropping it gives it up.
pub struct Login {
    session: AuthorizationSession,
    url: Url,
    state: String,
    callback: Callback,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").finish_non_exhaustive()
    }
}

pub(super) async fn begin_login(
    mut store: LoginStore,
    url: Url,
    request: LoginRequest,
) -> Result<Login, LoginError> {
    store.private_network = request.private_network;
    store.client_secret.clone_from(&request.client_secret);
    let port = request.port;
    let callback =
        callback::listen_for_browser(port).await.map_err(|error| LoginError::Listen { port, error })?;
    let mut auth = authorization_manager(&url, request.private_network)
        .await
        .map_err(|error| LoginError::from_auth_error(&error))?;
    auth.set_credential_store(store);
    let found = auth.resolve_metadata().await.map_err(|error| LoginError::from_auth_error(&error))?;
    auth.set_metadata(found.metadata);
    let mut wanted = AuthorizationRequest::new(callback.url.clone())
        .with_client_name("mayi")
        .with_scopes(request.scopes)
        .with_initial_scope_selection();
    wanted.client_id = request.client_id;
    wanted.client_secret = request.client_secret;
    let session = AuthorizationSession::new(auth, wanted)
        .await
        .map_err(|(_, error)| LoginError::from_auth_error(&error))?;
    let page = Url::parse(session.get_authorization_url()).ok().filter(is_page).ok_or_else(|| {
        let message = "the server has people log in at an address that is no page of the web";
        LoginError::Refused(message.to_owned())
    })?;
    let state = query_parameter(&page, "state").unwrap_or_default();
    Ok(Login { session, url: page, state, callback })
}

/// What a browser may be sent to: it would do other things at other addresses.
fn is_page(url: &Url) -> bool {
    url.scheme() == "https" || (url.scheme() == "http" && is_loopback(url))
}

impl Login {
    /// The page where the person logs in: an address of `https` or of this machine, without control characters.
    #[must_use]
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// Waits for the person and keeps the tokens.
    ///
    /// # Errors
    /// If the person says no, nobody comes within `limit`, or the authorization server gives no tokens.
    pub async fn finish(self, limit: Duration) -> Result<(), LoginError> {
        let waiting = self.await_return();
        tokio::time::timeout(limit, waiting).await.unwrap_or(Err(LoginError::Late(limit)))
    }

    async fn await_return(mut self) -> Result<(), LoginError> {
        while let Some(BrowserReturn { query, page }) = self.callback.returns.recv().await {
            let url = Url::parse(&format!("{}?{query}", self.callback.url)).ok();
            // Anybody on this machine, and any web page, can come here: only who knows the state counts.
            let Some(url) = url.filter(|url| self.knows_state(url)) else {
                let _ = page.send((StatusCode::BAD_REQUEST, "This is not the login that is waited for."));
                continue;
            };
            let done = self.exchange_code(&url).await;
            let shown = match &done {
                Ok(()) => (StatusCode::OK, "You are logged in. You can close this page."),
                Err(_) => (StatusCode::OK, "The login did not work. The terminal says why."),
            };
            let _ = page.send(shown);
            self.callback.close().await;
            return done;
        }
        Err(LoginError::Refused("the page that the browser comes back to is gone: run it again".to_owned()))
    }

    fn knows_state(&self, url: &Url) -> bool {
        !self.state.is_empty() && query_parameter(url, "state").as_ref() == Some(&self.state)
    }

    async fn exchange_code(&self, url: &Url) -> Result<(), LoginError> {
        if let Some(error) = query_parameter(url, "error") {
            let said = query_parameter(url, "error_description").unwrap_or_default();
            let short: String = format!("{error} {said}").trim().chars().take(300).collect();
            return Err(LoginError::Refused(format!("the login was refused: {}", escape_line(&short))));
        }
        let tokens = self.session.handle_callback_url(url.as_str()).await;
        tokens.map(drop).map_err(|error| LoginError::from_auth_error(&error))
    }
}

fn query_parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}
