//! One request at the front: admitted, read, and given to the conversation that it belongs to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use mayi_doors::unknown_connections::UnknownConnection;

use super::HttpOptions;
use super::admission::{
    accepts_all, add_cors_headers, add_preflight_headers, admit_request, allowed_origin, authorize_request,
    check_content_headers, single_header,
};
use super::client_streams::ClientStreams;
use super::era;
use super::refusal::{HttpRefusal, empty_response};
use super::respond::{EventFormat, answer_response, empty_stream_response, event_id, event_stream_response};
use super::sessions::{HttpSession, Sessions};
use crate::era::Era;
use crate::headers::{LAST_EVENT, SESSION};
use crate::{Caller, ClientCount, Conversation, Frame, FrameKind, Gateway, Malformed, RequestKey, code};

/// Where the gateway is.
const PATH: &str = "/mcp";
/// A body has to be there in this time.
const BODY: Duration = Duration::from_secs(60);

/// Requests that stand for themselves: one conversation for all who have the token.
struct Stateless {
    streams: Arc<ClientStreams>,
    conversation: Arc<dyn Conversation>,
}

/// The gateway at an address.
pub(super) struct Front {
    gateway: Arc<dyn Gateway>,
    options: HttpOptions,
    pub(super) sessions: Sessions,
    stateless: OnceLock<Stateless>,
}

type HttpAnswer = Result<Response<Body>, HttpRefusal>;

impl Front {
    pub(super) fn new(gateway: Arc<dyn Gateway>, options: HttpOptions) -> Self {
        Self { gateway, options, sessions: Sessions::default(), stateless: OnceLock::new() }
    }

    pub(super) fn options(&self) -> &HttpOptions {
        &self.options
    }

    /// Nothing comes any more.
    pub(super) fn close(&self) {
        self.sessions.end_all();
        if let Some(stateless) = self.stateless.get() {
            stateless.streams.close();
            stateless.conversation.close();
        }
    }

    /// Answers a request. `stranger`: its connection, which stays once it has shown who it is.
    pub(super) async fn serve_request(
        &self,
        request: Request,
        stranger: &UnknownConnection,
    ) -> Response<Body> {
        let page = allowed_origin(request.headers(), &self.options);
        let mut response =
            self.admit_and_route(request, stranger).await.unwrap_or_else(HttpRefusal::into_response);
        if let Some(page) = page {
            add_cors_headers(response.headers_mut(), page);
        }
        response
    }

    async fn admit_and_route(&self, request: Request, stranger: &UnknownConnection) -> HttpAnswer {
        admit_request(request.uri(), request.headers(), &self.options)?;
        if request.method() == Method::OPTIONS && request.headers().contains_key(header::ORIGIN) {
            // Browsers send no token with this.
            let mut response = empty_response(StatusCode::NO_CONTENT);
            let asked = request.headers().get(header::ACCESS_CONTROL_REQUEST_HEADERS);
            add_preflight_headers(response.headers_mut(), asked);
            return Ok(response);
        }
        authorize_request(request.headers(), &self.options)?;
        if self.options.token.is_some() {
            stranger.mark_known();
        }
        if request.uri().path() != PATH {
            return Err(HttpRefusal::new(StatusCode::NOT_FOUND, "nothing is here: the gateway is at /mcp"));
        }
        match *request.method() {
            Method::POST => self.post_message(request, stranger).await,
            Method::GET => self.get(request.headers()).inspect(|_| stranger.mark_known()),
            Method::DELETE => self.delete_session(request.headers()),
            _ => Err(not_allowed("GET, POST, DELETE")),
        }
    }

    async fn post_message(&self, request: Request, stranger: &UnknownConnection) -> HttpAnswer {
        check_content_headers(request.headers())?;
        let (parts, body) = request.into_parts();
        let sent = parts.headers;
        let text = self.read_body(&sent, body).await?;
        let frame = Frame::parse(&text).map_err(|malformed| {
            HttpRefusal::from_frame(StatusCode::BAD_REQUEST, &malformed.error_response())
        })?;
        drop(text);
        // Where anybody may call, whoever has said a whole thing is one who calls.
        stranger.mark_known();
        match era::era_of_frame(&frame, &sent, &self.options)? {
            Era::Stateless => {
                // Before a server is asked: one that takes its time would leave a status of 200.
                era::check_complete_meta(&frame)?;
                self.by_itself(frame).await
            }
            Era::Older => self.in_session(frame, &sent).await,
        }
    }

    /// The text of a body that is not too long.
    async fn read_body(&self, sent: &HeaderMap, body: Body) -> Result<String, HttpRefusal> {
        let most = self.options.body;
        let too_long = || {
            let message = format!("the message is longer than {most} bytes: send less at once");
            HttpRefusal::new(StatusCode::PAYLOAD_TOO_LARGE, &message).with_header("connection", "close")
        };
        let said =
            single_header(sent, "content-length").ok().flatten().and_then(|length| length.parse().ok());
        if said.is_some_and(|said: u64| said > most as u64) {
            return Err(too_long());
        }
        let bytes = match tokio::time::timeout(BODY, to_bytes(body, most)).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) => return Err(too_long()),
            Err(_) => {
                let message = "the message did not arrive: send it again";
                return Err(HttpRefusal::new(StatusCode::REQUEST_TIMEOUT, message));
            }
        };
        String::from_utf8(bytes.into()).map_err(|_| {
            let message = "the message is not UTF-8".to_owned();
            HttpRefusal::from_frame(
                StatusCode::BAD_REQUEST,
                &Malformed::new(code::PARSE, message).error_response(),
            )
        })
    }

    /// Who is at the other end, as far as can be known: whoever has the token.
    fn caller(&self) -> Caller {
        let token = self.options.token.as_ref();
        let by_token = |token: &String| {
            let digest = mayi_core::call::digest_of(&serde_json::json!({ "token": token }));
            format!("token:{}", digest.short())
        };
        Caller(token.map_or_else(|| "anybody".to_owned(), by_token))
    }

    async fn by_itself(&self, frame: Frame) -> HttpAnswer {
        let Stateless { streams: out, conversation } = self.stateless.get_or_init(|| {
            let out = ClientStreams::new(false);
            let conversation = self.gateway.open(out.clone(), self.caller(), ClientCount::Several);
            Stateless { streams: out, conversation }
        });
        if frame.kind() != FrameKind::Request {
            conversation.receive(frame, None);
            return Ok(empty_response(StatusCode::ACCEPTED));
        }
        let key = RequestKey::next();
        let stream = out.open(key, frame.id()).ok_or_else(|| busy_refusal(&frame))?;
        let reader = stream.read(None);
        // From here on: whoever closes the stream does not want the answer any more.
        let leaving = AbandonOnDrop { key, streams: Arc::clone(out), conversation: Arc::clone(conversation) };
        conversation.receive(frame, Some(key));
        let shape = EventFormat { ids: false, primed: false };
        Ok(answer_response(reader, shape, Box::new(leaving), era::error_status).await)
    }

    async fn in_session(&self, frame: Frame, sent: &HeaderMap) -> HttpAnswer {
        let opens = frame.kind() == FrameKind::Request && frame.method() == Some("initialize");
        if opens && !sent.contains_key(SESSION) {
            return self.open_session(frame).await;
        }
        let session = self.find_session(sent)?;
        if frame.kind() != FrameKind::Request {
            let cancels = frame.method() == Some("notifications/cancelled");
            let params = if cancels { frame.params() } else { None };
            session.conversation.receive(frame, None);
            if let Some(id) = params.as_ref().and_then(|params| params.get("requestId")) {
                session.streams.end_cancelled(id);
            }
            return Ok(empty_response(StatusCode::ACCEPTED));
        }
        self.request_in_session(&session, frame, |_| StatusCode::OK).await
    }

    async fn open_session(&self, frame: Frame) -> HttpAnswer {
        let session = self
            .sessions
            .open(&*self.gateway, self.caller(), self.options.sessions, Instant::now())
            .ok_or_else(|| busy_refusal(&frame))?;
        let refused = AtomicBool::new(false);
        let asked = self.request_in_session(&session, frame, |error| {
            refused.store(error.is_some(), Ordering::Relaxed);
            StatusCode::OK
        });
        let mut response = asked.await?;
        if refused.load(Ordering::Relaxed) {
            self.sessions.end_session(&session.id);
        } else if let Ok(id) = HeaderValue::from_str(&session.id) {
            response.headers_mut().insert(SESSION, id);
        }
        Ok(response)
    }

    /// A request in a session. Its client may close the connection and come back.
    async fn request_in_session(
        &self,
        session: &Arc<HttpSession>,
        frame: Frame,
        status: impl Fn(Option<i64>) -> StatusCode,
    ) -> HttpAnswer {
        let key = RequestKey::next();
        let stream = session.streams.open(key, frame.id()).ok_or_else(|| busy_refusal(&frame))?;
        let reader = stream.read(None);
        session.conversation.receive(frame, Some(key));
        let shape = EventFormat { ids: true, primed: session.streams.has_priming() };
        Ok(answer_response(reader, shape, Box::new(()), status).await)
    }

    /// The session that a request names.
    fn find_session(&self, sent: &HeaderMap) -> Result<Arc<HttpSession>, HttpRefusal> {
        let id = single_header(sent, SESSION)
            .map_err(|message| HttpRefusal::new(StatusCode::BAD_REQUEST, &message))?;
        let Some(id) = id else {
            let message =
                "there is no Mcp-Session-Id header: begin with initialize, and send what it returns";
            return Err(HttpRefusal::new(StatusCode::BAD_REQUEST, message));
        };
        self.sessions.get(id).ok_or_else(|| {
            let message = "there is no such session, or it has ended: begin a new one with initialize";
            HttpRefusal::new(StatusCode::NOT_FOUND, message)
        })
    }

    fn get(&self, sent: &HeaderMap) -> HttpAnswer {
        if era::is_stateless(sent) || !accepts_all(sent, &["text/event-stream"]) {
            return Err(not_allowed("POST"));
        }
        let session = self.find_session(sent)?;
        era::check_known_version(None, era::header_version(sent)?)?;
        let back = single_header(sent, LAST_EVENT)
            .map_err(|message| HttpRefusal::new(StatusCode::BAD_REQUEST, &message))?;
        let (stream, after) = match back {
            None => (session.streams.general_stream(), None),
            Some(id) => match event_id(id) {
                Some((number, after)) => (session.streams.find_stream(number), Some(after)),
                None => (None, None),
            },
        };
        let Some(stream) = stream else { return Ok(empty_stream_response()) };
        let shape = EventFormat { ids: true, primed: back.is_none() && session.streams.has_priming() };
        Ok(event_stream_response(stream.read(after), shape, None, Box::new(())))
    }

    fn delete_session(&self, sent: &HeaderMap) -> HttpAnswer {
        if era::is_stateless(sent) {
            return Err(not_allowed("POST"));
        }
        let session = self.find_session(sent)?;
        era::check_known_version(None, era::header_version(sent)?)?;
        self.sessions.end_session(&session.id);
        Ok(empty_response(StatusCode::OK))
    }
}

/// Tells the conversation when nobody reads the answer to a request any more.
struct AbandonOnDrop {
    key: RequestKey,
    streams: Arc<ClientStreams>,
    conversation: Arc<dyn Conversation>,
}

impl Drop for AbandonOnDrop {
    fn drop(&mut self) {
        let answered = self.streams.find_stream(self.key.0).is_none_or(|stream| stream.is_answered());
        self.streams.remove_stream(self.key.0);
        if !answered {
            self.conversation.abandon_request(self.key);
        }
    }
}

fn busy_refusal(frame: &Frame) -> HttpRefusal {
    let message = "too much waits here already: try again later";
    HttpRefusal::for_request(frame.id(), StatusCode::SERVICE_UNAVAILABLE, code::INTERNAL, message)
}

fn not_allowed(methods: &'static str) -> HttpRefusal {
    let message = "this method is not served here";
    HttpRefusal::new(StatusCode::METHOD_NOT_ALLOWED, message).with_header("allow", methods)
}
