//! What the endpoint refuses, as the real one does.

use serde_json::Value;

use super::{Kept, Known};

/// The members of a request.
const MEMBERS: &[&str] = &[
    "background",
    "context_management",
    "conversation",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

/// What a request goes on from.
pub(super) struct GoingOn {
    /// The response before, if there is one.
    pub(super) before: Option<Kept>,
    /// The answers to its approvals: the request, and whether it is approved.
    pub(super) answers: Vec<(Value, bool)>,
}

/// Whether a request can be served.
///
/// # Errors
/// The message of a 400.
pub(super) fn check(known: &Known, body: &Value) -> Result<GoingOn, String> {
    let members = body.as_object().ok_or("The body has to be an object")?;
    if let Some(unknown) = members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        return Err(format!("Unknown parameter: '{unknown}'."));
    }
    if body["model"].as_str().is_none() {
        return Err("Missing required parameter: 'model'.".to_owned());
    }
    let previous = body["previous_response_id"].as_str();
    let conversation = body["conversation"].as_str().or_else(|| body["conversation"]["id"].as_str());
    if previous.is_some() && conversation.is_some() {
        return Err("Mutually exclusive parameters: 'previous_response_id' and 'conversation'.".to_owned());
    }
    let least = |name: &str, least: u64| match body[name].as_u64() {
        Some(value) if value < least => {
            Err(format!("Invalid '{name}': integer below minimum value. Expected a value >= {least}"))
        }
        _ => Ok(()),
    };
    least("max_output_tokens", 16)?;
    least("max_tool_calls", 1)?;
    let mut labels = Vec::new();
    for tool in body["tools"].as_array().into_iter().flatten().filter(|tool| tool["type"] == "mcp") {
        let label =
            tool["server_label"].as_str().ok_or("Missing required parameter: 'tools[0].server_label'.")?;
        labels.push(label);
    }
    let before = match (previous, conversation) {
        (Some(id), _) => {
            let found = known.responses.get(id).cloned();
            Some(found.ok_or_else(|| format!("Previous response with id '{id}' not found."))?)
        }
        (None, Some(id)) => known.conversations.get(id).and_then(|id| known.responses.get(id)).cloned(),
        (None, None) => None,
    };
    let answers = answers(body, before.as_ref())?;
    for (request, approve) in &answers {
        let label = request["server_label"].as_str().unwrap_or_default();
        if *approve && !labels.contains(&label) {
            return Err(format!("MCP server '{label}' not found in 'tools'."));
        }
    }
    Ok(GoingOn { before, answers })
}

/// The answers to approvals in the input.
fn answers(body: &Value, before: Option<&Kept>) -> Result<Vec<(Value, bool)>, String> {
    let items = body["input"].as_array().map(Vec::as_slice).unwrap_or_default();
    // Whoever goes on by an id must not say again what is there; whoever does not has to.
    let kept = before.map(|kept| kept.pending.clone());
    let mut pending: Vec<Value> = kept.clone().unwrap_or_default();
    let mut answers = Vec::new();
    for (at, item) in items.iter().enumerate() {
        match item["type"].as_str().unwrap_or("message") {
            "mcp_approval_response" => {
                let id = item["approval_request_id"].as_str().unwrap_or_default();
                let approve = item["approve"].as_bool().ok_or("Missing required parameter: 'approve'.")?;
                let members = ["type", "approval_request_id", "approve", "reason", "id"];
                if let Some(unknown) =
                    item.as_object().and_then(|all| all.keys().find(|name| !members.contains(&name.as_str())))
                {
                    return Err(format!("Unknown parameter: 'input[{at}].{unknown}'."));
                }
                let found = pending.iter().position(|request| request["id"] == id);
                let found = found.ok_or_else(|| format!("No approval request found with id '{id}'."))?;
                answers.push((pending.remove(found), approve));
            }
            "message" if item["role"].is_string() => {}
            "item_reference" | "mcp_approval_request" | "mcp_call" | "mcp_list_tools" | "reasoning"
                if kept.is_some() =>
            {
                return Err(format!(
                    "Duplicate item found with id {}. Remove duplicate items from your input.",
                    item["id"]
                ));
            }
            "mcp_approval_request" => pending.push(item.clone()),
            "reasoning" if !item["encrypted_content"].is_string() => {
                return Err(format!(
                    "Item with id {} not found. Items are not persisted when `store` is set to false.",
                    item["id"]
                ));
            }
            "mcp_call" | "mcp_list_tools" | "reasoning" | "computer_call_output" => {}
            other => return Err(format!("Invalid value: '{other}' for 'input[{at}].type'.")),
        }
    }
    if let Some(open) = pending.first() {
        return Err(format!("No approval response found for {}.", open["id"]));
    }
    Ok(answers)
}
