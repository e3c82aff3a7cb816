//! Codex. Its hooks have Claude Code's shape; before a tool only a denial counts, and an "allow" or "ask" there is a failure, after
//! which the tool runs.

use mayi_doors::readings::has_command;
use serde_json::Value;

use super::claude;
use super::{Harness, HookAnswer, HookOutput, HookReply};
use crate::event::{EventKind, HookEvent};
use crate::tools::{ToolKind, tool_kind};

pub(super) static HARNESS: Harness = Harness {
    name: "codex",
    title: "Codex",
    agent: "codex",
    read,
    write,
    tools: TOOLS,
    folder_keys: &[
        ("Bash", TOLD_FOLDER),
        ("exec_command", "workdir"),
        ("local_shell", "workdir"),
        ("shell", "workdir"),
        ("shell_command", "workdir"),
    ],
    shows: &[],
    searches_below: &[],
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
    let mut event = (claude::HARNESS.read)(value)?;
    move_folder_into_input(&mut event)?;
    Ok(event)
}

/// Where the input has the folder that the event tells.
const TOLD_FOLDER: &str = "cwd";

/// For a tool that runs a command, `cwd` is the folder that the model has given for it (`workdir`), which its input does not
/// have: it says nothing of where the session works. That is the hook's own folder, and of every other event `cwd` (0.169.0).
fn move_folder_into_input(event: &mut HookEvent) -> Result<(), String> {
    let does = tool_kind(TOOLS, &event.tool);
    let Some(input) = event.input.as_object_mut() else { return Ok(()) };
    let runs = match does {
        ToolKind::Runs => true,
        ToolKind::Other => claude::server_readings(&event.tool).is_none() && has_command(input),
        _ => false,
    };
    if !runs {
        return Ok(());
    }
    if input.contains_key(TOLD_FOLDER) {
        return Err(format!(
            "the input of {} has a `{TOLD_FOLDER}`, which may be another folder than the event's",
            event.tool
        ));
    }
    if let Some(folder) = event.cwd.take() {
        let folder = folder.to_str().ok_or("the event's `cwd` is not UTF-8 text")?;
        input.insert(TOLD_FOLDER.to_owned(), Value::String(folder.to_owned()));
    }
    Ok(())
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
