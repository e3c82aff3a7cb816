//! VS Code's own agent: Claude Code's events and answers, with tools of its own.

use serde_json::Value;

use super::{Harness, claude};
use crate::event::Event;
use crate::tools::Does;

pub(super) static HARNESS: Harness = Harness {
    name: "vscode",
    title: "VS Code",
    agent: "vscode",
    read,
    write: claude::write,
    tools: TOOLS,
    servers,
    asks: |_| true,
};

const TOOLS: &[(&str, Does)] = &[
    ("apply_patch", Does::Patches),
    ("create_file", Does::Writes),
    ("fetch_webpage", Does::Fetches),
    ("file_search", Does::Finds),
    ("get_terminal_output", Does::Looks),
    ("grep_search", Does::Searches),
    ("insert_edit_into_file", Does::Edits),
    ("list_dir", Does::Lists),
    ("manage_todo_list", Does::Thinks),
    ("multi_replace_string_in_file", Does::Edits),
    ("read_file", Does::Reads),
    ("replace_string_in_file", Does::Edits),
    ("run_in_terminal", Does::Runs),
    ("runSubagent", Does::Delegates),
];

/// `mcp_server_tool`: every split counts.
fn servers(tool: &str) -> Option<Vec<(String, String)>> {
    claude::servers(tool)
        .or_else(|| tool.strip_prefix("mcp_").map(|joined| mayi_core::call::McpAccess::readings(joined, "_")))
}

fn read(value: &Value) -> Result<Event, String> {
    (claude::HARNESS.read)(value)
}
