//! Claude Code. Its shape of events and answers is what several others have taken over.

use mayi_core::call::McpAccess;
use serde_json::{Value, json};

use super::fields::Fields;
use super::{Answer, Harness, Output, Say};
use crate::event::{Event, Kind, Own};
use crate::tools::Does;

pub(super) static HARNESS: Harness = Harness {
    name: "claude-code",
    title: "Claude Code",
    agent: "claude",
    read,
    write,
    tools: TOOLS,
    servers,
    // Also in the modes that run everything, and where there is nobody: then it is denied (2.1.331).
    asks: |_| true,
};

pub(super) const TOOLS: &[(&str, Does)] = &[
    ("Agent", Does::Delegates),
    ("AskUserQuestion", Does::Thinks),
    ("Bash", Does::Runs),
    ("BashOutput", Does::Looks),
    ("Edit", Does::Edits),
    ("EnterPlanMode", Does::SwitchesMode),
    ("ExitPlanMode", Does::SwitchesMode),
    ("Glob", Does::Finds),
    ("Grep", Does::Searches),
    ("LS", Does::Lists),
    ("MultiEdit", Does::Edits),
    ("NotebookEdit", Does::Edits),
    ("NotebookRead", Does::Reads),
    ("Read", Does::Reads),
    ("Task", Does::Delegates),
    ("TaskCreate", Does::Thinks),
    ("TaskGet", Does::Thinks),
    ("TaskList", Does::Thinks),
    ("TaskOutput", Does::Looks),
    ("TaskUpdate", Does::Thinks),
    ("TodoRead", Does::Thinks),
    ("TodoWrite", Does::Thinks),
    ("ToolSearch", Does::Thinks),
    ("WebFetch", Does::Fetches),
    ("WebSearch", Does::SearchesWeb),
    ("Write", Does::Writes),
];

/// `mcp__server__tool`.
pub(super) fn servers(tool: &str) -> Option<Vec<(String, String)>> {
    tool.strip_prefix("mcp__").map(|joined| McpAccess::readings(joined, "__"))
}

fn read(value: &Value) -> Result<Event, String> {
    let fields = Fields(value);
    let name = fields.needed(&["hook_event_name", "hookEventName"])?;
    let mut event = fields.event(kind(value, &name), &name)?;
    event.mode = match fields.text(&["permission_mode", "permissionMode"])?.as_deref() {
        Some("plan") => Own::Plans,
        None | Some("default" | "manual") => Own::Asks,
        Some(other) => Own::Lax(other.to_owned()),
    };
    event.server = value.pointer("/mcp_server/name").and_then(Value::as_str).map(str::to_owned);
    if name == "PostToolUseFailure" {
        event.how = "failed".to_owned();
    }
    Ok(event)
}

/// What an event with this name is about. One that is not known and is about a tool decides: it may have been given a new name.
pub(super) fn kind(value: &Value, name: &str) -> Kind {
    match name {
        "PreToolUse" => Kind::Before,
        "PermissionRequest" => Kind::Request,
        "PostToolUse" | "PostToolUseFailure" => Kind::After,
        "SessionStart" => Kind::Begins,
        "SubagentStart" => Kind::SubAgentBegins,
        "SessionEnd" => Kind::Ends,
        "PermissionDenied" | "PostToolBatch" => Kind::Other,
        _ if value.get("tool_input").is_some() || value.get("toolArgs").is_some() => Kind::Before,
        _ => Kind::Other,
    }
}

/// Claude Code's answer.
pub(super) fn write(event: &Event, answer: &Answer) -> Output {
    let mut specific = json!({ "hookEventName": event.name });
    let mut put = |name: &str, value: Value| {
        if let Some(members) = specific.as_object_mut() {
            members.insert(name.to_owned(), value);
        }
    };
    match (event.kind, &answer.say) {
        (Kind::Request, Say::Allow(_)) => put("decision", json!({ "behavior": "allow" })),
        (Kind::Request, Say::Deny(reason)) => {
            put("decision", json!({ "behavior": "deny", "message": reason }))
        }
        // Its own question stands.
        (Kind::Request, _) => return notice(answer),
        (_, Say::Allow(reason) | Say::Deny(reason) | Say::Ask(reason)) => {
            let word = match &answer.say {
                Say::Allow(_) => "allow",
                Say::Deny(_) => "deny",
                _ => "ask",
            };
            put("permissionDecision", json!(word));
            put("permissionDecisionReason", json!(reason));
        }
        (_, Say::Tell(text)) => put("additionalContext", json!(text)),
        (_, Say::Nothing) => return notice(answer),
    }
    let mut whole = json!({ "hookSpecificOutput": specific });
    if let (Some(members), Some(notice)) = (whole.as_object_mut(), &answer.notice) {
        members.insert("systemMessage".to_owned(), json!(notice));
    }
    Output::json(&whole)
}

fn notice(answer: &Answer) -> Output {
    match &answer.notice {
        Some(notice) => Output::json(&json!({ "systemMessage": notice })),
        None => Output::nothing(),
    }
}
