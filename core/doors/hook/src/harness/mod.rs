//! The harnesses, one adapter a file: how an event is read, how an answer is written, and what their own tools do.
//!
//! What is known of each, with the version and how it was tried, stands in `docs/hooks.md`.

mod agy;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod fields;
mod gemini;
mod opencode;
mod qwen;
mod vscode;

use std::io::{self, Write as _};
use std::process::ExitCode;

use mayi_core::call::{AgentId, NamedDoor};
use serde_json::Value;

use crate::event::{EventKind, HookEvent};
use crate::tools::ToolKind;

/// Every way to split a name into a server and a tool of it.
pub(crate) type ServerReadings = Vec<(String, String)>;

/// A harness: an agent that runs in its own terminal or editor, and starts hooks.
#[derive(Debug)]
pub struct Harness {
    /// As it is called on the command line.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The agent that it is, by the id that mayi starts it under.
    agent: &'static str,
    /// Reads an event.
    pub(crate) read: fn(&Value) -> Result<HookEvent, String>,
    /// Writes the answer to one.
    pub(crate) write: fn(&HookEvent, &HookAnswer) -> HookOutput,
    /// What its own tools do.
    pub(crate) tools: &'static [(&'static str, ToolKind)],
    /// Its tools that run commands, and the key under which each takes the folder to run in. Any other one it may read or not.
    pub(crate) folder_keys: &'static [(&'static str, &'static str)],
    /// Its tools that change a file and show in their result what else it holds, in any version that is known.
    pub(crate) shows: &'static [&'static str],
    /// Its tools that look for a relative path that is not there below the session's folders.
    pub(crate) searches_below: &'static [&'static str],
    /// Every way to split a tool's name into a server and a tool of it, if it is one of an MCP server.
    pub(crate) servers: fn(&str) -> Option<ServerReadings>,
    /// Whether "ask" has the harness ask the person, in the mode of the event. Where it does not, the tool would run.
    pub(crate) asks: fn(&HookEvent) -> bool,
}

/// What mayi says to an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookReply {
    /// The tool may run.
    Allow(String),
    /// It may not: why, for the model.
    Deny(String),
    /// The person is to be asked, by the harness: why.
    Ask(String),
    /// Nothing: the harness goes on by itself.
    Nothing,
    /// The model is told this.
    Tell(String),
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookAnswer {
    /// What becomes of it.
    pub say: HookReply,
    /// What the person is told besides, where the harness has a place for it.
    pub notice: Option<String>,
}

/// What a hook's process leaves behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookOutput {
    /// The exit code.
    pub code: u8,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl HookOutput {
    /// The exit code by which harnesses block what is about to happen. All others have the tool run in most of them.
    pub const BLOCKS: u8 = 2;

    /// Blocks, whatever it is about: one line for the model and the person.
    #[must_use]
    pub fn blocked(reason: &str) -> Self {
        let line = mayi_core::approval::escape_line(reason);
        Self { code: Self::BLOCKS, out: String::new(), err: format!("mayi: {line}\n") }
    }

    /// The same for `harness`: Gemini CLI and Qwen Code take what another hook says on standard output before the code.
    #[must_use]
    pub fn blocked_for(harness: &str, reason: &str) -> Self {
        let blocked = Self::blocked(reason);
        match harness {
            "gemini" | "qwen" => {
                let out = serde_json::json!({ "decision": "deny", "reason": blocked.err.trim_end() });
                Self { out: format!("{out}\n"), ..blocked }
            }
            _ => blocked,
        }
    }

    /// Nothing is said.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Says it to the harness, and returns its code. What can't be written down is no answer.
    pub(crate) fn write(&self) -> ExitCode {
        let mut stdout = io::stdout();
        let written = stdout
            .write_all(self.out.as_bytes())
            .and_then(|()| stdout.flush())
            .and_then(|()| io::stderr().write_all(self.err.as_bytes()));
        ExitCode::from(if written.is_ok() { self.code } else { Self::BLOCKS })
    }

    /// `value` on standard output.
    pub(crate) fn from_json(value: &Value) -> Self {
        Self { out: format!("{value}\n"), ..Self::default() }
    }
}

/// All of them.
pub static HARNESSES: &[&Harness] = &[
    &claude::HARNESS,
    &codex::HARNESS,
    &gemini::HARNESS,
    &qwen::HARNESS,
    &copilot::HARNESS,
    &cursor::HARNESS,
    &vscode::HARNESS,
    &opencode::HARNESS,
    &agy::HARNESS,
];

impl Harness {
    /// The one with this name.
    #[must_use]
    pub fn find_by_name(name: &str) -> Option<&'static Self> {
        HARNESSES.iter().copied().find(|harness| harness.name == name)
    }

    /// Whether what a hook asks about becomes the harness's own prompt. Where that can't be relied on, it is denied.
    #[must_use]
    pub fn can_ask(&self) -> bool {
        (self.asks)(&HookEvent::new(EventKind::Before, ""))
    }

    /// Whose its calls are: the agent's that comes to this door. What denies or is stricter for any of that agent's names counts
    /// for it; what was allowed to the one that mayi starts does not (D1.20).
    #[must_use]
    pub fn agent(&self) -> AgentId {
        AgentId::at_door(NamedDoor::Hook, self.agent)
    }

    /// Reads the text of an event, strictly: what two programs could read differently is refused.
    ///
    /// # Errors
    /// What is wrong with it, one line.
    pub fn parse_event(&self, text: &str) -> Result<HookEvent, String> {
        let value = mayi_core::call::json::parse_strict(text)
            .map_err(|error| format!("the event can't be read with certainty: {error}"))?;
        if !value.is_object() {
            return Err("the event is not an object".to_owned());
        }
        (self.read)(&value)
    }

    /// What the harness gets for `answer`.
    #[must_use]
    pub fn output_for(&self, event: &HookEvent, answer: &HookAnswer) -> HookOutput {
        // What can't be said by an event that decides nothing is nothing.
        match (&answer.say, event.kind) {
            (HookReply::Nothing, _) if answer.notice.is_none() => HookOutput::empty(),
            (_, EventKind::After | EventKind::Ends | EventKind::Other) => HookOutput::empty(),
            _ => (self.write)(event, answer),
        }
    }
}

#[cfg(test)]
mod tests;
