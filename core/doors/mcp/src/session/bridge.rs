//! Requests on their way to a server and back, also where it is of the other era than the client.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::requests::{Requests, Turn};
use super::upward::Upward;
use crate::era::{ClientSays, Era, Introduction, STATELESS, meta};
use crate::frame::Frame;
use crate::front::Key;
use crate::members::{Members, raw};
use crate::pinned::Told;
use crate::server::{Begun, Failure, Server};
use mayi_core::approval::visible;

/// So often a stateless server may ask for more input before it has an answer.
const ROUNDS: usize = 10;

/// The way from a client's requests to its servers.
pub(super) struct Bridge {
    said: Arc<Introduction>,
    requests: Arc<Requests>,
    upward: Arc<Upward>,
    told: Arc<Told>,
}

impl Bridge {
    pub(super) fn new(
        said: &Arc<Introduction>,
        requests: &Arc<Requests>,
        upward: &Arc<Upward>,
        told: &Arc<Told>,
    ) -> Self {
        Self {
            said: Arc::clone(said),
            requests: Arc::clone(requests),
            upward: Arc::clone(upward),
            told: Arc::clone(told),
        }
    }

    /// Passes a request on as it came, and its answer back as it comes.
    pub(super) fn forward(self: &Arc<Self>, frame: Frame, turn: Turn, to: &Arc<Server>) {
        let says = self.said.says(&frame);
        // The quick way: both speak the same, and it is known.
        if to.era() == Some(says.era) || (says.era == Era::Older && to.era().is_none()) {
            if self.requests.given_to(turn.key, to) {
                self.requests.send(turn.key, to, frame, move |answer| turn.respond(answer));
            }
            return;
        }
        let (bridge, to, key) = (Arc::clone(self), Arc::clone(to), turn.key);
        turn.answer_with(async move { bridge.exchange(frame, key, &to, &says).await });
    }

    /// Sends a request of the client's and returns its answer, in the client's era. It is cancelled at the server if the
    /// client cancels it.
    ///
    /// # Errors
    /// If there is no answer.
    pub(super) async fn exchange(
        &self,
        frame: Frame,
        key: Key,
        to: &Arc<Server>,
        says: &ClientSays,
    ) -> Result<Frame, Failure> {
        let speaks = match (says.era, to.era()) {
            (_, Some(speaks)) => speaks,
            (Era::Stateless, None) => {
                let begun = to.begin_stateless(says).await?;
                self.ready(&to.name, &begun);
                if begun.era == Era::Older {
                    self.told.say(
                        &to.name,
                        &format!(
                            "it does not speak {STATELESS}, which the client does: what it asks of the client \
                             (elicitation, sampling, roots), subscriptions and its log do not reach the client"
                        ),
                    );
                }
                begun.era
            }
            (Era::Older, None) => Era::Older,
        };
        match (says.era, speaks) {
            (Era::Older, Era::Stateless) => self.up(to, frame, key, says).await,
            (Era::Stateless, Era::Older) => Ok(complete(self.send(to, without_version(frame), key).await?)),
            _ => self.send(to, frame, key).await,
        }
    }

    /// A server is there.
    pub(super) fn ready(&self, server: &str, begun: &Begun) {
        let version = match begun.era {
            Era::Older => begun.hello.string("protocolVersion").unwrap_or_default(),
            Era::Stateless => STATELESS.to_owned(),
        };
        self.told.progress(server, &format!("ready, with protocol version {}", visible(&version)));
    }

    /// The client knows `initialize`, the server does not: requests say who asks, and what the server asks for becomes
    /// requests to the client.
    async fn up(
        &self,
        to: &Arc<Server>,
        frame: Frame,
        key: Key,
        says: &ClientSays,
    ) -> Result<Frame, Failure> {
        match frame.method() {
            Some("ping") => return Ok(Frame::result(RawValue::NULL, &json!({}))),
            Some("logging/setLevel") => {
                self.said.set_log_level(frame.params().and_then(|params| params.string("level")));
                return Ok(Frame::result(RawValue::NULL, &json!({})));
            }
            _ => {}
        }
        let level = self.said.log_level();
        let mut params = says.stamp(frame.params().unwrap_or_default(), level.as_deref());
        for _ in 0..ROUNDS {
            let answer = self.send(to, frame.clone().with("params", params.raw()), key).await?;
            let Some(result) = answer.outcome().filter(asks_for_input) else { return Ok(answer) };
            // A question whose request is cancelled is taken back.
            let said = self.requests.unless_cancelled(key, self.input(&result, key)).await;
            params.set("inputResponses", said.ok_or_else(cancelled)??.raw());
            match result.get("requestState") {
                Some(state) => params.set("requestState", state.to_owned()),
                None => drop(params.remove("requestState")),
            }
        }
        Err(Failure::new(format!("the server {} asked for input more than {ROUNDS} times", to.name)))
    }

    /// What the client says to each of the server's questions.
    async fn input(&self, result: &Members, key: Key) -> Result<Members, Failure> {
        let mut responses = Members::default();
        let Some(requests) = result.object("inputRequests") else { return Ok(responses) };
        for (name, request) in requests.iter() {
            let refuse = || Failure::new("the server asks for input in a way that can't be read");
            let request = Members::parse(request.get()).map_err(|_| refuse())?;
            let method = request.string("method").ok_or_else(refuse)?;
            let params = request.get("params").map_or_else(|| raw(&json!({})), ToOwned::to_owned);
            let answer = self.upward.ask(&method, &params, Some(key)).answer().await;
            let answer = answer.ok_or_else(|| Failure::new("the client is gone"))?;
            match answer.member("result") {
                Some(result) => responses.set(name, result.to_owned()),
                None => {
                    let error: Option<Value> =
                        answer.member("error").and_then(|error| serde_json::from_str(error.get()).ok());
                    let said = error.as_ref().and_then(|error| error.get("message")).and_then(Value::as_str);
                    let said = visible(said.unwrap_or("no result"));
                    return Err(Failure::new(format!("the client refused `{method}`: {said}")));
                }
            }
        }
        Ok(responses)
    }

    /// Sends a request, unless it was cancelled, and waits for its answer.
    async fn send(&self, to: &Arc<Server>, frame: Frame, key: Key) -> Result<Frame, Failure> {
        if !self.requests.given_to(key, to) {
            return Err(cancelled());
        }
        let (answer, answered) = oneshot::channel();
        self.requests.send(key, to, frame, move |response| drop(answer.send(response)));
        answered.await.unwrap_or_else(|_| Err(cancelled()))
    }
}

fn cancelled() -> Failure {
    Failure::new("the request was cancelled")
}

fn asks_for_input(result: &Members) -> bool {
    result.string("resultType").as_deref() == Some("input_required")
}

/// A request of a stateless client as one of the session that mayi has with the server: what it says of itself was said when
/// that began, and its version is not the session's.
fn without_version(frame: Frame) -> Frame {
    let Some(mut params) = frame.params() else { return frame };
    let Some(mut said) = params.object("_meta") else { return frame };
    for name in [meta::VERSION, meta::CLIENT, meta::CAPABILITIES, meta::LOG_LEVEL] {
        said.remove(name);
    }
    if said.iter().next().is_some() {
        params.set("_meta", said.raw());
    } else {
        params.remove("_meta");
    }
    frame.with("params", params.raw())
}

/// An answer of the older era, as a client of the stateless one needs it.
fn complete(answer: Frame) -> Frame {
    let Some(mut result) = answer.outcome() else { return answer };
    let list = ["tools", "resources", "resourceTemplates", "prompts", "contents"];
    if result.get("resultType").is_none() {
        result.set("resultType", raw("complete"));
    }
    if list.iter().any(|name| result.get(name).is_some()) && result.get("ttlMs").is_none() {
        result.set("ttlMs", raw(&0));
        result.set("cacheScope", raw("private"));
    }
    answer.with("result", result.raw())
}
