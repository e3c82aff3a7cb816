//! `session/request_permission` of version 2: what it is about, and the call that this is.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::adapt::{self, CallOrigin};
use crate::input::non_empty_text;
use crate::options;
use crate::permission;
use crate::tool_calls::{ToolCallState, ToolCalls};
use mayi_core::approval::{AgentOption, OptionKind};
use mayi_core::call::{Access, Call, Category, SessionId};

/// What a request is about.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A tool call, with what the request says of it.
    ToolCall {
        /// Its id.
        id: String,
        /// What is said of it.
        fields: Map<String, Value>,
    },
    /// A command that the agent would run.
    Command {
        /// The line.
        line: String,
        /// Where it would run.
        cwd: String,
        /// The tool call that it belongs to.
        id: Option<String>,
    },
    /// Nothing that mayi knows, or nothing at all.
    Other(Value),
}

/// Reads what a request is about.
///
/// # Errors
/// Says what is missing, or what of it is of another version or of two kinds: what one reader shows, another one would not.
pub fn read(params: &Value) -> Result<Subject, &'static str> {
    if non_empty_text(params, "title").is_none() {
        return Err("session/request_permission needs a title");
    }
    if params.get("toolCall").is_some() {
        return Err("a toolCall stands in a subject in version 2 of the protocol");
    }
    let subject = match params.get("subject") {
        None | Some(Value::Null) => return Ok(Subject::Other(Value::Null)),
        Some(subject) => subject,
    };
    let kind = subject.get("type").and_then(Value::as_str).ok_or("a subject needs a type")?;
    let two = |other: &[&str]| other.iter().any(|name| subject.get(*name).is_some());
    match kind {
        "tool_call" if two(&["command", "cwd", "toolCallId"]) => {
            Err("a subject is a tool call or a command, not both")
        }
        "tool_call" => {
            let fields = subject.get("toolCall").and_then(Value::as_object);
            let fields = fields.ok_or("a subject of type tool_call needs a toolCall")?;
            let id = fields.get("toolCallId").and_then(Value::as_str).filter(|id| !id.is_empty());
            let id = id.ok_or("a toolCall needs a toolCallId")?.to_owned();
            Ok(Subject::ToolCall { id, fields: fields.clone() })
        }
        "command" if two(&["toolCall"]) => Err("a subject is a tool call or a command, not both"),
        "command" => {
            let line =
                non_empty_text(subject, "command").ok_or("a subject of type command needs a command")?;
            let cwd = non_empty_text(subject, "cwd").filter(|cwd| Path::new(cwd).is_absolute());
            let cwd = cwd.ok_or("a subject of type command needs a cwd, an absolute path")?;
            let id = match subject.get("toolCallId") {
                None | Some(Value::Null) => None,
                Some(Value::String(id)) if !id.is_empty() => Some(id.clone()),
                Some(_) => return Err("a toolCallId is a text"),
            };
            Ok(Subject::Command { line, cwd, id })
        }
        _ => Ok(Subject::Other(subject.clone())),
    }
}

impl Subject {
    /// The tool call that it is about.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::ToolCall { id, .. } => Some(id),
            Self::Command { id, .. } => id.as_deref(),
            Self::Other(_) => None,
        }
    }
}

/// The call that a request means, and the options that it offers. `big`: there are numbers in its input that readers disagree on.
pub fn read_subject_request(
    from: &CallOrigin<'_>,
    calls: &mut ToolCalls,
    subject: &Subject,
    params: &Value,
    big: bool,
) -> (Call, Vec<AgentOption>) {
    // As the agent told it: a session that nobody announced has tool calls of its own.
    let session = &SessionId(non_empty_text(params, "sessionId").unwrap_or_default());
    let (mut call, mut options) = match subject {
        Subject::ToolCall { id, fields } => {
            let mut known = calls.merge_request(session, id, fields);
            known.ambiguous |= big;
            permission::read_permission_request(from, &known, params)
        }
        Subject::Command { line, cwd, id } => {
            let input = json!({"command": line, "cwd": cwd});
            let fields = json!({"kind": "execute", "title": line, "rawInput": input});
            let (mut call, options) =
                permission::read_permission_request(from, &ToolCallState::from_fields(&fields), params);
            // What was told of the tool call is judged too: where it is something else, the stricter counts.
            let known = id.as_ref().map(|id| calls.merge_request(session, id, &Map::new()));
            if let Some(known) = known.filter(says_what) {
                let told = permission::read_permission_request(from, &known, params).0;
                let fresh: Vec<Access> =
                    told.accesses.into_iter().filter(|access| !call.accesses.contains(access)).collect();
                call.accesses.extend(fresh);
                call.diffs.extend(told.diffs);
                call.notes.extend(told.notes);
                call.not_shown.extend(told.not_shown.into_iter().filter(|what| !what.contains("option")));
                call.by_hand = call.by_hand.or(told.by_hand);
                call.parent = told.parent;
            }
            (call, options)
        }
        Subject::Other(value) => {
            let fields = json!({"kind": "other", "rawInput": value});
            let (mut call, options) =
                permission::read_permission_request(from, &ToolCallState::from_fields(&fields), params);
            call.accesses.push(Access::Tool {
                name: "something that only the agent knows".to_owned(),
                category: Category::Execute,
            });
            call.by_hand = Some("the agent asks about something that mayi does not know".to_owned());
            (call, options)
        }
    };
    if matches!(subject, Subject::Other(_)) {
        // Once, or not at all.
        options.retain(|option| option.kind == OptionKind::AllowOnce || option.kind.rejects());
        options.retain(|option| {
            !(option.kind == OptionKind::AllowOnce
                && options::find_allow_once(std::slice::from_ref(option)).is_none())
        });
    }
    let said = non_empty_text(params, "title").unwrap_or_default();
    call.notes.insert(0, format!("The agent asks: {said}"));
    if let Some(more) = non_empty_text(params, "description") {
        call.notes.insert(1, format!("The agent says: {more}"));
    }
    if call.title.is_empty() {
        call.title = said;
    }
    (call, options)
}

/// Whether something is known of a tool call beyond what it is called.
fn says_what(known: &ToolCallState) -> bool {
    known.ambiguous
        || ["rawInput", "content", "locations"].iter().any(|name| known.fields.contains_key(*name))
}

/// The call that a terminal of the agent's is, with the command that it has told.
#[must_use]
pub fn terminal_call(from: &CallOrigin<'_>, line: &str, cwd: Option<&str>) -> Call {
    let input = json!({"command": line, "cwd": cwd});
    adapt::tool_call(
        from,
        &ToolCallState::from_fields(&json!({"kind": "execute", "title": line, "rawInput": input})),
        Vec::new(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attack 438: a request that is two things, or of two versions.
    #[test]
    fn given_a_request_that_is_two_things_then_it_is_refused() {
        let request = |subject: Value| json!({"title": "t", "subject": subject});
        for params in [
            json!({"subject": null}),
            json!({"title": "t", "toolCall": {"toolCallId": "a"}}),
            request(json!("command")),
            request(json!({"type": 1})),
            request(json!({"type": "tool_call"})),
            request(json!({"type": "tool_call", "toolCall": {"toolCallId": ""}})),
            request(json!({"type": "tool_call", "toolCall": {"toolCallId": "a"}, "command": "x"})),
            request(json!({"type": "command", "command": "x"})),
            request(json!({"type": "command", "command": "x", "cwd": "rel"})),
            request(json!({"type": "command", "command": "", "cwd": "/"})),
            request(json!({"type": "command", "command": "x", "cwd": "/", "toolCallId": 7})),
            request(json!({"type": "command", "command": "x", "cwd": "/", "toolCall": {"toolCallId": "a"}})),
        ] {
            assert!(read(&params).is_err(), "{params}");
        }
        for params in
            [json!({"title": "t"}), request(Value::Null), request(json!({"type": "_new", "command": "x"}))]
        {
            assert!(matches!(read(&params), Ok(Subject::Other(_))), "{params}");
        }
    }
}
