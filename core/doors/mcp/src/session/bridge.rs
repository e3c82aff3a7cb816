//! Requests to a server of the other era than the client's.

use std::sync::Arc;

use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::Session;
use crate::era::{ClientSays, Era, STATELESS};
use crate::frame::Frame;
use crate::front::Key;
use crate::members::{Members, raw};
use crate::server::{Failure, Server};

/// So often a stateless server may ask for more input before it has an answer.
const ROUNDS: usize = 10;

impl Session {
    /// Sends a request of the client's and returns its answer, in the client's era. It is cancelled at the server if the
    /// client cancels it.
    ///
    /// # Errors
    /// If there is no answer.
    pub(super) async fn exchange(
        self: &Arc<Self>,
        frame: Frame,
        key: Key,
        server: usize,
    ) -> Result<Frame, Failure> {
        let to = self.at(server).ok_or_else(|| Failure::new("there is no such server"))?;
        let (era, says) = self.says(&frame);
        let speaks = match (era, to.era()) {
            (_, Some(speaks)) => speaks,
            (Era::Stateless, None) => {
                let begun = to.begin_stateless(&says).await?;
                self.ready(&to.name, &begun);
                if begun.era == Era::Older {
                    self.say(
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
        if !self.given_to(key, server) {
            return Err(Failure::new("the request was cancelled"));
        }
        match (era, speaks) {
            (Era::Older, Era::Stateless) => self.up(to, frame, key, &says).await,
            (Era::Stateless, Era::Older) => Ok(complete(send(to, frame, key).await?)),
            _ => send(to, frame, key).await,
        }
    }

    /// The client knows `initialize`, the server does not: requests say who asks, and what the server asks for becomes
    /// requests to the client.
    async fn up(
        self: &Arc<Self>,
        to: &Server,
        frame: Frame,
        key: Key,
        says: &ClientSays,
    ) -> Result<Frame, Failure> {
        match frame.method() {
            Some("ping") => return Ok(Frame::result(RawValue::NULL, &json!({}))),
            Some("logging/setLevel") => {
                self.lock().log_level = frame.params().and_then(|params| params.string("level"));
                return Ok(Frame::result(RawValue::NULL, &json!({})));
            }
            _ => {}
        }
        let level = self.lock().log_level.clone();
        let mut params = says.stamp(frame.params().unwrap_or_default(), level.as_deref());
        for _ in 0..ROUNDS {
            let answer = send(to, frame.clone().with("params", params.raw()), key).await?;
            let Some(result) = answer.outcome().filter(asks_for_input) else { return Ok(answer) };
            params.set("inputResponses", self.input(&result, key).await?.raw());
            match result.get("requestState") {
                Some(state) => params.set("requestState", state.to_owned()),
                None => drop(params.remove("requestState")),
            }
        }
        Err(Failure::new(format!("the server {} asked for input more than {ROUNDS} times", to.name)))
    }

    /// What the client says to each of the server's questions.
    async fn input(self: &Arc<Self>, result: &Members, key: Key) -> Result<Members, Failure> {
        let mut responses = Members::default();
        let Some(requests) = result.object("inputRequests") else { return Ok(responses) };
        for (name, request) in requests.iter() {
            let refuse = || Failure::new("the server asks for input in a way that can't be read");
            let request = Members::parse(request.get()).map_err(|_| refuse())?;
            let method = request.string("method").ok_or_else(refuse)?;
            let params = request.get("params").map_or_else(|| raw(&json!({})), ToOwned::to_owned);
            let answer = self.ask_client(&method, &params, Some(key)).answer().await;
            let answer = answer.ok_or_else(|| Failure::new("the client is gone"))?;
            match answer.member("result") {
                Some(result) => responses.set(name, result.to_owned()),
                None => {
                    let error: Option<Value> =
                        answer.member("error").and_then(|error| serde_json::from_str(error.get()).ok());
                    let said = error.as_ref().and_then(|error| error.get("message")).and_then(Value::as_str);
                    let said = mayi_core::approval::visible(said.unwrap_or("no result"));
                    return Err(Failure::new(format!("the client refused `{method}`: {said}")));
                }
            }
        }
        Ok(responses)
    }
}

/// Sends a request under `key` and waits for its answer.
pub(super) async fn send(to: &Server, frame: Frame, key: Key) -> Result<Frame, Failure> {
    let (answer, answered) = oneshot::channel();
    to.send(key, frame.under(raw(&key.0)), Box::new(move |response| drop(answer.send(response))));
    answered.await.unwrap_or_else(|_| Err(Failure::new("the request was cancelled")))
}

fn asks_for_input(result: &Members) -> bool {
    result.string("resultType").as_deref() == Some("input_required")
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
