//! Gemini CLI: events before and after tools, which a denial or exit code 2 blocks. It knows no "ask".

use mayi_core::call::McpAccess;
use serde_json::{Value, json};

use super::fields::Fields;
use super::{Answer, Harness, Output, Say};
use crate::event::{Event, Kind};
use crate::tools::Does;

pub(super) static HARNESS: Harness = Harness {
    name: "gemini",
    title: "Gemini CLI",
    agent: "gemini",
    read,
    write,
    tools: TOOLS,
    servers,
    asks: |_| false,
};

/// Its own tools, which Qwen Code has taken over.
pub(super) const TOOLS: &[(&str, Does)] = &[
    ("agent", Does::Delegates),
    ("ask_user", Does::Thinks),
    ("edit", Does::Edits),
    ("glob", Does::Finds),
    ("google_web_search", Does::SearchesWeb),
    ("grep_search", Does::Searches),
    ("invoke_agent", Does::Delegates),
    ("list_directory", Does::Lists),
    ("read_file", Does::Reads),
    ("read_many_files", Does::Reads),
    ("replace", Does::Edits),
    ("run_shell_command", Does::Runs),
    ("search_file_content", Does::Searches),
    ("task", Does::Delegates),
    ("todo_write", Does::Thinks),
    ("web_fetch", Does::Fetches),
    ("web_search", Does::SearchesWeb),
    ("write_file", Does::Writes),
    ("write_todos", Does::Thinks),
];

/// `mcp_server_tool`, or `server__tool` in older versions: where nothing tells the two apart, every split counts.
pub(super) fn servers(tool: &str) -> Option<Vec<(String, String)>> {
    match tool.strip_prefix("mcp_") {
        Some(joined) if joined.starts_with('_') => {
            Some(McpAccess::readings(joined.trim_start_matches('_'), "__"))
        }
        Some(joined) => Some(McpAccess::readings(joined, "_")),
        None if tool.contains("__") => Some(McpAccess::readings(tool, "__")),
        None => None,
    }
}

fn read(value: &Value) -> Result<Event, String> {
    let fields = Fields(value);
    let name = fields.needed(&["hook_event_name"])?;
    let kind = match name.as_str() {
        "BeforeTool" => Kind::Before,
        "AfterTool" => Kind::After,
        "SessionStart" => Kind::Begins,
        "SessionEnd" => Kind::Ends,
        _ if value.get("tool_input").is_some() => Kind::Before,
        _ => Kind::Other,
    };
    let mut event = fields.event(kind, &name)?;
    event.server = value.pointer("/mcp_context/server_name").and_then(Value::as_str).map(str::to_owned);
    if value.pointer("/tool_response/error").is_some_and(|error| !error.is_null()) {
        event.how = "failed".to_owned();
    }
    Ok(event)
}

fn write(event: &Event, answer: &Answer) -> Output {
    let mut said = match &answer.say {
        Say::Allow(_) => json!({ "decision": "allow" }),
        Say::Deny(reason) | Say::Ask(reason) => json!({ "decision": "deny", "reason": reason }),
        Say::Tell(text) => {
            json!({ "hookSpecificOutput": { "hookEventName": event.name, "additionalContext": text } })
        }
        Say::Nothing => json!({}),
    };
    if let (Some(members), Some(notice)) = (said.as_object_mut(), &answer.notice) {
        members.insert("systemMessage".to_owned(), json!(notice));
    }
    Output::json(&said)
}
