//! One conversation with a client: what it asks goes to servers, what servers send comes to it, and `tools/call` waits
//! for the gate.
//!
//! Each part owns what it keeps, and knows the parts below it alone: requests that wait for their response (requests), what
//! goes up to the client (upward), the servers (servers), the way between them (bridge), how it begins (begin), what there is
//! (lists), and tool calls on their way (calls), with who is asked about them (ask).

mod ask;
mod bridge;
mod calls;
mod handshake;
mod lists;
mod pending_input;
mod requests;
mod server_requests;
mod servers;
#[cfg(test)]
mod tests;
mod tool_calls;
mod toolbelt;

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::json;
use serde_json::value::RawValue;

use super::door::Shared;
use super::era::{Era, Introduction, is_known_version, unsupported_version};
use super::frame::{Frame, FrameKind, code};
use super::front::{Caller, Client, ClientCount, Conversation, RequestKey};
use super::headers::version_in;
use super::pins::ListKind;
use super::server::{Failure, Server, ServerListener};
use super::session_binding::SessionBinding;
use ask::CallQuestions;
use bridge::Bridge;
use calls::Calls;
use handshake::ConversationStart;
use lists::Lists;
use mayi_core::approval::escape_line;
use mayi_core::policy::fold_text;
use mayi_doors::task::spawn;
use requests::{Requests, ResponseSlot};
use server_requests::Upward;
use servers::Servers;
pub(super) use servers::renamed_tool;
pub(super) use tool_calls::tool_facts;
pub(super) use toolbelt::{ToolbeltCall, unfold_call};

/// A conversation.
pub(super) struct Session {
    shared: Arc<Shared>,
    /// What the gate calls it.
    binding: SessionBinding,
    introduction: Arc<Introduction>,
    requests: Arc<Requests>,
    upward: Arc<Upward>,
    servers: Arc<Servers>,
    bridge: Arc<Bridge>,
    beginning: ConversationStart,
    lists: Arc<Lists>,
    calls: Arc<Calls>,
}

impl Session {
    pub(super) fn new(
        shared: Arc<Shared>,
        client: Arc<dyn Client>,
        (caller, clients): (Caller, ClientCount),
        belongs: SessionBinding,
        servers: Vec<Arc<Server>>,
    ) -> Arc<Self> {
        let said = Arc::new(Introduction::default());
        let requests = Requests::new(Arc::clone(&client), clients);
        let upward = Upward::new(client, Arc::clone(&said), Arc::clone(&requests));
        let servers = Arc::new(Servers::new(servers, Arc::clone(&shared.told)));
        for server in servers.iter() {
            let above: Arc<dyn ServerListener> = Arc::clone(&upward) as Arc<dyn ServerListener>;
            server.set_listener(Arc::downgrade(&above));
        }
        let bridge = Arc::new(Bridge::new(&said, &requests, &upward, &shared.told));
        let beginning = ConversationStart::new(&shared, belongs.clone(), &said, &servers, &bridge);
        let lists = Arc::new(Lists::new(&shared, &said, &servers, &bridge));
        let asking = CallQuestions::new(Arc::clone(&shared), Arc::clone(&upward), (caller, belongs.clone()));
        let calls = Arc::new(Calls::new(&shared, belongs.clone(), &said, &servers, &lists, &bridge, asking));
        Arc::new(Self {
            shared,
            binding: belongs,
            introduction: said,
            requests,
            upward,
            servers,
            bridge,
            beginning,
            lists,
            calls,
        })
    }

    /// A request of the client.
    fn route_request(self: &Arc<Self>, frame: Frame, turn: ResponseSlot) {
        let (session, key) = (Arc::clone(self), turn.key);
        if let Some(version) = version_in(&frame).filter(|version| !is_known_version(version)) {
            return turn.respond(Ok(unsupported_version(RawValue::NULL, &version)));
        }
        match frame.method().unwrap_or_default() {
            "tools/call" => self.calls.receive_call(frame, turn),
            "initialize" => {
                self.beginning.introduce_client(&frame);
                turn.answer_with(async move { session.beginning.initialize(frame).await });
            }
            "server/discover" => turn.answer_with(async move { session.beginning.discover(frame).await }),
            "tools/list" => turn.answer_with(async move { session.lists.list_tools(frame, key).await }),
            other if is_like_a_call(other) => {
                self.shared.gate.count_refused();
                let message = "unknown method: tools are called by `tools/call`";
                turn.respond(Ok(Frame::error(RawValue::NULL, code::METHOD_NOT_FOUND, message)));
            }
            method => match (self.servers.only_server(), method) {
                (Some(server), method) => match ListKind::of_method(method) {
                    Some(list) => {
                        let server = Arc::clone(server);
                        turn.answer_with(
                            async move { session.lists.list_at(list, &server, frame, key).await },
                        );
                    }
                    None => self.bridge.forward_request(frame, turn, server),
                },
                // With several servers, a request goes where its parameters lead.
                (None, "ping") => turn.respond(Ok(Frame::result(RawValue::NULL, &json!({})))),
                (None, "logging/setLevel") => {
                    turn.answer_with(async move { session.set_level(frame).await });
                }
                (None, method) => match ListKind::of_method(method) {
                    Some(list) => {
                        turn.answer_with(async move { Ok(session.lists.merged_list(list, frame).await) });
                    }
                    None => self.route_to_server(frame, turn),
                },
            },
        }
    }

    /// The level of what servers log: for each that knows of it.
    async fn set_level(&self, frame: Frame) -> Result<Frame, Failure> {
        let params = frame.params().unwrap_or_default();
        self.introduction.set_log_level(params.string_member("level"));
        let mut refused = None;
        let able =
            |server: &&Arc<Server>| server.handshake().is_some_and(|begun| begun.has_capability("logging"));
        let able: Vec<_> = self.servers.iter().filter(able).collect();
        for server in able {
            match server.send_own_request("logging/setLevel", &params).await {
                Ok(answer) if answer.member("error").is_some() => refused = Some(Ok(answer)),
                Ok(_) => {}
                Err(failure) => refused = Some(Err(failure)),
            }
        }
        refused.unwrap_or_else(|| Ok(Frame::result(RawValue::NULL, &json!({}))))
    }

    /// A request about one prompt, resource or task, for the server that it belongs to.
    fn route_to_server(self: &Arc<Self>, frame: Frame, turn: ResponseSlot) {
        let session = Arc::clone(self);
        spawn(async move {
            let (says, params) =
                (session.introduction.profile_for(&frame), frame.params().unwrap_or_default());
            match turn.unless_cancelled(session.servers.route_request(&frame, params, &says)).await {
                Some(Some((server, params))) => {
                    session.bridge.forward_request(
                        frame.with_member("params", params.to_raw_value()),
                        turn,
                        &server,
                    );
                }
                Some(None) => {
                    let method = escape_line(frame.method().unwrap_or_default());
                    let message = format!("no server behind mayi is known for this `{method}`");
                    turn.respond(Ok(Frame::error(RawValue::NULL, code::METHOD_NOT_FOUND, &message)));
                }
                None => {}
            }
        });
    }

    /// A notification of the client.
    fn receive_notification(&self, frame: &Frame) {
        match frame.method().unwrap_or_default() {
            "notifications/cancelled" => {
                let Some(params) = frame.params() else { return };
                let Some(id) = params.get("requestId") else { return };
                self.requests.cancel_request(id, params.get("reason"));
            }
            // Not a call: it has no id, and nobody would wait for its answer. A server might run the tool all the same.
            other if is_like_a_call(other) => {
                self.shared.gate.count_refused();
                tracing::warn!("a notification that would call a tool is not passed on");
            }
            // Servers of the stateless era don't know what has begun.
            "notifications/initialized" => self.to_servers(frame, |era| era == Some(Era::Older)),
            method if method.starts_with("notifications/") => {
                let single = self.servers.only_server().is_some();
                self.to_servers(frame, |era| era != Some(Era::Stateless) || single);
            }
            // A request without an id, such as a call, which a careless server carries out all the same.
            method => {
                tracing::warn!(
                    method = escape_line(method),
                    "a notification of no kind that is known is lost"
                )
            }
        }
    }

    fn to_servers(&self, frame: &Frame, which: impl Fn(Option<Era>) -> bool) {
        for server in self.servers.iter().filter(|server| which(server.era())) {
            server.send_frame(frame.clone());
        }
    }
}

impl Conversation for Arc<Session> {
    fn receive(&self, frame: Frame, key: Option<RequestKey>) {
        match (frame.kind(), key) {
            (FrameKind::Request, Some(key)) => {
                if let Some(turn) = self.requests.open(&frame, key) {
                    self.route_request(frame, turn);
                }
            }
            (FrameKind::Notification, _) => self.receive_notification(&frame),
            (FrameKind::Response, _) => self.upward.receive_answer(frame),
            (FrameKind::Request, None) => {}
        }
    }

    fn abandon_request(&self, key: RequestKey) {
        self.requests.give_up(key, None);
    }

    fn wait_until_drained(&self) -> BoxFuture<'static, ()> {
        Box::pin(Arc::clone(&self.requests).wait_until_drained())
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
        if let SessionBinding::Own(id) = &self.binding {
            self.shared.gate.close_session(id);
        }
    }
}

/// A careless server could take it for `tools/call`.
fn is_like_a_call(method: &str) -> bool {
    let letters: String = fold_text(method).chars().filter(|c| c.is_alphanumeric()).collect();
    letters == "toolscall"
}
