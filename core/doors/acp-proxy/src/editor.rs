//! What the editor sends, by method.

mod config;
mod meta;
mod open;
mod prompt;
mod servers;

use std::sync::Arc;

use serde_json::Value;

use super::cards;
use super::in_flight::{AgentAsk, EditorAsk, MOST};
use super::line::{self, Id, Message, MessageKind, RefusedLine, code, session_of};
use super::shared::{Shared, as_it_came};
use super::splice::{TextEdit, apply_edits};
use mayi_core::approval::escape_line;
use mayi_core::gate;

pub(crate) use config::{
    SWITCH, amend_options, changed_options, mode_call, mode_change_options, normalize_options,
    option_setting, record_initial_modes, set_params,
};
pub(crate) use open::{PendingSession, route_open_response};
pub(crate) use prompt::{cancel_turn, withdraw_turn};

/// The protocol's version that is spoken on both sides, and the newest, a preview, for those who have said that they want it.
pub(crate) const VERSION: u64 = 1;
const PREVIEW: u64 = 2;

/// Takes a line of the editor's; gives back what goes on to the agent.
pub(crate) async fn route_line(shared: &Arc<Shared>, text: &str) -> Option<String> {
    let message = match line::read(text) {
        Ok(message) => message,
        Err(refused) => {
            refuse_message(shared, &refused);
            return None;
        }
    };
    match message.kind {
        MessageKind::Response => {
            route_response(shared, &message);
            None
        }
        MessageKind::Notification => route_notification(shared, &message),
        MessageKind::Request => route_request(shared, &message).await,
    }
}

/// The person ends a turn. What only tightens needs no more than one reading: each session that it may be about is cancelled, and
/// all of them where it can't be read. `passes`: the agent gets the message as it came.
fn cancel_sessions(shared: &Shared, ids: &[String], passes: bool) {
    let sessions: Vec<_> = if ids.is_empty() {
        shared.log_notice("which session the editor cancels can't be read: all are cancelled");
        shared.lock_sessions().values().filter(|session| session.is_root()).cloned().collect()
    } else {
        ids.iter().filter_map(|id| shared.find_session(id)).collect()
    };
    let told = passes && ids.len() == 1;
    for session in &sessions {
        cancel_turn(shared, session);
        // A sub-agent works in the turn of the session that has started it.
        if !told || !session.is_root() {
            super::agent::send_session_cancel(shared, if told { session.root() } else { session });
        }
    }
}

/// What readers could disagree about goes no further, and nobody waits for it.
pub(crate) fn refuse_message(shared: &Shared, refused: &RefusedLine) {
    shared.log_notice(format!("a message of the editor was refused: {}", refused.why));
    if refused.cancels {
        cancel_sessions(shared, &refused.sessions, false);
    }
    if !refused.json {
        shared.editor.push(line::format_error(None, -32700, &refused.why));
        return;
    }
    if refused.asks {
        let id = match refused.ids.as_slice() {
            [id] => Some(id),
            _ => None,
        };
        shared.editor.push(line::format_error(id, code::INVALID_REQUEST, &refused.why));
        return;
    }
    for id in &refused.ids {
        let shown = shared.lock_flight().cards.remove(id);
        if let Some(shown) = shown {
            shown.gate.deny_waiting(
                shown.approval,
                cards::EDITOR,
                "the editor's answer can be read in two ways",
            );
        }
        let passed = matches!(shared.lock_flight().agent.get(id), Some(AgentAsk::Passed { .. }));
        if passed {
            shared.refuse_agent(id, code::INTERNAL, "the editor's answer can be read in two ways");
        }
    }
}

/// An answer of the editor's: to a question of mayi's, or to what the agent asked. What answers nothing is dropped.
fn route_response(shared: &Shared, message: &Message<'_>) {
    let Some(id) = &message.id else { return };
    let shown = shared.lock_flight().cards.remove(id);
    if let Some(shown) = shown {
        cards::apply_answer(shared, &shown, message);
        return;
    }
    let ask = {
        let mut flight = shared.lock_flight();
        match flight.agent.get(id) {
            Some(AgentAsk::Passed { .. }) => flight.agent.remove(id),
            // What mayi judges, only mayi answers.
            _ => None,
        }
    };
    let Some(AgentAsk::Passed { carrying, terminal_of }) = ask else {
        tracing::debug!("the editor answered what nobody asked for");
        return;
    };
    let done = message.parts.get("result").is_some();
    if let Some(carrying) = carrying {
        carrying.finish(if done { "completed" } else { "failed" });
    }
    if let Some((session, accesses)) = terminal_of
        && let Some(Value::Object(result)) = message.parts.parsed_member("result")
        && let Some(terminal) = result.get("terminalId").and_then(Value::as_str)
    {
        session.lock_state().terminals.insert(terminal.to_owned());
        shared.lock_tool_calls().record_terminal(&session.id, terminal, accesses);
    }
    // Into the queue at once: who reads the agent may be waiting for the editor.
    shared.agent.push(as_it_came(message));
}

fn route_notification(shared: &Arc<Shared>, message: &Message<'_>) -> Option<String> {
    match &*message.method {
        line::CANCEL => {
            cancel_sessions(shared, &line::possible_sessions(message.raw_params()), true);
            Some(as_it_came(message))
        }
        "$/cancel_request" => {
            let params = super::json_members::RawMembers::parse(message.raw_params()).ok();
            let id = params.and_then(|params| params.get("requestId").and_then(Id::read));
            let Some(id) = id else {
                shared.log_notice("which request the editor cancels can't be read: it was not passed on");
                return None;
            };
            let of = {
                let flight = shared.lock_flight();
                if let Some(opening) = flight.opening.get(&id) {
                    opening.cancel();
                    return None;
                }
                match flight.editor.get(&id)? {
                    EditorAsk::Prompt(session, _) => Some(Arc::clone(session)),
                    _ => None,
                }
            };
            if let Some(session) = of {
                cancel_turn(shared, &session);
            }
            Some(as_it_came(message))
        }
        method if super::json_members::is_confusable(method, &[line::CANCEL]) => {
            cancel_sessions(shared, &line::possible_sessions(message.raw_params()), false);
            None
        }
        // Without an id it is none of the requests that mayi has a part in, and nobody else is to take it for one.
        method
            if super::json_members::is_confusable(method, &["$/cancel_request"])
                || super::json_members::is_confusable(method, OWN)
                || OWN.contains(&method)
                || open::has_servers(message)
                || open::hides_servers(message) =>
        {
            shared.log_notice(format!(
                "the editor sent {} without an id: it was not passed on",
                escape_line(method)
            ));
            None
        }
        _ => Some(as_it_came(message)),
    }
}

/// Methods that mayi has a part in.
const OWN: &[&str] = &[
    "initialize",
    "session/new",
    "session/load",
    "session/resume",
    "session/fork",
    "session/prompt",
    "session/set_mode",
    "session/set_config_option",
    "session/close",
    "session/delete",
];

/// Members of their parameters.
const NAMES: &[&str] = &[
    "sessionId",
    "cwd",
    "mcpServers",
    "additionalDirectories",
    "prompt",
    "modeId",
    "configId",
    "value",
    "protocolVersion",
];

/// A request: where it goes wrong, the editor gets an answer.
async fn route_request(shared: &Arc<Shared>, message: &Message<'_>) -> Option<String> {
    let id = message.id.clone()?;
    match judge_request(shared, message, &id).await {
        Ok(Some((ask, line))) => {
            let prompted = match &ask {
                EditorAsk::Prompt(session, _) => Some(Arc::clone(session)),
                _ => None,
            };
            if let Err(ask) = register_request(shared, &id, ask) {
                if let EditorAsk::Open(opens) = ask {
                    open::give_up(shared, &opens);
                }
                return None;
            }
            if let Some(session) = prompted {
                session.note_prompt();
            }
            Some(line)
        }
        Ok(None) => None,
        Err((number, why)) => {
            shared.editor.push(line::format_error(Some(&id), number, &why));
            None
        }
    }
}

/// Notes a request of the editor's. Gives it back, if it is refused.
fn register_request(shared: &Shared, id: &Id, ask: EditorAsk) -> Result<(), EditorAsk> {
    let mut flight = shared.lock_flight();
    let in_use = flight.editor.contains_key(id) || flight.opening.contains_key(id) || shared.ids.is_own(id);
    if in_use || flight.editor.len() >= MOST {
        drop(flight);
        shared.editor.push(line::format_error(
            Some(id),
            code::INVALID_REQUEST,
            super::in_flight::refusal_reason(in_use),
        ));
        return Err(ask);
    }
    flight.editor.insert(id.clone(), ask);
    Ok(())
}

type JudgedRequest = Result<Option<(EditorAsk, String)>, (i64, String)>;

async fn judge_request(shared: &Arc<Shared>, message: &Message<'_>, id: &Id) -> JudgedRequest {
    let method = &*message.method;
    if method == line::CANCEL {
        // It is none, and ends the turn all the same.
        cancel_sessions(shared, &line::possible_sessions(message.raw_params()), true);
    }
    if super::json_members::is_confusable(method, OWN)
        || super::json_members::is_confusable(method, &[line::CANCEL])
    {
        return Err((
            code::METHOD_NOT_FOUND,
            format!("`{}` can be taken for another method", escape_line(method)),
        ));
    }
    if !OWN.contains(&method) && message.raw_params().starts_with('{') {
        let read = super::json_members::RawMembers::parse(message.raw_params());
        read.map_err(|error| {
            (code::INVALID_PARAMS, format!("its parameters are refused: {}", escape_line(&error.to_string())))
        })?;
    }
    // Whatever opens a session with servers, they stand behind its gate.
    if !OWN.contains(&method) && !open::has_servers(message) {
        if open::hides_servers(message) {
            let why = "MCP servers in it would go past mayi: write them where the editor has its MCP servers";
            return Err((code::INVALID_PARAMS, why.to_owned()));
        }
        return Ok(Some((EditorAsk::Plain, as_it_came(message))));
    }
    let wrong = |why: String| (code::INVALID_PARAMS, why);
    let params = if method == "session/prompt" {
        // What a person says may hold anything; what mayi looks at is held to one reading.
        prompt::parse_prompt_params(message).map_err(wrong)?
    } else if method == "initialize" {
        // Nothing of it is judged, and any number in it is the agent's to read.
        message.lenient_params(NAMES).map_err(wrong)?
    } else {
        message.strict_params(NAMES).map_err(wrong)?
    };
    let session = || {
        shared
            .find_session(session_of(&params))
            .filter(|session| session.is_announced())
            .ok_or_else(|| wrong("no session of this id was opened through this connection".to_owned()))
    };
    match method {
        "initialize" => negotiate_version(shared, message, &params).map(Some),
        "session/prompt" => {
            let session = session()?;
            let line = prompt::amend_prompt(shared, &session, message)?;
            let ends = session.ends_to_come();
            Ok(Some((EditorAsk::Prompt(session, ends), line)))
        }
        "session/set_mode" => config::set_mode(shared, &session()?, &params, message),
        "session/set_config_option" => config::set_option(shared, &session()?, &params, message, id),
        "session/close" | "session/delete" => {
            let Some(session) = shared.find_session(session_of(&params)) else {
                return Ok(Some((EditorAsk::Plain, as_it_came(message))));
            };
            if session.is_root() {
                cancel_turn(shared, &session);
            } else {
                // The turn that a sub-agent works in goes on without it.
                session.close(true);
                session.gate().cancel_turn(&session.id);
            }
            Ok(Some((EditorAsk::Close(session), as_it_came(message))))
        }
        _ => open::open(shared, message, &params).await.map_err(wrong),
    }
}

/// The version that is offered to the agent: 1, or 2 where editor and user want it; the one that is spoken, once there is one.
fn negotiate_version(
    shared: &Shared,
    message: &Message<'_>,
    params: &Value,
) -> Result<(EditorAsk, String), (i64, String)> {
    let wrong = || (code::INVALID_PARAMS, "initialize needs a protocolVersion, a whole number".to_owned());
    let version = params.get("protocolVersion").and_then(Value::as_u64).ok_or_else(wrong)?;
    // Version 2 has it as `info`.
    let said = ["/clientInfo/name", "/info/name"].iter().find_map(|at| params.pointer(at)?.as_str());
    shared.note_editor(said);
    let newest =
        shared.protocol_version().unwrap_or(if shared.options.protocol_v2 { PREVIEW } else { VERSION });
    if version <= newest {
        return Ok((EditorAsk::Initialize(version), as_it_came(message)));
    }
    let parts = super::json_members::RawMembers::parse(message.raw_params()).map_err(|_| wrong())?;
    let line = TextEdit::set_member(
        message.line,
        message.raw_params(),
        &parts,
        "protocolVersion",
        &newest.to_string(),
    )
    .and_then(|edit| apply_edits(message.line, vec![edit]))
    .ok_or_else(wrong)?;
    Ok((EditorAsk::Initialize(newest), line))
}

/// A session as a gate knows it, for calls of the door's own.
pub(crate) fn gate_session(session: &super::session::Session) -> &gate::Session {
    &session.core
}
