//! Cursor: an event for each kind of thing that its agent does, and one for all tools. Its "ask" is ignored where it reviews by
//! itself.

use mayi_core::call::json::strict;
use serde_json::{Value, json};

use super::fields::Fields;
use super::{Answer, Harness, Output, Say, claude};
use crate::event::{Event, Kind};
use crate::tools::Does;

pub(super) static HARNESS: Harness = Harness {
    name: "cursor",
    title: "Cursor",
    agent: "cursor",
    read,
    write,
    tools: TOOLS,
    servers,
    // In its automatic review, which no event tells of, it goes on without asking.
    asks: |_| false,
};

const TOOLS: &[(&str, Does)] = &[
    ("Delete", Does::Deletes),
    ("Edit", Does::Edits),
    ("Glob", Does::Finds),
    ("Grep", Does::Searches),
    ("LS", Does::Lists),
    ("Read", Does::Reads),
    ("Shell", Does::Runs),
    ("Task", Does::Delegates),
    ("TodoWrite", Does::Thinks),
    ("WebFetch", Does::Fetches),
    ("WebSearch", Does::SearchesWeb),
    ("Write", Does::Writes),
];

/// `MCP:tool` does not say which server it is.
fn servers(tool: &str) -> Option<Vec<(String, String)>> {
    claude::servers(tool).or_else(|| tool.starts_with("MCP:").then(Vec::new))
}

fn read(value: &Value) -> Result<Event, String> {
    let fields = Fields(value);
    let name = fields.needed(&["hook_event_name", "hookEventName"])?;
    let mut value = value.clone();
    let (kind, tool) = match name.as_str() {
        "preToolUse" => (Kind::Before, None),
        "postToolUse" | "postToolUseFailure" => (Kind::After, None),
        "beforeShellExecution" => (Kind::Before, Some("Shell")),
        "beforeReadFile" => (Kind::Before, Some("Read")),
        "beforeMCPExecution" => (Kind::Before, Some("MCP")),
        "sessionStart" => (Kind::Begins, None),
        "sessionEnd" => (Kind::Ends, None),
        other => (claude::kind(&value, other), None),
    };
    if let Some(tool) = tool {
        let member = |name: &str| value.get(name).cloned().unwrap_or(Value::Null);
        let (tool, input) = match tool {
            "Shell" => (tool.to_owned(), json!({ "command": member("command") })),
            "Read" => (tool.to_owned(), json!({ "path": member("file_path") })),
            _ => {
                let input = match member("tool_input") {
                    Value::String(text) => strict(&text)
                        .map_err(|error| format!("`tool_input` can't be read with certainty: {error}"))?,
                    other => other,
                };
                (format!("MCP:{}", fields.needed(&["tool_name"])?), input)
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
    Fields(&value).event(kind, &name)
}

fn write(event: &Event, answer: &Answer) -> Output {
    let said = match &answer.say {
        Say::Allow(_) => json!({ "permission": "allow" }),
        Say::Deny(reason) | Say::Ask(reason) => {
            json!({ "permission": "deny", "user_message": reason, "agent_message": reason })
        }
        Say::Tell(text) if event.kind == Kind::Begins => json!({ "additional_context": text }),
        Say::Tell(_) | Say::Nothing => return Output::nothing(),
    };
    Output::json(&said)
}
