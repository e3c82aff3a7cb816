//! One request at the front: admitted, read, and given to the conversation that it belongs to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use mayi_doors::strangers::Stranger;

use super::HttpOptions;
use super::admit::{accepts, admit, authorize, content, cors, origin, preflight, single};
use super::era;
use super::out::Out;
use super::refusal::{Refusal, empty};
use super::respond::{Shape, answer, event_id, events, nothing};
use super::sessions::{Session, Sessions};
use crate::era::Era;
use crate::headers::{LAST_EVENT, SESSION};
use crate::{Caller, Clients, Conversation, Frame, Gateway, Key, Kind, Malformed, code};

/// Where the gateway is.
const PATH: &str = "/mcp";
/// A body has to be there in this time.
const BODY: Duration = Duration::from_secs(60);

/// Requests that stand for themselves: one conversation for all who have the token.
struct Stateless {
    out: Arc<Out>,
    conversation: Arc<dyn Conversation>,
}

/// The gateway at an address.
pub(super) struct Front {
    gateway: Arc<dyn Gateway>,
    options: HttpOptions,
    pub(super) sessions: Sessions,
    stateless: OnceLock<Stateless>,
}

type Answered = Result<Response<Body>, Refusal>;

impl Front {
    pub(super) fn new(gateway: Arc<dyn Gateway>, options: HttpOptions) -> Self {
        Self { gateway, options, sessions: Sessions::default(), stateless: OnceLock::new() }
    }

    pub(super) fn options(&self) -> &HttpOptions {
        &self.options
    }

    /// Nothing comes any more.
    pub(super) fn close(&self) {
        self.sessions.clear();
        if let Some(stateless) = self.stateless.get() {
            stateless.out.close();
            stateless.conversation.close();
        }
    }

    /// Answers a request. `stranger`: its connection, which stays once it has shown who it is.
    pub(super) async fn handle(&self, request: Request, stranger: &Stranger) -> Response<Body> {
        let page = origin(request.headers(), &self.options);
        let mut response = self.admitted(request, stranger).await.unwrap_or_else(Refusal::into_response);
        if let Some(page) = page {
            cors(response.headers_mut(), page);
        }
        response
    }

    async fn admitted(&self, request: Request, stranger: &Stranger) -> Answered {
        admit(request.uri(), request.headers(), &self.options)?;
        if request.method() == Method::OPTIONS && request.headers().contains_key(header::ORIGIN) {
            // Browsers send no token with this.
            let mut response = empty(StatusCode::NO_CONTENT);
            let asked = request.headers().get(header::ACCESS_CONTROL_REQUEST_HEADERS);
            preflight(response.headers_mut(), asked);
            return Ok(response);
        }
        authorize(request.headers(), &self.options)?;
        if self.options.token.is_some() {
            stranger.is_known();
        }
        if request.uri().path() != PATH {
            return Err(Refusal::new(StatusCode::NOT_FOUND, "nothing is here: the gateway is at /mcp"));
        }
        match *request.method() {
            Method::POST => self.post(request, stranger).await,
            Method::GET => self.get(request.headers()).inspect(|_| stranger.is_known()),
            Method::DELETE => self.delete(request.headers()),
            _ => Err(not_allowed("GET, POST, DELETE")),
        }
    }

    async fn post(&self, request: Request, stranger: &Stranger) -> Answered {
        content(request.headers())?;
        let (parts, body) = request.into_parts();
        let sent = parts.headers;
        let text = self.body(&sent, body).await?;
        let frame = Frame::parse(&text)
            .map_err(|malformed| Refusal::answer(StatusCode::BAD_REQUEST, &malformed.answer()))?;
        drop(text);
        // Where anybody may call, whoever has said a whole thing is one who calls.
        stranger.is_known();
        match era::of(&frame, &sent, &self.options)? {
            Era::Stateless => {
                // Before a server is asked: one that takes its time would leave a status of 200.
                era::complete(&frame)?;
                self.by_itself(frame).await
            }
            Era::Older => self.in_session(frame, &sent).await,
        }
    }

    /// The text of a body that is not too long.
    async fn body(&self, sent: &HeaderMap, body: Body) -> Result<String, Refusal> {
        let most = self.options.body;
        let too_long = || {
            let message = format!("the message is longer than {most} bytes: send less at once");
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, &message).with("connection", "close")
        };
        let said = single(sent, "content-length").ok().flatten().and_then(|length| length.parse().ok());
        if said.is_some_and(|said: u64| said > most as u64) {
            return Err(too_long());
        }
        let bytes = match tokio::time::timeout(BODY, to_bytes(body, most)).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) => return Err(too_long()),
            Err(_) => {
                let message = "the message did not arrive: send it again";
                return Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, message));
            }
        };
        String::from_utf8(bytes.into()).map_err(|_| {
            let message = "the message is not UTF-8".to_owned();
            Refusal::answer(StatusCode::BAD_REQUEST, &Malformed::new(code::PARSE, message).answer())
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

    async fn by_itself(&self, frame: Frame) -> Answered {
        let Stateless { out, conversation } = self.stateless.get_or_init(|| {
            let out = Out::new(false);
            let conversation = self.gateway.open(out.clone(), self.caller(), Clients::Several);
            Stateless { out, conversation }
        });
        if frame.kind() != Kind::Request {
            conversation.receive(frame, None);
            return Ok(empty(StatusCode::ACCEPTED));
        }
        let key = Key::next();
        let stream = out.open(key, frame.id()).ok_or_else(|| busy(&frame))?;
        let reader = stream.read(None);
        // From here on: whoever closes the stream does not want the answer any more.
        let leaving = Leaving { key, out: Arc::clone(out), conversation: Arc::clone(conversation) };
        conversation.receive(frame, Some(key));
        let shape = Shape { ids: false, primed: false };
        Ok(answer(reader, shape, Box::new(leaving), era::status).await)
    }

    async fn in_session(&self, frame: Frame, sent: &HeaderMap) -> Answered {
        let opens = frame.kind() == Kind::Request && frame.method() == Some("initialize");
        if opens && !sent.contains_key(SESSION) {
            return self.opened(frame).await;
        }
        let session = self.session(sent)?;
        if frame.kind() != Kind::Request {
            let cancels = frame.method() == Some("notifications/cancelled");
            let params = if cancels { frame.params() } else { None };
            session.conversation.receive(frame, None);
            if let Some(id) = params.as_ref().and_then(|params| params.get("requestId")) {
                session.out.cancelled(id);
            }
            return Ok(empty(StatusCode::ACCEPTED));
        }
        self.asked(&session, frame, |_| StatusCode::OK).await
    }

    async fn opened(&self, frame: Frame) -> Answered {
        let session = self
            .sessions
            .open(&*self.gateway, self.caller(), self.options.sessions, Instant::now())
            .ok_or_else(|| busy(&frame))?;
        let refused = AtomicBool::new(false);
        let asked = self.asked(&session, frame, |error| {
            refused.store(error.is_some(), Ordering::Relaxed);
            StatusCode::OK
        });
        let mut response = asked.await?;
        if refused.load(Ordering::Relaxed) {
            self.sessions.end(&session.id);
        } else if let Ok(id) = HeaderValue::from_str(&session.id) {
            response.headers_mut().insert(SESSION, id);
        }
        Ok(response)
    }

    /// A request in a session. Its client may close the connection and come back.
    async fn asked(
        &self,
        session: &Arc<Session>,
        frame: Frame,
        status: impl Fn(Option<i64>) -> StatusCode,
    ) -> Answered {
        let key = Key::next();
        let stream = session.out.open(key, frame.id()).ok_or_else(|| busy(&frame))?;
        let reader = stream.read(None);
        session.conversation.receive(frame, Some(key));
        let shape = Shape { ids: true, primed: session.out.primes() };
        Ok(answer(reader, shape, Box::new(()), status).await)
    }

    /// The session that a request names.
    fn session(&self, sent: &HeaderMap) -> Result<Arc<Session>, Refusal> {
        let id = single(sent, SESSION).map_err(|message| Refusal::new(StatusCode::BAD_REQUEST, &message))?;
        let Some(id) = id else {
            let message =
                "there is no Mcp-Session-Id header: begin with initialize, and send what it returns";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, message));
        };
        self.sessions.get(id).ok_or_else(|| {
            let message = "there is no such session, or it has ended: begin a new one with initialize";
            Refusal::new(StatusCode::NOT_FOUND, message)
        })
    }

    fn get(&self, sent: &HeaderMap) -> Answered {
        if era::is_stateless(sent) || !accepts(sent, &["text/event-stream"]) {
            return Err(not_allowed("POST"));
        }
        let session = self.session(sent)?;
        era::known(era::version(sent)?)?;
        let back =
            single(sent, LAST_EVENT).map_err(|message| Refusal::new(StatusCode::BAD_REQUEST, &message))?;
        let (stream, after) = match back {
            None => (session.out.general(), None),
            Some(id) => match event_id(id) {
                Some((number, after)) => (session.out.stream(number), Some(after)),
                None => (None, None),
            },
        };
        let Some(stream) = stream else { return Ok(nothing()) };
        let shape = Shape { ids: true, primed: back.is_none() && session.out.primes() };
        Ok(events(stream.read(after), shape, None, Box::new(())))
    }

    fn delete(&self, sent: &HeaderMap) -> Answered {
        if era::is_stateless(sent) {
            return Err(not_allowed("POST"));
        }
        let session = self.session(sent)?;
        era::known(era::version(sent)?)?;
        self.sessions.end(&session.id);
        Ok(empty(StatusCode::OK))
    }
}

/// Tells the conversation when nobody reads the answer to a request any more.
struct Leaving {
    key: Key,
    out: Arc<Out>,
    conversation: Arc<dyn Conversation>,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        let answered = self.out.stream(self.key.0).is_none_or(|stream| stream.is_answered());
        self.out.forget(self.key.0);
        if !answered {
            self.conversation.abandon(self.key);
        }
    }
}

fn busy(frame: &Frame) -> Refusal {
    let message = "too much waits here already: try again later";
    Refusal::about(frame.id(), StatusCode::SERVICE_UNAVAILABLE, code::INTERNAL, message)
}

fn not_allowed(methods: &'static str) -> Refusal {
    let message = "this method is not served here";
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message).with("allow", methods)
}
