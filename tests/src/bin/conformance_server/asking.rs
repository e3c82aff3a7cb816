//! Tools that ask the client something while they are called, as servers do up to 2025-11-25.

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, ClientCapabilities};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use crate::changes::failed;
use crate::{text, typed};

/// The result of a tool, if it is one of these.
pub(crate) async fn tool(
    name: &str,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Option<Value>, ErrorData> {
    let argument = |key: &str| {
        let found = request.arguments.as_ref().and_then(|arguments| arguments.get(key)?.as_str());
        found.ok_or_else(|| ErrorData::invalid_params(format!("{key} is missing"), None))
    };
    let result = match name {
        "test_sampling" => sample(argument("prompt")?, context).await?,
        "test_elicitation" => {
            let schema = json!({
                "type": "object",
                "properties": {
                    "username": { "type": "string", "description": "User's response" },
                    "email": { "type": "string", "description": "User's email address" },
                },
                "required": ["username", "email"],
            });
            elicit("User response", argument("message")?, schema, context).await?
        }
        "test_elicitation_sep1034_defaults" => {
            elicit("Elicitation completed", "Who is it?", with_defaults(), context).await?
        }
        "test_elicitation_sep1330_enums" => {
            elicit("Elicitation completed", "Which one is it?", with_choices(), context).await?
        }
        "test_missing_capability" => {
            sampling(context)?;
            text("The client has the capability.")
        }
        _ => return Ok(None),
    };
    Ok(Some(result))
}

/// Makes sure that the client takes requests for sampling.
fn sampling(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    let able = context.client_capabilities().is_some_and(|able| able.sampling.is_some());
    let wanted = ClientCapabilities::builder().enable_sampling().build();
    able.then_some(()).ok_or_else(|| ErrorData::missing_required_client_capability(wanted))
}

async fn sample(prompt: &str, context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    sampling(context)?;
    let request = typed(json!({
        "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }],
        "maxTokens": 100,
    }))?;
    let answer = context.peer.create_message(request).await.map_err(failed)?;
    let answer = json!(answer);
    let said = answer.pointer("/content/text").and_then(Value::as_str).unwrap_or_default();
    Ok(text(format!("LLM response: {said}")))
}

async fn elicit(
    heading: &str,
    message: &str,
    schema: Value,
    context: &RequestContext<RoleServer>,
) -> Result<Value, ErrorData> {
    if context.client_capabilities().is_none_or(|able| able.elicitation.is_none()) {
        let wanted = ClientCapabilities::builder().enable_elicitation().build();
        return Err(ErrorData::missing_required_client_capability(wanted));
    }
    let request = typed(json!({ "mode": "form", "message": message, "requestedSchema": schema }))?;
    let answer = json!(context.peer.create_elicitation(request).await.map_err(failed)?);
    let part = |key: &str| answer.get(key).cloned().unwrap_or_default();
    let action = part("action").as_str().unwrap_or_default().to_owned();
    Ok(text(format!("{heading}: action={action}, content={}", part("content"))))
}

/// A default for every primitive type.
fn with_defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "A name", "default": "John Doe" },
            "age": { "type": "integer", "description": "An age", "default": 30 },
            "score": { "type": "number", "description": "A score", "default": 95.5 },
            "status": {
                "type": "string",
                "description": "A status",
                "enum": ["active", "inactive", "pending"],
                "default": "active",
            },
            "verified": { "type": "boolean", "description": "Whether that was verified", "default": true },
        },
        "required": [],
    })
}

/// The five ways to offer a choice.
fn with_choices() -> Value {
    let options = ["option1", "option2", "option3"];
    let titled = |prefix: &str, titles: [&str; 3]| -> Vec<Value> {
        let numbered = titles.iter().zip(1..);
        numbered
            .map(|(title, number)| json!({ "const": format!("{prefix}{number}"), "title": title }))
            .collect()
    };
    let choices = titled("value", ["First Choice", "Second Choice", "Third Choice"]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": options },
            "titledSingle": {
                "type": "string",
                "oneOf": titled("value", ["First Option", "Second Option", "Third Option"]),
            },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
            "titledMulti": { "type": "array", "items": { "anyOf": choices } },
        },
        "required": [],
    })
}
