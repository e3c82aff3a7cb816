//! The Anthropic Messages wire, as far as Claude Code uses it.

use serde_json::{Value, json};

use crate::conversation::{Conversation, Speaker};
use crate::offer::{Form, Offer, Tool};
use crate::turn::{Frame, Turn, fresh_id};

pub(crate) fn read(body: &Value) -> (Conversation, Offer) {
    let mut conversation = Conversation::default();
    for message in list(body, "messages") {
        let content = message.get("content").unwrap_or(&Value::Null);
        match message.get("role").and_then(Value::as_str) {
            Some("assistant") => conversation.push(Speaker::Model, ""),
            Some("user") => {
                // A result and the next prompt can share one message, for roles must alternate on this wire.
                if content
                    .as_array()
                    .is_some_and(|parts| parts.iter().any(|part| part["type"] == "tool_result"))
                {
                    conversation.push(Speaker::Tool, "");
                }
                let text = text_of(content);
                if !text.is_empty() {
                    conversation.push(Speaker::User, text);
                }
            }
            _ => conversation.push(Speaker::Agent, ""),
        }
    }
    let described =
        |tool: &Value| Some(Tool::new(tool.get("name")?.as_str()?, Form::Object, tool.get("input_schema")));
    (conversation, list(body, "tools").iter().filter_map(described).collect())
}

/// The answer to a request that does not stream.
pub(crate) fn whole(turn: &Turn, body: &Value) -> Value {
    let mut message = envelope(body);
    message["content"] = content(turn).into();
    message["stop_reason"] = stop_reason(turn).into();
    message
}

/// The answer to a request that streams.
pub(crate) fn frames(turn: &Turn, body: &Value) -> Vec<Frame> {
    let mut frames = vec![json!({ "type": "message_start", "message": envelope(body) }).into()];
    for (index, block) in content(turn).into_iter().enumerate() {
        let start =
            |block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
        let delta = |delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
        if block["type"] == "text" {
            frames.push(start(json!({ "type": "text", "text": "" })).into());
            for (n, piece) in turn.text.iter().enumerate() {
                let pause = if n == 0 { Default::default() } else { turn.pause };
                frames.push(Frame { pause, data: delta(json!({ "type": "text_delta", "text": piece })) });
            }
        } else {
            let input = block["input"].to_string();
            let mut opening = block;
            opening["input"] = json!({});
            frames.push(start(opening).into());
            frames.push(delta(json!({ "type": "input_json_delta", "partial_json": input })).into());
        }
        frames.push(json!({ "type": "content_block_stop", "index": index }).into());
    }
    let end = json!({ "stop_reason": stop_reason(turn), "stop_sequence": null });
    frames.push(json!({ "type": "message_delta", "delta": end, "usage": { "output_tokens": 20 } }).into());
    frames.push(json!({ "type": "message_stop" }).into());
    frames
}

fn envelope(body: &Value) -> Value {
    json!({
        "id": fresh_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": body.get("model").cloned().unwrap_or_else(|| json!("scripted")),
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": { "input_tokens": 100, "output_tokens": 20 },
    })
}

fn content(turn: &Turn) -> Vec<Value> {
    let text = json!({ "type": "text", "text": turn.whole_text() });
    let calls = turn.calls.iter().map(|call| {
        json!({ "type": "tool_use", "id": fresh_id("toolu"), "name": call.tool.name, "input": call.input.to_value() })
    });
    std::iter::once(text).chain(calls).collect()
}

fn stop_reason(turn: &Turn) -> &'static str {
    if turn.calls.is_empty() { "end_turn" } else { "tool_use" }
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

fn list<'a>(body: &'a Value, key: &str) -> &'a [Value] {
    body.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(messages: Value) -> Value {
        json!({
            "model": "m",
            "messages": messages,
            "tools": [{ "name": "Write", "input_schema": { "properties": { "file_path": {}, "content": {} } } }],
        })
    }

    fn turn(body: &Value) -> Turn {
        let (conversation, offer) = read(body);
        Turn::next(&conversation, &offer)
    }

    #[test]
    fn given_a_result_and_a_new_prompt_in_one_message_then_the_new_prompt_counts() {
        let body = request(json!([
            { "role": "user", "content": "case: write file in /p" },
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "1", "name": "Write", "input": {} }] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "1", "content": "no" },
                { "type": "text", "text": "[interrupted]" },
                { "type": "text", "text": "case: text in /p" },
            ] },
        ]));
        assert_eq!(turn(&body).whole_text(), "Done: text.");
    }

    #[test]
    fn given_a_stream_then_it_holds_the_same_call_as_the_whole_answer() {
        let body = request(
            json!([{ "role": "user", "content": [{ "type": "text", "text": "case: write file in /p" }] }]),
        );
        let turn = turn(&body);
        let whole = whole(&turn, &body);
        assert_eq!(whole["stop_reason"], "tool_use");
        let parts: String = frames(&turn, &body)
            .iter()
            .filter_map(|frame| frame.data["delta"]["partial_json"].as_str().map(str::to_owned))
            .collect();
        let streamed: Value = serde_json::from_str(&parts).unwrap();
        assert_eq!(streamed, whole["content"][1]["input"]);
        assert_eq!(streamed["file_path"], "/p/hello.txt");
    }
}
