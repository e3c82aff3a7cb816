//! What the agent answers: to the editor, where mayi changes what it has a part in; and to mayi itself.

use std::sync::Arc;

use serde_json::Value;

use super::{modes, tripwire};
use crate::editor::{VERSION, amend_options, route_open_response};
use crate::in_flight::EditorAsk;
use crate::json_members::RawMembers;
use crate::line::{self, Id, Message, code};
use crate::shared::{Shared, as_it_came};
use crate::splice::{TextEdit, apply_edits};
use mayi_core::approval::escape_line;

/// Takes an answer; gives back what the editor gets. What answers nothing is dropped.
pub(super) fn route_response(shared: &Arc<Shared>, message: &Message<'_>) -> Option<String> {
    let Some(id) = message.id.clone() else { return Some(as_it_came(message)) };
    let own = shared.lock_flight().own.remove(&id);
    if let Some(own) = own {
        let answer = match message.parts.get("result") {
            Some(result) => Ok(result.to_owned()),
            None => Err(error_message(message)),
        };
        let _ = own.send(answer);
        return None;
    }
    let Some(ask) = shared.lock_flight().editor.remove(&id) else {
        shared.log_notice("the agent answered what nobody asked: it was not passed on");
        return None;
    };
    let done = message.parts.get("result").is_some();
    match ask {
        EditorAsk::Plain => Some(as_it_came(message)),
        EditorAsk::Initialize(offered) => amend_initialize_result(shared, &id, message, offered),
        EditorAsk::Open(opens) => route_open_response(shared, id, *opens, message),
        EditorAsk::Prompt(session, ends) => {
            if done && shared.is_v2() && !session.lock_state().note_prompt_taken(ends) {
                return Some(as_it_came(message));
            }
            let cancelled = session.end_turn();
            if cancelled {
                shared.lock_tool_calls().end_turn(&session.id);
            } else if session.is_idle() {
                shared
                    .family_sessions(&session)
                    .iter()
                    .for_each(|one| tripwire::report_unended_calls(shared, one));
            }
            session.gate().end_turn(&session.id);
            Some(as_it_came(message))
        }
        EditorAsk::SetMode { session, before } => {
            if let Some(before) = before.filter(|_| !done) {
                let mut state = session.lock_state();
                let now = state.agent_mode.clone();
                state.set_agent_mode(now.as_deref(), &before);
            }
            Some(as_it_came(message))
        }
        EditorAsk::SetConfig { session, option, before } => {
            if !done {
                if let Some(before) = before {
                    session.lock_state().options.insert(option, before);
                }
                return Some(as_it_came(message));
            }
            let result = message.parts.get("result").unwrap_or("{}");
            let Ok(parts) = RawMembers::parse(result) else { return broken_line(&id) };
            let Some(list) = parts.get("configOptions") else { return Some(as_it_came(message)) };
            // What else has changed with it, the agent has changed.
            let _ = modes::observe_options(shared, &session, list);
            let amended = amend_options(&session, Some(list));
            TextEdit::replace(message.line, list, amended)
                .and_then(|edit| apply_edits(message.line, vec![edit]))
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
pub(super) fn fail_request(shared: &Arc<Shared>, id: &Id, why: &str) {
    let own = shared.lock_flight().own.remove(id);
    if let Some(own) = own {
        let _ = own.send(Err(why.to_owned()));
    }
    let waits = shared.lock_flight().editor.contains_key(id);
    if waits {
        let text = line::format_error(Some(id), code::INTERNAL, why);
        if let Ok(message) = line::read(&text)
            && let Some(line) = route_response(shared, &message)
        {
            shared.editor.push(line);
        }
    }
}

fn broken_line(id: &Id) -> Option<String> {
    Some(line::format_error(Some(id), code::INTERNAL, "the agent's answer can be read in two ways"))
}

fn error_message(message: &Message<'_>) -> String {
    let error: Value = message.parts.parsed_member("error").unwrap_or_default();
    let said = error.get("message").and_then(Value::as_str).unwrap_or("it says nothing more");
    escape_line(said)
}

/// What the agent can do, as it stands with mayi before it: servers are reached by mayi, over the two ways that it knows.
fn amend_initialize_result(shared: &Shared, id: &Id, message: &Message<'_>, offered: u64) -> Option<String> {
    let Some(result) = message.parts.get("result") else { return Some(as_it_came(message)) };
    let wrong = |why: &str| {
        // Before all of it ends.
        shared.editor.push(line::format_error(Some(id), code::INTERNAL, &format!("the agent {why}")));
        shared.end_with_fault(format!("the agent {why}"));
        None
    };
    let Ok(parts) = RawMembers::parse(result) else {
        return wrong("answered initialize in a way that can be read in two ways");
    };
    if parts.confusable_name(&["protocolVersion", "agentCapabilities", "capabilities"]).is_some() {
        return wrong("answered initialize in a way that can be read in two ways");
    }
    let version = parts.get("protocolVersion").and_then(|version| version.parse::<u64>().ok());
    let Some(version) = version.filter(|version| (VERSION..=offered.max(VERSION)).contains(version)) else {
        return wrong(&format!(
            "speaks another version of the protocol than {}, which is the one that mayi speaks",
            if offered > VERSION { "1 and 2" } else { "1" }
        ));
    };
    if shared.protocol_version().is_some_and(|spoken| spoken != version) {
        return wrong("speaks another version of the protocol than before");
    }
    let v2 = version > VERSION;
    let (info, capabilities) = if v2 { ("info", "capabilities") } else { ("agentInfo", "agentCapabilities") };
    let closes = parts.parsed_member(capabilities).is_some_and(|value| {
        value.pointer("/sessionCapabilities/close").is_some_and(|close| !close.is_null())
    });
    shared.set_protocol_version(version, v2 || closes);
    let said = parts.parsed_member(info).and_then(|info| Some(info.get("version")?.as_str()?.to_owned()));
    *shared.version.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = said;
    let line =
        if v2 { capable_v2(message.line, &parts) } else { amend_capabilities(message.line, result, &parts) };
    Some(line.unwrap_or_else(|| as_it_came(message)))
}

/// The same in version 2, where an agent may have no servers at all; a relay is a program, so that one which can start none has none.
fn capable_v2(text: &str, parts: &RawMembers<'_>) -> Option<String> {
    let object = |text: &&str| text.starts_with('{');
    let capabilities = RawMembers::parse(parts.get("capabilities").filter(object)?).ok()?;
    let session = RawMembers::parse(capabilities.get("session").filter(object)?).ok()?;
    let servers = session.get("mcp").filter(object)?;
    let ways = RawMembers::parse(servers).ok()?;
    if ways.get("stdio").filter(object).is_none() {
        return apply_edits(text, vec![TextEdit::replace(text, servers, "null")?]);
    }
    let mut edits = Vec::new();
    if ways.get("http").filter(object).is_none() {
        edits.push(TextEdit::set_member(text, servers, &ways, "http", "{}")?);
    }
    if ways.get("acp").is_some_and(|value| value != "null") {
        edits.push(TextEdit::set_member(text, servers, &ways, "acp", "null")?);
    }
    apply_edits(text, edits)
}

fn amend_capabilities(text: &str, result: &str, parts: &RawMembers<'_>) -> Option<String> {
    let ours = r#"{"http":true,"sse":true}"#;
    let Some(object) = parts.get("agentCapabilities").filter(|object| object.starts_with('{')) else {
        let edit = TextEdit::set_member(
            text,
            result,
            parts,
            "agentCapabilities",
            &format!(r#"{{"mcpCapabilities":{ours}}}"#),
        )?;
        return apply_edits(text, vec![edit]);
    };
    let capabilities = RawMembers::parse(object).ok()?;
    let Some(servers) = capabilities.get("mcpCapabilities").filter(|object| object.starts_with('{')) else {
        return apply_edits(
            text,
            vec![TextEdit::set_member(text, object, &capabilities, "mcpCapabilities", ours)?],
        );
    };
    let ways = RawMembers::parse(servers).ok()?;
    let mut edits = Vec::new();
    if ways.get("http").is_none() && ways.get("sse").is_none() {
        // As one: an empty object has no comma before the first of them.
        edits.push(TextEdit::set_member(text, servers, &ways, "http", r#"true,"sse":true"#)?);
    } else {
        for way in ["http", "sse"] {
            if ways.get(way) != Some("true") {
                edits.push(TextEdit::set_member(text, servers, &ways, way, "true")?);
            }
        }
    }
    // Whoever offers this would get a session that is not opened.
    if ways.get("acp").is_some_and(|value| value != "false") {
        edits.push(TextEdit::set_member(text, servers, &ways, "acp", "false")?);
    }
    apply_edits(text, edits)
}
