//! Gemini CLI: events before and after tools, which a denial or exit code 2 blocks. It knows no "ask".

use mayi_core::call::McpAccess;
use serde_json::{Value, json};

use super::fields::EventFields;
use super::{Harness, HookAnswer, HookOutput, HookReply};
use crate::event::{EventKind, HookEvent};
use crate::tools::ToolKind;

pub(super) static HARNESS: Harness = Harness {
    name: "gemini",
    title: "Gemini CLI",
    agent: "gemini",
    read,
    write,
    tools: TOOLS,
    folder_keys: &[("run_shell_command", "dir_path")],
    // "Here is the updated code", with five lines around each change (0.61).
    shows: &["edit", "replace"],
    searches_below: &["replace"],
    servers: server_readings,
    asks: |_| false,
};

/// Its own tools, which Qwen Code has taken over.
pub(super) const TOOLS: &[(&str, ToolKind)] = &[
    ("agent", ToolKind::Delegates),
    ("ask_user", ToolKind::Thinks),
    ("edit", ToolKind::Edits),
    ("glob", ToolKind::Finds),
    ("google_web_search", ToolKind::SearchesWeb),
    ("grep_search", ToolKind::Searches),
    ("invoke_agent", ToolKind::Delegates),
    ("list_directory", ToolKind::Lists),
    ("read_file", ToolKind::Reads),
    ("read_many_files", ToolKind::Reads),
    ("replace", ToolKind::Edits),
    ("run_shell_command", ToolKind::Runs),
    ("search_file_content", ToolKind::Searches),
    ("task", ToolKind::Delegates),
    ("todo_write", ToolKind::Thinks),
    ("web_fetch", ToolKind::Fetches),
    ("web_search", ToolKind::SearchesWeb),
    ("write_file", ToolKind::Writes),
    ("write_todos", ToolKind::Thinks),
];

/// `mcp_server_tool`, or `server__tool` in older versions: where nothing tells the two apart, every split counts.
pub(super) fn server_readings(tool: &str) -> Option<Vec<(String, String)>> {
    match tool.strip_prefix("mcp_") {
        Some(joined) if joined.starts_with('_') => {
            Some(McpAccess::split_name(joined.trim_start_matches('_'), "__"))
        }
        Some(joined) => Some(McpAccess::split_name(joined, "_")),
        None if tool.contains("__") => Some(McpAccess::split_name(tool, "__")),
        None => None,
    }
}

fn read(value: &Value) -> Result<HookEvent, String> {
    let fields = EventFields(value);
    let name = fields.required_text(&["hook_event_name"])?;
    let kind = match name.as_str() {
        "BeforeTool" => EventKind::Before,
        "AfterTool" => EventKind::After,
        "SessionStart" => EventKind::Begins,
        "SessionEnd" => EventKind::Ends,
        _ if value.get("tool_input").is_some() => EventKind::Before,
        _ => EventKind::Other,
    };
    let mut event = fields.read_event(kind, &name)?;
    let of_server = |name: &str| value.pointer(name).and_then(Value::as_str).map(str::to_owned);
    event.server = of_server("/mcp_context/server_name");
    event.server_tool = of_server("/mcp_context/tool_name");
    if value.pointer("/tool_response/error").is_some_and(|error| !error.is_null()) {
        event.how = "failed".to_owned();
    }
    Ok(event)
}

fn write(event: &HookEvent, answer: &HookAnswer) -> HookOutput {
    let mut said = match &answer.say {
        HookReply::Allow(_) => json!({ "decision": "allow" }),
        HookReply::Deny(reason) | HookReply::Ask(reason) => json!({ "decision": "deny", "reason": reason }),
        HookReply::Tell(text) => {
            json!({ "hookSpecificOutput": { "hookEventName": event.name, "additionalContext": text } })
        }
        HookReply::Nothing => json!({}),
    };
    if let (Some(members), Some(notice)) = (said.as_object_mut(), &answer.notice) {
        members.insert("systemMessage".to_owned(), json!(notice));
    }
    HookOutput::from_json(&said)
}
