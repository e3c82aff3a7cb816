//! From the client to the servers.

use std::sync::Arc;

use serde_json::json;
use serde_json::value::RawValue;

use super::{Session, Upward};
use crate::era::Era;
use crate::frame::{Frame, code};
use crate::front::{Clients, Key};
use crate::members::{Members, raw};
use mayi_core::approval::visible;
use mayi_core::policy::fold;

impl Session {
    /// A request of the client.
    pub(super) fn request(self: &Arc<Self>, frame: Frame, key: Key) {
        let method = frame.method().unwrap_or_default().to_owned();
        let session = Arc::clone(self);
        match method.as_str() {
            "tools/call" => self.call(frame, key),
            "initialize" => self.spawn(key, async move { session.initialize(frame, key).await }),
            "server/discover" => self.spawn(key, async move { session.discover(frame, key).await }),
            "tools/list" => self.spawn(key, async move { session.list_tools(frame, key).await }),
            other if is_like_a_call(other) => {
                self.shared.gate.refused();
                self.respond_error(
                    key,
                    code::METHOD_NOT_FOUND,
                    "unknown method: tools are called by `tools/call`",
                );
            }
            _ => match self.single() {
                Some(_) => self.forward(frame, key, 0),
                None => self.dispatch(frame, key, &method),
            },
        }
    }

    /// With several servers, a request goes where its parameters lead.
    fn dispatch(self: &Arc<Self>, frame: Frame, key: Key, method: &str) {
        let session = Arc::clone(self);
        match method {
            "ping" => self.respond(key, Frame::result(RawValue::NULL, &json!({}))),
            "logging/setLevel" => {
                self.spawn(key, async move { session.set_level(frame, key).await });
            }
            "prompts/list" | "resources/list" | "resources/templates/list" => {
                self.spawn(key, async move { session.list(frame, key).await });
            }
            _ => self.spawn(key, async move { session.routed(frame, key).await }),
        }
    }

    /// Passes a request on as it came, and its answer back as it comes.
    pub(super) fn forward(self: &Arc<Self>, frame: Frame, key: Key, server: usize) {
        let Some(to) = self.at(server) else { return };
        let (era, _) = self.says(&frame);
        // The quick way: both speak the same, and it is known.
        if to.era() == Some(era) || (era == Era::Older && to.era().is_none()) {
            if !self.given_to(key, server) {
                return;
            }
            let session = Arc::clone(self);
            let done = Box::new(move |answer| session.respond_with(key, answer));
            to.send(key, frame.under(raw(&key.0)), done);
            return;
        }
        let session = Arc::clone(self);
        self.spawn(key, async move {
            let answer = session.exchange(frame, key, server).await;
            session.respond_with(key, answer);
        });
    }

    /// A notification of the client.
    pub(super) fn notified(self: &Arc<Self>, frame: Frame) {
        match frame.method().unwrap_or_default() {
            "notifications/cancelled" => {
                let Some(params) = frame.params() else { return };
                let Some(id) = params.get("requestId") else { return };
                // In the stateless era a client may not know other clients' requests, and closes its stream.
                if self.clients == Clients::Several {
                    return;
                }
                let key =
                    self.lock().open.iter().find(|(_, open)| open.id.get() == id.get()).map(|(key, _)| *key);
                if let Some(key) = key {
                    self.drop_request(key, params.get("reason"));
                }
            }
            // Not a call: it has no id, and nobody would wait for its answer. A server might run the tool all the same.
            other if is_like_a_call(other) => {
                self.shared.gate.refused();
                tracing::warn!("a notification that would call a tool is not passed on");
            }
            // Servers of the stateless era don't know what has begun.
            "notifications/initialized" => self.to_servers(&frame, |era| era == Some(Era::Older)),
            method if method.starts_with("notifications/") => {
                self.to_servers(&frame, |era| era != Some(Era::Stateless) || self.single().is_some());
            }
            // A request without an id, such as a call, which a careless server carries out all the same.
            method => {
                tracing::warn!(method = visible(method), "a notification of no kind that is known is lost")
            }
        }
    }

    fn to_servers(&self, frame: &Frame, which: impl Fn(Option<Era>) -> bool) {
        for server in self.servers.iter().filter(|server| which(server.era())) {
            server.pass(frame.clone());
        }
    }

    /// The client answers a request of a server, or of mayi's.
    pub(super) fn answered(self: &Arc<Self>, frame: Frame) {
        let Some(upward) = frame.number().and_then(|id| self.lock().upward.remove(&id)) else { return };
        match upward {
            Upward::Own(answer) => drop(answer.send(frame)),
            Upward::Server(server, id) => {
                if let Some(server) = self.at(server) {
                    server.pass(frame.under(id));
                }
            }
        }
    }

    /// The level of what servers log: for each that knows of it.
    async fn set_level(self: Arc<Self>, frame: Frame, key: Key) {
        let params = frame.params().unwrap_or_default();
        self.lock().log_level = params.string("level");
        let able: Vec<_> =
            self.servers.iter().filter(|server| server.begun().is_some_and(|b| b.can("logging"))).collect();
        let mut refused = None;
        for server in able {
            match server.ask("logging/setLevel", &params).await {
                Ok(answer) if answer.member("error").is_some() => refused = Some(Ok(answer)),
                Ok(_) => {}
                Err(failure) => refused = Some(Err(failure)),
            }
        }
        match refused {
            Some(answer) => self.respond_with(key, answer),
            None => self.respond(key, Frame::result(RawValue::NULL, &json!({}))),
        }
    }

    /// A request about one prompt, resource or task, for the server that it belongs to.
    async fn routed(self: Arc<Self>, frame: Frame, key: Key) {
        let params = frame.params().unwrap_or_default();
        let Some((server, params)) = self.route(&frame, params).await else {
            let method = visible(frame.method().unwrap_or_default());
            let message = format!("no server behind mayi is known for this `{method}`");
            return self.respond_error(key, code::METHOD_NOT_FOUND, &message);
        };
        let frame = frame.with("params", params.raw());
        self.forward(frame, key, server);
    }

    /// The parameters of a request, with another name in them.
    pub(super) fn renamed(mut params: Members, member: &str, name: &str) -> Members {
        params.set(member, raw(name));
        params
    }
}

/// A careless server could take it for `tools/call`.
fn is_like_a_call(method: &str) -> bool {
    let letters: String = fold(method).chars().filter(|c| c.is_alphanumeric()).collect();
    letters == "toolscall"
}
