//! `session/request_permission`: judged, asked about where need be, and answered exactly once.

use std::sync::Arc;

use agent_client_protocol::Error;
use agent_client_protocol::v1::Responder;
use serde_json::{Map, Value};

use super::shared::{Shared, Turn, invalid, session_of};
use mayi_acp_shared::adapt::From;
use mayi_acp_shared::permission::{answer, asked, cancelled};
use mayi_core::call::Door;
use mayi_core::gate::Verdict;

/// Takes a request; the answer is sent from a task of its own.
pub(super) fn request(
    shared: &Arc<Shared>,
    params: &Value,
    responder: Responder<Value>,
) -> Result<(), Error> {
    let Some(session) = session_of(&shared.gate, params) else {
        shared.notice("a permission request came for a session that is not known: it was denied");
        return responder.respond(cancelled());
    };
    let empty = Map::new();
    let fields = params.get("toolCall").and_then(Value::as_object).unwrap_or(&empty);
    let Some(id) = fields.get("toolCallId").and_then(Value::as_str).filter(|id| !id.is_empty()) else {
        return responder
            .respond_with_error(invalid("session/request_permission needs a toolCall with a toolCallId"));
    };
    if shared.turn(&session.id) == Turn::Cancelled {
        // Asks that come after a cancel belong to the turn that is gone.
        return responder.respond(cancelled());
    }
    let known = shared.tool_calls().ask(&session.id, id, fields);
    let from = From { door: Door::AcpPermission, session: &session, tool_call_id: Some(id) };
    let (call, options) = asked(&from, &known, params);
    let mut ticket = shared.gate.submit(call, &options);
    if let Some(verdict) = ticket.at_once() {
        shared.tool_calls().answered(&session.id, id);
        return responder.respond(answer(&verdict, &options));
    }
    if shared.turn(&session.id) == Turn::Cancelled {
        // The turn was cancelled in between: dropping the ticket withdraws the question.
        return responder.respond(cancelled());
    }
    if let Some(approval) = ticket.approval() {
        shared.open().insert((session.id.clone(), id.to_owned()), approval);
    }
    let answers = shared.answers.clone();
    let shared = Arc::clone(shared);
    let cancellation = responder.cancellation();
    let id = id.to_owned();
    answers.spawn(async move {
        // A ticket that is dropped withdraws its question.
        let verdict = tokio::select! {
            verdict = ticket.verdict() => verdict,
            () = cancellation.cancelled() => Verdict::Cancelled,
        };
        shared.open().remove(&(session.id.clone(), id.clone()));
        shared.tool_calls().answered(&session.id, &id);
        let response = answer(&verdict, &options);
        if let Err(error) = responder.respond(response) {
            tracing::debug!(%error, "the agent was gone before its answer");
        }
    });
    Ok(())
}
