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
use mayi_doors::listen::{self, ClientConnection};
use mayi_doors::web::{bearer_token, is_served, same_token};
use tokio::net::TcpListener;

use crate::door::{ResponsesDoor, Shared};
use crate::exchange::Exchange;
use crate::first_request::{FirstAnswer, StartOutcome, UnsentRequest};
use crate::joined_response::JoinedAnswer;
use crate::recording::Recording;
use crate::refusal::{ApiError, busy_response};
use crate::request::CreateRequest;
use crate::route::{Route, route_request};
use crate::upstream::{pass_answer, send_request};
use crate::{json_answer, open, own_approvals, retrieve, shared_stream, side_requests, streamed_answer};

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
pub async fn serve_apps(
    listener: TcpListener,
    door: ResponsesDoor,
    admission: Admission,
    shutdown: impl Future<Output = ()> + Send,
) {
    let (shared, admission) = (door.shared, Arc::new(admission));
    let closing = shared.closing.clone();
    let handle = move |request: Request<Incoming>, visitor: Arc<ClientConnection>| {
        let (shared, admission) = (Arc::clone(&shared), Arc::clone(&admission));
        async move {
            let request = request.map(Body::new);
            serve_request(&shared, &admission, request, &visitor)
                .await
                .unwrap_or_else(ApiError::into_response)
        }
    };
    let over = async move {
        shutdown.await;
        closing.cancel();
    };
    listen::serve_requests(listener, CONNECTIONS, (handle, busy_response), over).await;
}

async fn serve_request(
    shared: &Arc<Shared>,
    admission: &Admission,
    request: Request<Body>,
    visitor: &Arc<ClientConnection>,
) -> Result<Response<Body>, ApiError> {
    let (parts, body) = request.into_parts();
    admit_request(shared, admission, &parts, visitor).await?;
    let (route, target) = route_request(&parts.method, &parts.uri, &parts.headers)?;
    let (method, mut sent) = (parts.method, parts.headers);
    match route {
        Route::Create => create_response(shared, body, sent, Some(Arc::clone(visitor))).await,
        Route::Seen { id, rest } => {
            let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
            match shared.chains.read_chain(&id) {
                Some(chain) if method == Method::GET && rest.is_empty() && !query.contains("stream=") => {
                    sent.remove(header::CONTENT_TYPE);
                    retrieve::retrieve_response(shared, &chain, &query, &sent).await
                }
                Some(chain) if method == Method::DELETE && rest.is_empty() => {
                    retrieve::delete_responses(shared, &chain, &sent).await
                }
                _ => {
                    if method == Method::POST
                        && rest == "cancel"
                        && let Some(cancelled) = shared.cancels.cancel_answer(&id).await
                    {
                        return Ok(cancelled);
                    }
                    forward_checked(shared, method, &target, (body, sent)).await
                }
            }
        }
        Route::Aside => forward_checked(shared, method, &target, (body, sent)).await,
        Route::Other if is_file(&sent) => forward_unchanged(shared, method, &target, (body, sent)).await,
        Route::Other => forward_checked(shared, method, &target, (body, sent)).await,
    }
}

/// Lets a request in, or says why not.
async fn admit_request(
    shared: &Arc<Shared>,
    admission: &Admission,
    parts: &Parts,
    visitor: &Arc<ClientConnection>,
) -> Result<(), ApiError> {
    let headers = &parts.headers;
    if !is_served(&parts.uri, headers, &admission.hosts) {
        return Err(ApiError::forbidden("this Host is not served here"));
    }
    if headers.contains_key(header::ORIGIN) {
        return Err(ApiError::forbidden("web pages are not served here"));
    }
    match &admission.token {
        // Who has the key is no stranger, whatever else is looked up of it.
        Some(token) if bearer_token(headers).is_some_and(|sent| same_token(sent, token)) => {
            visitor.stranger.mark_known();
        }
        Some(_) => {
            let message =
                "there is no valid API key: the one for apps is in the file that mayi names when it starts";
            return Err(ApiError::new(StatusCode::UNAUTHORIZED, "mayi_token", message));
        }
        None => open::check_open_request(parts)?,
    }
    let anybody = admission.token.is_none();
    // Once for a connection: an agent has no way into one that is open. What can't be known is not let in.
    let within = visitor
        .within
        .get_or_init(|| async {
            let found = shared.peers.look_up(visitor.local, visitor.peer).await;
            found.is_none_or(|peer| peer.within_an_agent || anybody && !peer.of_this_user)
        })
        .await;
    if *within {
        // Its calls would be judged by the app's rules, and not by the agent's own.
        let message = if anybody {
            "this comes from another user, or from an agent or what one has started, which can't be the app"
        } else {
            "this comes from an agent, or from what one has started, which can't be the app"
        };
        return Err(ApiError { closes: true, ..ApiError::forbidden(message) });
    }
    visitor.stranger.mark_known();
    Ok(())
}

/// A response is to be made.
pub(crate) async fn create_response(
    shared: &Arc<Shared>,
    body: Body,
    sent: HeaderMap,
    visitor: Option<Arc<ClientConnection>>,
) -> Result<Response<Body>, ApiError> {
    let bytes = read(body, &sent).await?;
    let request = request_digest(&bytes, &sent);
    let recorder = shared.options.recorder.as_ref();
    let mut asked = CreateRequest::read(bytes.to_vec()).map_err(ApiError::bad_request)?;
    if !asked.stream
        && let Some(seat) = shared.answers.join(&request)
    {
        return Ok(json_answer::answer_joined(seat).await);
    }
    if asked.stream
        && let Some(stream) = shared.streams.join(&request)
    {
        return shared_stream::answer_from_feed(stream).await;
    }
    // Within this process nobody comes back.
    let request = visitor.is_some().then_some(request);
    let before = asked.previous.clone();
    let chain = before.as_deref().and_then(|seen| shared.chains.read_chain(seen));
    let previous = match &chain {
        Some(chain) if chain.fresh => None,
        Some(chain) => chain.responses.last().cloned(),
        None => before.clone(),
    };
    let joined = JoinedAnswer::new(before.as_deref(), chain.is_some());
    // Only what says it has to be looked at: the rest is sent as it came.
    asked.first_body(previous.as_deref());
    let recording = Recording::begin_exchange(recorder, &bytes, open::app_key(&sent));
    let mut exchange = Exchange::new(Arc::clone(shared), asked, sent.clone(), joined, (recording, visitor));
    let start = UnsentRequest { previous, sent };
    // A person may be asked first.
    if own_approvals::has_approvals(&exchange.create_request) {
        if !exchange.create_request.stream {
            return Ok(json_answer::answer_plain(exchange, FirstAnswer::OwnApprovals(start), request).await);
        }
        if !exchange.create_request.background {
            return streamed_answer::answer_own_approvals(exchange, start, request).await;
        }
    }
    match start.start(&mut exchange).await? {
        StartOutcome::Passed(response) => Ok(response),
        StartOutcome::Answer(answer) if streamed_answer::is_stream(&answer) => {
            streamed_answer::answer_streamed(exchange, answer, request).await
        }
        StartOutcome::Answer(answer) => {
            Ok(json_answer::answer_plain(exchange, FirstAnswer::Response(answer), request).await)
        }
    }
}

/// What tells a request from every other one, also of those who have other keys.
fn request_digest(bytes: &[u8], sent: &HeaderMap) -> Digest {
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
async fn forward_checked(
    shared: &Arc<Shared>,
    method: Method,
    target: &str,
    (body, sent): (Body, HeaderMap),
) -> Result<Response<Body>, ApiError> {
    let bytes = read(body, &sent).await?;
    side_requests::check_side_request(&bytes).map_err(ApiError::bad_request)?;
    let mut request = shared.upstream.build_request(method, target, &sent);
    if !bytes.is_empty() || sent.contains_key(header::CONTENT_LENGTH) {
        request = request.body(bytes);
    }
    Ok(pass_answer(send_request(request).await?))
}

/// The whole of a request.
async fn read(body: Body, sent: &HeaderMap) -> Result<Bytes, ApiError> {
    if sent.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        let message = "compressed requests are not taken: send them as they are";
        return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "mayi_request", message));
    }
    let read = tokio::time::timeout(BODY, to_bytes(body, LONGEST)).await;
    let Ok(Ok(bytes)) = read else {
        return Err(ApiError::bad_request("the request is too long, or did not come in time"));
    };
    Ok(bytes)
}

/// What is passed on as it is.
async fn forward_unchanged(
    shared: &Arc<Shared>,
    method: Method,
    target: &str,
    (body, sent): (Body, HeaderMap),
) -> Result<Response<Body>, ApiError> {
    let has_body = sent.contains_key(header::CONTENT_LENGTH) || sent.contains_key(header::TRANSFER_ENCODING);
    let mut request = shared.upstream.build_request(method, target, &sent);
    if has_body {
        let stream = body.into_data_stream().map_err(std::io::Error::other);
        request = request.body(reqwest::Body::wrap_stream(stream));
    }
    Ok(pass_answer(send_request(request).await?))
}
