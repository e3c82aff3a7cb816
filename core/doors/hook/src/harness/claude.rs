//! Claude Code. Its shape of events and answers is what several others have taken over.

use mayi_core::call::McpAccess;
use serde_json::{Value, json};

use super::fields::EventFields;
use super::{Harness, HookAnswer, HookOutput, HookReply};
use crate::event::{EventKind, HookEvent, OwnMode};
use crate::tools::ToolKind;

pub(super) static HARNESS: Harness = Harness {
    name: "claude-code",
    title: "Claude Code",
    agent: "claude",
    read,
    write,
    tools: TOOLS,
    folder_keys: &[],
    // "The file has been updated successfully", and no more (2.1.331).
    shows: &[],
    searches_below: &[],
    servers: server_readings,
    // Also in the modes that run everything, and where there is nobody: then it is denied (2.1.331).
    asks: |_| true,
};

pub(super) const TOOLS: &[(&str, ToolKind)] = &[
    ("Agent", ToolKind::Delegates),
    ("AskUserQuestion", ToolKind::Thinks),
    ("Bash", ToolKind::Runs),
    ("BashOutput", ToolKind::Looks),
    ("Edit", ToolKind::Edits),
    ("EnterPlanMode", ToolKind::SwitchesMode),
    ("ExitPlanMode", ToolKind::SwitchesMode),
    ("Glob", ToolKind::Finds),
    ("Grep", ToolKind::Searches),
    ("LS", ToolKind::Lists),
    ("MultiEdit", ToolKind::Edits),
    ("NotebookEdit", ToolKind::Edits),
    ("NotebookRead", ToolKind::Reads),
    ("Read", ToolKind::Reads),
    ("Task", ToolKind::Delegates),
    ("TaskCreate", ToolKind::Thinks),
    ("TaskGet", ToolKind::Thinks),
    ("TaskList", ToolKind::Thinks),
    ("TaskOutput", ToolKind::Looks),
    ("TaskUpdate", ToolKind::Thinks),
    ("TodoRead", ToolKind::Thinks),
    ("TodoWrite", ToolKind::Thinks),
    ("ToolSearch", ToolKind::Thinks),
    ("WebFetch", ToolKind::Fetches),
    ("WebSearch", ToolKind::SearchesWeb),
    ("Write", ToolKind::Writes),
];

/// `mcp__server__tool`.
pub(super) fn server_readings(tool: &str) -> Option<Vec<(String, String)>> {
    tool.strip_prefix("mcp__").map(|joined| McpAccess::split_name(joined, "__"))
}

fn read(value: &Value) -> Result<HookEvent, String> {
    let fields = EventFields(value);
    let name = fields.required_text(&["hook_event_name", "hookEventName"])?;
    let mut event = fields.read_event(event_kind(value, &name), &name)?;
    event.mode = match fields.text_field(&["permission_mode", "permissionMode"])?.as_deref() {
        Some("plan") => OwnMode::Plans,
        None | Some("default" | "manual") => OwnMode::Asks,
        Some(other) => OwnMode::Lax(other.to_owned()),
    };
    event.server = value.pointer("/mcp_server/name").and_then(Value::as_str).map(str::to_owned);
    if name == "PostToolUseFailure" {
        event.how = "failed".to_owned();
    }
    Ok(event)
}

/// What an event with this name is about. One that is not known and is about a tool decides: it may have been given a new name.
pub(super) fn event_kind(value: &Value, name: &str) -> EventKind {
    match name {
        "PreToolUse" => EventKind::Before,
        "PermissionRequest" => EventKind::Request,
        "PostToolUse" | "PostToolUseFailure" => EventKind::After,
        "SessionStart" => EventKind::Begins,
        "SubagentStart" => EventKind::SubAgentBegins,
        "SessionEnd" => EventKind::Ends,
        "PermissionDenied" | "PostToolBatch" => EventKind::Other,
        _ if value.get("tool_input").is_some() || value.get("toolArgs").is_some() => EventKind::Before,
        _ => EventKind::Other,
    }
}

/// Claude Code's answer.
pub(super) fn write(event: &HookEvent, answer: &HookAnswer) -> HookOutput {
    let mut specific = json!({ "hookEventName": event.name });
    let mut put = |name: &str, value: Value| {
        if let Some(members) = specific.as_object_mut() {
            members.insert(name.to_owned(), value);
        }
    };
    match (event.kind, &answer.say) {
        (EventKind::Request, HookReply::Allow(_)) => put("decision", json!({ "behavior": "allow" })),
        (EventKind::Request, HookReply::Deny(reason)) => {
            put("decision", json!({ "behavior": "deny", "message": reason }))
        }
        // Its own question stands.
        (EventKind::Request, _) => return notice_output(answer),
        (_, HookReply::Allow(reason) | HookReply::Deny(reason) | HookReply::Ask(reason)) => {
            let word = match &answer.say {
                HookReply::Allow(_) => "allow",
                HookReply::Deny(_) => "deny",
                _ => "ask",
            };
            put("permissionDecision", json!(word));
            put("permissionDecisionReason", json!(reason));
        }
        (_, HookReply::Tell(text)) => put("additionalContext", json!(text)),
        (_, HookReply::Nothing) => return notice_output(answer),
    }
    let mut whole = json!({ "hookSpecificOutput": specific });
    if let (Some(members), Some(notice)) = (whole.as_object_mut(), &answer.notice) {
        members.insert("systemMessage".to_owned(), json!(notice));
    }
    HookOutput::from_json(&whole)
}

fn notice_output(answer: &HookAnswer) -> HookOutput {
    match &answer.notice {
        Some(notice) => HookOutput::from_json(&json!({ "systemMessage": notice })),
        None => HookOutput::empty(),
    }
}
