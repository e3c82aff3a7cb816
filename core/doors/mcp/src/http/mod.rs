//! Streamable HTTP, as its server: both eras at one address.
//!
//! A message in a POST; its answer as JSON or as a stream of events. Up to 2025-11-25 `initialize` opens a session;
//! since 2026-07-28 each request stands for itself.

mod admission;
mod client_streams;
mod era;
mod listen;
mod refusal;
mod respond;
mod serve;
mod sessions;
mod stream;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

pub use listen::serve;

/// Finds the `inputSchema` of a tool by the name that it is offered under.
pub type SchemaLookup = Arc<dyn Fn(&str) -> Option<Value> + Send + Sync>;

/// How the gateway is served.
#[derive(Clone)]
pub struct HttpOptions {
    /// Names that it may be called by, such as `localhost` or `gate.example:8443`; without a port, any will do.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call it, such as `http://localhost:3000`; a page of another one may not.
    pub origins: Vec<String>,
    /// The token that has to come with every request. Whoever listens at another address than loopback sets one.
    pub token: Option<String>,
    /// The longest body of a request, in bytes.
    pub body: usize,
    /// The most connections at a time; more are closed at once. Those that have not shown who they are make room for each
    /// other before that.
    pub connections: usize,
    /// The most sessions at a time. Each has server processes of its own, and whoever may call may open one.
    pub sessions: usize,
    /// When a session ends that nobody uses.
    pub idle: Duration,
    /// The schemas of tools, for `Mcp-Param-*` headers.
    pub schemas: SchemaLookup,
}

/// So many sessions there are for whoever can reach the address, without a token: any program on this machine can, and each
/// session starts the servers anew, at up to some hundred MB for each.
const OPEN_TO_ALL: usize = 32;

/// So many there are for those who have the token.
const WITH_TOKEN: usize = 128;

impl HttpOptions {
    /// Only whoever has `token` may call, and so have more sessions.
    pub fn require_token(&mut self, token: String) {
        self.token = Some(token);
        self.sessions = WITH_TOKEN;
    }

    /// For clients on this machine.
    #[must_use]
    pub fn for_localhost() -> Self {
        Self {
            hosts: ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned).into(),
            origins: Vec::new(),
            token: None,
            body: 16 * 1024 * 1024,
            connections: 1024,
            sessions: OPEN_TO_ALL,
            idle: Duration::from_secs(30 * 60),
            schemas: Arc::new(|_| None),
        }
    }
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("hosts", &self.hosts)
            .field("origins", &self.origins)
            .field("token", &self.token.as_ref().map(|_| "…"))
            .finish_non_exhaustive()
    }
}
