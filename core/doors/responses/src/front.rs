//! Who comes in, and where each request goes.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use futures::TryStreamExt;
use http::request::Parts;
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use mayi_core::call::{Digest, digest_of_bytes};
use mayi_core::gate::{KinError, is_of_this_user, is_within_an_agent};
use mayi_doors::listen::{self, Visitor};
use mayi_doors::web::{bearer, is_served, same_token};
use tokio::net::TcpListener;

use crate::door::{ResponsesDoor, Shared};
use crate::exchange::Exchange;
use crate::joined::Joined;
use crate::recording::Recording;
use crate::refusal::Trouble;
use crate::request::Asked;
use crate::route::{Route, route};
use crate::start::{First, Start, Started};
use crate::upstream::{answer, passed};
use crate::{aside, feed, open, own, plain, retrieve, streamed};

/// The most connections at a time.
const CONNECTIONS: usize = 1024;
/// The longest request: images and files can be in it.
const LONGEST: usize = 64 * 1024 * 1024;
/// A request has to be there in this time.
const BODY: Duration = Duration::from_secs(120);

/// What tells apps from strangers.
#[derive(Clone)]
pub struct Admission {
    /// The token that has to come with every request; without one, every program of this user comes in, with a key of its own
    /// for the endpoint.
    pub token: Option<String>,
    /// Names that the door may be called by, such as `localhost`.
    pub hosts: Vec<String>,
}

impl std::fmt::Debug for Admission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Admission").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

/// Serves apps at `listener`, until `shutdown` is there. Whoever waits for an answer then is told so.
pub async fn serve(
    listener: TcpListener,
    door: ResponsesDoor,
    admission: Admission,
    shutdown: impl Future<Output = ()> + Send,
) {
    let (shared, admission) = (door.shared, Arc::new(admission));
    let closing = shared.closing.clone();
    let handle = move |request: Request<Incoming>, visitor: Arc<Visitor>| {
        let (shared, admission) = (Arc::clone(&shared), Arc::clone(&admission));
        async move {
            let request = request.map(Body::new);
            handled(&shared, &admission, request, &visitor).await.unwrap_or_else(Trouble::into_response)
        }
    };
    let over = async move {
        shutdown.await;
        closing.cancel();
    };
    listen::serve(listener, CONNECTIONS, handle, over).await;
}

async fn handled(
    shared: &Arc<Shared>,
    admission: &Admission,
    request: Request<Body>,
    visitor: &Arc<Visitor>,
) -> Result<Response<Body>, Trouble> {
    let (parts, body) = request.into_parts();
    admitted(shared, admission, &parts, visitor).await?;
    let (route, target) = route(&parts.method, &parts.uri, &parts.headers)?;
    let (method, mut sent) = (parts.method, parts.headers);
    match route {
        Route::Create => created(shared, body, sent, Some(Arc::clone(visitor))).await,
        Route::Seen { id, rest } => {
            let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
            match shared.chains.behind(&id) {
                Some(chain) if method == Method::GET && rest.is_empty() && !query.contains("stream=") => {
                    sent.remove(header::CONTENT_TYPE);
                    retrieve::retrieved(shared, &chain, &query, &sent).await
                }
                Some(chain) if method == Method::DELETE && rest.is_empty() => {
                    retrieve::deleted(shared, &chain, &sent).await
                }
                _ => {
                    if method == Method::POST
                        && rest == "cancel"
                        && let Some(cancelled) = shared.cancels.cancelled(&id).await
                    {
                        return Ok(cancelled);
                    }
                    aside(shared, method, &target, (body, sent)).await
                }
            }
        }
        Route::Aside => aside(shared, method, &target, (body, sent)).await,
        Route::Other if is_file(&sent) => through(shared, method, &target, (body, sent)).await,
        Route::Other => aside(shared, method, &target, (body, sent)).await,
    }
}

/// Lets a request in, or says why not.
async fn admitted(
    shared: &Arc<Shared>,
    admission: &Admission,
    parts: &Parts,
    visitor: &Arc<Visitor>,
) -> Result<(), Trouble> {
    let headers = &parts.headers;
    if !is_served(&parts.uri, headers, &admission.hosts) {
        return Err(Trouble::refused("this Host is not served here"));
    }
    if headers.contains_key(header::ORIGIN) {
        return Err(Trouble::refused("web pages are not served here"));
    }
    match &admission.token {
        Some(token) if bearer(headers).is_some_and(|sent| same_token(sent, token)) => {}
        Some(_) => {
            let message =
                "there is no valid API key: the one for apps is in the file that mayi names when it starts";
            return Err(Trouble::new(StatusCode::UNAUTHORIZED, "mayi_token", message));
        }
        None => open::fits(parts)?,
    }
    let anybody = admission.token.is_none();
    let (store, local, peer) = (Arc::clone(&shared.options.store), visitor.local, visitor.peer);
    // Once for a connection: an agent has no way into one that is open.
    let within = visitor
        .within
        .get_or_init(|| async move {
            let look = move || {
                let others = anybody && !is_of_this_user(local, peer)?;
                Ok::<_, KinError>(others || is_within_an_agent(&*store, local, peer)?)
            };
            // What can't be known is not let in.
            !matches!(tokio::task::spawn_blocking(look).await, Ok(Ok(false)))
        })
        .await;
    if *within {
        // Its calls would be judged by the app's rules, and not by the agent's own.
        let message = if anybody {
            "this comes from another user, or from an agent or what one has started, which can't be the app"
        } else {
            "this comes from an agent, or from what one has started, which can't be the app"
        };
        return Err(Trouble::refused(message));
    }
    visitor.stranger.is_known();
    Ok(())
}

/// A response is to be made.
pub(crate) async fn created(
    shared: &Arc<Shared>,
    body: Body,
    sent: HeaderMap,
    visitor: Option<Arc<Visitor>>,
) -> Result<Response<Body>, Trouble> {
    let bytes = read(body, &sent).await?;
    let request = digest(&bytes, &sent);
    let recorder = shared.options.recorder.as_ref();
    let mut asked = Asked::read(bytes.to_vec()).map_err(Trouble::request)?;
    if !asked.stream
        && let Some(seat) = shared.answers.join(&request)
    {
        return Ok(plain::joined(seat).await);
    }
    if asked.stream
        && let Some(stream) = shared.streams.join(&request)
    {
        return feed::answer(stream).await;
    }
    // Within this process nobody comes back.
    let request = visitor.is_some().then_some(request);
    let before = asked.previous.clone();
    let chain = before.as_deref().and_then(|seen| shared.chains.behind(seen));
    let previous = match &chain {
        Some(chain) if chain.fresh => None,
        Some(chain) => chain.responses.last().cloned(),
        None => before.clone(),
    };
    let joined = Joined::new(before.as_deref(), chain.is_some());
    // Only what says it has to be looked at: the rest is sent as it came.
    asked.first(previous.as_deref());
    let recording = Recording::begin(recorder, &bytes, open::key(&sent));
    let mut exchange = Exchange::new(Arc::clone(shared), asked, sent.clone(), joined, (recording, visitor));
    let start = Start { previous, sent };
    // A person may be asked first.
    if own::approves(&exchange.asked) {
        if !exchange.asked.stream {
            return Ok(plain::plain(exchange, First::Own(start), request).await);
        }
        if !exchange.asked.background {
            return streamed::own(exchange, start, request).await;
        }
    }
    match start.start(&mut exchange).await? {
        Started::Passed(response) => Ok(response),
        Started::Answer(answer) if streamed::is_stream(&answer) => {
            streamed::streamed(exchange, answer, request).await
        }
        Started::Answer(answer) => Ok(plain::plain(exchange, First::Response(answer), request).await),
    }
}

/// What tells a request from every other one, also of those who have other keys.
fn digest(bytes: &[u8], sent: &HeaderMap) -> Digest {
    let mut text = Vec::new();
    for name in ["idempotency-key", "authorization", "api-key"] {
        for value in sent.get_all(name) {
            text.extend_from_slice(value.as_bytes());
            text.push(b'\r');
        }
        text.push(b'\n');
    }
    text.extend_from_slice(bytes);
    digest_of_bytes(&text)
}

/// Whether a body is a file, or a form with one, which can be longer than what is looked at. Anything else could be read as JSON.
fn is_file(sent: &HeaderMap) -> bool {
    let kind = sent.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "multipart/form-data" || kind == "application/octet-stream"
}

/// What is passed on if nothing in it approves anything, or brings tools in.
async fn aside(
    shared: &Arc<Shared>,
    method: Method,
    target: &str,
    (body, sent): (Body, HeaderMap),
) -> Result<Response<Body>, Trouble> {
    let bytes = read(body, &sent).await?;
    aside::checked(&bytes).map_err(Trouble::request)?;
    let mut request = shared.upstream.request(method, target, &sent);
    if !bytes.is_empty() || sent.contains_key(header::CONTENT_LENGTH) {
        request = request.body(bytes);
    }
    Ok(passed(answer(request).await?))
}

/// The whole of a request.
async fn read(body: Body, sent: &HeaderMap) -> Result<Bytes, Trouble> {
    if sent.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        let message = "compressed requests are not taken: send them as they are";
        return Err(Trouble::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "mayi_request", message));
    }
    let read = tokio::time::timeout(BODY, to_bytes(body, LONGEST)).await;
    let Ok(Ok(bytes)) = read else {
        return Err(Trouble::request("the request is too long, or did not come in time"));
    };
    Ok(bytes)
}

/// What is passed on as it is.
async fn through(
    shared: &Arc<Shared>,
    method: Method,
    target: &str,
    (body, sent): (Body, HeaderMap),
) -> Result<Response<Body>, Trouble> {
    let has_body = sent.contains_key(header::CONTENT_LENGTH) || sent.contains_key(header::TRANSFER_ENCODING);
    let mut request = shared.upstream.request(method, target, &sent);
    if has_body {
        let stream = body.into_data_stream().map_err(std::io::Error::other);
        request = request.body(reqwest::Body::wrap_stream(stream));
    }
    Ok(passed(answer(request).await?))
}
