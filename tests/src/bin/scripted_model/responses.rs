//! The OpenAI Responses wire, as far as Codex uses it.

use serde_json::{Value, json};

use crate::conversation::{Conversation, Speaker};
use crate::mapping::{Input, ToolCall};
use crate::offer::{Form, Offer, Tool};
use crate::turn::{Frame, Turn, fresh_id};

pub(crate) fn read(body: &Value) -> (Conversation, Offer) {
    let mut conversation = Conversation::default();
    match body.get("input") {
        Some(Value::String(prompt)) => conversation.push(Speaker::User, prompt.as_str()),
        Some(Value::Array(items)) => items.iter().for_each(|item| hear(&mut conversation, item)),
        _ => {}
    }
    let mut offer = Offer::default();
    for tool in body.get("tools").and_then(Value::as_array).into_iter().flatten() {
        match (tool["type"].as_str(), tool["name"].as_str()) {
            (Some("namespace"), Some(namespace)) => {
                for inner in tool["tools"].as_array().into_iter().flatten() {
                    offer.extend(described(inner).map(|tool| tool.within(namespace)));
                }
            }
            _ => offer.extend(described(tool)),
        }
    }
    (conversation, offer)
}

fn hear(conversation: &mut Conversation, item: &Value) {
    match item["type"].as_str().unwrap_or("message") {
        "message" => match item["role"].as_str() {
            Some("user") => conversation.push(Speaker::User, text_of(&item["content"])),
            Some("assistant") => conversation.push(Speaker::Model, ""),
            _ => conversation.push(Speaker::Agent, ""),
        },
        kind if kind.ends_with("_output") => conversation.push(Speaker::Tool, ""),
        kind if kind.ends_with("_call") => conversation.push(Speaker::Model, ""),
        // Reasoning and whatever else belongs to the turn that it stands in.
        _ => {}
    }
}

fn described(tool: &Value) -> Option<Tool> {
    let form = if tool["type"] == "custom" { Form::Text } else { Form::Object };
    Some(Tool::new(tool["name"].as_str()?, form, tool.get("parameters")))
}

/// The answer to a request that does not stream.
pub(crate) fn whole(turn: &Turn, body: &Value) -> Value {
    completed(envelope(body), &output(turn))
}

/// The answer to a request that streams.
pub(crate) fn frames(turn: &Turn, body: &Value) -> Vec<Frame> {
    let envelope = envelope(body);
    let output = output(turn);
    let mut frames = vec![json!({ "type": "response.created", "response": envelope }).into()];
    for (index, item) in output.iter().enumerate() {
        let mut opening = item.clone();
        opening["status"] = json!("in_progress");
        if item["type"] == "message" {
            opening["content"] = json!([]);
        }
        frames.push(
            json!({ "type": "response.output_item.added", "output_index": index, "item": opening }).into(),
        );
        if item["type"] == "message" {
            for (n, piece) in turn.text.iter().enumerate() {
                let pause = if n == 0 { Default::default() } else { turn.pause };
                let data = json!({
                    "type": "response.output_text.delta",
                    "item_id": item["id"],
                    "output_index": index,
                    "content_index": 0,
                    "delta": piece,
                });
                frames.push(Frame { pause, data });
            }
        }
        frames
            .push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }).into());
    }
    frames.push(json!({ "type": "response.completed", "response": completed(envelope, &output) }).into());
    frames
}

fn envelope(body: &Value) -> Value {
    json!({
        "id": fresh_id("resp"),
        "object": "response",
        "model": body.get("model").cloned().unwrap_or_else(|| json!("scripted")),
        "status": "in_progress",
        "output": [],
    })
}

fn completed(mut envelope: Value, output: &[Value]) -> Value {
    envelope["status"] = json!("completed");
    envelope["output"] = json!(output);
    envelope["usage"] = json!({
        "input_tokens": 100,
        "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": 20,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": 120,
    });
    envelope
}

fn output(turn: &Turn) -> Vec<Value> {
    let message = json!({
        "type": "message",
        "id": fresh_id("msg"),
        "role": "assistant",
        "status": "completed",
        "content": [{ "type": "output_text", "text": turn.whole_text(), "annotations": [] }],
    });
    std::iter::once(message).chain(turn.calls.iter().map(call_item)).collect()
}

fn call_item(call: &ToolCall) -> Value {
    let (kind, prefix, key, input) = match &call.input {
        Input::Text(text) => ("custom_tool_call", "ctc", "input", text.clone()),
        // Arguments are JSON inside of a string here.
        Input::Object(_) => ("function_call", "fc", "arguments", call.input.to_value().to_string()),
    };
    let mut item = json!({
        "type": kind,
        "id": fresh_id(prefix),
        "call_id": fresh_id("call"),
        "name": call.tool.name,
        "status": "completed",
    });
    item[key] = json!(input);
    if let Some(namespace) = &call.tool.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<_> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(input: Value) -> Value {
        json!({
            "input": input,
            "tools": [
                { "type": "custom", "name": "apply_patch" },
                { "type": "function", "name": "exec_command", "parameters": { "properties": { "cmd": {} } } },
                { "type": "namespace", "name": "mcp__mini__", "tools": [{ "type": "function", "name": "wipe" }] },
            ],
        })
    }

    fn user(text: &str) -> Value {
        json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": text }] })
    }

    fn output_of(body: &Value) -> Vec<Value> {
        let (conversation, offer) = read(body);
        output(&Turn::next(&conversation, &offer))
    }

    #[test]
    fn given_text_and_calls_and_their_outputs_then_they_are_one_step() {
        let body = request(json!([
            user("case: write then run in /p"),
            { "type": "message", "role": "assistant", "content": [] },
            { "type": "reasoning" },
            { "type": "custom_tool_call", "call_id": "1" },
            { "type": "custom_tool_call_output", "call_id": "1" },
        ]));
        let output = output_of(&body);
        assert_eq!(output[1]["arguments"], json!({ "cmd": "cat c.txt && touch d.txt" }).to_string());
    }

    #[test]
    fn given_a_tool_that_takes_text_then_the_call_is_a_custom_one() {
        let output = output_of(&request(json!([user("case: write file in /p")])));
        assert_eq!(output[1]["type"], "custom_tool_call");
        assert!(output[1]["input"].as_str().unwrap().starts_with("*** Begin Patch"));
    }

    #[test]
    fn given_a_tool_in_a_namespace_then_the_call_names_it() {
        let output = output_of(&request(json!([user("case: mcp wipe in /p")])));
        assert_eq!((&output[1]["name"], &output[1]["namespace"]), (&json!("wipe"), &json!("mcp__mini__")));
    }
}
