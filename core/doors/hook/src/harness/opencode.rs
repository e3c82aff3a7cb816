//! opencode: its plugins can only throw. The plugin that `mayi hook install opencode` writes asks this, and throws for everything
//! but an allow.

use serde_json::{Value, json};

use super::fields::Fields;
use super::{Answer, Harness, Output, Say};
use crate::event::{Event, Kind};
use crate::tools::Does;

pub(super) static HARNESS: Harness = Harness {
    name: "opencode",
    title: "opencode",
    agent: "opencode",
    read,
    write,
    tools: TOOLS,
    servers,
    asks: |_| false,
};

const TOOLS: &[(&str, Does)] = &[
    ("apply_patch", Does::Patches),
    ("bash", Does::Runs),
    ("codesearch", Does::SearchesWeb),
    ("edit", Does::Edits),
    ("glob", Does::Finds),
    ("grep", Does::Searches),
    ("list", Does::Lists),
    ("patch", Does::Patches),
    ("question", Does::Thinks),
    ("read", Does::Reads),
    ("task", Does::Delegates),
    ("todoread", Does::Thinks),
    ("todowrite", Does::Thinks),
    ("webfetch", Does::Fetches),
    ("websearch", Does::SearchesWeb),
    ("write", Does::Writes),
];

/// `server_tool`: every split counts, and a tool of its own has none of these.
fn servers(tool: &str) -> Option<Vec<(String, String)>> {
    let own = TOOLS.iter().any(|(name, _)| *name == tool);
    (!own && tool.contains('_')).then(|| mayi_core::call::McpAccess::readings(tool, "_"))
}

fn read(value: &Value) -> Result<Event, String> {
    let fields = Fields(value);
    let name = fields.needed(&["hook_event_name"])?;
    let kind = match name.as_str() {
        "tool.execute.before" => Kind::Before,
        "tool.execute.after" => Kind::After,
        _ if value.get("tool_input").is_some() => Kind::Before,
        _ => Kind::Other,
    };
    fields.event(kind, &name)
}

fn write(_: &Event, answer: &Answer) -> Output {
    Output::json(&match &answer.say {
        Say::Allow(_) => json!({ "decision": "allow" }),
        Say::Deny(reason) | Say::Ask(reason) => json!({ "decision": "deny", "reason": reason }),
        Say::Tell(_) | Say::Nothing => return Output::nothing(),
    })
}
