//! Google's Antigravity (`agy`): allow, deny and ask before a tool; a failure blocks. Its own prompt is not silenced by an allow.

use serde_json::{Value, json};

use super::fields::EventFields;
use super::{Harness, HookAnswer, HookOutput, HookReply, claude, gemini};
use crate::event::{EventKind, HookEvent};

pub(super) static HARNESS: Harness = Harness {
    name: "agy",
    title: "Antigravity",
    agent: "agy",
    read,
    write,
    tools: gemini::TOOLS,
    folder_keys: &[],
    shows: &["edit", "replace"],
    searches_below: &["replace"],
    servers: gemini::server_readings,
    asks: |_| true,
};

fn read(value: &Value) -> Result<HookEvent, String> {
    let fields = EventFields(value);
    let name = fields.required_text(&["hook_event_name", "hookEventName"])?;
    let kind = match name.as_str() {
        "BeforeTool" => EventKind::Before,
        "AfterTool" => EventKind::After,
        other => claude::event_kind(value, other),
    };
    fields.read_event(kind, &name)
}

fn write(event: &HookEvent, answer: &HookAnswer) -> HookOutput {
    let (word, reason) = match &answer.say {
        HookReply::Allow(reason) => ("allow", reason),
        HookReply::Deny(reason) => ("deny", reason),
        HookReply::Ask(reason) => ("force_ask", reason),
        HookReply::Tell(_) | HookReply::Nothing => return claude::write(event, answer),
    };
    HookOutput::from_json(&json!({ "decision": word, "reason": reason }))
}
