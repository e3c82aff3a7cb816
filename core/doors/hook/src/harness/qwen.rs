//! Qwen Code: Claude Code's events with Gemini CLI's tools. An "ask" is denied there without a word to the person.

use serde_json::Value;

use super::{Harness, claude, gemini};
use crate::event::{Event, Kind};

pub(super) static HARNESS: Harness = Harness {
    name: "qwen",
    title: "Qwen Code",
    agent: "qwen",
    read,
    write: claude::write,
    tools: gemini::TOOLS,
    servers: claude::servers,
    asks: |event| event.kind == Kind::Request,
};

fn read(value: &Value) -> Result<Event, String> {
    (claude::HARNESS.read)(value)
}
