//! `initialize` and `server/discover`: the client begins, and so do the servers.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::bridge::Bridge;
use super::servers::Servers;
use crate::door::Shared;
use crate::era::{ClientProfile, Era, Introduction, LATEST_OLDER, OLDER, STATELESS, meta, own_info};
use crate::frame::{Frame, code};
use crate::members::{Members, to_raw_json};
use crate::server::{Failure, Handshake, Server};
use crate::session_binding::SessionBinding;
use mayi_core::approval::escape_line;
use mayi_core::policy::Mode;

/// How a conversation begins.
pub(super) struct ConversationStart {
    shared: Arc<Shared>,
    /// What the gate calls the conversation.
    binding: SessionBinding,
    introduction: Arc<Introduction>,
    servers: Arc<Servers>,
    bridge: Arc<Bridge>,
}

impl ConversationStart {
    pub(super) fn new(
        shared: &Arc<Shared>,
        binding: SessionBinding,
        said: &Arc<Introduction>,
        servers: &Arc<Servers>,
        bridge: &Arc<Bridge>,
    ) -> Self {
        Self {
            shared: Arc::clone(shared),
            binding,
            introduction: Arc::clone(said),
            servers: Arc::clone(servers),
            bridge: Arc::clone(bridge),
        }
    }

    /// A client of the older era says who it is. Heard before anything that it sends afterwards is looked at.
    pub(super) fn introduce_client(&self, frame: &Frame) {
        if let Some(params) = frame.params() {
            self.introduction.record_client(ClientProfile::in_initialize(&params));
        }
    }

    /// It begins, once it has said who it is.
    ///
    /// # Errors
    /// If the only server does not answer.
    pub(super) async fn initialize(&self, frame: Frame) -> Result<Frame, Failure> {
        let Some(params) = frame.params() else {
            let message = "`initialize` has no parameters";
            return Ok(Frame::error(RawValue::NULL, code::INVALID_PARAMS, message));
        };
        let single = self.servers.only_server().is_some();
        let beginnings = join_all(self.servers.iter().map(|server| async {
            let beginning = server.begin_older(&params).await;
            if let Ok(Ok(begun)) = &beginning {
                self.bridge.report_ready(&server.name, begun);
            }
            beginning
        }));
        let beginnings = beginnings.await;
        let mut begun = Vec::new();
        for (server, beginning) in self.servers.iter().zip(beginnings) {
            let failed = match beginning {
                Ok(Ok(hello)) => {
                    self.notify_era_mismatch(&server.name, hello.era);
                    begun.push(Some(hello));
                    continue;
                }
                // The only server's own word, or that it is not there.
                Ok(Err(refusal)) if single => return Ok(refusal),
                Err(failure) if single => return Err(failure),
                Ok(Err(refusal)) => {
                    let error = refusal.member("error").map_or("", RawValue::get);
                    format!("it does not begin: {}", escape_line(error))
                }
                Err(failure) => failure.message,
            };
            self.shared.told.notify(&server.name, &failed);
            begun.push(None);
        }
        let asked = params.string_member("protocolVersion").unwrap_or_default();
        let version = OLDER.iter().copied().find(|known| *known == asked).unwrap_or(LATEST_OLDER);
        let hello = match (self.servers.only_server(), begun.as_slice()) {
            (Some(server), [Some(one)]) => self.single_hello(server, one, version),
            _ => self.joint_hello(&begun, version),
        };
        Ok(Frame::result(RawValue::NULL, &hello))
    }

    /// A client of the stateless era asks what is here.
    ///
    /// # Errors
    /// If the only server does not answer.
    pub(super) async fn discover(&self, frame: Frame) -> Result<Frame, Failure> {
        let says = self.introduction.profile_for(&frame);
        if let Some(server) = self.servers.only_server() {
            // The server's own word: a client that knows both eras begins in the other one if this is an error.
            let answer =
                server.send_own_request("server/discover", &frame.params().unwrap_or_default()).await?;
            let Some(mut hello) = answer.result_object() else { return Ok(answer) };
            server.begin_stateless(&says).await?;
            self.add_instructions(server, &mut hello);
            return Ok(answer.with_member("result", hello.to_raw_value()));
        }
        let begun: Vec<Option<Handshake>> =
            self.servers.begin_all(&says).await.into_iter().map(Result::ok).collect();
        if begun.iter().flatten().any(|begun| begun.era == Era::Older) {
            // Such a client does more in the older era: what servers ask of it has a way there.
            let message = format!("not every server behind mayi speaks {STATELESS}: begin with `initialize`");
            let data = Some(json!({ "supported": OLDER }));
            return Ok(Frame::error_with(RawValue::NULL, code::METHOD_NOT_FOUND, &message, data));
        }
        let mut hello = self.joint_hello(&begun, STATELESS);
        hello.remove("protocolVersion");
        let info = hello.remove("serverInfo").unwrap_or_else(|| to_raw_json(&own_info()));
        hello.set("supportedVersions", to_raw_json(&[STATELESS]));
        hello.set("_meta", to_raw_json(&json!({ meta::SERVER: info })));
        for (name, value) in
            [("resultType", json!("complete")), ("ttlMs", json!(0)), ("cacheScope", json!("private"))]
        {
            hello.set(name, to_raw_json(&value));
        }
        Ok(Frame::result(RawValue::NULL, &hello))
    }

    /// What the only server said, with mayi's instructions behind its own.
    fn single_hello(&self, server: &Server, begun: &Handshake, version: &str) -> Members {
        let mut hello = begun.hello.clone();
        if begun.era == Era::Stateless {
            // The server's words in the older form.
            let info =
                hello.object_member("_meta").and_then(|meta| meta.get(meta::SERVER).map(ToOwned::to_owned));
            let mut older = Members::default();
            older.set("protocolVersion", to_raw_json(version));
            older.set(
                "capabilities",
                hello.get("capabilities").map_or_else(|| to_raw_json(&json!({})), ToOwned::to_owned),
            );
            older.set("serverInfo", info.unwrap_or_else(|| to_raw_json(&own_info())));
            if let Some(said) = hello.remove("instructions") {
                older.set("instructions", said);
            }
            hello = older;
        }
        self.add_instructions(server, &mut hello);
        hello
    }

    /// Puts mayi's instructions behind the only server's own, as far as these are what they were.
    fn add_instructions(&self, server: &Server, hello: &mut Members) {
        const NAME: &str = "instructions";
        // What some clients would read in their place.
        while let Some(other) = hello.ambiguous_member(&[NAME]).map(str::to_owned) {
            hello.remove(&other);
        }
        let said = self.shared.pinned.instructions_of(server, hello.string_member(NAME));
        hello.set(NAME, to_raw_json(&self.join_instructions(said.into_iter().collect())));
    }

    /// What several servers can do together.
    fn joint_hello(&self, begun: &[Option<Handshake>], version: &str) -> Members {
        let mut capabilities = Map::new();
        capabilities.insert("tools".to_owned(), json!({ "listChanged": true }));
        let mut said = Vec::new();
        for (server, begun) in self.servers.iter().zip(begun) {
            let Some(begun) = begun else { continue };
            if let Some(Value::Object(can)) = begun.hello.parsed_member("capabilities") {
                for (name, value) in can {
                    merge_capabilities(capabilities.entry(name).or_insert_with(|| json!({})), value);
                }
            }
            let text = self.shared.pinned.instructions_of(server, begun.hello.string_member("instructions"));
            said.extend(text.map(|text| format!("[{}] {text}", server.name)));
        }
        let mut hello = Members::default();
        hello.set("protocolVersion", to_raw_json(version));
        hello.set("capabilities", to_raw_json(&capabilities));
        hello.set("serverInfo", to_raw_json(&own_info()));
        hello.set("instructions", to_raw_json(&self.join_instructions(said)));
        hello
    }

    /// What can't be bridged is said where it begins: the client is of the older era.
    fn notify_era_mismatch(&self, server: &str, speaks: Era) {
        if speaks == Era::Stateless {
            self.shared.told.notify(
                server,
                &format!(
                    "it speaks {STATELESS} and the client an older version: subscriptions to resources and changes \
                     of lists do not reach the client, all else does"
                ),
            );
        }
    }

    /// All instructions: the servers', then mayi's.
    fn join_instructions(&self, mut said: Vec<String>) -> String {
        said.push(self.own_instructions());
        said.join("\n\n")
    }

    fn own_instructions(&self) -> String {
        let gate = &self.shared.gate;
        let mode =
            self.binding.current_session().map_or_else(|| gate.policy().mode, |session| gate.mode(&session));
        let rules = match mode {
            Mode::Plan => {
                "Mode: plan. Only tools that the user counts as reading may be called. All others are denied: say \
                 what you would do, as a plan, and do not try."
            }
            Mode::Default => {
                "Mode: default. Calls of tools may be allowed by the user's rules, or be asked about, which takes as \
                 long as the user needs."
            }
            Mode::Auto => {
                "Mode: auto. Most calls are allowed without asking; what rules or protection hold back is asked about or \
                 denied."
            }
        };
        let toolbelt = if self.shared.options.toolbelt {
            "\nTools are not listed one by one: look for them with find_tools, and call them with run_tool. A call \
             through run_tool is judged as the tool that it runs."
        } else {
            ""
        };
        format!(
            "[mayi] The user's permission gate judges each call of a tool here.\n{rules}\nA refusal is final for that \
             call: do not retry it in another way or through another tool. Go on with what is allowed, or say what \
             you need and why.{toolbelt}"
        )
    }
}

/// Adds what one more server can do.
fn merge_capabilities(into: &mut Value, more: Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (name, value) in more {
                merge_capabilities(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (Value::Bool(true), Value::Bool(_)) => {}
        (into, more) => *into = more,
    }
}
