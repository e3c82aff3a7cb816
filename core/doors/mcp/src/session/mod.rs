//! One conversation with a client: what it asks goes to servers, what servers send comes to it, and `tools/call` waits
//! for the gate.
//!
//! Each part owns what it keeps, and knows the parts below it alone: requests that wait for their response (requests), what
//! goes up to the client (upward), the servers (servers), the way between them (bridge), how it begins (begin), what there is
//! (lists), and tool calls on their way (calls), with who is asked about them (ask).

mod ask;
mod begin;
mod bridge;
mod calls;
mod lists;
mod requests;
mod servers;
#[cfg(test)]
mod tests;
mod toolbelt;
mod unfinished;
mod upward;
mod wanted;

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::json;
use serde_json::value::RawValue;

use super::belonging::Belonging;
use super::door::Shared;
use super::era::{Era, Introduction};
use super::frame::{Frame, Kind, code};
use super::front::{Caller, Client, Clients, Conversation, Key};
use super::server::{Above, Failure, Server};
use ask::Asking;
use begin::Beginning;
use bridge::Bridge;
use calls::Calls;
use lists::Lists;
use mayi_core::approval::visible;
use mayi_core::policy::fold;
use requests::{Requests, Turn};
use servers::Servers;
pub(super) use toolbelt::{Meant, unfold};
use upward::Upward;
pub(super) use wanted::described;

/// A conversation.
pub(super) struct Session {
    shared: Arc<Shared>,
    /// What the gate calls it.
    belongs: Belonging,
    said: Arc<Introduction>,
    requests: Arc<Requests>,
    upward: Arc<Upward>,
    servers: Arc<Servers>,
    bridge: Arc<Bridge>,
    beginning: Beginning,
    lists: Arc<Lists>,
    calls: Arc<Calls>,
}

impl Session {
    pub(super) fn new(
        shared: Arc<Shared>,
        client: Arc<dyn Client>,
        (caller, clients): (Caller, Clients),
        belongs: Belonging,
        servers: Vec<Arc<Server>>,
    ) -> Arc<Self> {
        let said = Arc::new(Introduction::default());
        let requests = Requests::new(Arc::clone(&client), clients);
        let upward = Upward::new(client, Arc::clone(&said), Arc::clone(&requests));
        let servers = Arc::new(Servers::new(servers, Arc::clone(&shared.told)));
        for server in servers.iter() {
            let above: Arc<dyn Above> = Arc::clone(&upward) as Arc<dyn Above>;
            server.tell(Arc::downgrade(&above));
        }
        let bridge = Arc::new(Bridge::new(&said, &requests, &upward, &shared.told));
        let beginning = Beginning::new(&shared, belongs.clone(), &said, &servers, &bridge);
        let lists = Arc::new(Lists::new(&shared, &said, &servers, &bridge));
        let asking = Asking::new(Arc::clone(&shared), Arc::clone(&upward), (caller, belongs.clone()));
        let calls = Arc::new(Calls::new(&shared, belongs.clone(), &said, &servers, &lists, &bridge, asking));
        Arc::new(Self { shared, belongs, said, requests, upward, servers, bridge, beginning, lists, calls })
    }

    /// A request of the client.
    fn request(self: &Arc<Self>, frame: Frame, turn: Turn) {
        let (session, key) = (Arc::clone(self), turn.key);
        match frame.method().unwrap_or_default() {
            "tools/call" => self.calls.receive(frame, turn),
            "initialize" => {
                self.beginning.introduced(&frame);
                turn.answer_with(async move { session.beginning.initialize(frame).await });
            }
            "server/discover" => turn.answer_with(async move { session.beginning.discover(frame).await }),
            "tools/list" => turn.answer_with(async move { session.lists.tools(frame, key).await }),
            other if is_like_a_call(other) => {
                self.shared.gate.refused();
                let message = "unknown method: tools are called by `tools/call`";
                turn.respond(Ok(Frame::error(RawValue::NULL, code::METHOD_NOT_FOUND, message)));
            }
            method => match (self.servers.single(), method) {
                (Some(server), _) => self.bridge.forward(frame, turn, server),
                // With several servers, a request goes where its parameters lead.
                (None, "ping") => turn.respond(Ok(Frame::result(RawValue::NULL, &json!({})))),
                (None, "logging/setLevel") => {
                    turn.answer_with(async move { session.set_level(frame).await });
                }
                (None, "prompts/list" | "resources/list" | "resources/templates/list") => {
                    turn.answer_with(async move { Ok(session.lists.list(frame).await) });
                }
                (None, _) => self.route(frame, turn),
            },
        }
    }

    /// The level of what servers log: for each that knows of it.
    async fn set_level(&self, frame: Frame) -> Result<Frame, Failure> {
        let params = frame.params().unwrap_or_default();
        self.said.set_log_level(params.string("level"));
        let mut refused = None;
        let able = |server: &&Arc<Server>| server.begun().is_some_and(|begun| begun.can("logging"));
        let able: Vec<_> = self.servers.iter().filter(able).collect();
        for server in able {
            match server.ask("logging/setLevel", &params).await {
                Ok(answer) if answer.member("error").is_some() => refused = Some(Ok(answer)),
                Ok(_) => {}
                Err(failure) => refused = Some(Err(failure)),
            }
        }
        refused.unwrap_or_else(|| Ok(Frame::result(RawValue::NULL, &json!({}))))
    }

    /// A request about one prompt, resource or task, for the server that it belongs to.
    fn route(self: &Arc<Self>, frame: Frame, turn: Turn) {
        let session = Arc::clone(self);
        tokio::spawn(async move {
            let (says, params) = (session.said.says(&frame), frame.params().unwrap_or_default());
            match turn.unless_cancelled(session.servers.route(&frame, params, &says)).await {
                Some(Some((server, params))) => {
                    session.bridge.forward(frame.with("params", params.raw()), turn, &server);
                }
                Some(None) => {
                    let method = visible(frame.method().unwrap_or_default());
                    let message = format!("no server behind mayi is known for this `{method}`");
                    turn.respond(Ok(Frame::error(RawValue::NULL, code::METHOD_NOT_FOUND, &message)));
                }
                None => {}
            }
        });
    }

    /// A notification of the client.
    fn notified(&self, frame: &Frame) {
        match frame.method().unwrap_or_default() {
            "notifications/cancelled" => {
                let Some(params) = frame.params() else { return };
                let Some(id) = params.get("requestId") else { return };
                self.requests.cancel(id, params.get("reason"));
            }
            // Not a call: it has no id, and nobody would wait for its answer. A server might run the tool all the same.
            other if is_like_a_call(other) => {
                self.shared.gate.refused();
                tracing::warn!("a notification that would call a tool is not passed on");
            }
            // Servers of the stateless era don't know what has begun.
            "notifications/initialized" => self.to_servers(frame, |era| era == Some(Era::Older)),
            method if method.starts_with("notifications/") => {
                let single = self.servers.single().is_some();
                self.to_servers(frame, |era| era != Some(Era::Stateless) || single);
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
}

impl Conversation for Arc<Session> {
    fn receive(&self, frame: Frame, key: Option<Key>) {
        match (frame.kind(), key) {
            (Kind::Request, Some(key)) => {
                if let Some(turn) = self.requests.open(&frame, key) {
                    self.request(frame, turn);
                }
            }
            (Kind::Notification, _) => self.notified(&frame),
            (Kind::Response, _) => self.upward.answered(frame),
            (Kind::Request, None) => {}
        }
    }

    fn abandon(&self, key: Key) {
        self.requests.give_up(key, None);
    }

    fn drained(&self) -> BoxFuture<'static, ()> {
        Box::pin(Arc::clone(&self.requests).drained())
    }

    fn close(&self) {
        let waited = self.requests.close();
        self.calls.close();
        // Before the work ends that asked: nobody is there to take its questions back from.
        self.upward.close();
        for work in waited {
            work.cancel();
        }
        for server in self.servers.iter() {
            server.stop();
        }
        // An agent's session goes on: its agent may start the server again.
        if let Belonging::Own(id) = &self.belongs {
            self.shared.gate.close_session(id);
        }
    }
}

/// A careless server could take it for `tools/call`.
fn is_like_a_call(method: &str) -> bool {
    let letters: String = fold(method).chars().filter(|c| c.is_alphanumeric()).collect();
    letters == "toolscall"
}
