//! Requests on their way to a server and back, also where it is of the other era than the client.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::requests::{Requests, ResponseSlot};
use super::server_requests::Upward;
use crate::era::{ClientProfile, Era, Introduction, STATELESS, meta};
use crate::frame::{Frame, code};
use crate::front::RequestKey;
use crate::members::{Members, to_raw_json};
use crate::pins::ServerNotices;
use crate::server::{Failure, Handshake, Server};
use mayi_core::approval::escape_line;

/// So often a stateless server may ask for more input before it has an answer.
const ROUNDS: usize = 10;

/// The way from a client's requests to its servers.
pub(super) struct Bridge {
    introduction: Arc<Introduction>,
    requests: Arc<Requests>,
    upward: Arc<Upward>,
    told: Arc<ServerNotices>,
}

impl Bridge {
    pub(super) fn new(
        said: &Arc<Introduction>,
        requests: &Arc<Requests>,
        upward: &Arc<Upward>,
        told: &Arc<ServerNotices>,
    ) -> Self {
        Self {
            introduction: Arc::clone(said),
            requests: Arc::clone(requests),
            upward: Arc::clone(upward),
            told: Arc::clone(told),
        }
    }

    /// Passes a request on as it came, and its answer back as it comes.
    pub(super) fn forward_request(self: &Arc<Self>, frame: Frame, turn: ResponseSlot, to: &Arc<Server>) {
        let says = self.introduction.profile_for(&frame);
        // The quick way: both speak the same, and it is known.
        if to.era() == Some(says.era) || (says.era == Era::Older && to.era().is_none()) {
            if self.requests.given_to(turn.key, to) {
                self.requests.send(turn.key, to, frame, move |answer| turn.respond(answer));
            }
            return;
        }
        let (bridge, to, key) = (Arc::clone(self), Arc::clone(to), turn.key);
        turn.answer_with(async move { bridge.exchange_request(frame, key, &to, &says).await });
    }

    /// Sends a request of the client's and returns its answer, in the client's era. It is cancelled at the server if the
    /// client cancels it.
    ///
    /// # Errors
    /// If there is no answer.
    pub(super) async fn exchange_request(
        &self,
        frame: Frame,
        key: RequestKey,
        to: &Arc<Server>,
        says: &ClientProfile,
    ) -> Result<Frame, Failure> {
        let speaks = match (says.era, to.era()) {
            (_, Some(speaks)) => speaks,
            (Era::Stateless, None) => {
                let begun = to.begin_stateless(says).await?;
                self.report_ready(&to.name, &begun);
                if begun.era == Era::Older {
                    self.told.notify(
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
            (Era::Older, Era::Stateless) => self.exchange_stateless(to, frame, key, says).await,
            (Era::Stateless, Era::Older) if frame.method() == Some("subscriptions/listen") => {
                let message = format!(
                    "the server behind mayi does not speak {STATELESS}, so nothing can be subscribed to"
                );
                Ok(Frame::error(RawValue::NULL, code::METHOD_NOT_FOUND, &message))
            }
            (Era::Stateless, Era::Older) => {
                Ok(complete_result(self.send(to, without_version(frame), key).await?))
            }
            _ => self.send(to, frame, key).await,
        }
    }

    /// A server is there.
    pub(super) fn report_ready(&self, server: &str, begun: &Handshake) {
        let version = match begun.era {
            Era::Older => begun.hello.string_member("protocolVersion").unwrap_or_default(),
            Era::Stateless => STATELESS.to_owned(),
        };
        self.told.notify_progress(server, &format!("ready, with protocol version {}", escape_line(&version)));
    }

    /// The client knows `initialize`, the server does not: requests say who asks, and what the server asks for becomes
    /// requests to the client.
    async fn exchange_stateless(
        &self,
        to: &Arc<Server>,
        frame: Frame,
        key: RequestKey,
        says: &ClientProfile,
    ) -> Result<Frame, Failure> {
        match frame.method() {
            Some("ping") => return Ok(Frame::result(RawValue::NULL, &json!({}))),
            Some("logging/setLevel") => {
                self.introduction
                    .set_log_level(frame.params().and_then(|params| params.string_member("level")));
                return Ok(Frame::result(RawValue::NULL, &json!({})));
            }
            _ => {}
        }
        let level = self.introduction.log_level();
        let mut params = says.stamp_params(frame.params().unwrap_or_default(), level.as_deref());
        for _ in 0..ROUNDS {
            let answer =
                self.send(to, frame.clone().with_member("params", params.to_raw_value()), key).await?;
            let Some(result) = answer.result_object().filter(asks_for_input) else { return Ok(answer) };
            // A question whose request is cancelled is taken back.
            let said = self.requests.unless_cancelled(key, self.answer_input_requests(&result, key)).await;
            params.set("inputResponses", said.ok_or_else(cancelled_failure)??.to_raw_value());
            match result.get("requestState") {
                Some(state) => params.set("requestState", state.to_owned()),
                None => drop(params.remove("requestState")),
            }
        }
        Err(Failure::of_sent(format!("the server {} asked for input more than {ROUNDS} times", to.name)))
    }

    /// What the client says to each of the server's questions.
    async fn answer_input_requests(&self, result: &Members, key: RequestKey) -> Result<Members, Failure> {
        let mut responses = Members::default();
        let Some(requests) = result.object_member("inputRequests") else { return Ok(responses) };
        for (name, request) in requests.iter() {
            let refuse = || Failure::of_sent("the server asks for input in a way that can't be read");
            let request = Members::parse(request.get()).map_err(|_| refuse())?;
            let method = request.string_member("method").ok_or_else(refuse)?;
            let params = request.get("params").map_or_else(|| to_raw_json(&json!({})), ToOwned::to_owned);
            let answer = self.upward.ask_client(&method, &params, Some(key)).wait_for_answer().await;
            let answer = answer.ok_or_else(|| Failure::of_sent("the client is gone"))?;
            match answer.member("result") {
                Some(result) => responses.set(name, result.to_owned()),
                None => {
                    let error: Option<Value> =
                        answer.member("error").and_then(|error| serde_json::from_str(error.get()).ok());
                    let said = error.as_ref().and_then(|error| error.get("message")).and_then(Value::as_str);
                    let said = escape_line(said.unwrap_or("no result"));
                    return Err(Failure::of_sent(format!("the client refused `{method}`: {said}")));
                }
            }
        }
        Ok(responses)
    }

    /// Sends a request, unless it was cancelled, and waits for its answer.
    async fn send(&self, to: &Arc<Server>, frame: Frame, key: RequestKey) -> Result<Frame, Failure> {
        if !self.requests.given_to(key, to) {
            return Err(cancelled_failure());
        }
        let (answer, answered) = oneshot::channel();
        self.requests.send(key, to, frame, move |response| drop(answer.send(response)));
        answered.await.unwrap_or_else(|_| Err(cancelled_failure()))
    }
}

fn cancelled_failure() -> Failure {
    Failure::new("the request was cancelled")
}

fn asks_for_input(result: &Members) -> bool {
    result.string_member("resultType").as_deref() == Some("input_required")
}

/// A request of a stateless client as one of the session that mayi has with the server: what it says of itself was said when
/// that began, and its version is not the session's.
fn without_version(frame: Frame) -> Frame {
    let Some(mut params) = frame.params() else { return frame };
    let Some(mut said) = params.object_member("_meta") else { return frame };
    for name in [meta::VERSION, meta::CLIENT, meta::CAPABILITIES, meta::LOG_LEVEL] {
        said.remove(name);
    }
    if said.iter().next().is_some() {
        params.set("_meta", said.to_raw_value());
    } else {
        params.remove("_meta");
    }
    frame.with_member("params", params.to_raw_value())
}

/// An answer of the older era, as a client of the stateless one needs it.
fn complete_result(answer: Frame) -> Frame {
    let Some(mut result) = answer.result_object() else { return answer };
    let list = ["tools", "resources", "resourceTemplates", "prompts", "contents"];
    if result.get("resultType").is_none() {
        result.set("resultType", to_raw_json("complete"));
    }
    if list.iter().any(|name| result.get(name).is_some()) && result.get("ttlMs").is_none() {
        result.set("ttlMs", to_raw_json(&0));
        result.set("cacheScope", to_raw_json("private"));
    }
    answer.with_member("result", result.to_raw_value())
}
