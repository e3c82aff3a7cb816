//! Members of an event, by the names that harnesses have for them.

use std::path::PathBuf;

use mayi_core::call::Parent;
use serde_json::Value;

use crate::event::{EventKind, HookEvent};

/// An event as JSON.
#[derive(Clone, Copy)]
pub(super) struct EventFields<'a>(pub(super) &'a Value);

impl EventFields<'_> {
    /// The text under the one of `names` that is there.
    ///
    /// # Errors
    /// If it is no text, or several are there and say different things: who reads the other one does something else than was judged.
    pub(super) fn text_field(self, names: &[&str]) -> Result<Option<String>, String> {
        let mut found: Option<String> = None;
        for name in names {
            match self.0.get(*name) {
                None | Some(Value::Null) => {}
                Some(Value::String(text)) => match &found {
                    Some(other) if other != text => {
                        return Err(format!(
                            "the event's `{name}` says something else than another of its members"
                        ));
                    }
                    _ => found = Some(text.clone()),
                },
                Some(_) => return Err(format!("the event's `{name}` is no text")),
            }
        }
        Ok(found)
    }

    /// The same, which has to be there.
    pub(super) fn required_text(self, names: &[&str]) -> Result<String, String> {
        let name = names.first().copied().unwrap_or_default();
        self.text_field(names)?
            .filter(|text| !text.is_empty())
            .ok_or_else(|| format!("the event has no `{name}`"))
    }

    /// What most harnesses say in each event, under one name or another. `kind` is what the event is about.
    pub(super) fn read_event(self, kind: EventKind, name: &str) -> Result<HookEvent, String> {
        let session = self.text_field(&["session_id", "sessionId", "sessionID", "conversation_id"])?;
        let cwd = self.text_field(&["cwd", "workdir"])?.map(PathBuf::from);
        if cwd.as_ref().is_some_and(|cwd| !cwd.is_absolute()) {
            return Err("the event's `cwd` is not absolute".to_owned());
        }
        let about = matches!(kind, EventKind::Before | EventKind::Request | EventKind::After);
        let (tool, input) = if about {
            (self.required_text(&["tool_name", "toolName"])?, self.read_tool_input()?)
        } else {
            (String::new(), Value::Null)
        };
        // Qwen Code has two, which differ; what joins an event to another is the first.
        let id = match self.text_field(&["tool_use_id", "toolUseId", "callID"])? {
            Some(id) => Some(id),
            None => self.text_field(&["toolCallId", "tool_call_id"])?,
        };
        let parent = self.text_field(&["agent_id", "agentId"])?.filter(|id| !id.is_empty());
        let title = self.text_field(&["agent_type", "agentType"])?.unwrap_or_default();
        Ok(HookEvent {
            session: session.filter(|session| !session.is_empty()),
            cwd,
            tool,
            input,
            id: id.filter(|id| !id.is_empty()),
            parent: parent.map(|id| Parent { id, title }),
            ..HookEvent::new(kind, name)
        })
    }

    /// What the tool is given: an object, or JSON text of one.
    fn read_tool_input(self) -> Result<Value, String> {
        let mut found = None;
        for name in ["tool_input", "toolInput", "toolArgs", "tool_args"] {
            let value = match self.0.get(name) {
                None => continue,
                Some(Value::String(text)) => mayi_core::call::json::parse_strict(text)
                    .map_err(|error| format!("`{name}` can't be read with certainty: {error}"))?,
                Some(value) => value.clone(),
            };
            if !(value.is_object() || value.is_null()) {
                return Err(format!("`{name}` is not an object"));
            }
            if found.as_ref().is_some_and(|found| *found != value) {
                return Err(format!("`{name}` says something else than another member of the event"));
            }
            found = Some(value);
        }
        Ok(found.unwrap_or(Value::Null))
    }
}
