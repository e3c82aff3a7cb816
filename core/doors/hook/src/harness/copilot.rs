//! Copilot CLI. Events under names such as `preToolUse` have its own shape, those under `PreToolUse` Claude Code's.

use serde_json::{Value, json};

use super::fields::EventFields;
use super::{Harness, HookAnswer, HookOutput, HookReply, claude};
use crate::event::{EventKind, HookEvent};
use crate::tools::ToolKind;

pub(super) static HARNESS: Harness = Harness {
    name: "copilot",
    title: "Copilot CLI",
    agent: "copilot",
    read,
    write,
    tools: TOOLS,
    folder_keys: &[],
    // Its command `view` does nothing else.
    shows: &["str_replace_editor"],
    searches_below: &[],
    servers: server_readings,
    asks: |_| true,
};

/// By both of its shapes' names.
const TOOLS: &[(&str, ToolKind)] = &[
    ("Bash", ToolKind::Runs),
    ("Edit", ToolKind::Edits),
    ("Glob", ToolKind::Finds),
    ("Grep", ToolKind::Searches),
    ("Read", ToolKind::Reads),
    ("WebFetch", ToolKind::Fetches),
    ("Write", ToolKind::Writes),
    ("apply_patch", ToolKind::Patches),
    ("ask_user", ToolKind::Thinks),
    ("bash", ToolKind::Runs),
    ("create", ToolKind::Writes),
    ("edit", ToolKind::Edits),
    ("glob", ToolKind::Finds),
    ("grep", ToolKind::Searches),
    ("read_bash", ToolKind::Looks),
    ("report_intent", ToolKind::Thinks),
    ("str_replace_editor", ToolKind::Edits),
    ("task", ToolKind::Delegates),
    ("update_todo", ToolKind::Thinks),
    ("view", ToolKind::Reads),
    ("web_fetch", ToolKind::Fetches),
    ("web_search", ToolKind::SearchesWeb),
];

/// `server-tool`: every split counts, and a tool of its own has none of these.
fn server_readings(tool: &str) -> Option<Vec<(String, String)>> {
    let own = TOOLS.iter().any(|(name, _)| *name == tool);
    claude::server_readings(tool)
        .or_else(|| (!own && tool.contains('-')).then(|| mayi_core::call::McpAccess::split_name(tool, "-")))
}

fn read(value: &Value) -> Result<HookEvent, String> {
    let fields = EventFields(value);
    let name = match fields.text_field(&["hook_event_name", "hookEventName"])? {
        Some(name) => name,
        // Its own shape has no name: what it is about is told by what is there.
        None if value.get("toolResult").is_some() => "postToolUse".to_owned(),
        None if value.get("toolName").is_some() => "preToolUse".to_owned(),
        None => String::new(),
    };
    let kind = match name.as_str() {
        "preToolUse" => EventKind::Before,
        "permissionRequest" => EventKind::Request,
        "postToolUse" | "postToolUseFailure" => EventKind::After,
        "sessionStart" => EventKind::Begins,
        "subagentStart" => EventKind::SubAgentBegins,
        "sessionEnd" => EventKind::Ends,
        other => claude::event_kind(value, other),
    };
    let mut event = fields.read_event(kind, &name)?;
    if value.pointer("/toolResult/resultType").is_some_and(|how| how != "success") {
        event.how = "failed".to_owned();
    }
    Ok(event)
}

fn write(event: &HookEvent, answer: &HookAnswer) -> HookOutput {
    let own = event.name.chars().next().is_some_and(char::is_lowercase);
    match &answer.say {
        _ if !own => claude::write(event, answer),
        HookReply::Allow(reason) if event.kind == EventKind::Before => HookOutput::from_json(
            &json!({ "permissionDecision": "allow", "permissionDecisionReason": reason }),
        ),
        HookReply::Deny(reason) if event.kind == EventKind::Before => HookOutput::from_json(
            &json!({ "permissionDecision": "deny", "permissionDecisionReason": reason }),
        ),
        HookReply::Ask(reason) if event.kind == EventKind::Before => {
            HookOutput::from_json(&json!({ "permissionDecision": "ask", "permissionDecisionReason": reason }))
        }
        HookReply::Allow(_) => HookOutput::from_json(&json!({ "behavior": "allow" })),
        HookReply::Deny(reason) => HookOutput::from_json(&json!({ "behavior": "deny", "message": reason })),
        HookReply::Tell(text) => HookOutput::from_json(&json!({ "additionalContext": text })),
        HookReply::Ask(_) | HookReply::Nothing => HookOutput::empty(),
    }
}
