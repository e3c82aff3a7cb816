//! What the agent sends, by method. Nothing here waits: a handler that waits would hold up the
//! agent's own cancellation (invariant 5 of docs/architecture/invariants.md).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use agent_client_protocol::v1::{Dispatch, Responder};
use agent_client_protocol::{Error, Handled, UntypedMessage};
use serde_json::Value;

use super::lines::REFUSED;
use super::shared::{Shared, invalid_params_error, session_of};
use super::{AcpEvent, files, permission, terminals};
use mayi_acp_shared::adapt::{self, CallOrigin};
use mayi_core::call::{Access, Door, SessionId};
use mayi_core::policy::Effect;

/// Takes one message of the agent's.
pub(super) fn dispatch_message(shared: &Arc<Shared>, message: Dispatch) -> Result<Handled<Dispatch>, Error> {
    match message {
        Dispatch::Request(request, responder) => request_of(shared, request, responder),
        Dispatch::Notification(notification) => {
            if notification.method == "session/update" {
                apply_session_update(shared, notification.params);
                return Ok(Handled::Yes);
            }
            // `$/cancel_request` is the SDK's business; what is unknown is ignored, as the protocol asks.
            Ok(Handled::No { message: Dispatch::Notification(notification), retry: false })
        }
        other @ Dispatch::Response(..) => Ok(Handled::No { message: other, retry: false }),
    }
}

fn request_of(
    shared: &Arc<Shared>,
    request: UntypedMessage,
    responder: Responder<Value>,
) -> Result<Handled<Dispatch>, Error> {
    let UntypedMessage { method, params } = request;
    if let Some(why) = params.get(REFUSED).and_then(Value::as_str) {
        mark_call_ambiguous(shared, &params);
        shared.gate.count_refused();
        shared.send_notice(format!("a {method} request was refused: {why}"));
        responder.respond_with_error(invalid_params_error(&format!(
            "refused, since it can be read in two ways: {why}"
        )))?;
        return Ok(Handled::Yes);
    }
    let offer = shared.offer;
    match method.as_str() {
        "session/request_permission" => permission::request_permission(shared, &params, responder)?,
        "fs/read_text_file" if offer.fs => files::read(shared, params, responder)?,
        "fs/write_text_file" if offer.fs => files::write(shared, params, responder)?,
        "terminal/create" if offer.terminal => terminals::create_terminal(shared, params, responder)?,
        "terminal/output" if offer.terminal => terminals::terminal_output(shared, &params, responder)?,
        "terminal/wait_for_exit" if offer.terminal => terminals::wait_for_exit(shared, &params, responder)?,
        "terminal/kill" if offer.terminal => terminals::kill(shared, &params, responder)?,
        "terminal/release" if offer.terminal => terminals::release_terminal(shared, &params, responder)?,
        _ => {
            let mut error = Error::method_not_found();
            error.message = format!("Method not found: {method}");
            responder.respond_with_error(error)?;
        }
    }
    Ok(Handled::Yes)
}

fn apply_session_update(shared: &Arc<Shared>, params: Value) {
    if params.get(REFUSED).is_some() {
        mark_call_ambiguous(shared, &params);
        return;
    }
    if shared.replaying.load(Ordering::Relaxed) {
        return;
    }
    let Value::Object(mut params) = params else { return };
    let id = SessionId(params.get("sessionId").and_then(Value::as_str).unwrap_or_default().to_owned());
    let Some(update) = params.remove("update") else { return };
    let session = shared.gate.session(&id);
    let mut unasked = None;
    match update.get("sessionUpdate").and_then(Value::as_str) {
        Some("tool_call" | "tool_call_update") => {
            if let (Some(session), Some(fields)) = (&session, update.as_object()) {
                unasked = tool_call(shared, session, fields);
            }
        }
        Some("current_mode_update") => {
            if let Some(mode) =
                update.get("currentModeId").or_else(|| update.get("modeId")).and_then(Value::as_str)
            {
                shared.send_notice(format!(
                    "the agent is now in its mode `{}`",
                    mayi_core::approval::escape_line(mode)
                ));
            }
        }
        _ => {}
    }
    // What is said of a call comes after what the agent says of it.
    for event in std::iter::once(AcpEvent::Update { session: id, update }).chain(unasked) {
        let _ = shared.events.send(event.into());
    }
}

/// Takes what the agent says of a tool call; returns what is to be told of it, if it ran without asking.
fn tool_call(
    shared: &Shared,
    session: &mayi_core::gate::Session,
    fields: &serde_json::Map<String, Value>,
) -> Option<AcpEvent> {
    let id = fields.get("toolCallId").and_then(Value::as_str).unwrap_or_default();
    let unasked = {
        let mut calls = shared.lock_tool_calls();
        let unasked = calls.apply_update(&session.id, fields);
        unasked.filter(|known| {
            let does = |accesses: &[Access]| adapt::is_within_terminal(session, known, accesses);
            !calls.ran_in_terminal(&session.id, id, known, does)
        })
    };
    revise_card(shared, session, id);
    match fields.get("status").and_then(Value::as_str) {
        Some("in_progress") => shared.gate.report_started(&session.id, id),
        Some(status @ ("completed" | "failed")) => shared.gate.report_finished(&session.id, id, status),
        _ => {}
    }
    let from = CallOrigin { door: Door::AcpReported, session, tool_call_id: Some(id) };
    let known = unasked?;
    let call = adapt::tool_call(&from, &known, Vec::new());
    let end = known.reported_end();
    let decision = shared.gate.judge_reported(&call, end)?;
    (decision.effect != Effect::Allow).then(|| AcpEvent::Unasked {
        session: session.id.clone(),
        tool_call_id: id.to_owned(),
        title: call.title,
        decision,
        end,
    })
}

/// The call changed while a person looks at its card: the card changes too, and an answer to what was
/// shown before is refused.
fn revise_card(shared: &Shared, session: &mayi_core::gate::Session, id: &str) {
    let Some(approval) = shared.lock_open_approvals().get(&(session.id.clone(), id.to_owned())).copied()
    else {
        return;
    };
    let Some(known) = shared.lock_tool_calls().call_state(&session.id, id) else { return };
    let from = CallOrigin { door: Door::AcpPermission, session, tool_call_id: Some(id) };
    shared.gate.revise_call(approval, adapt::tool_call(&from, &known, Vec::new()));
}

fn mark_call_ambiguous(shared: &Shared, params: &Value) {
    let Some(id) = params.get("toolCallId").and_then(Value::as_str) else { return };
    if let Some(session) = session_of(&shared.gate, params) {
        shared.lock_tool_calls().mark_ambiguous(&session.id, id);
    }
}
