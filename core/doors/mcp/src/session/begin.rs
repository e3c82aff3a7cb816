//! `initialize` and `server/discover`: the client begins, and so do the servers.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::Session;
use crate::era::{ClientSays, Era, LATEST_OLDER, OLDER, STATELESS, meta, own_info};
use crate::frame::{Frame, code};
use crate::front::Key;
use crate::members::{Members, raw};
use crate::server::{Begun, Server};
use mayi_core::approval::visible;

impl Session {
    /// A client of the older era begins.
    pub(super) async fn initialize(self: Arc<Self>, frame: Frame, key: Key) {
        let Some(params) = frame.params() else {
            return self.respond_error(key, code::INVALID_PARAMS, "`initialize` has no parameters");
        };
        self.lock().older = Some(ClientSays::in_initialize(&params));
        let beginnings = join_all(self.servers.iter().map(|server| async {
            let beginning = server.begin_older(&params).await;
            if let Ok(Ok(begun)) = &beginning {
                self.ready(&server.name, begun);
            }
            beginning
        }));
        let beginnings = beginnings.await;
        let mut begun = Vec::new();
        for (server, beginning) in self.servers.iter().zip(beginnings) {
            match beginning {
                Ok(Ok(hello)) => {
                    self.told_of_eras(&server.name, Era::Older, hello.era);
                    begun.push(Some(hello));
                }
                // The only server's own word, or that it is not there.
                Ok(Err(refusal)) if self.single().is_some() => return self.respond(key, refusal),
                Err(failure) if self.single().is_some() => return self.respond_with(key, Err(failure)),
                Ok(Err(refusal)) => {
                    let error = refusal.member("error").map_or("", RawValue::get);
                    self.say(&server.name, &format!("it does not begin: {}", visible(error)));
                    begun.push(None);
                }
                Err(failure) => {
                    self.say(&server.name, &failure.message);
                    begun.push(None);
                }
            }
        }
        let asked = params.string("protocolVersion").unwrap_or_default();
        let version = OLDER.iter().copied().find(|known| *known == asked).unwrap_or(LATEST_OLDER);
        let hello = match begun.as_slice() {
            [Some(one)] if self.single().is_some() => self.single_hello(one, version),
            _ => self.joint_hello(&begun, version),
        };
        self.respond(key, Frame::result(RawValue::NULL, &hello));
    }

    /// A client of the stateless era asks what is here.
    pub(super) async fn discover(self: Arc<Self>, frame: Frame, key: Key) {
        let (_, says) = self.says(&frame);
        if self.single().is_some() {
            let Some(server) = self.at(0) else { return };
            // The server's own word: a client that knows both eras begins in the other one if this is an error.
            let params = frame.params().unwrap_or_default();
            let answer = match server.ask("server/discover", &params).await {
                Ok(answer) => answer,
                Err(failure) => return self.respond_with(key, Err(failure)),
            };
            let Some(mut hello) = answer.outcome() else { return self.respond(key, answer) };
            if let Err(failure) = server.begin_stateless(&says).await {
                return self.respond_with(key, Err(failure));
            }
            self.instruct(server, &mut hello);
            return self.respond(key, answer.with("result", hello.raw()));
        }
        let begun = join_all(self.servers.iter().map(|server| server.begin_stateless(&says))).await;
        let begun: Vec<Option<Begun>> = begun.into_iter().map(Result::ok).collect();
        if begun.iter().flatten().any(|begun| begun.era == Era::Older) {
            // Such a client does more in the older era: what servers ask of it has a way there.
            let message = format!("not every server behind mayi speaks {STATELESS}: begin with `initialize`");
            let data = json!({ "supported": OLDER });
            return self.respond(
                key,
                Frame::error_with(RawValue::NULL, code::METHOD_NOT_FOUND, &message, Some(data)),
            );
        }
        let mut hello = self.joint_hello(&begun, STATELESS);
        hello.remove("protocolVersion");
        let info = hello.remove("serverInfo").unwrap_or_else(|| raw(&own_info()));
        hello.set("supportedVersions", raw(&[STATELESS]));
        hello.set("_meta", raw(&json!({ meta::SERVER: info })));
        for (name, value) in
            [("resultType", json!("complete")), ("ttlMs", json!(0)), ("cacheScope", json!("private"))]
        {
            hello.set(name, raw(&value));
        }
        self.respond(key, Frame::result(RawValue::NULL, &hello));
    }

    /// What the only server said, with mayi's instructions behind its own.
    fn single_hello(&self, begun: &Begun, version: &str) -> Members {
        let mut hello = begun.hello.clone();
        if begun.era == Era::Stateless {
            // The server's words in the older form.
            let info = hello.object("_meta").and_then(|meta| meta.get(meta::SERVER).map(ToOwned::to_owned));
            let mut older = Members::default();
            older.set("protocolVersion", raw(version));
            older.set(
                "capabilities",
                hello.get("capabilities").map_or_else(|| raw(&json!({})), ToOwned::to_owned),
            );
            older.set("serverInfo", info.unwrap_or_else(|| raw(&own_info())));
            if let Some(said) = hello.remove("instructions") {
                older.set("instructions", said);
            }
            hello = older;
        }
        if let Some(server) = self.at(0) {
            self.instruct(server, &mut hello);
        }
        hello
    }

    /// Puts mayi's instructions behind the only server's own, as far as these are what they were.
    fn instruct(&self, server: &Server, hello: &mut Members) {
        const NAME: &str = "instructions";
        // What some clients would read in their place.
        while let Some(other) = hello.mistaken(&[NAME]).map(str::to_owned) {
            hello.remove(&other);
        }
        let said = self.shared.pinned.instructions_of(server, hello.string(NAME));
        hello.set(NAME, raw(&self.instructions(said.into_iter().collect())));
    }

    /// What several servers can do together.
    fn joint_hello(&self, begun: &[Option<Begun>], version: &str) -> Members {
        let mut capabilities = Map::new();
        capabilities.insert("tools".to_owned(), json!({ "listChanged": true }));
        let mut said = Vec::new();
        for (server, begun) in self.servers.iter().zip(begun) {
            let Some(begun) = begun else { continue };
            if let Some(Value::Object(can)) = begun.hello.value("capabilities") {
                for (name, value) in can {
                    join(capabilities.entry(name).or_insert_with(|| json!({})), value);
                }
            }
            let text = self.shared.pinned.instructions_of(server, begun.hello.string("instructions"));
            said.extend(text.map(|text| format!("[{}] {text}", server.name)));
        }
        let mut hello = Members::default();
        hello.set("protocolVersion", raw(version));
        hello.set("capabilities", raw(&capabilities));
        hello.set("serverInfo", raw(&own_info()));
        hello.set("instructions", raw(&self.instructions(said)));
        hello
    }

    /// A server is there.
    pub(super) fn ready(&self, server: &str, begun: &Begun) {
        let version = match begun.era {
            Era::Older => begun.hello.string("protocolVersion").unwrap_or_default(),
            Era::Stateless => STATELESS.to_owned(),
        };
        self.shared.told.once(server, &format!("ready, with protocol version {}", visible(&version)));
    }

    /// What can't be bridged is said where it begins.
    fn told_of_eras(&self, server: &str, client: Era, speaks: Era) {
        if client == Era::Older && speaks == Era::Stateless {
            self.say(
                server,
                &format!(
                    "it speaks {STATELESS} and the client an older version: subscriptions to resources and changes \
                     of lists do not reach the client, all else does"
                ),
            );
        }
    }
}

/// Adds what one more server can do.
fn join(into: &mut Value, more: Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (name, value) in more {
                join(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (Value::Bool(true), Value::Bool(_)) => {}
        (into, more) => *into = more,
    }
}
