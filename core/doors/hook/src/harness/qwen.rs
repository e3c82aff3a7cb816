//! Qwen Code: Claude Code's events with Gemini CLI's tools. An "ask" is denied there without a word to the person.

use serde_json::Value;

use super::{Harness, claude, gemini};
use crate::event::{EventKind, HookEvent};

pub(super) static HARNESS: Harness = Harness {
    name: "qwen",
    title: "Qwen Code",
    agent: "qwen",
    read,
    write: claude::write,
    tools: gemini::TOOLS,
    folder_keys: &[("run_shell_command", "directory")],
    // "Showing lines 1-9 of 20 from the edited file".
    shows: &["edit", "replace"],
    searches_below: &[],
    servers: claude::server_readings,
    asks: |event| event.kind == EventKind::Request,
};

fn read(value: &Value) -> Result<HookEvent, String> {
    (claude::HARNESS.read)(value)
}
