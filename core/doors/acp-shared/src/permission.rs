//! `session/request_permission`: the call that it is, and the answer that a verdict makes.

use serde_json::{Value, json};

use crate::adapt::{self, CallOrigin};
use crate::options;
use crate::tool_calls::{ToolCallState, ToolCalls};
use mayi_core::approval::AgentOption;
use mayi_core::call::{Access, Call, Door, Parent};
use mayi_core::gate::{Session, Verdict};

/// The call that a request means, and the options that it offers.
#[must_use]
pub fn read_permission_request(
    from: &CallOrigin<'_>,
    known: &ToolCallState,
    params: &Value,
) -> (Call, Vec<AgentOption>) {
    let mut not_shown = Vec::new();
    let options = options::read(params.get("options"), &mut not_shown);
    let mut call = adapt::tool_call(from, known, not_shown);
    // What asks in a session that nobody announced works for the one that it is judged in (D4.27).
    let told = params.get("sessionId").and_then(Value::as_str);
    if told.is_some_and(|told| told != from.session.id.0) && call.parent.is_none() {
        call.parent = Some(Parent { id: from.session.id.0.clone(), title: String::new() });
    }
    let switches = call.accesses.iter().any(|access| matches!(access, Access::Mode { .. }));
    if options::find_allow_once(&options).is_none() || switches {
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
    let known = ToolCalls::default().merge_request(&session.id, id, fields);
    Ok(read_permission_request(
        &CallOrigin { door: Door::AcpPermission, session, tool_call_id: Some(id) },
        &known,
        params,
    )
    .0)
}

/// The agent's answer: one of its own options, or none.
#[must_use]
pub fn permission_response(verdict: &Verdict, options: &[AgentOption]) -> Value {
    match verdict {
        Verdict::Allowed(authorized) => {
            let option = match authorized.picked_option() {
                Some(id) => options.iter().find(|option| option.option_id == id),
                None => options::find_allow_once(options),
            };
            option.map_or_else(cancelled_outcome, selected_outcome)
        }
        Verdict::Denied(refusal) => {
            let option = match &refusal.picked_option {
                Some(id) => options.iter().find(|option| option.option_id == *id),
                None => options::find_reject_once(options),
            };
            let mut response = option.map_or_else(cancelled_outcome, selected_outcome);
            let denied = json!({"mayi": {"denied": refusal.reason, "unanswered": refusal.unanswered}});
            if let Some(members) = response.as_object_mut() {
                members.insert("_meta".to_owned(), denied);
            }
            response
        }
        Verdict::Cancelled => cancelled_outcome(),
    }
}

fn selected_outcome(option: &AgentOption) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option.option_id}})
}

/// The answer to a question whose turn is gone.
#[must_use]
pub fn cancelled_outcome() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}
