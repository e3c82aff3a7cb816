//! VS Code's own agent: Claude Code's events and answers, with tools of its own.

use serde_json::Value;

use super::{Harness, claude};
use crate::event::HookEvent;
use crate::tools::ToolKind;

pub(super) static HARNESS: Harness = Harness {
    name: "vscode",
    title: "VS Code",
    agent: "vscode",
    read,
    write: claude::write,
    tools: TOOLS,
    folder_keys: &[],
    shows: &[],
    searches_below: &[],
    servers: server_readings,
    asks: |_| true,
};

const TOOLS: &[(&str, ToolKind)] = &[
    ("apply_patch", ToolKind::Patches),
    ("create_file", ToolKind::Writes),
    ("fetch_webpage", ToolKind::Fetches),
    ("file_search", ToolKind::Finds),
    ("get_terminal_output", ToolKind::Looks),
    ("grep_search", ToolKind::Searches),
    ("insert_edit_into_file", ToolKind::Edits),
    ("list_dir", ToolKind::Lists),
    ("manage_todo_list", ToolKind::Thinks),
    ("multi_replace_string_in_file", ToolKind::Edits),
    ("read_file", ToolKind::Reads),
    ("replace_string_in_file", ToolKind::Edits),
    ("run_in_terminal", ToolKind::Runs),
    ("runSubagent", ToolKind::Delegates),
];

/// `mcp_server_tool`: every split counts.
fn server_readings(tool: &str) -> Option<Vec<(String, String)>> {
    claude::server_readings(tool).or_else(|| {
        tool.strip_prefix("mcp_").map(|joined| mayi_core::call::McpAccess::split_name(joined, "_"))
    })
}

fn read(value: &Value) -> Result<HookEvent, String> {
    (claude::HARNESS.read)(value)
}
