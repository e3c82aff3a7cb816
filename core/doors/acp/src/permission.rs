//! `session/request_permission`: judged, asked about where need be, and answered exactly once.

use std::sync::Arc;

use agent_client_protocol::Error;
use agent_client_protocol::v1::Responder;
use serde_json::{Map, Value, json};

use super::adapt::{self, From};
use super::options;
use super::shared::{Shared, Turn, invalid};
use super::tool_calls::{Known, ToolCalls};
use mayi_core::approval::AgentOption;
use mayi_core::call::{Access, Call, Door};
use mayi_core::gate::{Session, Verdict};

/// Takes a request; the answer is sent from a task of its own.
pub(super) fn request(
    shared: &Arc<Shared>,
    params: &Value,
    responder: Responder<Value>,
) -> Result<(), Error> {
    let Some(session) = adapt::session_of(&shared.gate, params) else {
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

/// The call that a request means, and the options that it offers.
fn asked(from: &From<'_>, known: &Known, params: &Value) -> (Call, Vec<AgentOption>) {
    let mut not_shown = Vec::new();
    let options = options::read(params.get("options"), &mut not_shown);
    let mut call = adapt::tool_call(from, known, not_shown);
    let switches = call.accesses.iter().any(|access| matches!(access, Access::Mode { .. }));
    if options::allow(&options).is_none() || switches {
        call.by_hand = Some(if switches {
            "one of the agent's own options has to be picked by hand".to_owned()
        } else {
            "the agent offers no option that allows just this once".to_owned()
        });
    }
    (call, options)
}

/// The call that a `session/request_permission` would be in `session`: for who wants to know what would
/// be decided about it. `message` is the request as the agent sends it, or its `params` alone.
///
/// # Errors
/// Says what is missing, or that it is another request.
pub fn permission_call(session: &Session, message: &Value) -> Result<Call, String> {
    let params = match message.get("method") {
        None => message,
        Some(method) if method == "session/request_permission" => {
            message.get("params").ok_or("the request has no params")?
        }
        Some(method) => return Err(format!("{method} is not session/request_permission")),
    };
    let fields = params.get("toolCall").and_then(Value::as_object).ok_or("the request has no toolCall")?;
    let id = fields.get("toolCallId").and_then(Value::as_str).filter(|id| !id.is_empty());
    let id = id.ok_or("the toolCall has no toolCallId")?;
    let known = ToolCalls::default().ask(&session.id, id, fields);
    Ok(asked(&From { door: Door::AcpPermission, session, tool_call_id: Some(id) }, &known, params).0)
}

fn answer(verdict: &Verdict, options: &[AgentOption]) -> Value {
    match verdict {
        Verdict::Allowed(authorized) => {
            let option = match authorized.picked() {
                Some(id) => options.iter().find(|option| option.option_id == id),
                None => options::allow(options),
            };
            option.map_or_else(cancelled, |option| selected(option, None))
        }
        Verdict::Denied(refusal) => {
            let option = match &refusal.picked {
                Some(id) => options.iter().find(|option| option.option_id == *id),
                None => options::reject(options),
            };
            let meta = json!({"mayi": {"denied": refusal.reason, "unanswered": refusal.unanswered}});
            match option {
                Some(option) => selected(option, Some(meta)),
                None => with_meta(cancelled(), Some(meta)),
            }
        }
        Verdict::Cancelled => cancelled(),
    }
}

fn selected(option: &AgentOption, meta: Option<Value>) -> Value {
    with_meta(json!({"outcome": {"outcome": "selected", "optionId": option.option_id}}), meta)
}

fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}

fn with_meta(mut response: Value, meta: Option<Value>) -> Value {
    if let (Some(meta), Some(object)) = (meta, response.as_object_mut()) {
        object.insert("_meta".to_owned(), meta);
    }
    response
}
