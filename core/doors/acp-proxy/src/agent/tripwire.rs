//! Tool calls as the agent tells them: what ran without asking is said, recorded, and stops the turn where the policy denies it
//! (D7.9); what has changed since it was approved is judged again.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::line::{self, Message};
use crate::parts::Parts;
use crate::session::Session;
use crate::shared::Shared;
use mayi_acp_shared::adapt::{self, From};
use mayi_acp_shared::subject;
use mayi_core::approval::visible;
use mayi_core::call::{Access, Call, Door};
use mayi_core::config::OnUnasked;
use mayi_core::gate;
use mayi_core::policy::Effect;

/// How long an agent may take to end a turn that was stopped.
const ENDING: Duration = Duration::from_secs(10);

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
            session.state().approved.remove(id);
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
    let ended = update.get("exitStatus").is_some_and(|status| status.starts_with('{'));
    let told = {
        let mut state = session.state();
        if state.replays {
            return Ok(());
        }
        let (line, cwd) = (update.text("command"), update.text("cwd"));
        state.terminal(&id, line.map(Cow::into_owned), cwd.map(Cow::into_owned), ended)
    };
    let Some((line, cwd)) = told else { return Ok(()) };
    let core = &session.core;
    let from = From { door: Door::AcpReported, session: core, tool_call_id: None };
    let call = subject::terminal(&from, &line, cwd.as_deref());
    let approved =
        session.state().approved.values().any(|of| call.accesses.iter().all(|access| of.contains(access)));
    let told = || shared.tool_calls().tells(&core.id, |known| adapt::does(core, known, &call.accesses));
    if !approved && !told() && !session.state().spend_command(&call.accesses) {
        against(shared, session, &call);
    }
    Ok(())
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
    if std::mem::replace(&mut session.state().stopped, true) {
        return shared.note(text);
    }
    shared.say(session, &format!("{text}. The turn is cancelled."));
    cut(shared, session);
}

/// Cancels the turn of a session on mayi's own account.
pub(crate) fn cut(shared: &Arc<Shared>, session: &Arc<Session>) {
    crate::editor::cancel(session);
    shared.agent.push(line::notification("session/cancel", &json!({"sessionId": session.id.0})));
    let turn = session.state().turns;
    let (shared, session) = (Arc::downgrade(shared), Arc::clone(session));
    tokio::spawn(async move {
        tokio::time::sleep(ENDING).await;
        let goes_on = {
            let state = session.state();
            state.cancelled > 0 && state.turns == turn
        };
        if let Some(shared) = shared.upgrade().filter(|_| goes_on) {
            shared.fail("it did not end a turn that was stopped");
        }
    });
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
