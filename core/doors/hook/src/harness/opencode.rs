//! opencode: its plugins can only throw. The plugin that `mayi hook install opencode` writes asks this, and throws for everything
//! but an allow.

use serde_json::{Value, json};

use super::fields::EventFields;
use super::{Harness, HookAnswer, HookOutput, HookReply};
use crate::event::{EventKind, HookEvent};
use crate::tools::ToolKind;

pub(super) static HARNESS: Harness = Harness {
    name: "opencode",
    title: "opencode",
    agent: "opencode",
    read,
    write,
    tools: TOOLS,
    folder_keys: &[("bash", "workdir")],
    shows: &[],
    searches_below: &[],
    servers: server_readings,
    asks: |_| false,
};

const TOOLS: &[(&str, ToolKind)] = &[
    ("apply_patch", ToolKind::Patches),
    ("bash", ToolKind::Runs),
    ("codesearch", ToolKind::SearchesWeb),
    ("edit", ToolKind::Edits),
    ("glob", ToolKind::Finds),
    ("grep", ToolKind::Searches),
    ("list", ToolKind::Lists),
    ("patch", ToolKind::Patches),
    ("question", ToolKind::Thinks),
    ("read", ToolKind::Reads),
    ("task", ToolKind::Delegates),
    ("todoread", ToolKind::Thinks),
    ("todowrite", ToolKind::Thinks),
    ("webfetch", ToolKind::Fetches),
    ("websearch", ToolKind::SearchesWeb),
    ("write", ToolKind::Writes),
];

/// `server_tool`: every split counts, and a tool of its own has none of these.
fn server_readings(tool: &str) -> Option<Vec<(String, String)>> {
    let own = TOOLS.iter().any(|(name, _)| *name == tool);
    (!own && tool.contains('_')).then(|| mayi_core::call::McpAccess::split_name(tool, "_"))
}

fn read(value: &Value) -> Result<HookEvent, String> {
    let fields = EventFields(value);
    let name = fields.required_text(&["hook_event_name"])?;
    let kind = match name.as_str() {
        "tool.execute.before" => EventKind::Before,
        "tool.execute.after" => EventKind::After,
        _ if value.get("tool_input").is_some() => EventKind::Before,
        _ => EventKind::Other,
    };
    fields.read_event(kind, &name)
}

fn write(_: &HookEvent, answer: &HookAnswer) -> HookOutput {
    HookOutput::from_json(&match &answer.say {
        HookReply::Allow(_) => json!({ "decision": "allow" }),
        HookReply::Deny(reason) | HookReply::Ask(reason) => json!({ "decision": "deny", "reason": reason }),
        HookReply::Tell(_) | HookReply::Nothing => return HookOutput::empty(),
    })
}
