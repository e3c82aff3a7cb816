//! `session/update`: what the agent tells. It passes as it came, but for changes of modes and options, and for what readers
//! could disagree about where it is evidence.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{modes, tripwire, unannounced};
use crate::json_members::RawMembers;
use crate::line::Message;
use crate::session::{LineWaiter, Session};
use crate::shared::{Shared, as_it_came};
use crate::splice::{TextEdit, apply_edits};
use mayi_core::approval::escape_line;
use mayi_core::call::SessionId;
use mayi_core::gate;

/// Takes an update; gives back what the editor gets.
pub(super) fn route_update(shared: &Arc<Shared>, message: &Message<'_>) -> Option<String> {
    match inspect_update(shared, message) {
        Ok(line) => line,
        Err(why) => {
            tripwire::record_unreadable(shared, message);
            shared.log_notice(format!("an update of the agent was not passed on: {}", escape_line(&why)));
            None
        }
    }
}

/// Members of an update that say what a tool call is.
const EVIDENCE: &[&str] = &[
    "sessionUpdate",
    "toolCallId",
    "title",
    "kind",
    "name",
    "status",
    "content",
    "locations",
    "rawInput",
    "_meta",
];

/// What an update says of a tool call, and whether readers could disagree on what that call does. What it holds besides, as what came
/// out of it, is no evidence.
fn read_evidence(update: &RawMembers<'_>) -> Result<(Map<String, Value>, bool), String> {
    let other = || "a name in it can be taken for another one".to_owned();
    if update.confusable_name(EVIDENCE).is_some() {
        return Err(other());
    }
    let (mut fields, mut taints) = (Map::new(), false);
    for name in EVIDENCE {
        let Some(text) = update.get(name) else { continue };
        let (value, odd) = if ["title", "content", "locations", "rawInput", "_meta"].contains(name) {
            crate::numbers::parse_lenient(text).map_err(|error| error.to_string())?
        } else {
            (mayi_core::call::json::parse_strict(text).map_err(|error| error.to_string())?, false)
        };
        taints |= odd && is_substance(name, &value);
        if !["rawInput", "_meta"].contains(name) && !crate::json_members::is_plain(&value, super::NAMES) {
            return Err(other());
        }
        fields.insert((*name).to_owned(), value);
    }
    Ok((fields, taints))
}

/// Whether a member says what a call does, in what readers could take for something else there.
fn is_substance(name: &str, value: &Value) -> bool {
    let items = || value.as_array().into_iter().flatten();
    let path =
        |item: &Value| item.get("path").and_then(Value::as_str).is_some_and(|path| path.contains('\u{fffd}'));
    match name {
        "rawInput" => true,
        "content" => items().any(|item| item.get("type").and_then(Value::as_str) == Some("diff")),
        "locations" => items().any(path),
        _ => false,
    }
}

fn inspect_update(shared: &Arc<Shared>, message: &Message<'_>) -> Result<Option<String>, String> {
    let params = RawMembers::parse(message.raw_params()).map_err(|error| error.to_string())?;
    let text = params.get("update").unwrap_or("{}");
    let update = RawMembers::parse(text).map_err(|error| error.to_string())?;
    if params.confusable_name(&["sessionId", "update"]).is_some()
        || update
            .confusable_name(&[
                "sessionUpdate",
                "toolCallId",
                "status",
                "currentModeId",
                "modeId",
                "configOptions",
                "state",
                "terminalId",
                "command",
                "cwd",
            ])
            .is_some()
    {
        return Err("a name in it can be taken for another one".to_owned());
    }
    let id = params.text_member("sessionId").unwrap_or_default();
    let kind = update.text_member("sessionUpdate").unwrap_or_default();
    let session = match &*kind {
        "tool_call" | "tool_call_update" => unannounced::find_session(shared, &id),
        _ => shared.find_session(&id),
    };
    let line = as_it_came(message);
    match &*kind {
        "tool_call" | "tool_call_update" | "tool_call_content_chunk" => {
            let (mut fields, mut taints) = read_evidence(&update)?;
            if kind == "tool_call_content_chunk" {
                behind_others(shared, &id, &mut fields);
            }
            let call = fields.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
            if crate::cards::is_own(call) {
                return Err("it is about a call that mayi shows".to_owned());
            }
            // What comes with the end of an approved call makes no other one of it.
            taints &= !session.as_ref().is_some_and(|session| session.ends_approved(call, &fields));
            match session.as_deref().filter(|session| shared.asks_about(session, call)) {
                Some(session) => hold_update(shared, session, call, line),
                // What the agent says of a call comes before what is said of that.
                None => forward_or_hold(session.as_deref(), line)
                    .into_iter()
                    .for_each(|line| shared.editor.push(line)),
            }
            // Also where the id begins anew with it.
            let taint = || shared.lock_tool_calls().mark_ambiguous(&SessionId(id.clone().into_owned()), call);
            if taints {
                taint();
            }
            match &session {
                Some(session) => tripwire::tool_call(shared, session, &fields),
                None => tripwire::record_unknown_session(shared, &id, &fields),
            }
            if taints {
                taint();
            }
            Ok(None)
        }
        "state_update" if shared.is_v2() => {
            let Some(session) = &session else { return Ok(Some(line)) };
            match &*update.text_member("state").unwrap_or_default() {
                "running" | "requires_action" => session.note_working(),
                "idle" => end_idle_turn(shared, session),
                _ => {}
            }
            // A question that it is about comes before it, where the agent has it so.
            Ok(session.queue_behind_question(line).and_then(|line| forward_or_hold(Some(session), line)))
        }
        "terminal_update" if shared.is_v2() => {
            let line = forward_or_hold(session.as_deref(), line);
            line.into_iter().for_each(|line| shared.editor.push(line));
            match &session {
                Some(session) => tripwire::observe_terminal(shared, session, &update)?,
                None => shared
                    .log_notice("the agent tells of a terminal in a session that the editor has not opened"),
            }
            Ok(None)
        }
        "current_mode_update" => {
            let mode = update.text_member("currentModeId").or_else(|| update.text_member("modeId"));
            let (Some(session), Some(mode)) = (&session, mode) else { return Ok(Some(line)) };
            let passes = modes::observe_mode(shared, session, &mode, &line);
            Ok(passes.then_some(line).and_then(|line| forward_or_hold(Some(session), line)))
        }
        "config_option_update" => {
            let (Some(session), Some(list)) = (&session, update.get("configOptions")) else {
                return Ok(Some(line));
            };
            if !modes::observe_options(shared, session, list) {
                return Ok(None);
            }
            let amended = crate::editor::amend_options(session, Some(list));
            let line = TextEdit::replace(message.line, list, amended)
                .and_then(|edit| apply_edits(message.line, vec![edit]));
            Ok(line.and_then(|line| forward_or_hold(Some(session), line)))
        }
        "subagent_update" => {
            if let (Some(session), Some(child)) = (&session, update.text_member("sessionId")) {
                begin_child(shared, session, &child);
            }
            Ok(forward_or_hold(session.as_deref(), line))
        }
        _ => Ok(forward_or_hold(session.as_deref(), line)),
    }
}

/// Keeps what the agent says of a call while that is asked about. More than is kept is said, and the call is denied.
fn hold_update(shared: &Shared, session: &Session, call: &str, line: String) {
    if session.hold_call_update(call, line) {
        return;
    }
    let open = shared.lock_open_approvals().get(&(session.id.clone(), call.to_owned())).copied();
    let why = "the agent says more of the call than is kept while it is asked about";
    shared.log_notice(format!("a question was denied: {why}"));
    open.into_iter().for_each(|approval| session.gate().deny_waiting(approval, "mayi", why));
}

/// A piece of a call's content stands behind those that came before.
fn behind_others(shared: &Shared, session: &str, fields: &mut Map<String, Value>) {
    let call = fields.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
    let known = shared.lock_tool_calls().call_state(&SessionId(session.to_owned()), call);
    let before = known.and_then(|known| known.fields.get("content")?.as_array().cloned()).unwrap_or_default();
    let Some(piece) = fields.remove("content") else { return };
    let room = before.len().saturating_sub(PIECES);
    let all: Vec<Value> = before.into_iter().skip(room).chain([piece]).collect();
    fields.insert("content".to_owned(), Value::Array(all));
}

/// The agent's work is over, and its turn with it.
fn end_idle_turn(shared: &Arc<Shared>, session: &Arc<Session>) {
    let Some(cancelled) = session.end_work() else { return };
    if cancelled {
        shared.lock_tool_calls().end_turn(&session.id);
    } else {
        tripwire::report_unended_calls(shared, session);
    }
    session.gate().end_turn(&session.id);
}

/// What of it goes on now: nothing, where the editor does not know the session yet.
fn forward_or_hold(session: Option<&Session>, line: String) -> Option<String> {
    match session {
        Some(session) => session.hold_until_open(line, LineWaiter::Nobody),
        None => Some(line),
    }
}

/// As many pieces of a call's content are looked at together.
const PIECES: usize = 200;

/// A sub-agent's session: it has the gate of the one that started it, is in no looser mode, and works in no wider folders.
fn begin_child(shared: &Arc<Shared>, parent: &Arc<Session>, id: &str) {
    let mut sessions = shared.lock_sessions();
    let family = sessions.values().filter(|other| Arc::ptr_eq(&other.family, &parent.family)).count();
    if id.is_empty() || sessions.contains_key(id) || family >= unannounced::MOST {
        return;
    }
    let core = gate::Session {
        id: SessionId(id.to_owned()),
        parent: Some(parent.id.clone()),
        mode: None,
        ..parent.core.clone()
    };
    let child = Arc::new(Session::new_child(core.clone(), parent));
    // It begins in the mode of the agent's that the one is in which has started it.
    let mode = parent.lock_state().agent_mode.clone();
    child.lock_state().agent_mode = mode;
    sessions.insert(id.to_owned(), child);
    drop(sessions);
    parent.gate().open_session(core);
}
