//! The lists of tools, prompts and resources, always in the same order.

use serde_json::{Value, json};

use crate::changes::WATCHED;

/// Tools without arguments, and what is said of them.
const PLAIN: &[(&str, &str)] = &[
    ("test_simple_text", "Returns text"),
    ("test_image_content", "Returns an image"),
    ("test_audio_content", "Returns audio"),
    ("test_embedded_resource", "Returns an embedded resource"),
    ("test_multiple_content_types", "Returns text, an image and a resource"),
    ("test_error_handling", "Always fails"),
    ("test_tool_with_logging", "Logs while it works"),
    ("test_logging_tool", "Logs while it works, if the request asks for it"),
    ("test_tool_with_progress", "Reports its progress"),
    ("test_elicitation_sep1034_defaults", "Asks with defaults for every type"),
    ("test_elicitation_sep1330_enums", "Asks with every kind of choice"),
    ("test_missing_capability", "Needs a client that can sample"),
    ("test_streaming_elicitation", "Needs a name"),
    ("test_trigger_tool_change", "Tells listeners that the tools changed"),
    ("test_trigger_prompt_change", "Tells listeners that the prompts changed"),
    ("test_trigger_resource_change", "Tells listeners that the watched resource changed"),
    ("test_input_required_result_elicitation", "Needs a name"),
    ("test_input_required_result_sampling", "Needs a model's answer"),
    ("test_input_required_result_list_roots", "Needs the client's roots"),
    ("test_input_required_result_request_state", "Needs a confirmation, and its state"),
    ("test_input_required_result_multiple_inputs", "Needs three things at once"),
    ("test_input_required_result_multi_round", "Needs two things, one after another"),
    ("test_input_required_result_tampered_state", "Needs a confirmation, and its state as it was"),
    ("test_input_required_result_capabilities", "Needs what the client can give"),
];

pub(crate) fn tools() -> Value {
    let empty = json!({ "type": "object", "properties": {} });
    let plain = PLAIN.iter().map(|(name, says)| tool(name, says, empty.clone()));
    let mut tools: Vec<Value> = plain.collect();
    tools.extend([
        tool("test_sampling", "Asks the client's model", strings(&["prompt"])),
        tool("test_elicitation", "Asks the user", strings(&["message"])),
        tool("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", of_2020_12()),
        tool(
            "test_param_header",
            "Takes an argument that is a header, too",
            json!({
                "type": "object",
                "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
                "required": ["region"],
            }),
        ),
    ]);
    json!({ "tools": tools })
}

fn tool(name: &str, says: &str, schema: Value) -> Value {
    json!({ "name": name, "description": says, "inputSchema": schema })
}

fn strings(names: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    json!({ "type": "object", "properties": properties, "required": names })
}

/// Keywords of JSON Schema that are easily lost on the way.
fn of_2020_12() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
        } },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

pub(crate) fn prompts() -> Value {
    let prompt = |name: &str, says: &str, arguments: &[&str]| {
        let arguments: Vec<Value> = arguments
            .iter()
            .map(|name| json!({ "name": name, "description": "A test argument", "required": true }))
            .collect();
        json!({ "name": name, "description": says, "arguments": arguments })
    };
    json!({ "prompts": [
        prompt("test_simple_prompt", "Says the same each time", &[]),
        prompt("test_prompt_with_arguments", "Says its arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", "Has a resource in it", &["resourceUri"]),
        prompt("test_prompt_with_image", "Has an image in it", &[]),
        prompt("test_input_required_result_prompt", "Needs a context", &[]),
    ] })
}

pub(crate) fn resources() -> Value {
    let resource = |uri: &str, name: &str, says: &str, kind: &str| json!({ "uri": uri, "name": name, "description": says, "mimeType": kind });
    json!({ "resources": [
        resource("test://static-text", "Static text", "Always the same text", "text/plain"),
        resource("test://static-binary", "Static image", "Always the same image", "image/png"),
        resource(WATCHED, "Watched", "A text that can be watched", "text/plain"),
    ] })
}

pub(crate) fn templates() -> Value {
    json!({ "resourceTemplates": [{
        "uriTemplate": "test://template/{id}/data",
        "name": "Data by id",
        "description": "What there is about an id",
        "mimeType": "application/json",
    }] })
}
