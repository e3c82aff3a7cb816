//! A server behind Streamable HTTP: messages out as POSTs, answers as JSON or as streams of events; or behind its forerunner,
//! HTTP with SSE.
//!
//! Messages are sent as they are given. Only headers are made here, from the very text that is sent.

mod events;
mod exchange;
mod listen;
mod reply;
mod run;
mod sse;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use futures::future::BoxFuture;
use reqwest::redirect::{Attempt, Policy};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use url::{Host, Url};

use super::{Incoming, LONGEST, WAITING, Wire};
use crate::Frame;
use crate::headers::HeaderAnnotation;
use crate::tls;
use mayi_core::approval::escape_line;
use mayi_doors::task::spawn;

/// A connection has to be there in this time.
const CONNECT: Duration = Duration::from_secs(15);
/// Redirects within the server's own origin that are followed.
const REDIRECTS: usize = 5;

/// Where tokens for a server come from.
pub(crate) trait Bearer: Send + Sync {
    /// The token to send; `None` if there is none. `refused` is the one that the server has just refused, so that
    /// another one is wanted. An error is one line, with text of others escaped.
    fn token(&self, refused: Option<String>) -> BoxFuture<'_, Result<Option<String>, String>>;
}

/// A server and how to reach it.
pub(crate) struct Remote {
    /// Its name, for messages.
    pub(crate) name: String,
    /// Its address.
    pub(crate) url: String,
    /// Headers that go along with every request.
    pub(crate) headers: BTreeMap<String, String>,
    /// Tokens, if it wants some.
    pub(crate) bearer: Option<Arc<dyn Bearer>>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("name", &self.name).field("url", &self.url).finish_non_exhaustive()
    }
}

/// What is bounded.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// The longest message.
    longest: usize,
    /// When a stream that broke is asked for again, if the server does not say.
    retry: Duration,
    /// So long a stream of the older transport may take to say where messages go.
    endpoint: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { longest: LONGEST, retry: Duration::from_secs(1), endpoint: Duration::from_secs(30) }
    }
}

/// What all requests to a server share.
struct Shared {
    http: reqwest::Client,
    name: String,
    url: Url,
    headers: HeaderMap,
    bearer: Option<Arc<dyn Bearer>>,
    limits: Limits,
    incoming: mpsc::Sender<Incoming>,
    closing: CancellationToken,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The session of the older era.
    session: Option<HeaderValue>,
    /// The version that `initialize` agreed on.
    agreed_version: Option<String>,
    /// The version of the last request that named one.
    named: Option<String>,
    /// The arguments of tools that have to be repeated in headers.
    annotated: HashMap<String, Vec<HeaderAnnotation>>,
    /// The id of `initialize`, in the older transport.
    initialize: Option<u64>,
    /// Requests that are still being sent in the older transport, by their ids.
    under_way: HashMap<u64, AbortHandle>,
    ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives something to whoever has the wire; nothing after the end.
    async fn deliver(&self, incoming: Incoming) {
        if !self.lock().ended {
            let _ = self.incoming.send(incoming).await;
        }
    }

    /// The last thing that comes.
    async fn end(&self, why: &str) {
        if !std::mem::replace(&mut self.lock().ended, true) {
            let _ = self.incoming.send(Incoming::Ended(why.to_owned())).await;
            self.closing.cancel();
        }
    }
}

/// Ends the connection.
struct CancelOnDrop(CancellationToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A connection to `remote`. Nothing is sent before the first message.
///
/// # Errors
/// If its address or a header of it can't be used; one line.
pub(crate) fn connect(remote: Remote) -> Result<Wire, String> {
    let (shared, outgoing, wire) = prepare(remote, Limits::default())?;
    spawn(run::run(shared, outgoing));
    Ok(wire)
}

/// The same, by the older transport: HTTP with SSE (MCP 2024-11-05).
///
/// # Errors
/// As [`connect`].
pub(crate) fn connect_sse(remote: Remote) -> Result<Wire, String> {
    let (shared, outgoing, wire) = prepare(remote, Limits::default())?;
    spawn(sse::run(shared, outgoing));
    Ok(wire)
}

/// A wire, and what its task needs.
fn prepare(remote: Remote, limits: Limits) -> Result<(Arc<Shared>, mpsc::Receiver<Frame>, Wire), String> {
    let url = parse_server_url(&remote.url)?;
    let mut headers = HeaderMap::new();
    for (name, value) in &remote.headers {
        let wrong = || format!("the header {} can't be sent: see to its name and value", escape_line(name));
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    let http = build_client(&url).map_err(|error| format!("can't make an HTTP client: {error}"))?;
    let (out, outgoing) = mpsc::channel(WAITING);
    let (incoming, inc) = mpsc::channel(WAITING);
    let closing = CancellationToken::new();
    let shared = Shared {
        http,
        name: remote.name,
        url,
        headers,
        bearer: remote.bearer,
        limits,
        incoming,
        closing: closing.clone(),
        state: Mutex::default(),
    };
    let wire = Wire { outgoing: out, incoming: inc, guard: Box::new(CancelOnDrop(closing)) };
    Ok((Arc::new(shared), outgoing, wire))
}

/// The address of a server: `http` or `https`.
pub(crate) fn parse_server_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("{} is no address: {error}", escape_line(text)))?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(format!(
            "{} is no address of a server: it has to begin with https://",
            escape_line(text)
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the address holds a password: send it in a header instead".to_owned());
    }
    Ok(url)
}

/// A client for this server: no cookies, no redirects to elsewhere.
fn build_client(url: &Url) -> Result<reqwest::Client, reqwest::Error> {
    tls::install_provider();
    let builder = reqwest::Client::builder()
        .user_agent(concat!("mayi/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .tcp_keepalive(Duration::from_secs(30))
        .redirect(Policy::custom(follow_same_origin));
    // What runs on this machine is not behind a proxy.
    let builder = if is_loopback(url) { builder.no_proxy() } else { builder };
    builder.build()
}

/// Whether `url` is on this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Follows what keeps method and body, within one origin: headers may hold what others must not get.
fn follow_same_origin(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let from = attempt.previous().last().map(Url::origin);
    let keeps = matches!(attempt.status().as_u16(), 307 | 308);
    if keeps && from == Some(attempt.url().origin()) && attempt.previous().len() <= REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}
