//! Logins to remote servers: OAuth 2.1 with PKCE, by the reference implementation (MCP, authorization).
//!
//! A login belongs to one address. Its tokens are kept in a file that only the user can read, and they are sent to
//! that address and to its authorization server, and nowhere else.

mod callback;
mod login;
mod store;
#[cfg(test)]
mod tests;
mod tokens;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::auth::AuthError;
use thiserror::Error;
use url::Url;

pub use login::{Login, LoginRequest};

use self::store::LoginStore;
use self::tokens::Tokens;
use super::wire::http::{Bearer, is_loopback, parse_server_url};
use mayi_core::approval::escape_line;

/// What went wrong with a login. Text of others is escaped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoginError {
    /// The address can't have one.
    #[error("{0}")]
    Address(String),
    /// The file of it can't be read or written.
    #[error("{what} {}: {error}", escape_line(&.path.display().to_string()))]
    Io {
        /// Which file.
        path: PathBuf,
        /// What can't be done.
        what: &'static str,
        /// Why.
        error: io::Error,
    },
    /// There is no port for the browser to come back to.
    #[error("can't listen for the browser on port {port}: {error}; choose another one with --port")]
    Listen {
        /// Which one was wanted.
        port: u16,
        /// Why.
        error: io::Error,
    },
    /// The server or its authorization server did not play along.
    #[error("{0}")]
    Refused(String),
    /// Nobody came back from the browser.
    #[error("nobody logged in within {} seconds: run it again", .0.as_secs())]
    Late(Duration),
}

impl LoginError {
    fn from_auth_error(error: &AuthError) -> Self {
        let hint = match error {
            AuthError::NoAuthorizationSupport | AuthError::RegistrationFailed(_) => {
                "; if the server wants a client that it knows, name it with --client-id"
            }
            AuthError::DiscoveryRequestFailed { .. } => {
                "; if its authorization server is in a private network, use --private-network"
            }
            _ => "",
        };
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(error);
        while let Some(inner) = cause {
            text = format!("{text}: {inner}");
            cause = inner.source();
        }
        // An answer of a server may be in it.
        let short: String = text.chars().take(500).collect();
        Self::Refused(format!("{}{hint}", escape_line(&short)))
    }
}

/// The logins that there are.
#[derive(Clone, Debug)]
pub struct Logins {
    folder: PathBuf,
}

impl Logins {
    /// Those in mayi's data folder.
    #[must_use]
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join("logins") }
    }

    /// Begins a login: [`Login::url`] is for the person's browser.
    ///
    /// # Errors
    /// If the address has none, or a server does not answer as it should.
    pub async fn begin_login(&self, request: LoginRequest) -> Result<Login, LoginError> {
        let url = login_address(&request.url)?;
        login::begin_login(self.store_for(&url), url, request).await
    }

    /// Whether there is a login of this address.
    #[must_use]
    pub fn has_login(&self, url: &str) -> bool {
        login_address(url).is_ok_and(|url| self.store_for(&url).exists())
    }

    /// Forgets the login of this address; `false` if there is none.
    ///
    /// # Errors
    /// If the file can't be removed.
    pub fn forget_login(&self, url: &str) -> Result<bool, LoginError> {
        self.store_for(&parse_server_url(url).map_err(LoginError::Address)?).remove()
    }

    /// The tokens for this address, read when they are needed: a login while the gateway runs counts.
    pub(crate) fn bearer_for(&self, url: &str) -> Option<Arc<dyn Bearer>> {
        let url = login_address(url).ok()?;
        Some(Arc::new(Tokens::new(self.store_for(&url), url)))
    }

    fn store_for(&self, url: &Url) -> LoginStore {
        LoginStore::new(&self.folder, url)
    }
}

/// The address of a login: nobody else may read what is sent there.
fn login_address(url: &str) -> Result<Url, LoginError> {
    let url = parse_server_url(url).map_err(LoginError::Address)?;
    if url.scheme() != "https" && !is_loopback(&url) {
        let message = "tokens are sent by https only, and the server's address begins with http";
        return Err(LoginError::Address(message.to_owned()));
    }
    Ok(url)
}
