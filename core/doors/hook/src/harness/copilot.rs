//! Copilot CLI. Events under names such as `preToolUse` have its own shape, those under `PreToolUse` Claude Code's.

use serde_json::{Value, json};

use super::fields::Fields;
use super::{Answer, Harness, Output, Say, claude};
use crate::event::{Event, Kind};
use crate::tools::Does;

pub(super) static HARNESS: Harness = Harness {
    name: "copilot",
    title: "Copilot CLI",
    agent: "copilot",
    read,
    write,
    tools: TOOLS,
    servers,
    asks: |_| true,
};

/// By both of its shapes' names.
const TOOLS: &[(&str, Does)] = &[
    ("Bash", Does::Runs),
    ("Edit", Does::Edits),
    ("Glob", Does::Finds),
    ("Grep", Does::Searches),
    ("Read", Does::Reads),
    ("WebFetch", Does::Fetches),
    ("Write", Does::Writes),
    ("apply_patch", Does::Patches),
    ("ask_user", Does::Thinks),
    ("bash", Does::Runs),
    ("create", Does::Writes),
    ("edit", Does::Edits),
    ("glob", Does::Finds),
    ("grep", Does::Searches),
    ("read_bash", Does::Looks),
    ("report_intent", Does::Thinks),
    ("str_replace_editor", Does::Edits),
    ("task", Does::Delegates),
    ("update_todo", Does::Thinks),
    ("view", Does::Reads),
    ("web_fetch", Does::Fetches),
    ("web_search", Does::SearchesWeb),
];

/// `server-tool`: every split counts, and a tool of its own has none of these.
fn servers(tool: &str) -> Option<Vec<(String, String)>> {
    let own = TOOLS.iter().any(|(name, _)| *name == tool);
    claude::servers(tool)
        .or_else(|| (!own && tool.contains('-')).then(|| mayi_core::call::McpAccess::readings(tool, "-")))
}

fn read(value: &Value) -> Result<Event, String> {
    let fields = Fields(value);
    let name = match fields.text(&["hook_event_name", "hookEventName"])? {
        Some(name) => name,
        // Its own shape has no name: what it is about is told by what is there.
        None if value.get("toolResult").is_some() => "postToolUse".to_owned(),
        None if value.get("toolName").is_some() => "preToolUse".to_owned(),
        None => String::new(),
    };
    let kind = match name.as_str() {
        "preToolUse" => Kind::Before,
        "permissionRequest" => Kind::Request,
        "postToolUse" | "postToolUseFailure" => Kind::After,
        "sessionStart" => Kind::Begins,
        "subagentStart" => Kind::SubAgentBegins,
        "sessionEnd" => Kind::Ends,
        other => claude::kind(value, other),
    };
    let mut event = fields.event(kind, &name)?;
    if value.pointer("/toolResult/resultType").is_some_and(|how| how != "success") {
        event.how = "failed".to_owned();
    }
    Ok(event)
}

fn write(event: &Event, answer: &Answer) -> Output {
    let own = event.name.chars().next().is_some_and(char::is_lowercase);
    match &answer.say {
        _ if !own => claude::write(event, answer),
        Say::Allow(reason) if event.kind == Kind::Before => {
            Output::json(&json!({ "permissionDecision": "allow", "permissionDecisionReason": reason }))
        }
        Say::Deny(reason) if event.kind == Kind::Before => {
            Output::json(&json!({ "permissionDecision": "deny", "permissionDecisionReason": reason }))
        }
        Say::Ask(reason) if event.kind == Kind::Before => {
            Output::json(&json!({ "permissionDecision": "ask", "permissionDecisionReason": reason }))
        }
        Say::Allow(_) => Output::json(&json!({ "behavior": "allow" })),
        Say::Deny(reason) => Output::json(&json!({ "behavior": "deny", "message": reason })),
        Say::Tell(text) => Output::json(&json!({ "additionalContext": text })),
        Say::Ask(_) | Say::Nothing => Output::nothing(),
    }
}
