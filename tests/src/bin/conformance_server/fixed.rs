//! Tools that always answer the same.

use rmcp::model::CallToolRequestParams;
use serde_json::{Value, json};

use crate::text;

/// A PNG of one red pixel.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/// A WAV of a millisecond of silence.
const WAV: &str = "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";

/// The result of a tool, if it is one of these.
pub(crate) fn tool(request: &CallToolRequestParams) -> Option<Value> {
    let content = match request.name.as_ref() {
        "test_simple_text" => {
            json!([{ "type": "text", "text": "This is a simple text response for testing." }])
        }
        "test_image_content" => json!([image()]),
        "test_audio_content" => json!([{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }]),
        "test_embedded_resource" => json!([{ "type": "resource", "resource": {
            "uri": "test://embedded-resource",
            "mimeType": "text/plain",
            "text": "This is an embedded resource content.",
        } }]),
        "test_multiple_content_types" => json!([
            { "type": "text", "text": "Multiple content types test:" },
            image(),
            { "type": "resource", "resource": {
                "uri": "test://mixed-content-resource",
                "mimeType": "application/json",
                "text": json!({ "test": "data", "value": 123 }).to_string(),
            } },
        ]),
        "test_error_handling" => {
            return Some(json!({
                "isError": true,
                "content": [{ "type": "text", "text": "This tool intentionally returns an error for testing" }],
            }));
        }
        "json_schema_2020_12_tool" | "test_param_header" => {
            return Some(text(format!("Called with {}", json!(request.arguments))));
        }
        _ => return None,
    };
    Some(json!({ "content": content }))
}

pub(crate) fn image() -> Value {
    json!({ "type": "image", "data": PNG, "mimeType": "image/png" })
}
