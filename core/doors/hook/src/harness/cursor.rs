//! Cursor: an event for each kind of thing that its agent does, and one for all tools. Its "ask" is ignored where it reviews by
//! itself.

use mayi_core::call::json::parse_strict;
use serde_json::{Value, json};

use super::fields::EventFields;
use super::{Harness, HookAnswer, HookOutput, HookReply, claude};
use crate::event::{EventKind, HookEvent};
use crate::tools::ToolKind;

pub(super) static HARNESS: Harness = Harness {
    name: "cursor",
    title: "Cursor",
    agent: "cursor",
    read,
    write,
    tools: TOOLS,
    // Its program is not there to look: what it reads is not certain.
    folder_keys: &[],
    shows: &[],
    searches_below: &[],
    servers: server_readings,
    // In its automatic review, which no event tells of, it goes on without asking.
    asks: |_| false,
};

const TOOLS: &[(&str, ToolKind)] = &[
    ("Delete", ToolKind::Deletes),
    ("Edit", ToolKind::Edits),
    ("Glob", ToolKind::Finds),
    ("Grep", ToolKind::Searches),
    ("LS", ToolKind::Lists),
    ("Read", ToolKind::Reads),
    ("Shell", ToolKind::Runs),
    ("Task", ToolKind::Delegates),
    ("TodoWrite", ToolKind::Thinks),
    ("WebFetch", ToolKind::Fetches),
    ("WebSearch", ToolKind::SearchesWeb),
    ("Write", ToolKind::Writes),
];

/// `MCP:tool` does not say which server it is.
fn server_readings(tool: &str) -> Option<Vec<(String, String)>> {
    claude::server_readings(tool).or_else(|| tool.starts_with("MCP:").then(Vec::new))
}

fn read(value: &Value) -> Result<HookEvent, String> {
    let fields = EventFields(value);
    let name = fields.required_text(&["hook_event_name", "hookEventName"])?;
    let mut value = value.clone();
    let (kind, tool) = match name.as_str() {
        "preToolUse" => (EventKind::Before, None),
        "postToolUse" | "postToolUseFailure" => (EventKind::After, None),
        "beforeShellExecution" => (EventKind::Before, Some("Shell")),
        "beforeReadFile" => (EventKind::Before, Some("Read")),
        "beforeMCPExecution" => (EventKind::Before, Some("MCP")),
        "sessionStart" => (EventKind::Begins, None),
        "sessionEnd" => (EventKind::Ends, None),
        other => (claude::event_kind(&value, other), None),
    };
    if let Some(tool) = tool {
        let member = |name: &str| value.get(name).cloned().unwrap_or(Value::Null);
        let (tool, input) = match tool {
            "Shell" => (tool.to_owned(), json!({ "command": member("command") })),
            "Read" => (tool.to_owned(), json!({ "path": member("file_path") })),
            _ => {
                let input = match member("tool_input") {
                    Value::String(text) => parse_strict(&text)
                        .map_err(|error| format!("`tool_input` can't be read with certainty: {error}"))?,
                    other => other,
                };
                (format!("MCP:{}", fields.required_text(&["tool_name"])?), input)
            }
        };
        if let Some(members) = value.as_object_mut() {
            members.insert("tool_name".to_owned(), json!(tool));
            members.insert("tool_input".to_owned(), input);
        }
    }
    if value.get("cwd").is_none_or(|cwd| cwd == "")
        && let Some(root) = value.pointer("/workspace_roots/0").cloned()
        && let Some(members) = value.as_object_mut()
    {
        members.insert("cwd".to_owned(), root);
    }
    EventFields(&value).read_event(kind, &name)
}

fn write(event: &HookEvent, answer: &HookAnswer) -> HookOutput {
    let said = match &answer.say {
        HookReply::Allow(_) => json!({ "permission": "allow" }),
        HookReply::Deny(reason) | HookReply::Ask(reason) => {
            json!({ "permission": "deny", "user_message": reason, "agent_message": reason })
        }
        HookReply::Tell(text) if event.kind == EventKind::Begins => json!({ "additional_context": text }),
        HookReply::Tell(_) | HookReply::Nothing => return HookOutput::empty(),
    };
    HookOutput::from_json(&said)
}
