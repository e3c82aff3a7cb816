//! Tool calls as the agent tells them: what ran without asking is said, recorded, and stops the turn where the policy denies it
//! (D7.9); what has changed since it was approved is judged again.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::line::{self, Message};
use crate::parts::Parts;
use crate::session::Session;
use crate::shared::Shared;
use crate::told::Command;
use crate::turns::{ENDING, Stop};
use mayi_acp_shared::adapt::{self, From};
use mayi_acp_shared::subject;
use mayi_core::approval::visible;
use mayi_core::call::{Access, Call, Door};
use mayi_core::config::OnUnasked;
use mayi_core::gate;
use mayi_core::policy::Effect;

/// Takes what the agent says of a tool call of a session.
pub(super) fn tool_call(shared: &Arc<Shared>, session: &Arc<Session>, fields: &Map<String, Value>) {
    if session.state().replays {
        return;
    }
    let unasked = shared.tool_calls().update(&session.id, fields);
    let id = fields.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
    let changed = changed(shared, session, id).or_else(|| all_the_same(shared, session, fields, id));
    match fields.get("status").and_then(Value::as_str) {
        Some("in_progress") => session.gate().started(&session.id, id),
        Some(status @ ("completed" | "failed" | "cancelled")) => {
            session.gate().finished(&session.id, id, status);
            let mut state = session.state();
            state.approved.remove(id);
            state.told.over(id);
        }
        _ => {}
    }
    let from = From { door: Door::AcpReported, session: &session.core, tool_call_id: Some(id) };
    let unasked = unasked.map(|known| adapt::tool_call(&from, &known, Vec::new()));
    // Of a command that was approved by itself, this is what is told.
    let unasked = unasked.filter(|call| !session.state().spend_command(&call.accesses));
    if let Some(call) = unasked.or(changed) {
        against(shared, session, &call);
    }
}

/// Takes what the agent says of a terminal of its own (version 2): a command that has run in one, and that no tool call tells of, is
/// judged as one that ran without asking.
///
/// # Errors
/// Says what readers could disagree about.
pub(super) fn terminal(
    shared: &Arc<Shared>,
    session: &Arc<Session>,
    update: &Parts<'_>,
) -> Result<(), String> {
    let Some(id) = update.text("terminalId") else { return Ok(()) };
    if session.state().replays {
        return Ok(());
    }
    let line = update.text("command").filter(|line| !line.is_empty());
    let command =
        line.map(|line| Command { line: line.into_owned(), cwd: update.text("cwd").map(Cow::into_owned) });
    let before = command.and_then(|command| session.state().told.tell(&id, command));
    if let Some(before) = before {
        ran(shared, session, &before);
    }
    let open = session.state().told.open(&id);
    if open.is_some_and(|open| is_explained(shared, session, &in_terminal(session, &open))) {
        session.state().told.explain(&id);
    }
    let ended = update.get("exitStatus").is_some_and(|status| status.starts_with('{'));
    let left = if ended { session.state().told.end(&id) } else { None };
    if let Some(left) = left {
        against(shared, session, &in_terminal(session, &left));
    }
    Ok(())
}

fn in_terminal(session: &Session, command: &Command) -> Call {
    let from = From { door: Door::AcpReported, session: &session.core, tool_call_id: None };
    subject::terminal(&from, &command.line, command.cwd.as_deref())
}

fn ran(shared: &Arc<Shared>, session: &Arc<Session>, command: &Command) {
    let call = in_terminal(session, command);
    if !is_explained(shared, session, &call) {
        against(shared, session, &call);
    }
}

/// Whether a command in a terminal is what was told or approved elsewhere: by a call that is under way and was not refused, which is
/// judged by itself, or by an approval. Each of them explains one terminal.
fn is_explained(shared: &Shared, session: &Session, call: &Call) -> bool {
    let core = &session.core;
    let under_way = shared.tool_calls().doing(&core.id, |known| adapt::does(core, known, &call.accesses));
    let mut state = session.state();
    let told = under_way.into_iter().find(|id| !state.refused.contains(id) && state.told.is_unspent(id));
    let approves = |(id, of): &(&String, &Vec<Access>)| {
        state.told.is_unspent(id) && call.accesses.iter().all(|access| of.contains(access))
    };
    match told.or_else(|| state.approved.iter().find(approves).map(|(id, _)| id.clone())) {
        Some(id) => {
            state.told.spend(&id);
            true
        }
        None => state.spend_command(&call.accesses),
    }
}

/// What began without asking and was not ended when the turn was: it counts as what ran.
pub(super) fn left(shared: &Arc<Shared>, session: &Arc<Session>) {
    let calls = shared.tool_calls().left(&session.id);
    for (id, known) in calls {
        let from = From { door: Door::AcpReported, session: &session.core, tool_call_id: Some(&id) };
        against(shared, session, &adapt::tool_call(&from, &known, Vec::new()));
    }
}

/// What a call has become: its card changes if it waits; if it was approved as something else, that covers nothing any more.
fn changed(shared: &Shared, session: &Session, id: &str) -> Option<Call> {
    let waiting = shared.open().get(&(session.id.clone(), id.to_owned())).copied();
    let approved = session.state().approved.get(id).cloned();
    if waiting.is_none() && approved.is_none() {
        return None;
    }
    let known = shared.tool_calls().known(&session.id, id)?;
    if let Some(approval) = waiting {
        let from = From { door: Door::AcpPermission, session: &session.core, tool_call_id: Some(id) };
        session.gate().revise(approval, adapt::tool_call(&from, &known, Vec::new()));
        return None;
    }
    let from = From { door: Door::AcpReported, session: &session.core, tool_call_id: Some(id) };
    let call = adapt::tool_call(&from, &known, Vec::new());
    let approved = approved?;
    if call.accesses.iter().all(|access| approved.iter().any(|other| same(access, other))) {
        return None;
    }
    session.gate().finished(&session.id, id, "changed after it was approved");
    session.state().approved.insert(id.to_owned(), call.accesses.clone());
    Some(call)
}

/// A call that was refused, and is told as done.
fn all_the_same(shared: &Shared, session: &Session, fields: &Map<String, Value>, id: &str) -> Option<Call> {
    let done = fields.get("status").and_then(Value::as_str) == Some("completed");
    if !done || !session.state().refused.remove(id) {
        return None;
    }
    let known = shared.tool_calls().known(&session.id, id)?;
    let from = From { door: Door::AcpReported, session: &session.core, tool_call_id: Some(id) };
    Some(adapt::tool_call(&from, &known, Vec::new()))
}

/// Whether what a call touches was among what was approved, in the words of either time.
fn same(access: &Access, approved: &Access) -> bool {
    match (access, approved) {
        // What was written may be read too, and whether a file was there is another question than which one it is.
        (Access::Write(_, a) | Access::Read(a), Access::Write(_, b)) | (Access::Read(a), Access::Read(b)) => {
            a.lexical == b.lexical
        }
        _ => access == approved,
    }
}

/// Something ran without asking, or as something else than was approved.
fn against(shared: &Arc<Shared>, session: &Arc<Session>, call: &Call) {
    let Some(decision) = session.gate().judge_reported(call) else { return };
    let stops = match (session.family.on_unasked, decision.effect) {
        (_, Effect::Allow) => return,
        (Some(OnUnasked::Record), _) | (None, Effect::Ask) => false,
        (Some(OnUnasked::Stop), _) | (None, Effect::Deny) => true,
    };
    let why = decision.because().map(|finding| finding.reason.to_string()).unwrap_or_default();
    let title = visible(&call.title.chars().take(200).collect::<String>());
    let would = if decision.effect == Effect::Deny { "denies" } else { "asks about" };
    let text =
        format!("the agent did this without asking, which the policy {would}: {title} ({})", visible(&why));
    if stops {
        stop(shared, session, &text);
    } else {
        shared.note(text);
    }
}

/// A tool call of a session that the editor has not opened: recorded, and nothing of it is allowed.
pub(super) fn of_nobody(shared: &Arc<Shared>, id: &str, fields: &Map<String, Value>) {
    // Any gate will do to write it down: it knows no such session, and denies all of it.
    let Some(any) = shared.sessions().values().next().cloned() else {
        return shared.note("the agent tells of a tool call in a session that the editor has not opened");
    };
    let core = gate::Session {
        id: mayi_core::call::SessionId(id.to_owned()),
        parent: None,
        roots: Vec::new(),
        mode: None,
        ..any.core.clone()
    };
    let unasked = shared.tool_calls().update(&core.id, fields);
    let call_id = fields.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
    let from = From { door: Door::AcpReported, session: &core, tool_call_id: Some(call_id) };
    let Some(known) = unasked else { return };
    let call = adapt::tool_call(&from, &known, Vec::new());
    let _ = any.gate().judge_reported(&call);
    shared.note(
        "the agent did something in a session that the editor has not opened: that session is cancelled",
    );
    shared.agent.push(line::notification("session/cancel", &json!({"sessionId": id})));
}

/// Cancels the turn, says why in the editor, and ends an agent that goes on all the same.
fn stop(shared: &Arc<Shared>, session: &Arc<Session>, text: &str) {
    match session.stop() {
        Stop::First(stop) => {
            shared.say(session.root(), &format!("{text}. The turn is cancelled."));
            end_turn(shared, session, stop);
        }
        Stop::Again => shared.note(text),
        Stop::TooLong => shared.fail(format!("it goes on after it was stopped: {text}")),
    }
}

/// Cancels the turn of a session on mayi's own account.
pub(crate) fn cut(shared: &Arc<Shared>, session: &Arc<Session>) {
    match session.stop() {
        Stop::First(stop) => end_turn(shared, session, stop),
        Stop::Again => tell(shared, session),
        Stop::TooLong => shared.fail("it goes on after it was stopped"),
    }
}

/// The agent hears that the turn is over, and has so long to end it.
fn end_turn(shared: &Arc<Shared>, session: &Arc<Session>, stop: u64) {
    crate::editor::withdraw(shared, session);
    tell(shared, session);
    let (shared, session) = (Arc::downgrade(shared), Arc::clone(session));
    tokio::spawn(async move {
        tokio::time::sleep(ENDING).await;
        if let Some(shared) = shared.upgrade().filter(|_| session.goes_on(stop)) {
            shared.fail("it did not end a turn that was stopped");
        }
    });
}

/// A sub-agent's session is cancelled, and the one whose turn it works in.
pub(crate) fn tell(shared: &Shared, session: &Arc<Session>) {
    let root = session.root();
    let child = Some(session).filter(|session| session.id != root.id);
    for one in child.into_iter().chain([root]) {
        shared.agent.push(line::notification("session/cancel", &json!({"sessionId": one.id.0})));
    }
}

/// A message about a call could be read in two ways: so is that call from now on.
pub(super) fn taint(shared: &Shared, message: &Message<'_>) {
    if let Some((session, id)) = about(shared, message) {
        shared.tool_calls().taint(&session.id, &id);
    }
}

/// The same for what the agent tells. A call that has ended with it has ended all the same.
pub(super) fn unreadable(shared: &Arc<Shared>, message: &Message<'_>) {
    let Some((session, id)) = about(shared, message) else { return };
    shared.tool_calls().taint(&session.id, &id);
    let Some(status) = member(message.params(), "status") else { return };
    let fields = [("toolCallId", id), ("status", status)];
    tool_call(
        shared,
        &session,
        &fields.map(|(name, text)| (name.to_owned(), Value::from(text))).into_iter().collect(),
    );
}

fn about(shared: &Shared, message: &Message<'_>) -> Option<(Arc<Session>, String)> {
    let id = member(message.params(), "toolCallId")?;
    Some((shared.session(&member(message.params(), "sessionId")?)?, id))
}

fn member(params: &str, name: &str) -> Option<String> {
    let at = params.find(&format!("\"{name}\""))?;
    let rest = params.get(at..)?.split_once(':')?.1.trim_start();
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    values.next()?.ok()
}
