//! What the editor sends, by method.

mod config;
mod meta;
mod open;
mod prompt;
mod servers;

use std::sync::Arc;

use serde_json::Value;

use super::cards;
use super::flight::{AgentAsk, EditorAsk, MOST};
use super::line::{self, Id, Kind, Message, Refused, code, session_of};
use super::shared::{Shared, as_it_came};
use super::splice::{Edit, apply};
use mayi_core::approval::visible;
use mayi_core::gate;

pub(crate) use config::{SWITCH, amended, mode_call, normal, observe, picks, prepare, said, set_params};
pub(crate) use open::{Opens, opened};
pub(crate) use prompt::{cancel, withdraw};

/// The protocol's version that is spoken on both sides, and the newest, a preview, for those who have said that they want it.
pub(crate) const VERSION: u64 = 1;
const PREVIEW: u64 = 2;

/// Takes a line of the editor's; gives back what goes on to the agent.
pub(crate) async fn take(shared: &Arc<Shared>, text: &str) -> Option<String> {
    let message = match line::read(text) {
        Ok(message) => message,
        Err(refused) => {
            refuse(shared, &refused);
            return None;
        }
    };
    match message.kind {
        Kind::Response => {
            response(shared, &message);
            None
        }
        Kind::Notification => notification(shared, &message),
        Kind::Request => request(shared, &message).await,
    }
}

/// The person ends a turn. What only tightens needs no more than one reading: each session that it may be about is cancelled, and
/// all of them where it can't be read. `passes`: the agent gets the message as it came.
fn cancelled(shared: &Shared, ids: &[String], passes: bool) {
    let sessions: Vec<_> = if ids.is_empty() {
        shared.note("which session the editor cancels can't be read: all are cancelled");
        shared.sessions().values().filter(|session| session.core.parent.is_none()).cloned().collect()
    } else {
        ids.iter().filter_map(|id| shared.session(id)).collect()
    };
    let told = passes && ids.len() == 1;
    for session in &sessions {
        cancel(shared, session);
        // A sub-agent works in the turn of the session that has started it.
        if !told || session.core.parent.is_some() {
            super::agent::tell(shared, if told { session.root() } else { session });
        }
    }
}

/// What readers could disagree about goes no further, and nobody waits for it.
pub(crate) fn refuse(shared: &Shared, refused: &Refused) {
    shared.note(format!("a message of the editor was refused: {}", refused.why));
    if refused.cancels {
        cancelled(shared, &refused.sessions, false);
    }
    if !refused.json {
        shared.editor.push(line::error(None, -32700, &refused.why));
        return;
    }
    if refused.asks {
        let id = match refused.ids.as_slice() {
            [id] => Some(id),
            _ => None,
        };
        shared.editor.push(line::error(id, code::INVALID_REQUEST, &refused.why));
        return;
    }
    for id in &refused.ids {
        let shown = shared.flight().cards.remove(id);
        if let Some(shown) = shown {
            shown.gate.deny(shown.approval, cards::EDITOR, "the editor's answer can be read in two ways");
        }
        let passed = matches!(shared.flight().agent.get(id), Some(AgentAsk::Passed { .. }));
        if passed {
            shared.refuse_agent(id, code::INTERNAL, "the editor's answer can be read in two ways");
        }
    }
}

/// An answer of the editor's: to a question of mayi's, or to what the agent asked. What answers nothing is dropped.
fn response(shared: &Shared, message: &Message<'_>) {
    let Some(id) = &message.id else { return };
    let shown = shared.flight().cards.remove(id);
    if let Some(shown) = shown {
        cards::answered(shared, &shown, message);
        return;
    }
    let ask = {
        let mut flight = shared.flight();
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
        carrying.end(if done { "completed" } else { "failed" });
    }
    if let Some(session) = terminal_of
        && let Some(Value::Object(result)) = message.parts.value("result")
        && let Some(terminal) = result.get("terminalId").and_then(Value::as_str)
    {
        session.state().terminals.insert(terminal.to_owned());
    }
    // Into the queue at once: who reads the agent may be waiting for the editor.
    shared.agent.push(as_it_came(message));
}

fn notification(shared: &Arc<Shared>, message: &Message<'_>) -> Option<String> {
    match &*message.method {
        line::CANCEL => {
            cancelled(shared, &line::sessions(message.params()), true);
            Some(as_it_came(message))
        }
        "$/cancel_request" => {
            let params = super::parts::Parts::parse(message.params()).ok();
            let id = params.and_then(|params| params.get("requestId").and_then(Id::read));
            let Some(id) = id else {
                shared.note("which request the editor cancels can't be read: it was not passed on");
                return None;
            };
            let of = {
                let flight = shared.flight();
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
                cancel(shared, &session);
            }
            Some(as_it_came(message))
        }
        method if super::parts::mistaken(method, &[line::CANCEL]) => {
            cancelled(shared, &line::sessions(message.params()), false);
            None
        }
        // Without an id it is none of the requests that mayi has a part in, and nobody else is to take it for one.
        method
            if super::parts::mistaken(method, &["$/cancel_request"])
                || super::parts::mistaken(method, OWN)
                || OWN.contains(&method)
                || open::has_servers(message)
                || open::hides_servers(message) =>
        {
            shared.note(format!("the editor sent {} without an id: it was not passed on", visible(method)));
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
async fn request(shared: &Arc<Shared>, message: &Message<'_>) -> Option<String> {
    let id = message.id.clone()?;
    match judged(shared, message, &id).await {
        Ok(Some((ask, line))) => {
            let prompted = match &ask {
                EditorAsk::Prompt(session, _) => Some(Arc::clone(session)),
                _ => None,
            };
            if let Err(ask) = enter(shared, &id, ask) {
                if let EditorAsk::Open(opens) = ask {
                    open::give_up(shared, &opens);
                }
                return None;
            }
            if let Some(session) = prompted {
                session.prompted();
            }
            Some(line)
        }
        Ok(None) => None,
        Err((number, why)) => {
            shared.editor.push(line::error(Some(&id), number, &why));
            None
        }
    }
}

/// Notes a request of the editor's. Gives it back, if it is refused.
fn enter(shared: &Shared, id: &Id, ask: EditorAsk) -> Result<(), EditorAsk> {
    let mut flight = shared.flight();
    let in_use = flight.editor.contains_key(id) || flight.opening.contains_key(id) || shared.ids.is_own(id);
    if in_use || flight.editor.len() >= MOST {
        drop(flight);
        shared.editor.push(line::error(Some(id), code::INVALID_REQUEST, super::flight::refusal(in_use)));
        return Err(ask);
    }
    flight.editor.insert(id.clone(), ask);
    Ok(())
}

type Judged = Result<Option<(EditorAsk, String)>, (i64, String)>;

async fn judged(shared: &Arc<Shared>, message: &Message<'_>, id: &Id) -> Judged {
    let method = &*message.method;
    if method == line::CANCEL {
        // It is none, and ends the turn all the same.
        cancelled(shared, &line::sessions(message.params()), true);
    }
    if super::parts::mistaken(method, OWN) || super::parts::mistaken(method, &[line::CANCEL]) {
        return Err((
            code::METHOD_NOT_FOUND,
            format!("`{}` can be taken for another method", visible(method)),
        ));
    }
    if !OWN.contains(&method) && message.params().starts_with('{') {
        let read = super::parts::Parts::parse(message.params());
        read.map_err(|error| {
            (code::INVALID_PARAMS, format!("its parameters are refused: {}", visible(&error.to_string())))
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
        prompt::looked_at(message).map_err(wrong)?
    } else if method == "initialize" {
        // Nothing of it is judged, and any number in it is the agent's to read.
        message.told(NAMES).map_err(wrong)?
    } else {
        message.strict(NAMES).map_err(wrong)?
    };
    let session = || {
        shared
            .session(session_of(&params))
            .ok_or_else(|| wrong("no session of this id was opened through this connection".to_owned()))
    };
    match method {
        "initialize" => initialize(shared, message, &params).map(Some),
        "session/prompt" => {
            let session = session()?;
            let line = prompt::passed(shared, &session, message)?;
            let ends = session.ends_to_come();
            Ok(Some((EditorAsk::Prompt(session, ends), line)))
        }
        "session/set_mode" => config::set_mode(shared, &session()?, &params, message),
        "session/set_config_option" => config::set_option(shared, &session()?, &params, message, id),
        "session/close" | "session/delete" => {
            let Some(session) = shared.session(session_of(&params)) else {
                return Ok(Some((EditorAsk::Plain, as_it_came(message))));
            };
            if session.core.parent.is_none() {
                cancel(shared, &session);
            } else {
                // The turn that a sub-agent works in goes on without it.
                session.close(true);
                session.gate().cancel(&session.id);
            }
            Ok(Some((EditorAsk::Close(session), as_it_came(message))))
        }
        _ => open::open(shared, message, &params).await.map_err(wrong),
    }
}

/// The version that is offered to the agent: 1, or 2 where editor and user want it; the one that is spoken, once there is one.
fn initialize(
    shared: &Shared,
    message: &Message<'_>,
    params: &Value,
) -> Result<(EditorAsk, String), (i64, String)> {
    let wrong = || (code::INVALID_PARAMS, "initialize needs a protocolVersion, a whole number".to_owned());
    let version = params.get("protocolVersion").and_then(Value::as_u64).ok_or_else(wrong)?;
    let newest = shared.spoken().unwrap_or(if shared.options.protocol_v2 { PREVIEW } else { VERSION });
    if version <= newest {
        return Ok((EditorAsk::Initialize(version), as_it_came(message)));
    }
    let parts = super::parts::Parts::parse(message.params()).map_err(|_| wrong())?;
    let line = Edit::set(message.line, message.params(), &parts, "protocolVersion", &newest.to_string())
        .and_then(|edit| apply(message.line, vec![edit]))
        .ok_or_else(wrong)?;
    Ok((EditorAsk::Initialize(newest), line))
}

/// A session as a gate knows it, for calls of the door's own.
pub(crate) fn of(session: &super::session::Session) -> &gate::Session {
    &session.core
}
