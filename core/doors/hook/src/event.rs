//! One event of a harness, whatever its own words for it are.

use std::path::PathBuf;

use mayi_core::call::Parent;
use serde_json::Value;

/// An event, as an adapter has read it.
#[derive(Clone, Debug, PartialEq)]
pub struct HookEvent {
    /// What it is about.
    pub kind: EventKind,
    /// The harness's own name for it: what an answer repeats.
    pub name: String,
    /// The session, by the harness's id; none, where it tells of none.
    pub session: Option<String>,
    /// The folder that the session works in now.
    pub cwd: Option<PathBuf>,
    /// The harness's own mode.
    pub mode: OwnMode,
    /// The tool, by the harness's name.
    pub tool: String,
    /// The MCP server that it is a tool of, where the harness says so besides.
    pub server: Option<String>,
    /// What that server calls the tool, where the harness says so besides.
    pub server_tool: Option<String>,
    /// What the tool is given.
    pub input: Value,
    /// The harness's id of the tool call.
    pub id: Option<String>,
    /// The sub-agent that wants it, and of which type it is.
    pub parent: Option<Parent>,
    /// How a tool call ended, as one line.
    pub how: String,
}

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A tool is about to run: the answer decides.
    Before,
    /// The harness is about to ask the person: an answer takes its place.
    Request,
    /// A tool has run.
    After,
    /// A session begins: the model can be told something.
    Begins,
    /// A sub-agent begins: its model can be told something.
    SubAgentBegins,
    /// A session ends.
    Ends,
    /// Something that mayi has no part in.
    Other,
}

impl EventKind {
    /// Whether what happens next depends on the answer, so that a failure has to block it.
    #[must_use]
    pub fn needs_decision(self) -> bool {
        matches!(self, Self::Before | Self::Request)
    }
}

/// The harness's own permission mode, as far as it matters here: the stricter of it and mayi's counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OwnMode {
    /// It asks, or does not say.
    #[default]
    Asks,
    /// It only plans.
    Plans,
    /// It does without asking what mayi may ask about, by its own name for that: mayi's answer holds all the same.
    Lax(String),
}

impl HookEvent {
    /// An event of this kind about nothing yet.
    #[must_use]
    pub fn new(kind: EventKind, name: &str) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            session: None,
            cwd: None,
            mode: OwnMode::Asks,
            tool: String::new(),
            server: None,
            server_tool: None,
            input: Value::Null,
            id: None,
            parent: None,
            how: "completed".to_owned(),
        }
    }
}
