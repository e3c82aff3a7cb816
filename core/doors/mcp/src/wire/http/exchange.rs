//! One message out, and what comes back for it.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use reqwest::{RequestBuilder, Response};
use url::Url;

use super::Shared;
use super::reply::{RequestFailure, content_type, failure_reason, read_text};
use super::sse::{EventStream, OpenFailure};
use crate::era::WITH_BATCHES;
use crate::headers::{self, SESSION, VERSION};
use crate::wire::Incoming;
use crate::{Frame, FrameKind, Malformed, code};
use mayi_core::approval::escape_line;

/// A session is ended in this time, or not at all.
const LEAVE: Duration = Duration::from_secs(2);
/// The longest session id.
const SESSION_ID: usize = 1024;

/// How far a request has come.
pub(super) enum StreamEnd {
    /// Its response has been given on.
    Given,
    /// The stream with it ended too early.
    Broken {
        /// Why; one line.
        why: String,
    },
}

impl Shared {
    /// Sends a request, and gives on what comes for it: always a response, or that there is none.
    pub(super) async fn send_request(&self, frame: Frame) {
        let Some(id) = frame.numeric_id() else { return };
        let exchanged = self.exchange_request(&frame, id).await;
        self.deliver_failure(id, exchanged).await;
    }

    /// Sends what begins a conversation. A server that does not take it in this way may be one of the older transport: its stream
    /// comes back, with the message that is still to be sent (MCP 2025-03-26 and later, transports, "Backwards Compatibility").
    pub(super) async fn send_initialize(&self, frame: Frame) -> Option<(Frame, EventStream)> {
        let id = frame.numeric_id()?;
        let exchanged = self.exchange_request(&frame, id).await;
        let Err(RequestFailure::NotStreamable(message)) = exchanged else {
            self.deliver_failure(id, exchanged).await;
            return None;
        };
        let message = match self.open_stream().await {
            Ok(stream) => return Some((frame, stream)),
            Err(OpenFailure::Stream(why)) => format!("{message}; and over SSE {why}"),
            Err(OpenFailure::NoStream(_)) => message,
        };
        self.deliver_failure(id, Err(RequestFailure::internal_failure(message))).await;
        None
    }

    async fn deliver_failure(&self, id: u64, exchanged: Result<(), RequestFailure>) {
        match exchanged {
            Ok(()) => {}
            Err(RequestFailure::Response(frame)) => {
                self.deliver(Incoming::Frame { frame, about: Some(id) }).await
            }
            Err(RequestFailure::Ended) => self.end("the session ended").await,
            Err(failure) => self.deliver(failure.into_failed(id)).await,
        }
    }

    async fn exchange_request(&self, frame: &Frame, id: u64) -> Result<(), RequestFailure> {
        let older = headers::version_in(frame).is_none();
        let response = self.post_message(&self.url, frame, Some(id)).await?;
        if frame.method() == Some("initialize") {
            self.lock().session = session_of(&response);
        }
        match content_type(&response).as_str() {
            "application/json" => {
                let text = read_text(response, self.limits.longest).await?;
                let frames = self.parse_frames(&text).map_err(|wrong| {
                    RequestFailure::internal_failure(format!("the answer is no message: {}", wrong.message))
                })?;
                let is_answer =
                    |frame: &Frame| frame.kind() == FrameKind::Response && frame.numeric_id() == Some(id);
                let (answers, others): (Vec<_>, Vec<_>) = frames.into_iter().partition(is_answer);
                let answer = answers.into_iter().next();
                let answer = answer.ok_or_else(|| {
                    RequestFailure::internal_failure("the answer is to another request".to_owned())
                })?;
                // The answer to something else has no place here.
                for frame in others.into_iter().filter(|frame| frame.kind() != FrameKind::Response) {
                    self.deliver(Incoming::Frame { frame, about: Some(id) }).await;
                }
                self.deliver_answer(frame, answer, id).await;
                Ok(())
            }
            "text/event-stream" => self.follow_stream(frame, id, response, older).await,
            "" => Err(RequestFailure::internal_failure(
                "the server took the request, and did not answer".to_owned(),
            )),
            other => Err(RequestFailure::internal_failure(format!(
                "the answer is {}, and no JSON",
                escape_line(other)
            ))),
        }
    }

    /// The messages of a body or an event: one, or several in the version that has such a thing.
    pub(super) fn parse_frames(&self, text: &str) -> Result<Vec<Frame>, Malformed> {
        let legal = self.lock().agreed_version.as_deref() == Some(WITH_BATCHES);
        match Frame::parse_batch(text).filter(|_| legal) {
            Some(messages) => messages.iter().map(|message| Frame::parse(message.get())).collect(),
            None => Frame::parse(text).map(|frame| vec![frame]),
        }
    }

    /// Sends what has no response.
    pub(super) async fn send_one_way(&self, frame: Frame) {
        match self.post_message(&self.url, &frame, None).await {
            Ok(_) => {}
            Err(RequestFailure::Ended) => self.end("the session ended").await,
            Err(RequestFailure::Failed { message, .. } | RequestFailure::NotStreamable(message)) => {
                tracing::warn!(server = self.name, message, "a message did not arrive");
            }
            Err(RequestFailure::Response(_)) => tracing::warn!(server = self.name, "a message was refused"),
        }
    }

    /// Gives on the response to `asked`, after what it says about later requests is noted.
    pub(super) async fn deliver_answer(&self, asked: &Frame, answer: Frame, id: u64) {
        match asked.method() {
            Some("initialize") => {
                let agreed =
                    answer.result_object().and_then(|result| result.string_member("protocolVersion"));
                self.lock().agreed_version = agreed;
            }
            Some("tools/list") => self.learn_annotations(&answer),
            _ => {}
        }
        self.deliver(Incoming::Frame { frame: answer, about: Some(id) }).await;
    }

    /// Notes which arguments of tools belong into headers.
    fn learn_annotations(&self, answer: &Frame) {
        let Some(tools) = answer.result_object().and_then(|result| result.parsed_member("tools")) else {
            return;
        };
        let mut state = self.lock();
        for tool in tools.as_array().into_iter().flatten() {
            let Some(name) = tool.get("name").and_then(|name| name.as_str()) else { continue };
            let annotated = tool.get("inputSchema").map(headers::header_annotations).unwrap_or_default();
            if annotated.is_empty() {
                state.annotated.remove(name);
            } else {
                state.annotated.insert(name.to_owned(), annotated);
            }
        }
    }

    /// POSTs a message to `to`. `id` is that of a request.
    pub(super) async fn post_message(
        &self,
        to: &Url,
        frame: &Frame,
        id: Option<u64>,
    ) -> Result<Response, RequestFailure> {
        let extra = self.headers_for(frame);
        let text = frame.to_line();
        let request = || {
            let request = self.http.request(Method::POST, to.clone()).headers(extra.clone());
            request
                .header(header::CONTENT_TYPE, "application/json")
                .header(header::ACCEPT, "application/json, text/event-stream")
                .body(text.clone())
        };
        let response = self.send(request).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        let in_session = extra.contains_key(SESSION);
        let other_way = matches!(
            response.status(),
            StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED
        );
        Err(match self.status_failure(response, id, in_session).await {
            RequestFailure::Failed { message, .. } if other_way && frame.method() == Some("initialize") => {
                RequestFailure::NotStreamable(message)
            }
            failure => failure,
        })
    }

    /// The headers that a message needs.
    fn headers_for(&self, frame: &Frame) -> HeaderMap {
        let mut extra = self.headers.clone();
        let mut state = self.lock();
        let named = match frame.kind() {
            FrameKind::Request => {
                let named = headers::version_in(frame);
                if named.is_some() {
                    state.named.clone_from(&named);
                }
                named
            }
            // They name no version: it is that of the requests around them.
            _ => state.named.clone().filter(|_| state.agreed_version.is_none()),
        };
        if let Some(version) = named {
            put_header(&mut extra, VERSION, &version);
            let tool = headers::name_in(frame);
            let annotated = tool.and_then(|name| state.annotated.get(&name)).cloned().unwrap_or_default();
            for (name, value) in headers::headers_for(frame, &annotated) {
                put_header(&mut extra, &name, &value);
            }
        } else if frame.method() != Some("initialize") {
            self.add_older_headers(&state, &mut extra);
        }
        extra
    }

    /// The headers of the older era.
    fn add_older_headers(&self, state: &super::State, extra: &mut HeaderMap) {
        if let Some(version) = &state.agreed_version {
            put_header(extra, VERSION, version);
        }
        if let Some(session) = &state.session {
            extra.insert(SESSION, session.clone());
        }
    }

    /// GETs or DELETEs in the session.
    pub(super) fn in_session(&self, method: Method) -> RequestBuilder {
        let mut extra = self.headers.clone();
        self.add_older_headers(&self.lock(), &mut extra);
        self.http.request(method, self.url.clone()).headers(extra)
    }

    /// Sends a request, with a token if there is one; once more if the token was refused and there is another.
    pub(super) async fn send(
        &self,
        request: impl Fn() -> RequestBuilder,
    ) -> Result<Response, RequestFailure> {
        let Some(bearer) = &self.bearer else {
            return request().send().await.map_err(|error| self.unreachable_failure(error));
        };
        let mut refused = None;
        loop {
            let token = bearer.token(refused.clone()).await.map_err(RequestFailure::unsent_failure)?;
            let again = refused.is_some();
            let request = match &token {
                Some(token) => request().bearer_auth(token),
                None => request(),
            };
            let response = request.send().await.map_err(|error| self.unreachable_failure(error))?;
            let useless = token.is_none() || again;
            if response.status() != StatusCode::UNAUTHORIZED || useless {
                return Ok(response);
            }
            refused = token;
        }
    }

    fn unreachable_failure(&self, error: reqwest::Error) -> RequestFailure {
        let name = escape_line(&self.name);
        let unsent = error.is_connect();
        let message = format!("can't reach the server {name}: {}", failure_reason(error));
        if unsent {
            RequestFailure::unsent_failure(message)
        } else {
            RequestFailure::internal_failure(message)
        }
    }

    /// What a status that is no success means.
    pub(super) async fn status_failure(
        &self,
        response: Response,
        id: Option<u64>,
        in_session: bool,
    ) -> RequestFailure {
        let status = response.status();
        let name = escape_line(&self.name);
        match status {
            StatusCode::UNAUTHORIZED => {
                let message = format!("the server {name} wants a login: run `mayi mcp login {name}`");
                return RequestFailure::unsent_failure(message);
            }
            StatusCode::NOT_FOUND if in_session => return RequestFailure::Ended,
            status if status.is_redirection() => {
                let message = format!(
                    "the server {name} is elsewhere now ({status}): set its address to {}",
                    response.headers().get(header::LOCATION).map_or_else(
                        || "where it is".to_owned(),
                        |place| escape_line(&String::from_utf8_lossy(place.as_bytes()))
                    )
                );
                return RequestFailure::internal_failure(message);
            }
            _ => {}
        }
        let json = content_type(&response) == "application/json";
        let body = read_text(response, self.limits.longest.min(1024 * 1024)).await.unwrap_or_default();
        if json
            && let Ok(frame) = Frame::parse(&body)
            && let Some(error) = frame.member("error")
        {
            if id.is_some() && frame.numeric_id() == id {
                return RequestFailure::Response(frame);
            }
            // It may not have got as far as the id.
            if frame.id().is_none_or(|id| id.get() == "null")
                && let Ok(error) = crate::Members::parse(error.get())
            {
                let number = error.get("code").and_then(|code| code.get().parse().ok());
                let said = escape_line(&error.string_member("message").unwrap_or_default());
                let message = format!("the server {name} refused it ({status}): {said}");
                let code = number.unwrap_or(code::INTERNAL);
                return RequestFailure::Failed { code, message, sent: true };
            }
        }
        RequestFailure::internal_failure(format!("the server {name} refused it: {status}"))
    }

    /// Ends the session, if there is one.
    pub(super) async fn end_session(&self) {
        let there = |state: &super::State| state.session.is_some() && !state.ended;
        if there(&self.lock()) {
            let _ = tokio::time::timeout(LEAVE, self.send(|| self.in_session(Method::DELETE))).await;
        }
    }
}

fn put_header(headers: &mut HeaderMap, name: &str, value: &str) {
    if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
        headers.insert(name, value);
    }
}

/// The session that `initialize` opened: visible ASCII.
fn session_of(response: &Response) -> Option<HeaderValue> {
    let id = response.headers().get(SESSION)?;
    let plain = id.as_bytes().iter().all(|byte| (0x21..=0x7e).contains(byte));
    (plain && !id.is_empty() && id.len() <= SESSION_ID).then(|| id.clone())
}
