//! The Gemini wire, as far as Gemini CLI uses it.

use serde_json::{Value, json};

use crate::conversation::{Conversation, Speaker};
use crate::offer::{Form, Offer, Tool};
use crate::turn::{Frame, Turn, fresh_id};

pub(crate) fn read(body: &Value) -> (Conversation, Offer) {
    let mut conversation = Conversation::default();
    for content in body["contents"].as_array().into_iter().flatten() {
        let parts = content["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
        if parts.iter().any(|part| part.get("functionResponse").is_some()) {
            conversation.push(Speaker::Tool, "");
        } else if content["role"] == "model" {
            conversation.push(Speaker::Model, "");
        } else {
            let texts: Vec<_> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            conversation.push(Speaker::User, texts.join("\n"));
        }
    }
    let tools = body["tools"].as_array().into_iter().flatten();
    let tools = tools.flat_map(|tool| tool["functionDeclarations"].as_array().into_iter().flatten());
    let described = |tool: &Value| {
        let schema = tool.get("parametersJsonSchema").or_else(|| tool.get("parameters"));
        Some(Tool::new(tool["name"].as_str()?, Form::Object, schema))
    };
    (conversation, tools.filter_map(described).collect())
}

/// The answer, whole: one that streams is a stream of one.
pub(crate) fn whole(turn: &Turn, body: &Value) -> Value {
    let text = turn.whole_text();
    // It asks for JSON where it wants to know what to do next.
    let wants_json = body["generationConfig"]["responseMimeType"] == "application/json";
    let text =
        if wants_json { json!({ "reasoning": text, "next_speaker": "user" }).to_string() } else { text };
    let mut parts = vec![json!({ "text": text })];
    parts.extend(turn.calls.iter().map(|call| {
        json!({ "functionCall": { "id": fresh_id("call"), "name": call.tool.name, "args": call.input.to_value() } })
    }));
    json!({
        "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": { "promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120 },
        "modelVersion": "scripted",
        "responseId": fresh_id("response"),
    })
}

/// The same, as a stream.
pub(crate) fn frames(turn: &Turn, body: &Value) -> Vec<Frame> {
    vec![whole(turn, body).into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_the_result_of_a_call_then_the_next_step_is_played() {
        let schema = json!({ "properties": { "file_path": {}, "content": {} } });
        let tool = json!({ "name": "write_file", "parametersJsonSchema": schema });
        let said = json!([
            { "role": "user", "parts": [{ "text": "case: three writes in /p" }] },
            { "role": "model", "parts": [{ "functionCall": {} }] },
            { "role": "user", "parts": [{ "functionResponse": {} }] },
        ]);
        let body = json!({ "contents": said, "tools": [{ "functionDeclarations": [tool] }] });
        let (conversation, offer) = read(&body);
        let answer = whole(&Turn::next(&conversation, &offer), &body);
        let call = &answer["candidates"][0]["content"]["parts"][1]["functionCall"];
        assert_eq!((&call["name"], &call["args"]["file_path"]), (&json!("write_file"), &json!("/p/b.txt")));
    }
}
