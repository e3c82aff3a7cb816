//! A person's machine, a session of a harness on it, and what its hooks answer.

use std::ffi::OsString;

use mayi_tests::{Ended, Machine, Mayi};
use serde_json::{Value, json};

/// A machine on which Claude Code works in a session.
pub(crate) struct Scene {
    pub(crate) machine: Machine,
}

/// What a hook answered.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) code: i32,
    /// `allow`, `deny`, `ask`, or nothing.
    pub(crate) decision: String,
    pub(crate) reason: String,
    pub(crate) value: Value,
    pub(crate) err: String,
}

impl Scene {
    /// The user's configuration is `config`.
    pub(crate) fn new(config: &str) -> Self {
        Self { machine: Machine::new().user(config) }
    }

    /// The options by which mayi's folders are the machine's: a hook does not believe its environment.
    pub(crate) fn folders(&self) -> Vec<OsString> {
        let folder = |name: &str| self.machine.outside(name).join("mayi").into_os_string();
        let options = [("--config-folder", "config"), ("--data-folder", "data"), ("--state-folder", "state")];
        options.into_iter().flat_map(|(option, name)| [OsString::from(option), folder(name)]).collect()
    }

    /// The command of a hook.
    pub(crate) fn hook(&self, harness: &str, options: &[&str]) -> Mayi {
        let words = ["hook", harness].into_iter().chain(options.iter().copied()).map(OsString::from);
        self.machine.mayi(words.chain(self.folders()))
    }

    /// An event of Claude Code's.
    pub(crate) fn event(&self, name: &str, tool: &str, input: &Value, id: &str) -> Value {
        json!({ "session_id": "session-1", "cwd": self.machine.work(), "permission_mode": "default",
            "hook_event_name": name, "tool_name": tool, "tool_input": input, "tool_use_id": id })
    }

    /// What is said before `tool` runs with `input`.
    pub(crate) fn before(&self, tool: &str, input: &Value) -> Answer {
        self.answer(&self.event("PreToolUse", tool, input, "toolu_1"))
    }

    /// What is said to an event.
    pub(crate) fn answer(&self, event: &Value) -> Answer {
        Answer::of(self.hook("claude-code", &[]).input(event.to_string().as_bytes()).end())
    }

    /// The record's entries, oldest first.
    pub(crate) fn entries(&self) -> Vec<Value> {
        let text = self.machine.mayi(["log", "--json", "--all"]).end().text();
        let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines.sort_by_key(|line| line["seq"].as_u64());
        lines
    }
}

impl Answer {
    pub(crate) fn of(ended: Ended) -> Self {
        let out = ended.text();
        let value: Value = serde_json::from_str(&out).unwrap_or(Value::Null);
        assert!(value != Value::Null || out.is_empty(), "not JSON: {out}");
        let said = &value["hookSpecificOutput"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Self {
            code: ended.code.unwrap_or(-1),
            decision: text(&said["permissionDecision"]),
            reason: text(&said["permissionDecisionReason"]),
            err: ended.err.clone(),
            value,
        }
    }

    /// It blocks: exit code 2, nothing on standard output, and one line that says why.
    #[track_caller]
    pub(crate) fn blocks(&self, why: &str) {
        assert_eq!(self.code, 2, "{self:?}");
        assert_eq!(self.value, Value::Null, "{self:?}");
        assert!(self.err.starts_with("mayi: blocked") && self.err.contains(why), "{self:?}");
        assert_eq!(self.err.lines().count(), 1, "{self:?}");
    }

    #[track_caller]
    pub(crate) fn is(&self, decision: &str) -> &Self {
        assert_eq!((self.code, self.decision.as_str()), (0, decision), "{self:?}");
        self
    }
}
