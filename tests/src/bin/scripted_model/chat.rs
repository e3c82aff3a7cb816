//! The OpenAI Chat Completions wire, as far as opencode, Qwen Code and Mistral Vibe use it.

use serde_json::{Value, json};

use crate::conversation::{Conversation, Speaker};
use crate::offer::{Form, Offer, Tool};
use crate::turn::{Frame, Turn, fresh_id};

pub(crate) fn read(body: &Value) -> (Conversation, Offer) {
    let mut conversation = Conversation::default();
    for message in body["messages"].as_array().into_iter().flatten() {
        match message["role"].as_str() {
            Some("user") => conversation.push(Speaker::User, text_of(&message["content"])),
            Some("assistant") => conversation.push(Speaker::Model, ""),
            Some("tool") => conversation.push(Speaker::Tool, ""),
            _ => conversation.push(Speaker::Agent, ""),
        }
    }
    let tools = body["tools"].as_array().into_iter().flatten().map(|tool| &tool["function"]);
    let described =
        |tool: &Value| Some(Tool::new(tool["name"].as_str()?, Form::Object, tool.get("parameters")));
    (conversation, tools.filter_map(described).collect())
}

/// The answer to a request that does not stream.
pub(crate) fn whole(turn: &Turn, body: &Value) -> Value {
    let mut message = json!({ "role": "assistant", "content": turn.whole_text() });
    if !turn.calls.is_empty() {
        message["tool_calls"] = json!(calls(turn));
    }
    let mut answer = envelope(body, "chat.completion");
    answer["choices"] = json!([{ "index": 0, "message": message, "finish_reason": finish(turn) }]);
    answer["usage"] = usage();
    answer
}

/// The answer to a request that streams.
pub(crate) fn frames(turn: &Turn, body: &Value) -> Vec<Frame> {
    let envelope = envelope(body, "chat.completion.chunk");
    let chunk = |delta: Value, finish: Option<&str>| {
        let mut chunk = envelope.clone();
        chunk["choices"] = json!([{ "index": 0, "delta": delta, "finish_reason": finish }]);
        chunk
    };
    let mut frames = Vec::new();
    for (n, piece) in turn.text.iter().enumerate() {
        let pause = if n == 0 { Default::default() } else { turn.pause };
        frames.push(Frame { pause, data: chunk(json!({ "role": "assistant", "content": piece }), None) });
    }
    frames.extend(calls(turn).into_iter().map(|call| chunk(json!({ "tool_calls": [call] }), None).into()));
    let mut last = chunk(json!({}), Some(finish(turn)));
    last["usage"] = usage();
    frames.push(last.into());
    // On this wire the end is a word, and no JSON.
    frames.push(json!("[DONE]").into());
    frames
}

fn calls(turn: &Turn) -> Vec<Value> {
    let call = |(index, call): (usize, &crate::mapping::ToolCall)| {
        let function = json!({ "name": call.tool.name, "arguments": call.input.to_value().to_string() });
        json!({ "index": index, "id": fresh_id("call"), "type": "function", "function": function })
    };
    turn.calls.iter().enumerate().map(call).collect()
}

fn finish(turn: &Turn) -> &'static str {
    if turn.calls.is_empty() { "stop" } else { "tool_calls" }
}

fn envelope(body: &Value, object: &str) -> Value {
    json!({ "id": fresh_id("chatcmpl"), "object": object, "created": 0, "model": body["model"] })
}

fn usage() -> Value {
    json!({ "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 })
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_prompt_and_a_tool_then_it_is_called_with_arguments_as_text() {
        let tool = json!({ "name": "bash", "parameters": { "properties": { "command": {} } } });
        let said =
            [json!({ "role": "user", "content": [{ "type": "text", "text": "case: run twice in /p" }] })];
        let body = json!({ "messages": said, "tools": [{ "type": "function", "function": tool }] });
        let (conversation, offer) = read(&body);
        let turn = Turn::next(&conversation, &offer);
        let choice = &whole(&turn, &body)["choices"][0];
        assert_eq!(choice["finish_reason"], "tool_calls");
        let arguments = json!({ "command": "touch ran.txt" }).to_string();
        assert_eq!(choice["message"]["tool_calls"][0]["function"]["arguments"], arguments);
        assert_eq!(frames(&turn, &body).last().unwrap().data, "[DONE]");
    }
}
