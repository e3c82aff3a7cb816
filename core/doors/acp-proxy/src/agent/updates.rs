//! `session/update`: what the agent tells. It passes as it came, but for changes of modes and options, and for what readers
//! could disagree about where it is evidence.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{modes, tripwire};
use crate::line::Message;
use crate::parts::Parts;
use crate::session::{Session, Waits};
use crate::shared::{Shared, as_it_came};
use crate::splice::{Edit, apply};
use mayi_core::approval::visible;
use mayi_core::call::SessionId;
use mayi_core::gate;

/// Takes an update; gives back what the editor gets.
pub(super) fn update(shared: &Arc<Shared>, message: &Message<'_>) -> Option<String> {
    match looked_at(shared, message) {
        Ok(line) => line,
        Err(why) => {
            tripwire::unreadable(shared, message);
            shared.note(format!("an update of the agent was not passed on: {}", visible(&why)));
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
fn evidence(update: &Parts<'_>) -> Result<(Map<String, Value>, bool), String> {
    let other = || "a name in it can be taken for another one".to_owned();
    if update.mistaken(EVIDENCE).is_some() {
        return Err(other());
    }
    let (mut fields, mut taints) = (Map::new(), false);
    for name in EVIDENCE {
        let Some(text) = update.get(name) else { continue };
        let (value, odd) = if ["title", "content", "locations", "rawInput", "_meta"].contains(name) {
            crate::numbers::lenient(text).map_err(|error| error.to_string())?
        } else {
            (mayi_core::call::json::strict(text).map_err(|error| error.to_string())?, false)
        };
        taints |= odd && is_substance(name, &value);
        if !["rawInput", "_meta"].contains(name) && !crate::parts::is_plain(&value, super::NAMES) {
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

fn looked_at(shared: &Arc<Shared>, message: &Message<'_>) -> Result<Option<String>, String> {
    let params = Parts::parse(message.params()).map_err(|error| error.to_string())?;
    let text = params.get("update").unwrap_or("{}");
    let update = Parts::parse(text).map_err(|error| error.to_string())?;
    if params.mistaken(&["sessionId", "update"]).is_some()
        || update
            .mistaken(&[
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
    let id = params.text("sessionId").unwrap_or_default();
    let session = shared.session(&id);
    let kind = update.text("sessionUpdate").unwrap_or_default();
    let line = as_it_came(message);
    match &*kind {
        "tool_call" | "tool_call_update" | "tool_call_content_chunk" => {
            let (mut fields, mut taints) = evidence(&update)?;
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
                Some(session) => keep(shared, session, call, line),
                // What the agent says of a call comes before what is said of that.
                None => {
                    passed(session.as_deref(), line).into_iter().for_each(|line| shared.editor.push(line))
                }
            }
            // Also where the id begins anew with it.
            let taint = || shared.tool_calls().taint(&SessionId(id.clone().into_owned()), call);
            if taints {
                taint();
            }
            match &session {
                Some(session) => tripwire::tool_call(shared, session, &fields),
                None => tripwire::of_nobody(shared, &id, &fields),
            }
            if taints {
                taint();
            }
            Ok(None)
        }
        "state_update" if shared.is_v2() => {
            let Some(session) = &session else { return Ok(Some(line)) };
            match &*update.text("state").unwrap_or_default() {
                "running" | "requires_action" => session.works(),
                "idle" => idle(shared, session),
                _ => {}
            }
            // A question that it is about comes before it, where the agent has it so.
            Ok(session.stand_behind(line).and_then(|line| passed(Some(session), line)))
        }
        "terminal_update" if shared.is_v2() => {
            let line = passed(session.as_deref(), line);
            line.into_iter().for_each(|line| shared.editor.push(line));
            match &session {
                Some(session) => tripwire::terminal(shared, session, &update)?,
                None => {
                    shared.note("the agent tells of a terminal in a session that the editor has not opened")
                }
            }
            Ok(None)
        }
        "current_mode_update" => {
            let mode = update.text("currentModeId").or_else(|| update.text("modeId"));
            let (Some(session), Some(mode)) = (&session, mode) else { return Ok(Some(line)) };
            let passes = modes::mode(shared, session, &mode, &line);
            Ok(passes.then_some(line).and_then(|line| passed(Some(session), line)))
        }
        "config_option_update" => {
            let (Some(session), Some(list)) = (&session, update.get("configOptions")) else {
                return Ok(Some(line));
            };
            if !modes::options(shared, session, list) {
                return Ok(None);
            }
            let amended = crate::editor::amended(session, Some(list));
            let line =
                Edit::replace(message.line, list, amended).and_then(|edit| apply(message.line, vec![edit]));
            Ok(line.and_then(|line| passed(Some(session), line)))
        }
        "subagent_update" => {
            if let (Some(session), Some(child)) = (&session, update.text("sessionId")) {
                begin_child(shared, session, &child);
            }
            Ok(passed(session.as_deref(), line))
        }
        _ => Ok(passed(session.as_deref(), line)),
    }
}

/// Keeps what the agent says of a call while that is asked about. More than is kept is said, and the call is denied.
fn keep(shared: &Shared, session: &Session, call: &str, line: String) {
    if session.keep(call, line) {
        return;
    }
    let open = shared.open().get(&(session.id.clone(), call.to_owned())).copied();
    let why = "the agent says more of the call than is kept while it is asked about";
    shared.note(format!("a question was denied: {why}"));
    open.into_iter().for_each(|approval| session.gate().deny(approval, "mayi", why));
}

/// A piece of a call's content stands behind those that came before.
fn behind_others(shared: &Shared, session: &str, fields: &mut Map<String, Value>) {
    let call = fields.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
    let known = shared.tool_calls().known(&SessionId(session.to_owned()), call);
    let before = known.and_then(|known| known.fields.get("content")?.as_array().cloned()).unwrap_or_default();
    let Some(piece) = fields.remove("content") else { return };
    let room = before.len().saturating_sub(PIECES);
    let all: Vec<Value> = before.into_iter().skip(room).chain([piece]).collect();
    fields.insert("content".to_owned(), Value::Array(all));
}

/// The agent's work is over, and its turn with it.
fn idle(shared: &Arc<Shared>, session: &Arc<Session>) {
    let Some(cancelled) = session.end_work() else { return };
    if cancelled {
        shared.tool_calls().end_turn(&session.id);
    } else {
        tripwire::left(shared, session);
    }
    session.gate().end_turn(&session.id);
}

/// What of it goes on now: nothing, where the editor does not know the session yet.
fn passed(session: Option<&Session>, line: String) -> Option<String> {
    match session {
        Some(session) => session.hold(line, Waits::Nobody),
        None => Some(line),
    }
}

/// As many pieces of a call's content are looked at together.
const PIECES: usize = 200;

/// As many sub-agents of one session are known.
const MOST: usize = 256;

/// A sub-agent's session: it has the gate of the one that started it, is in no looser mode, and works in no wider folders.
fn begin_child(shared: &Arc<Shared>, parent: &Arc<Session>, id: &str) {
    let mut sessions = shared.sessions();
    let family = sessions.values().filter(|other| Arc::ptr_eq(&other.family, &parent.family)).count();
    if id.is_empty() || sessions.contains_key(id) || family >= MOST {
        return;
    }
    let core = gate::Session {
        id: SessionId(id.to_owned()),
        parent: Some(parent.id.clone()),
        mode: None,
        ..parent.core.clone()
    };
    let child = Arc::new(Session::child(core.clone(), parent));
    // It begins in the mode of the agent's that the one is in which has started it.
    let mode = parent.state().agent_mode.clone();
    child.state().agent_mode = mode;
    sessions.insert(id.to_owned(), child);
    drop(sessions);
    parent.gate().open_session(core);
}
