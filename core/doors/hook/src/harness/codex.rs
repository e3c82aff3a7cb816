//! Codex. Its hooks have Claude Code's shape; before a tool only a denial counts, and an "allow" or "ask" there is a failure, after
//! which the tool runs.

use serde_json::Value;

use super::claude;
use super::{Harness, HookAnswer, HookOutput, HookReply};
use crate::event::{EventKind, HookEvent};
use crate::tools::ToolKind;

pub(super) static HARNESS: Harness = Harness {
    name: "codex",
    title: "Codex",
    agent: "codex",
    read,
    write,
    tools: TOOLS,
    folder_keys: &[
        ("exec_command", "workdir"),
        ("local_shell", "workdir"),
        ("shell", "workdir"),
        ("shell_command", "workdir"),
    ],
    servers: claude::server_readings,
    // Within its sandbox it runs commands without asking, so nothing said is no question.
    asks: |event| event.kind == EventKind::Request,
};

const TOOLS: &[(&str, ToolKind)] = &[
    ("Bash", ToolKind::Runs),
    ("Edit", ToolKind::Patches),
    ("Write", ToolKind::Patches),
    ("apply_patch", ToolKind::Patches),
    ("exec_command", ToolKind::Runs),
    ("local_shell", ToolKind::Runs),
    ("read_file", ToolKind::Reads),
    ("list_dir", ToolKind::Lists),
    ("shell", ToolKind::Runs),
    ("shell_command", ToolKind::Runs),
    ("update_plan", ToolKind::Thinks),
    ("view_image", ToolKind::Reads),
    ("web_search", ToolKind::SearchesWeb),
];

fn read(value: &Value) -> Result<HookEvent, String> {
    (claude::HARNESS.read)(value)
}

fn write(event: &HookEvent, answer: &HookAnswer) -> HookOutput {
    match (event.kind, &answer.say) {
        // One member too many beside a denial, and the tool runs; exit code 2 with a reason blocks in any case (0.169.0).
        (EventKind::Before, HookReply::Deny(reason) | HookReply::Ask(reason)) => {
            HookOutput::blocked(reason.strip_prefix("mayi: ").unwrap_or(reason))
        }
        (EventKind::Before, _) => HookOutput::empty(),
        _ => claude::write(event, answer),
    }
}
