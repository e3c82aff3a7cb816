//! What the agent answers: to the editor, where mayi changes what it has a part in; and to mayi itself.

use std::sync::Arc;

use serde_json::Value;

use super::{modes, tripwire};
use crate::editor::{VERSION, amended, opened};
use crate::flight::EditorAsk;
use crate::line::{self, Id, Message, code};
use crate::parts::Parts;
use crate::shared::{Shared, as_it_came};
use crate::splice::{Edit, apply};
use mayi_core::approval::visible;

/// Takes an answer; gives back what the editor gets. What answers nothing is dropped.
pub(super) fn response(shared: &Arc<Shared>, message: &Message<'_>) -> Option<String> {
    let Some(id) = message.id.clone() else { return Some(as_it_came(message)) };
    let own = shared.flight().own.remove(&id);
    if let Some(own) = own {
        let answer = match message.parts.get("result") {
            Some(result) => Ok(result.to_owned()),
            None => Err(said(message)),
        };
        let _ = own.send(answer);
        return None;
    }
    let Some(ask) = shared.flight().editor.remove(&id) else {
        shared.note("the agent answered what nobody asked: it was not passed on");
        return None;
    };
    let done = message.parts.get("result").is_some();
    match ask {
        EditorAsk::Plain => Some(as_it_came(message)),
        EditorAsk::Initialize(offered) => initialized(shared, &id, message, offered),
        EditorAsk::Open(opens) => opened(shared, id, *opens, message),
        EditorAsk::Prompt(session, ends) => {
            if done && shared.is_v2() && !session.state().took(ends) {
                return Some(as_it_came(message));
            }
            let cancelled = session.end_turn();
            if cancelled {
                shared.tool_calls().end_turn(&session.id);
            } else if session.is_idle() {
                shared.family(&session).iter().for_each(|one| tripwire::left(shared, one));
            }
            session.gate().end_turn(&session.id);
            Some(as_it_came(message))
        }
        EditorAsk::SetMode { session, before } => {
            if let Some(before) = before.filter(|_| !done) {
                let mut state = session.state();
                let now = state.agent_mode.clone();
                state.follow(now.as_deref(), &before);
            }
            Some(as_it_came(message))
        }
        EditorAsk::SetConfig { session, option, before } => {
            if !done {
                if let Some(before) = before {
                    session.state().options.insert(option, before);
                }
                return Some(as_it_came(message));
            }
            let result = message.parts.get("result").unwrap_or("{}");
            let Ok(parts) = Parts::parse(result) else { return broken_line(&id) };
            let Some(list) = parts.get("configOptions") else { return Some(as_it_came(message)) };
            // What else has changed with it, the agent has changed.
            let _ = modes::options(shared, &session, list);
            let amended = amended(&session, Some(list));
            Edit::replace(message.line, list, amended)
                .and_then(|edit| apply(message.line, vec![edit]))
                .or_else(|| broken_line(&id))
        }
        EditorAsk::Close(session) => {
            if done {
                shared.close(&session);
            } else {
                session.close(false);
            }
            Some(as_it_came(message))
        }
    }
}

/// An answer that can't be understood: whoever waits for it hears that.
pub(super) fn broken(shared: &Arc<Shared>, id: &Id, why: &str) {
    let own = shared.flight().own.remove(id);
    if let Some(own) = own {
        let _ = own.send(Err(why.to_owned()));
    }
    let waits = shared.flight().editor.contains_key(id);
    if waits {
        let text = line::error(Some(id), code::INTERNAL, why);
        if let Ok(message) = line::read(&text)
            && let Some(line) = response(shared, &message)
        {
            shared.editor.push(line);
        }
    }
}

fn broken_line(id: &Id) -> Option<String> {
    Some(line::error(Some(id), code::INTERNAL, "the agent's answer can be read in two ways"))
}

fn said(message: &Message<'_>) -> String {
    let error: Value = message.parts.value("error").unwrap_or_default();
    let said = error.get("message").and_then(Value::as_str).unwrap_or("it says nothing more");
    visible(said)
}

/// What the agent can do, as it stands with mayi before it: servers are reached by mayi, over the two ways that it knows.
fn initialized(shared: &Shared, id: &Id, message: &Message<'_>, offered: u64) -> Option<String> {
    let Some(result) = message.parts.get("result") else { return Some(as_it_came(message)) };
    let wrong = |why: &str| {
        // Before all of it ends.
        shared.editor.push(line::error(Some(id), code::INTERNAL, &format!("the agent {why}")));
        shared.fail(format!("the agent {why}"));
        None
    };
    let Ok(parts) = Parts::parse(result) else {
        return wrong("answered initialize in a way that can be read in two ways");
    };
    if parts.mistaken(&["protocolVersion", "agentCapabilities", "capabilities"]).is_some() {
        return wrong("answered initialize in a way that can be read in two ways");
    }
    let version = parts.get("protocolVersion").and_then(|version| version.parse::<u64>().ok());
    let Some(version) = version.filter(|version| (VERSION..=offered.max(VERSION)).contains(version)) else {
        return wrong(&format!(
            "speaks another version of the protocol than {}, which is the one that mayi speaks",
            if offered > VERSION { "1 and 2" } else { "1" }
        ));
    };
    if shared.spoken().is_some_and(|spoken| spoken != version) {
        return wrong("speaks another version of the protocol than before");
    }
    let v2 = version > VERSION;
    let (info, capabilities) = if v2 { ("info", "capabilities") } else { ("agentInfo", "agentCapabilities") };
    let closes = parts.value(capabilities).is_some_and(|value| {
        value.pointer("/sessionCapabilities/close").is_some_and(|close| !close.is_null())
    });
    shared.speak(version, v2 || closes);
    let said = parts.value(info).and_then(|info| Some(info.get("version")?.as_str()?.to_owned()));
    *shared.version.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = said;
    let line = if v2 { capable_v2(message.line, &parts) } else { capable(message.line, result, &parts) };
    Some(line.unwrap_or_else(|| as_it_came(message)))
}

/// The same in version 2, where an agent may have no servers at all; a relay is a program, so that one which can start none has none.
fn capable_v2(text: &str, parts: &Parts<'_>) -> Option<String> {
    let object = |text: &&str| text.starts_with('{');
    let capabilities = Parts::parse(parts.get("capabilities").filter(object)?).ok()?;
    let session = Parts::parse(capabilities.get("session").filter(object)?).ok()?;
    let servers = session.get("mcp").filter(object)?;
    let ways = Parts::parse(servers).ok()?;
    if ways.get("stdio").filter(object).is_none() {
        return apply(text, vec![Edit::replace(text, servers, "null")?]);
    }
    let mut edits = Vec::new();
    if ways.get("http").filter(object).is_none() {
        edits.push(Edit::set(text, servers, &ways, "http", "{}")?);
    }
    if ways.get("acp").is_some_and(|value| value != "null") {
        edits.push(Edit::set(text, servers, &ways, "acp", "null")?);
    }
    apply(text, edits)
}

fn capable(text: &str, result: &str, parts: &Parts<'_>) -> Option<String> {
    let ours = r#"{"http":true}"#;
    let Some(object) = parts.get("agentCapabilities").filter(|object| object.starts_with('{')) else {
        let edit =
            Edit::set(text, result, parts, "agentCapabilities", &format!(r#"{{"mcpCapabilities":{ours}}}"#))?;
        return apply(text, vec![edit]);
    };
    let capabilities = Parts::parse(object).ok()?;
    let Some(servers) = capabilities.get("mcpCapabilities").filter(|object| object.starts_with('{')) else {
        return apply(text, vec![Edit::set(text, object, &capabilities, "mcpCapabilities", ours)?]);
    };
    let ways = Parts::parse(servers).ok()?;
    let mut edits = Vec::new();
    if ways.get("http") != Some("true") {
        edits.push(Edit::set(text, servers, &ways, "http", "true")?);
    }
    // Whoever offers these would get a session that is not opened.
    for other in ["sse", "acp"] {
        if ways.get(other).is_some_and(|value| value != "false") {
            edits.push(Edit::set(text, servers, &ways, other, "false")?);
        }
    }
    apply(text, edits)
}
