//! One message out, and what comes back for it.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use reqwest::{RequestBuilder, Response};

use super::Shared;
use super::reply::{Trouble, content_type, reason, text};
use crate::era::WITH_BATCHES;
use crate::headers::{self, SESSION, VERSION};
use crate::wire::Incoming;
use crate::{Frame, Kind, Malformed, code};
use mayi_core::approval::visible;

/// A session is ended in this time, or not at all.
const LEAVE: Duration = Duration::from_secs(2);
/// The longest session id.
const SESSION_ID: usize = 1024;

/// How far a request has come.
pub(super) enum Answer {
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
    pub(super) async fn request(&self, frame: Frame) {
        let Some(id) = frame.number() else { return };
        match self.ask(&frame, id).await {
            Ok(()) => {}
            Err(Trouble::Response(frame)) => self.give(Incoming::Frame { frame, about: Some(id) }).await,
            Err(Trouble::Failed { code, message }) => {
                self.give(Incoming::Failed { id, code, message }).await;
            }
            Err(Trouble::Ended) => self.end("the session ended").await,
        }
    }

    async fn ask(&self, frame: &Frame, id: u64) -> Result<(), Trouble> {
        let older = headers::version_in(frame).is_none();
        let response = self.post(frame, Some(id)).await?;
        if frame.method() == Some("initialize") {
            self.lock().session = session_of(&response);
        }
        match content_type(&response).as_str() {
            "application/json" => {
                let text = text(response, self.limits.longest).await?;
                let frames = self.frames(&text).map_err(|wrong| {
                    Trouble::failed(format!("the answer is no message: {}", wrong.message))
                })?;
                let is_answer = |frame: &Frame| frame.kind() == Kind::Response && frame.number() == Some(id);
                let (answers, others): (Vec<_>, Vec<_>) = frames.into_iter().partition(is_answer);
                let answer = answers.into_iter().next();
                let answer =
                    answer.ok_or_else(|| Trouble::failed("the answer is to another request".to_owned()))?;
                // The answer to something else has no place here.
                for frame in others.into_iter().filter(|frame| frame.kind() != Kind::Response) {
                    self.give(Incoming::Frame { frame, about: Some(id) }).await;
                }
                self.answered(frame, answer, id).await;
                Ok(())
            }
            "text/event-stream" => self.follow(frame, id, response, older).await,
            "" => Err(Trouble::failed("the server took the request, and did not answer".to_owned())),
            other => Err(Trouble::failed(format!("the answer is {}, and no JSON", visible(other)))),
        }
    }

    /// The messages of a body or an event: one, or several in the version that has such a thing.
    pub(super) fn frames(&self, text: &str) -> Result<Vec<Frame>, Malformed> {
        let legal = self.lock().agreed.as_deref() == Some(WITH_BATCHES);
        match Frame::batch(text).filter(|_| legal) {
            Some(messages) => messages.iter().map(|message| Frame::parse(message.get())).collect(),
            None => Frame::parse(text).map(|frame| vec![frame]),
        }
    }

    /// Sends what has no response.
    pub(super) async fn tell(&self, frame: Frame) {
        match self.post(&frame, None).await {
            Ok(_) => {}
            Err(Trouble::Ended) => self.end("the session ended").await,
            Err(Trouble::Failed { message, .. }) => {
                tracing::warn!(server = self.name, message, "a message did not arrive");
            }
            Err(Trouble::Response(_)) => tracing::warn!(server = self.name, "a message was refused"),
        }
    }

    /// Gives on the response to `asked`, after what it says about later requests is noted.
    pub(super) async fn answered(&self, asked: &Frame, answer: Frame, id: u64) {
        match asked.method() {
            Some("initialize") => {
                let agreed = answer.outcome().and_then(|result| result.string("protocolVersion"));
                self.lock().agreed = agreed;
            }
            Some("tools/list") => self.learn(&answer),
            _ => {}
        }
        self.give(Incoming::Frame { frame: answer, about: Some(id) }).await;
    }

    /// Notes which arguments of tools belong into headers.
    fn learn(&self, answer: &Frame) {
        let Some(tools) = answer.outcome().and_then(|result| result.value("tools")) else { return };
        let mut state = self.lock();
        for tool in tools.as_array().into_iter().flatten() {
            let Some(name) = tool.get("name").and_then(|name| name.as_str()) else { continue };
            let annotated = tool.get("inputSchema").map(headers::annotations).unwrap_or_default();
            if annotated.is_empty() {
                state.annotated.remove(name);
            } else {
                state.annotated.insert(name.to_owned(), annotated);
            }
        }
    }

    /// POSTs a message. `id` is that of a request.
    async fn post(&self, frame: &Frame, id: Option<u64>) -> Result<Response, Trouble> {
        let extra = self.beside(frame);
        let text = frame.text();
        let request = || {
            let request = self.http.request(Method::POST, self.url.clone()).headers(extra.clone());
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
        Err(self.refused(response, id, in_session).await)
    }

    /// The headers that a message needs.
    fn beside(&self, frame: &Frame) -> HeaderMap {
        let mut extra = self.headers.clone();
        let mut state = self.lock();
        let named = match frame.kind() {
            Kind::Request => {
                let named = headers::version_in(frame);
                if named.is_some() {
                    state.named.clone_from(&named);
                }
                named
            }
            // They name no version: it is that of the requests around them.
            _ => state.named.clone().filter(|_| state.agreed.is_none()),
        };
        if let Some(version) = named {
            put(&mut extra, VERSION, &version);
            let tool = headers::name_in(frame);
            let annotated = tool.and_then(|name| state.annotated.get(&name)).cloned().unwrap_or_default();
            for (name, value) in headers::beside(frame, &annotated) {
                put(&mut extra, &name, &value);
            }
        } else if frame.method() != Some("initialize") {
            self.older(&state, &mut extra);
        }
        extra
    }

    /// The headers of the older era.
    fn older(&self, state: &super::State, extra: &mut HeaderMap) {
        if let Some(version) = &state.agreed {
            put(extra, VERSION, version);
        }
        if let Some(session) = &state.session {
            extra.insert(SESSION, session.clone());
        }
    }

    /// GETs or DELETEs in the session.
    pub(super) fn in_session(&self, method: Method) -> RequestBuilder {
        let mut extra = self.headers.clone();
        self.older(&self.lock(), &mut extra);
        self.http.request(method, self.url.clone()).headers(extra)
    }

    /// Sends a request, with a token if there is one; once more if the token was refused and there is another.
    pub(super) async fn send(&self, request: impl Fn() -> RequestBuilder) -> Result<Response, Trouble> {
        let Some(bearer) = &self.bearer else {
            return request().send().await.map_err(|error| self.unreachable(error));
        };
        let mut refused = None;
        loop {
            let token = bearer.token(refused.clone()).await.map_err(Trouble::failed)?;
            let again = refused.is_some();
            let request = match &token {
                Some(token) => request().bearer_auth(token),
                None => request(),
            };
            let response = request.send().await.map_err(|error| self.unreachable(error))?;
            let useless = token.is_none() || again;
            if response.status() != StatusCode::UNAUTHORIZED || useless {
                return Ok(response);
            }
            refused = token;
        }
    }

    fn unreachable(&self, error: reqwest::Error) -> Trouble {
        let name = visible(&self.name);
        Trouble::failed(format!("can't reach the server {name}: {}", reason(error)))
    }

    /// What a status that is no success means.
    async fn refused(&self, response: Response, id: Option<u64>, in_session: bool) -> Trouble {
        let status = response.status();
        let name = visible(&self.name);
        match status {
            StatusCode::UNAUTHORIZED => {
                let message = format!("the server {name} wants a login: run `mayi mcp login {name}`");
                return Trouble::failed(message);
            }
            StatusCode::NOT_FOUND if in_session => return Trouble::Ended,
            status if status.is_redirection() => {
                let message = format!(
                    "the server {name} is elsewhere now ({status}): set its address to {}",
                    response.headers().get(header::LOCATION).map_or_else(
                        || "where it is".to_owned(),
                        |place| visible(&String::from_utf8_lossy(place.as_bytes()))
                    )
                );
                return Trouble::failed(message);
            }
            _ => {}
        }
        let json = content_type(&response) == "application/json";
        let body = text(response, self.limits.longest.min(1024 * 1024)).await.unwrap_or_default();
        if json
            && let Ok(frame) = Frame::parse(&body)
            && let Some(error) = frame.member("error")
        {
            if id.is_some() && frame.number() == id {
                return Trouble::Response(frame);
            }
            // It may not have got as far as the id.
            if frame.id().is_none_or(|id| id.get() == "null")
                && let Ok(error) = crate::Members::parse(error.get())
            {
                let number = error.get("code").and_then(|code| code.get().parse().ok());
                let said = visible(&error.string("message").unwrap_or_default());
                let message = format!("the server {name} refused it ({status}): {said}");
                return Trouble::Failed { code: number.unwrap_or(code::INTERNAL), message };
            }
        }
        Trouble::failed(format!("the server {name} refused it: {status}"))
    }

    /// Ends the session, if there is one.
    pub(super) async fn leave(&self) {
        let there = |state: &super::State| state.session.is_some() && !state.ended;
        if there(&self.lock()) {
            let _ = tokio::time::timeout(LEAVE, self.send(|| self.in_session(Method::DELETE))).await;
        }
    }
}

fn put(headers: &mut HeaderMap, name: &str, value: &str) {
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
