//! What `run` writes: for people, as one JSON object, or as JSON lines.

use std::io::{self, Write};

use mayi_acp::AcpEvent;
use mayi_core::gate::{GateEvent, ReportedEnd, Tally};
use serde_json::{Value, json};

use crate::surface::Screen;

use super::text::TextOutput;

/// The version of the JSON shapes; it changes when a reader of the old ones would go wrong.
pub(super) const VERSION: u32 = 1;

/// How it ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Ending {
    pub(super) session: Option<String>,
    pub(super) stop_reason: Option<String>,
    pub(super) exit_code: i32,
    pub(super) error: Option<String>,
    pub(super) tally: Tally,
    /// What a Responses API made, as it ends.
    pub(super) response: Option<Value>,
}

/// Where what happens goes.
pub(super) enum Output {
    /// The agent's words on standard output, the rest on standard error.
    Text(TextOutput),
    /// One object at the end.
    Json { text: String, notices: Vec<String> },
    /// One object a line, as it happens: the first one is of type `start`, the last one `result`.
    Stream { text: String, early: Option<Vec<Value>> },
}

impl Output {
    /// The session is open.
    pub(super) fn write_start(&mut self, start: &Value) -> io::Result<()> {
        match self {
            Self::Text(_) | Self::Json { .. } => Ok(()),
            Self::Stream { early, .. } => {
                let early = early.take().unwrap_or_default();
                let mut line = json!({"type": "start", "version": VERSION});
                merge_members(&mut line, start);
                write_line(&line)?;
                early.iter().try_for_each(write_line)
            }
        }
    }

    /// Something happened at the agent's side.
    pub(super) fn write_agent_event(&mut self, event: AcpEvent) -> io::Result<()> {
        match self {
            Self::Text(text) => text.write_agent_event(event),
            Self::Json { text, notices } => {
                collect_text(text, &event);
                if let AcpEvent::Notice(notice) = event {
                    notices.push(notice);
                }
                Ok(())
            }
            Self::Stream { text, early } => {
                collect_text(text, &event);
                let line = match event {
                    AcpEvent::Update { session, update } => {
                        json!({"type": "update", "sessionId": session, "update": update})
                    }
                    // No decision: what is told is what the policy says of what has run.
                    AcpEvent::Unasked { session, tool_call_id, title, decision, end } => json!({
                        "type": "unasked", "sessionId": session, "toolCallId": tool_call_id, "title": title,
                        "policy": decision.effect, "why": decision.trail, "failed": end == ReportedEnd::Failed,
                    }),
                    AcpEvent::Notice(text) => json!({"type": "notice", "text": text}),
                    AcpEvent::Stderr(text) => json!({"type": "stderr", "text": text}),
                };
                match early {
                    Some(early) => {
                        early.push(line);
                        Ok(())
                    }
                    None => write_line(&line),
                }
            }
        }
    }

    /// A text of the answer that a Responses API gives, or another event of it.
    pub(super) fn write_response_event(&mut self, event: &Value) -> io::Result<()> {
        let text = (event.get("type").and_then(Value::as_str) == Some("response.output_text.delta"))
            .then(|| event.get("delta").and_then(Value::as_str))
            .flatten();
        match self {
            Self::Text(written) => text.map_or(Ok(()), |text| written.write_answer_text(text)),
            Self::Json { text: all, .. } => {
                append_text(all, text.unwrap_or_default());
                Ok(())
            }
            Self::Stream { text: all, .. } => {
                append_text(all, text.unwrap_or_default());
                write_line(&json!({"type": "event", "event": event}))
            }
        }
    }

    /// Something happened at the gate.
    pub(super) fn write_gate_event(&mut self, event: &GateEvent) -> io::Result<()> {
        match self {
            Self::Text(text) => text.write_gate_event(event),
            Self::Json { .. } => Ok(()),
            Self::Stream { .. } => match event {
                GateEvent::Asked(card) => write_line(card),
                GateEvent::Updated(card) => {
                    let mut value = serde_json::to_value(card).map_err(io::Error::other)?;
                    merge_members(&mut value, &json!({"type": "approval-updated"}));
                    write_line(&value)
                }
                GateEvent::Resolved(resolved) => write_line(resolved),
                GateEvent::InLine(_) => Ok(()),
                GateEvent::Decided { session, tool_call_id, decision, title, by } => write_line(&json!({
                    "type": "decision", "sessionId": session, "toolCallId": tool_call_id, "title": title, "by": by, "decision": decision,
                })),
            },
        }
    }

    /// Something that mayi says.
    pub(super) fn write_notice(&mut self, notice: &str) -> io::Result<()> {
        self.write_agent_event(AcpEvent::Notice(notice.to_owned()))
    }

    /// It is over.
    pub(super) fn write_end(&mut self, ending: &Ending) -> io::Result<()> {
        if let Self::Stream { early: Some(_), .. } = self {
            // It never came to a session: the stream still has both its ends.
            self.write_start(&json!({"sessionId": null}))?;
        }
        let (text, notices) = match self {
            Self::Text(text) => return text.write_end(ending),
            Self::Json { text, notices } => (std::mem::take(text), Some(std::mem::take(notices))),
            Self::Stream { text, .. } => (std::mem::take(text), None),
        };
        let mut result = json!({
            "type": "result", "version": VERSION, "sessionId": ending.session, "stopReason": ending.stop_reason,
            "exitCode": ending.exit_code, "error": ending.error, "text": text, "tally": ending.tally,
        });
        if let Some(response) = &ending.response {
            merge_members(&mut result, &json!({"response": response}));
        }
        if let Some(notices) = notices {
            merge_members(&mut result, &json!({"notices": notices}));
        }
        write_line(&result)
    }
}

/// The most of the agent's words that the result holds.
const MOST_TEXT: usize = 64 * 1024 * 1024;

fn collect_text(text: &mut String, event: &AcpEvent) {
    if let AcpEvent::Update { update, .. } = event
        && let Some(chunk) = message_chunk(update)
    {
        append_text(text, chunk);
    }
}

fn append_text(text: &mut String, chunk: &str) {
    if text.len() + chunk.len() <= MOST_TEXT {
        text.push_str(chunk);
    }
}

/// The text of an `agent_message_chunk`.
pub(super) fn message_chunk(update: &Value) -> Option<&str> {
    (update.get("sessionUpdate")?.as_str()? == "agent_message_chunk")
        .then(|| update.pointer("/content/text")?.as_str())?
}

fn merge_members(into: &mut Value, from: &Value) {
    if let (Some(into), Some(from)) = (into.as_object_mut(), from.as_object()) {
        for (key, value) in from {
            into.insert(key.clone(), value.clone());
        }
    }
}

fn write_line(value: &impl serde::Serialize) -> io::Result<()> {
    let mut line = crate::print::json_line(value).map_err(io::Error::other)?;
    line.push('\n');
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes())?;
    out.flush()
}

impl Output {
    pub(super) fn json() -> Self {
        Self::Json { text: String::new(), notices: Vec::new() }
    }

    pub(super) fn stream() -> Self {
        Self::Stream { text: String::new(), early: Some(Vec::new()) }
    }

    pub(super) fn text(screen: Screen, quiet: bool, verbose: bool, prompts: bool) -> Self {
        Self::Text(TextOutput::new(screen, quiet, verbose, prompts))
    }
}
