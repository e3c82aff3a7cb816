//! What the model does in one response: the items, and the events in the order in which the real endpoint sends them.

use serde_json::{Value, json};

use super::check::GoingOn;
use super::{Kept, Known, Trouble};

/// One response.
pub(super) struct Turn {
    pub(super) events: Vec<Value>,
    pub(super) body: Value,
}

/// Events, numbered as they come.
#[derive(Default)]
struct Events(Vec<Value>);

impl Events {
    fn add(&mut self, kind: &str, mut event: Value) {
        event["type"] = json!(kind);
        event["sequence_number"] = json!(self.0.len());
        self.0.push(event);
    }

    /// An item that is there, and done.
    fn item(&mut self, at: usize, begun: &Value, done: &Value, between: &[(&str, Value)]) {
        self.add("response.output_item.added", json!({ "output_index": at, "item": begun }));
        for (kind, more) in between {
            let mut event = json!({ "output_index": at, "item_id": done["id"] });
            for (name, value) in more.as_object().into_iter().flatten() {
                event[name] = value.clone();
            }
            self.add(kind, event);
        }
        self.add("response.output_item.done", json!({ "output_index": at, "item": done }));
    }
}

fn changed(item: &Value, name: &str, value: Value) -> Value {
    let mut item = item.clone();
    item[name] = value;
    item
}

/// Does what the request wants.
pub(super) fn turn(known: &mut Known, body: &Value, going_on: GoingOn, trouble: Option<&Trouble>) -> Turn {
    let GoingOn { before, answers } = going_on;
    let text = said(body);
    let mut rounds = match (&before, answers.is_empty()) {
        (Some(before), false) => before.rounds.clone(),
        // Whoever says everything again says the text again too.
        (None, false) => rounds_of(&text).into_iter().skip(replayed(body)).collect(),
        (_, true) => rounds_of(&text),
    };
    let head = json!({
        "id": known.id("resp"), "object": "response", "created_at": 1_760_000_000 + known.next, "status": "in_progress",
        "model": body["model"], "previous_response_id": body["previous_response_id"], "tools": body["tools"],
        "tool_choice": body.get("tool_choice").cloned().unwrap_or(json!("auto")), "parallel_tool_calls": true,
        "max_output_tokens": body["max_output_tokens"], "error": null, "incomplete_details": null,
        "instructions": body["instructions"], "metadata": {}, "temperature": 1.0, "top_p": 1.0, "text": {"format": {"type": "text"}},
        "output": [], "usage": null, "store": body["store"].as_bool().unwrap_or(true),
    });
    let (mut events, mut output) = (Events::default(), Vec::new());
    events.add("response.created", json!({ "response": head }));
    events.add("response.in_progress", json!({ "response": head }));
    let servers: Vec<Value> = body["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|tool| tool["type"] == "mcp")
        .cloned()
        .collect();
    for server in &servers {
        let empty = json!({ "id": known.id("mcpl"), "type": "mcp_list_tools", "server_label": server["server_label"], "tools": [] });
        let tools: Vec<Value> = ["search", "read", "write"].iter().map(|name| json!({
            "name": name, "description": known.said.get(*name).cloned().unwrap_or_else(|| format!("{name}s documents")), "annotations": {"read_only": *name != "write"},
            "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}},
        })).collect();
        let done = changed(&empty, "tools", json!(tools));
        let between = [
            ("response.mcp_list_tools.in_progress", json!({})),
            ("response.mcp_list_tools.completed", json!({})),
        ];
        events.item(output.len(), &empty, &done, &between);
        output.push(done);
    }
    let mut told = Vec::new();
    for (request, approve) in &answers {
        let tool = request["name"].as_str().unwrap_or_default().to_owned();
        if *approve {
            call(known, &mut events, &mut output, request, &request["id"]);
            told.push(format!("{tool} ran"));
        } else {
            told.push(format!("{tool} was not approved"));
        }
    }
    if let Some(Trouble::RunsUnasked) = trouble {
        let unasked = json!({ "name": "secret", "server_label": "docs", "arguments": "{}" });
        call(known, &mut events, &mut output, &unasked, &Value::Null);
    }
    let mut pending = Vec::new();
    if !rounds.is_empty() {
        let round = rounds.remove(0);
        let reasoning = json!({ "id": known.id("rs"), "type": "reasoning", "summary": [] });
        events.item(output.len(), &reasoning, &reasoning, &[]);
        output.push(reasoning);
        for tool in round {
            let (label, name) =
                tool.split_once('/').map_or(("docs", tool.as_str()), |(label, name)| (label, name));
            // A tool of this name is called with the key that the endpoint was sent.
            let about = if name == "leak" { super::KEY } else { name };
            let arguments = json!({ "query": format!("what {about} is about") }).to_string();
            let request = json!({
                "id": known.id("mcpr"), "type": "mcp_approval_request", "server_label": label, "name": name,
                "arguments": known.given.clone().unwrap_or(arguments),
            });
            let server = servers.iter().find(|server| server["server_label"] == label);
            if server.is_some_and(|server| server["require_approval"] == "never") {
                call(known, &mut events, &mut output, &request, &Value::Null);
                continue;
            }
            events.item(output.len(), &request, &request, &[]);
            output.push(request.clone());
            pending.push(request);
        }
    }
    if text == "computer" {
        hosted(known, &mut events, &mut output);
    } else if pending.is_empty() {
        let text = if told.is_empty() { format!("You said: {text}") } else { told.join(", ") };
        message(known, &mut events, &mut output, &text);
    }
    let mut done = head;
    let fails = text == "fail";
    done["status"] = json!(if fails { "failed" } else { "completed" });
    done["output"] = json!(output);
    done["usage"] = json!({
        "input_tokens": 10, "input_tokens_details": {"cached_tokens": 1}, "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2}, "total_tokens": 15,
    });
    if fails {
        done["error"] = json!({ "code": "server_error", "message": "The model failed" });
    }
    events.add(if fails { "response.failed" } else { "response.completed" }, json!({ "response": done }));
    if done["store"] == true {
        let id = done["id"].as_str().unwrap_or_default().to_owned();
        known.responses.insert(id.clone(), Kept { body: done.clone(), pending, rounds });
        if let Some(conversation) = body["conversation"].as_str() {
            known.conversations.insert(conversation.to_owned(), id);
        }
    }
    Turn { events: events.0, body: done }
}

fn call(known: &mut Known, events: &mut Events, output: &mut Vec<Value>, request: &Value, approval: &Value) {
    let fails = request["name"] == "broken";
    let begun = json!({
        "id": known.id("mcp"), "type": "mcp_call", "status": "in_progress", "approval_request_id": approval,
        "arguments": "", "error": null, "name": request["name"], "output": null, "server_label": request["server_label"],
    });
    let mut done = changed(&begun, "arguments", request["arguments"].clone());
    done["status"] = json!(if fails { "failed" } else { "completed" });
    if fails {
        done["error"] =
            json!({ "type": "mcp_tool_execution_error", "content": [{"type": "text", "text": "no"}] });
    } else {
        done["output"] = json!("found it");
    }
    let arguments = &request["arguments"];
    let mut between = vec![
        ("response.mcp_call.in_progress", json!({})),
        ("response.mcp_call_arguments.delta", json!({ "delta": arguments, "obfuscation": "x9" })),
    ];
    if !approval.is_null() {
        between.push(("response.mcp_call.in_progress", json!({})));
    }
    between.push(("response.mcp_call_arguments.done", json!({ "arguments": arguments })));
    between.push((if fails { "response.mcp_call.failed" } else { "response.mcp_call.completed" }, json!({})));
    events.item(output.len(), &begun, &done, &between);
    output.push(done);
    known.ran.push(json!({ "server": request["server_label"], "tool": request["name"], "approved": !approval.is_null() }));
}

/// Hosted tools that have ways of their own to ask: of a computer with a check that is pending, and of a shell of the app's.
fn hosted(known: &mut Known, events: &mut Events, output: &mut Vec<Value>) {
    let computer = json!({
        "id": known.id("cu"), "type": "computer_call", "call_id": "call_1", "status": "completed",
        "action": {"type": "click", "button": "left", "x": 1, "y": 2},
        "pending_safety_checks": [{"id": "cu_sc_1", "code": "malicious_instructions", "message": "look at this"}],
    });
    let shell = json!({
        "id": known.id("sh"), "type": "shell_call", "call_id": "call_2", "status": "completed",
        "action": {"commands": ["ls"], "timeout_ms": 1000, "max_output_length": 100},
    });
    for item in [computer, shell] {
        events.item(output.len(), &item, &item, &[]);
        output.push(item);
    }
}

fn message(known: &mut Known, events: &mut Events, output: &mut Vec<Value>, text: &str) {
    let part = json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] });
    let begun = json!({ "id": known.id("msg"), "type": "message", "status": "in_progress", "role": "assistant", "content": [] });
    let mut done = changed(&begun, "status", json!("completed"));
    done["content"] = json!([part]);
    let empty = changed(&part, "text", json!(""));
    let between = [
        ("response.content_part.added", json!({ "content_index": 0, "part": empty })),
        (
            "response.output_text.delta",
            json!({ "content_index": 0, "delta": text, "logprobs": [], "obfuscation": "q" }),
        ),
        ("response.output_text.done", json!({ "content_index": 0, "text": text, "logprobs": [] })),
        ("response.content_part.done", json!({ "content_index": 0, "part": part })),
    ];
    events.item(output.len(), &begun, &done, &between);
    output.push(done);
}

/// The last thing that the user said.
fn said(body: &Value) -> String {
    let content = match &body["input"] {
        Value::String(text) => return text.clone(),
        Value::Array(items) => {
            items.iter().rev().find(|item| item["role"] == "user").map(|item| &item["content"])
        }
        _ => None,
    };
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn rounds_of(text: &str) -> Vec<Vec<String>> {
    serde_json::from_str(text).unwrap_or_default()
}

/// So many rounds are said again: each has a list of its own of what servers have.
fn replayed(body: &Value) -> usize {
    body["input"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|item| item["type"] == "mcp_list_tools")
        .count()
        .max(1)
}
