//! `session/request_permission`: judged, asked about where need be, and answered exactly once.

use std::sync::Arc;

use agent_client_protocol::Error;
use agent_client_protocol::v1::Responder;
use serde_json::{Map, Value};

use super::shared::{Shared, TurnState, invalid_params_error, session_of};
use mayi_acp_shared::adapt::CallOrigin;
use mayi_acp_shared::permission::{cancelled_outcome, permission_response, read_permission_request};
use mayi_core::call::Door;
use mayi_core::gate::Verdict;
use mayi_doors::task::SpawnBoxed as _;

/// Takes a request; the answer is sent from a task of its own.
pub(super) fn request_permission(
    shared: &Arc<Shared>,
    params: &Value,
    responder: Responder<Value>,
) -> Result<(), Error> {
    let Some(session) = session_of(&shared.gate, params) else {
        shared.send_notice("a permission request came for a session that is not known: it was denied");
        return responder.respond(cancelled_outcome());
    };
    let empty = Map::new();
    let fields = params.get("toolCall").and_then(Value::as_object).unwrap_or(&empty);
    let Some(id) = fields.get("toolCallId").and_then(Value::as_str).filter(|id| !id.is_empty()) else {
        return responder.respond_with_error(invalid_params_error(
            "session/request_permission needs a toolCall with a toolCallId",
        ));
    };
    if shared.turn_state(&session.id) == TurnState::Cancelled {
        // Asks that come after a cancel belong to the turn that is gone.
        return responder.respond(cancelled_outcome());
    }
    let known = shared.lock_tool_calls().merge_request(&session.id, id, fields);
    let from = CallOrigin { door: Door::AcpPermission, session: &session, tool_call_id: Some(id) };
    let (call, options) = read_permission_request(&from, &known, params);
    let mut ticket = shared.gate.submit(call, &options);
    if let Some(verdict) = ticket.at_once() {
        shared.lock_tool_calls().mark_answered(&session.id, id);
        return responder.respond(permission_response(&verdict, &options));
    }
    if shared.turn_state(&session.id) == TurnState::Cancelled {
        // The turn was cancelled in between: dropping the ticket withdraws the question.
        return responder.respond(cancelled_outcome());
    }
    if let Some(approval) = ticket.approval_id() {
        shared.lock_open_approvals().insert((session.id.clone(), id.to_owned()), approval);
    }
    let answers = shared.answers.clone();
    let shared = Arc::clone(shared);
    let cancellation = responder.cancellation();
    let id = id.to_owned();
    answers.spawn_boxed(async move {
        // A ticket that is dropped withdraws its question.
        let verdict = tokio::select! {
            verdict = ticket.verdict() => verdict,
            () = cancellation.cancelled() => Verdict::Cancelled,
        };
        shared.lock_open_approvals().remove(&(session.id.clone(), id.clone()));
        shared.lock_tool_calls().mark_answered(&session.id, &id);
        let response = permission_response(&verdict, &options);
        if let Err(error) = responder.respond(response) {
            tracing::debug!(%error, "the agent was gone before its answer");
        }
    });
    Ok(())
}
