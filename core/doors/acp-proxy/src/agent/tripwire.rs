//! Tool calls as the agent tells them: what ran without asking is said, recorded, and stops the turn where the policy denies it
//! (D7.9); what has changed since it was approved is judged again.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::json_members::RawMembers;
use crate::line::{self, Message};
use crate::own_terminals::TerminalCommand;
use crate::session::Session;
use crate::shared::Shared;
use crate::turns::{ENDING, TurnStop};
use mayi_acp_shared::adapt::{self, CallOrigin};
use mayi_acp_shared::{ToolCallState, ToolCalls, subject};
use mayi_core::approval::escape_line;
use mayi_core::call::{Access, Call, Door};
use mayi_core::config::OnUnasked;
use mayi_core::gate::{self, ReportedEnd};
use mayi_core::policy::Effect;
use mayi_doors::task::spawn;

/// Takes what the agent says of a tool call of a session.
pub(super) fn tool_call(shared: &Arc<Shared>, session: &Arc<Session>, fields: &Map<String, Value>) {
    if session.lock_state().replays {
        return;
    }
    let id = fields.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
    let unasked = {
        let mut calls = shared.lock_tool_calls();
        let unasked = calls.apply_update(&session.id, fields);
        unasked.filter(|known| !ran_in_terminal(&mut calls, session, id, known))
    };
    let end = unasked.as_ref().map_or(ReportedEnd::Ran, ToolCallState::reported_end);
    let changed = revise_changed_call(shared, session, id)
        .or_else(|| find_done_though_refused(shared, session, fields, id));
    match fields.get("status").and_then(Value::as_str) {
        Some("in_progress") => session.gate().report_started(&session.core.id, id),
        Some(status @ ("completed" | "failed" | "cancelled")) => {
            session.gate().report_finished(&session.core.id, id, status);
            let mut state = session.lock_state();
            state.approved.remove(id);
            state.agent_terminals.forget_call(id);
        }
        _ => {}
    }
    let from = CallOrigin { door: Door::AcpReported, session: &session.core, tool_call_id: Some(id) };
    let unasked = unasked.map(|known| adapt::tool_call(&from, &known, Vec::new()));
    // Of a command that was approved by itself, this is what is told.
    let unasked = unasked.filter(|call| !session.lock_state().take_told_command(&call.accesses));
    match (unasked, changed) {
        (Some(call), _) => report_unasked(shared, session, &call, end),
        (None, Some(call)) => report_unasked(shared, session, &call, ReportedEnd::Ran),
        (None, None) => {}
    }
}

/// Whether a call that was never asked about ran in a terminal that was judged when it was created.
fn ran_in_terminal(calls: &mut ToolCalls, session: &Session, id: &str, known: &ToolCallState) -> bool {
    let does = |accesses: &[Access]| adapt::is_within_terminal(&session.core, known, accesses);
    calls.ran_in_terminal(&session.id, id, known, does)
}

/// Takes what the agent says of a terminal of its own (version 2): a command that has run in one, and that no tool call tells of, is
/// judged as one that ran without asking.
///
/// # Errors
/// Says what readers could disagree about.
pub(super) fn observe_terminal(
    shared: &Arc<Shared>,
    session: &Arc<Session>,
    update: &RawMembers<'_>,
) -> Result<(), String> {
    let Some(id) = update.text_member("terminalId") else { return Ok(()) };
    if session.lock_state().replays {
        return Ok(());
    }
    let line = update.text_member("command").filter(|line| !line.is_empty());
    let command = line.map(|line| TerminalCommand {
        line: line.into_owned(),
        cwd: update.text_member("cwd").map(Cow::into_owned),
    });
    let before =
        command.and_then(|command| session.lock_state().agent_terminals.record_command(&id, command));
    if let Some(before) = before {
        check_terminal_command(shared, session, &before);
    }
    let open = session.lock_state().agent_terminals.open(&id);
    if open.is_some_and(|open| is_explained(shared, session, &in_terminal(session, &open))) {
        session.lock_state().agent_terminals.mark_explained(&id);
    }
    let ended = update.get("exitStatus").is_some_and(|status| status.starts_with('{'));
    let left = if ended { session.lock_state().agent_terminals.end_terminal(&id) } else { None };
    if let Some(left) = left {
        report_unasked(shared, session, &in_terminal(session, &left), ReportedEnd::Ran);
    }
    Ok(())
}

fn in_terminal(session: &Session, command: &TerminalCommand) -> Call {
    let from = CallOrigin { door: Door::AcpReported, session: &session.core, tool_call_id: None };
    subject::terminal_call(&from, &command.line, command.cwd.as_deref())
}

fn check_terminal_command(shared: &Arc<Shared>, session: &Arc<Session>, command: &TerminalCommand) {
    let call = in_terminal(session, command);
    if !is_explained(shared, session, &call) {
        report_unasked(shared, session, &call, ReportedEnd::Ran);
    }
}

/// Whether a command in a terminal is what was told or approved elsewhere: by a call that is under way and was not refused, which is
/// judged by itself, or by an approval. Each of them explains one terminal.
fn is_explained(shared: &Shared, session: &Session, call: &Call) -> bool {
    let core = &session.core;
    let under_way = shared
        .lock_tool_calls()
        .running_calls(&core.id, |known| adapt::includes_accesses(core, known, &call.accesses));
    let mut state = session.lock_state();
    let told =
        under_way.into_iter().find(|id| !state.refused.contains(id) && state.agent_terminals.is_unspent(id));
    let approves = |(id, of): &(&String, &Vec<Access>)| {
        state.agent_terminals.is_unspent(id) && call.accesses.iter().all(|access| of.contains(access))
    };
    match told.or_else(|| state.approved.iter().find(approves).map(|(id, _)| id.clone())) {
        Some(id) => {
            state.agent_terminals.mark_call_used(&id);
            true
        }
        None => state.take_told_command(&call.accesses),
    }
}

/// What began without asking and was not ended when the turn was: it counts as what ran.
pub(super) fn report_unended_calls(shared: &Arc<Shared>, session: &Arc<Session>) {
    let left: Vec<_> = {
        let mut calls = shared.lock_tool_calls();
        let left = calls.end_ungated_calls(&session.id).into_iter();
        left.filter(|(id, known)| !ran_in_terminal(&mut calls, session, id, known)).collect()
    };
    for (id, known) in left {
        let from = CallOrigin { door: Door::AcpReported, session: &session.core, tool_call_id: Some(&id) };
        report_unasked(shared, session, &adapt::tool_call(&from, &known, Vec::new()), ReportedEnd::Ran);
    }
}

/// What a call has become: its card changes if it waits; if it was approved as something else, that covers nothing any more.
fn revise_changed_call(shared: &Shared, session: &Session, id: &str) -> Option<Call> {
    let waiting = shared.lock_open_approvals().get(&(session.id.clone(), id.to_owned())).copied();
    let approved = session.lock_state().approved.get(id).cloned();
    if waiting.is_none() && approved.is_none() {
        return None;
    }
    let known = shared.lock_tool_calls().call_state(&session.id, id)?;
    if let Some(approval) = waiting {
        let from = CallOrigin { door: Door::AcpPermission, session: &session.core, tool_call_id: Some(id) };
        session.gate().revise_call(approval, adapt::tool_call(&from, &known, Vec::new()));
        return None;
    }
    let from = CallOrigin { door: Door::AcpReported, session: &session.core, tool_call_id: Some(id) };
    let call = adapt::tool_call(&from, &known, Vec::new());
    let approved = approved?;
    if call.accesses.iter().all(|access| approved.iter().any(|other| is_same_access(access, other))) {
        return None;
    }
    session.gate().report_finished(&session.core.id, id, "changed after it was approved");
    session.lock_state().approved.insert(id.to_owned(), call.accesses.clone());
    Some(call)
}

/// A call that was refused, and is told as done.
fn find_done_though_refused(
    shared: &Shared,
    session: &Session,
    fields: &Map<String, Value>,
    id: &str,
) -> Option<Call> {
    let done = fields.get("status").and_then(Value::as_str) == Some("completed");
    if !done || !session.lock_state().refused.remove(id) {
        return None;
    }
    let known = shared.lock_tool_calls().call_state(&session.id, id)?;
    let from = CallOrigin { door: Door::AcpReported, session: &session.core, tool_call_id: Some(id) };
    Some(adapt::tool_call(&from, &known, Vec::new()))
}

/// Whether what a call touches was among what was approved, in the words of either time.
fn is_same_access(access: &Access, approved: &Access) -> bool {
    match (access, approved) {
        // What was written may be read too, and whether a file was there is another question than which one it is.
        (Access::Write(_, a) | Access::Read(a), Access::Write(_, b)) | (Access::Read(a), Access::Read(b)) => {
            a.lexical == b.lexical
        }
        _ => access == approved,
    }
}

/// Something ran without asking, or as something else than was approved. One that was tried, and failed, stops nothing unless the
/// user wants that.
fn report_unasked(shared: &Arc<Shared>, session: &Arc<Session>, call: &Call, end: ReportedEnd) {
    let Some(decision) = session.gate().judge_reported(call, end) else { return };
    let stops = match (session.family.on_unasked, decision.effect, end) {
        (_, Effect::Allow, _) => return,
        (Some(OnUnasked::Stop), ..) | (None, Effect::Deny, ReportedEnd::Ran) => true,
        _ => false,
    };
    let why = decision.deciding_finding().map(|finding| finding.reason.to_string()).unwrap_or_default();
    let title = escape_line(&call.title.chars().take(200).collect::<String>());
    let would = if decision.effect == Effect::Deny { "denies" } else { "asks about" };
    let did = match end {
        ReportedEnd::Ran => "did this without asking",
        ReportedEnd::Failed => "tried this without asking, and it failed",
    };
    let text = format!("the agent {did}, which the policy {would}: {title} ({})", escape_line(&why));
    if stops {
        stop(shared, session, &text);
    } else {
        shared.log_notice(text);
    }
}

/// A tool call of a session that the editor has not opened: recorded, and nothing of it is allowed.
pub(super) fn record_unknown_session(shared: &Arc<Shared>, id: &str, fields: &Map<String, Value>) {
    // Any gate will do to write it down: it knows no such session, and denies all of it.
    let Some(any) = shared.lock_sessions().values().next().cloned() else {
        return shared
            .log_notice("the agent tells of a tool call in a session that the editor has not opened");
    };
    let core = gate::Session {
        id: mayi_core::call::SessionId(id.to_owned()),
        parent: None,
        roots: Vec::new(),
        mode: None,
        ..any.core.clone()
    };
    let unasked = shared.lock_tool_calls().apply_update(&core.id, fields);
    let call_id = fields.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
    let from = CallOrigin { door: Door::AcpReported, session: &core, tool_call_id: Some(call_id) };
    let Some(known) = unasked else { return };
    let end = known.reported_end();
    let call = adapt::tool_call(&from, &known, Vec::new());
    let _ = any.gate().judge_reported(&call, end);
    shared.log_notice(
        "the agent did something in a session that the editor has not opened: that session is cancelled",
    );
    shared.agent.push(line::format_notification("session/cancel", &json!({"sessionId": id})));
}

/// Cancels the turn, says why in the editor, and ends an agent that goes on all the same.
fn stop(shared: &Arc<Shared>, session: &Arc<Session>, text: &str) {
    match session.stop() {
        TurnStop::First(stop) => {
            shared.show_message(session.root(), &format!("{text}. The turn is cancelled."));
            end_turn(shared, session, stop);
        }
        TurnStop::Again => shared.log_notice(text),
        TurnStop::TooLong => shared.end_with_fault(format!("it goes on after it was stopped: {text}")),
    }
}

/// Cancels the turn of a session on mayi's own account.
pub(crate) fn stop_turn(shared: &Arc<Shared>, session: &Arc<Session>) {
    match session.stop() {
        TurnStop::First(stop) => end_turn(shared, session, stop),
        TurnStop::Again => send_session_cancel(shared, session),
        TurnStop::TooLong => shared.end_with_fault("it goes on after it was stopped"),
    }
}

/// The agent hears that the turn is over, and has so long to end it.
fn end_turn(shared: &Arc<Shared>, session: &Arc<Session>, stop: u64) {
    crate::editor::withdraw_turn(shared, session);
    send_session_cancel(shared, session);
    let (shared, session) = (Arc::downgrade(shared), Arc::clone(session));
    spawn(async move {
        tokio::time::sleep(ENDING).await;
        if let Some(shared) = shared.upgrade().filter(|_| session.runs_after_stop(stop)) {
            shared.end_with_fault("it did not end a turn that was stopped");
        }
    });
}

/// A sub-agent's session is cancelled, and the one whose turn it works in.
pub(crate) fn send_session_cancel(shared: &Shared, session: &Arc<Session>) {
    let root = session.root();
    let child = Some(session).filter(|session| session.id != root.id);
    for one in child.into_iter().chain([root]) {
        shared.agent.push(line::format_notification("session/cancel", &json!({"sessionId": one.id.0})));
    }
}

/// A message about a call could be read in two ways: so is that call from now on.
pub(super) fn mark_call_ambiguous(shared: &Shared, message: &Message<'_>) {
    if let Some((session, id)) = session_and_call(shared, message) {
        shared.lock_tool_calls().mark_ambiguous(&session.id, &id);
    }
}

/// The same for what the agent tells. A call that has ended with it has ended all the same.
pub(super) fn record_unreadable(shared: &Arc<Shared>, message: &Message<'_>) {
    let Some((session, id)) = session_and_call(shared, message) else { return };
    shared.lock_tool_calls().mark_ambiguous(&session.id, &id);
    let Some(status) = find_member_text(message.raw_params(), "status") else { return };
    let fields = [("toolCallId", id), ("status", status)];
    tool_call(
        shared,
        &session,
        &fields.map(|(name, text)| (name.to_owned(), Value::from(text))).into_iter().collect(),
    );
}

fn session_and_call(shared: &Shared, message: &Message<'_>) -> Option<(Arc<Session>, String)> {
    let id = find_member_text(message.raw_params(), "toolCallId")?;
    Some((shared.find_session(&find_member_text(message.raw_params(), "sessionId")?)?, id))
}

fn find_member_text(params: &str, name: &str) -> Option<String> {
    let at = params.find(&format!("\"{name}\""))?;
    let rest = params.get(at..)?.split_once(':')?.1.trim_start();
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    values.next()?.ok()
}
