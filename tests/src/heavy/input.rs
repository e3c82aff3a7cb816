//! One input, as each door is told it.

use std::path::Path;

use serde_json::{Value, json};

use super::edits::{Edit, edits, patch};
use super::{arguments, line};
use crate::random::Random;

/// What somebody wants to do.
#[derive(Clone, Debug)]
pub enum Input {
    /// A line of a shell.
    Line(String),
    /// A call of a tool.
    Call {
        /// The tool's name.
        tool: &'static str,
        /// Its arguments.
        arguments: Value,
    },
    /// Changes of files.
    Edits(Vec<Edit>),
}

/// The tools that are called: what some of them do is told by their names.
pub const TOOLS: &[&str] = &["t", "bash", "query", "execute_command", "apply_patch"];

impl Input {
    /// One of any kind.
    pub fn any(random: &mut Random) -> Self {
        match random.below(8) {
            0..=3 => Self::Line(line(random)),
            4 | 5 => {
                let arguments = arguments(random);
                Self::Call { tool: TOOLS[random.below(TOOLS.len() - 1)], arguments }
            }
            6 => Self::Call { tool: "apply_patch", arguments: json!({ "input": patch(random) }) },
            _ => Self::Edits(edits(random)),
        }
    }

    /// How it begins, and how large it is.
    #[must_use]
    pub fn head(&self) -> String {
        let (kind, text) = match self {
            Self::Line(line) => ("line", line.clone()),
            Self::Call { tool, arguments } => (*tool, arguments.to_string()),
            Self::Edits(edits) => ("edits", format!("{} files, {:?}", edits.len(), edits.first())),
        };
        format!("{kind}, {} bytes: {}", text.len(), text.chars().take(90).collect::<String>().escape_debug())
    }

    /// A tool and its arguments.
    #[must_use]
    pub fn call(&self) -> (&'static str, Value) {
        match self {
            Self::Line(line) => ("bash", json!({ "command": line })),
            Self::Call { tool, arguments } => (*tool, arguments.clone()),
            Self::Edits(edits) => {
                let changes: Vec<Value> = edits
                    .iter()
                    .map(|edit| json!({ "file_path": edit.path, "old_string": edit.old, "new_string": edit.new }))
                    .collect();
                ("t", json!({ "edits": changes }))
            }
        }
    }

    /// The call of an agent, as the Agent Client Protocol has it.
    #[must_use]
    pub fn acp(&self, id: &str, work: &Path) -> Value {
        let (kind, input, content) = match self {
            Self::Line(line) => ("execute", json!({ "command": line }), Vec::new()),
            Self::Call { arguments, .. } => ("other", arguments.clone(), Vec::new()),
            Self::Edits(edits) => {
                let diffs = edits.iter().map(|edit| {
                    json!({ "type": "diff", "path": work.join(&edit.path), "oldText": edit.old, "newText": edit.new })
                });
                ("edit", json!({}), diffs.collect())
            }
        };
        json!({ "toolCallId": id, "title": "It does something", "kind": kind, "status": "pending", "rawInput": input, "content": content })
    }

    /// A request of `check --stdin`.
    #[must_use]
    pub fn request(&self, work: &Path) -> Value {
        let mut request = match self {
            Self::Line(line) => json!({ "kind": "shell", "command": line }),
            Self::Call { tool, arguments } => {
                json!({ "kind": "mcp", "server": "s", "tool": tool, "arguments": arguments })
            }
            Self::Edits(_) => {
                let request = json!({ "sessionId": "s", "toolCall": self.acp("t", work), "options": [] });
                json!({ "kind": "acp", "request": request })
            }
        };
        request["cwd"] = json!(work);
        request["workspace"] = json!(work);
        request
    }

    /// An event of a hook, as Claude Code has it.
    #[must_use]
    pub fn event(&self, work: &Path) -> Value {
        let (tool, input) = match self {
            Self::Line(line) => ("Bash".to_owned(), json!({ "command": line })),
            Self::Call { tool, arguments } => (format!("mcp__s__{tool}"), arguments.clone()),
            Self::Edits(edits) if edits.len() == 1 => {
                let edit = &edits[0];
                match &edit.old {
                    None => (
                        "Write".to_owned(),
                        json!({ "file_path": work.join(&edit.path), "content": edit.new }),
                    ),
                    Some(old) => (
                        "Edit".to_owned(),
                        json!({ "file_path": work.join(&edit.path), "old_string": old, "new_string": edit.new }),
                    ),
                }
            }
            Self::Edits(edits) => {
                let all: Vec<Value> = edits
                    .iter()
                    .map(|edit| json!({ "old_string": edit.old, "new_string": edit.new }))
                    .collect();
                ("MultiEdit".to_owned(), json!({ "file_path": work.join(&edits[0].path), "edits": all }))
            }
        };
        json!({ "session_id": "session-1", "cwd": work, "permission_mode": "default", "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1" })
    }
}
