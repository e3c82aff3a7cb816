//! What the agent sends, by method. Nobody is waited for here but the editor's pipe: a question is answered by a task of its own.

mod answers;
mod modes;
mod permissions;
mod side_doors;
mod tripwire;
mod unannounced;
mod updates;

use std::sync::Arc;

use super::in_flight::AgentAsk;
use super::json_members::{RawMembers, is_confusable};
use super::line::{self, Id, Message, MessageKind, RefusedLine, code};
use super::shared::{Shared, as_it_came};
use mayi_core::approval::escape_line;

pub(crate) use modes::SETTING;
pub(crate) use tripwire::send_session_cancel;

/// Requests that pass the gate.
const GATED: &[&str] = &[
    "session/request_permission",
    "fs/read_text_file",
    "fs/write_text_file",
    "terminal/create",
    "terminal/output",
    "terminal/wait_for_exit",
    "terminal/kill",
    "terminal/release",
];

/// Notifications that mayi looks at.
const HEARD: &[&str] = &["session/update", "$/cancel_request"];

/// Names in what is judged, which no other name may be taken for.
const NAMES: &[&str] = &[
    "sessionId",
    "toolCall",
    "options",
    "toolCallId",
    "title",
    "kind",
    "status",
    "name",
    "content",
    "locations",
    "rawInput",
    "path",
    "oldText",
    "newText",
    "text",
    "type",
    "optionId",
    "command",
    "args",
    "env",
    "cwd",
    "value",
    "terminalId",
    "line",
    "limit",
    "outputByteLimit",
    "sessionUpdate",
    "subject",
    "description",
    "changes",
    "operation",
    "oldPath",
    "patch",
    "format",
    "_meta",
];

/// What version 2 has not any more: the agent reads, writes and runs by itself there.
fn is_gone(shared: &Shared, method: &str) -> bool {
    shared.is_v2() && (method.starts_with("fs/") || method.starts_with("terminal/"))
}

/// Takes a line of the agent's; gives back what goes on to the editor.
pub(crate) fn route_line(shared: &Arc<Shared>, text: &str, spoken: &mut bool) -> Option<String> {
    let message = match line::read(text) {
        Ok(message) => message,
        Err(refused) => {
            refuse_message(shared, text, &refused, *spoken);
            return None;
        }
    };
    *spoken = true;
    match message.kind {
        MessageKind::Response => answers::route_response(shared, &message),
        MessageKind::Notification => route_notification(shared, &message),
        MessageKind::Request => route_request(shared, &message),
    }
}

/// A line that is no text, with a sign in the place of each byte that is none: by what can be read of it, nobody waits for it, and a
/// call that has ended with it has ended.
pub(crate) fn refuse_garbled(shared: &Arc<Shared>, text: &str, why: &str) {
    let refused = line::refuse_line(text, why.to_owned());
    if !refused.json {
        shared.log_notice(format!("the agent sent {why}: it was not passed on"));
        return shared.agent.push(line::format_error(None, code::INVALID_REQUEST, why));
    }
    if let Ok(message) = line::read(text)
        && matches!(message.kind, MessageKind::Notification)
    {
        shared.log_notice(format!("the agent sent {why}: it was not passed on"));
        if message.method == "session/update" {
            tripwire::record_unreadable(shared, &message);
        }
        return;
    }
    refuse_message(shared, text, &refused, true);
}

/// What readers could disagree about goes no further, and nobody waits for it.
fn refuse_message(shared: &Arc<Shared>, text: &str, refused: &RefusedLine, spoken: bool) {
    if !refused.json {
        // Agents and what starts them speak on standard output too.
        let start: String = escape_line(&text.chars().take(200).collect::<String>());
        let when = if spoken { "" } else { ", before the first message" };
        return shared.log_notice(format!("the agent wrote what is no JSON{when}: {start}"));
    }
    shared.log_notice(format!("a message of the agent was refused: {}", refused.why));
    if refused.asks {
        // It is told by its id, if it has just one, and nothing of that id is in flight.
        let id = match refused.ids.as_slice() {
            [id] if !shared.lock_flight().agent.contains_key(id) => Some(id),
            _ => None,
        };
        shared.agent.push(line::format_error(id, code::INVALID_REQUEST, &refused.why));
        return;
    }
    for id in &refused.ids {
        answers::fail_request(shared, id, "the agent's answer can be read in two ways");
    }
    if refused.ids.is_empty() {
        shared.agent.push(line::format_error(None, code::INVALID_REQUEST, &refused.why));
    }
}

fn route_notification(shared: &Arc<Shared>, message: &Message<'_>) -> Option<String> {
    let method = &*message.method;
    match method {
        "session/update" => updates::route_update(shared, message),
        "$/cancel_request" => route_cancellation(shared, message),
        _ if GATED.contains(&method) || is_other(method) => {
            shared.log_notice(format!(
                "the agent sent {} without an id: it was not passed on",
                escape_line(method)
            ));
            None
        }
        _ => Some(as_it_came(message)),
    }
}

/// Whether a method could be taken for one that mayi judges, is of the editor's files and terminals and not known, or carries
/// other messages within it.
fn is_other(method: &str) -> bool {
    if method.contains(char::is_control) {
        return true;
    }
    let has_prefix =
        |method: &str, prefixes: &[&str]| prefixes.iter().any(|prefix| method.starts_with(prefix));
    let folded = mayi_core::policy::fold_text(method.trim());
    let bare = folded.trim_start_matches('_');
    is_confusable(method, GATED)
        || is_confusable(method, HEARD)
        || has_prefix(bare, &["proxy/", "mcp/"])
        || has_prefix(bare, &["fs/", "terminal/"]) && !GATED.contains(&method)
}

fn route_request(shared: &Arc<Shared>, message: &Message<'_>) -> Option<String> {
    let id = message.id.clone()?;
    let method = &*message.method;
    if is_other(method) || is_gone(shared, method) || method == "$/cancel_request" {
        shared.agent.push(line::format_error(
            Some(&id),
            code::METHOD_NOT_FOUND,
            &format!("not passed on: {}", escape_line(method)),
        ));
        return None;
    }
    if method == "session/update" {
        // It has an id, so it is answered; what it says counts all the same.
        let line = updates::route_update(shared, message);
        return forward_request(shared, &id, line.unwrap_or_default());
    }
    if !GATED.contains(&method) {
        // Nothing is known of what it does: the editor answers it by itself (docs/architecture/absent.md).
        return forward_request(shared, &id, as_it_came(message));
    }
    let token = shared.begin_judging(&id)?;
    let read = if method == "session/request_permission" {
        message.question_params(NAMES)
    } else {
        message.request_params(NAMES).map(|params| (params, false))
    };
    let (params, big) = match read {
        Ok(read) => read,
        Err(why) => {
            tripwire::mark_call_ambiguous(shared, message);
            shared.log_notice(format!("a {method} request was refused: {why}"));
            shared.refuse_agent(
                &id,
                code::INVALID_PARAMS,
                &format!("refused, since it can be read in two ways: {why}"),
            );
            return None;
        }
    };
    let told = line::session_of(&params);
    let session = if method == "session/request_permission" {
        unannounced::find_session_of_question(shared, told, &params, big)
    } else {
        shared.find_session(told)
    };
    let Some(session) = session else {
        shared.log_notice(format!(
            "{method} came for a session that the editor has not opened: it was refused"
        ));
        if method == "session/request_permission" {
            shared.answer_agent(&id, &mayi_acp_shared::permission::cancelled_outcome());
        } else {
            shared.refuse_agent(&id, code::INVALID_PARAMS, "no session of this id is open");
        }
        return None;
    };
    let asked = permissions::AgentRequest { shared: Arc::clone(shared), session, id, token, params };
    match method {
        "session/request_permission" => asked.judge_permission(message, big),
        "fs/read_text_file" => asked.judge_file(message, false),
        "fs/write_text_file" => asked.judge_file(message, true),
        "terminal/create" => asked.judge_terminal_create(message),
        _ => asked.route_terminal_use(message),
    }
}

/// Passes a request on that the editor answers.
fn forward_request(shared: &Shared, id: &Id, line: String) -> Option<String> {
    if line.is_empty() {
        shared.agent.push(line::format_error(Some(id), code::INVALID_PARAMS, "not passed on"));
        return None;
    }
    shared.register_request(id, AgentAsk::Passed { carrying: None, terminal_of: None }).then_some(line)
}

/// The agent withdraws a request: what is judged is answered as cancelled, what the editor has goes on to the editor.
fn route_cancellation(shared: &Shared, message: &Message<'_>) -> Option<String> {
    let params = RawMembers::parse(message.raw_params()).ok()?;
    if params.confusable_name(&["requestId"]).is_some() {
        return None;
    }
    let id = params.get("requestId").and_then(Id::read)?;
    match shared.lock_flight().agent.get(&id)? {
        AgentAsk::Judged(token) => {
            token.cancel();
            None
        }
        AgentAsk::Passed { .. } => Some(as_it_came(message)),
    }
}
