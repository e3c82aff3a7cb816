//! Google's Antigravity (`agy`): allow, deny and ask before a tool; a failure blocks. Its own prompt is not silenced by an allow.

use serde_json::{Value, json};

use super::fields::Fields;
use super::{Answer, Harness, Output, Say, claude, gemini};
use crate::event::{Event, Kind};

pub(super) static HARNESS: Harness = Harness {
    name: "agy",
    title: "Antigravity",
    agent: "agy",
    read,
    write,
    tools: gemini::TOOLS,
    servers: gemini::servers,
    asks: |_| true,
};

fn read(value: &Value) -> Result<Event, String> {
    let fields = Fields(value);
    let name = fields.needed(&["hook_event_name", "hookEventName"])?;
    let kind = match name.as_str() {
        "BeforeTool" => Kind::Before,
        "AfterTool" => Kind::After,
        other => claude::kind(value, other),
    };
    fields.event(kind, &name)
}

fn write(event: &Event, answer: &Answer) -> Output {
    let (word, reason) = match &answer.say {
        Say::Allow(reason) => ("allow", reason),
        Say::Deny(reason) => ("deny", reason),
        Say::Ask(reason) => ("force_ask", reason),
        Say::Tell(_) | Say::Nothing => return claude::write(event, answer),
    };
    Output::json(&json!({ "decision": word, "reason": reason }))
}
