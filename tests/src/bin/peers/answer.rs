//! What the answer of a hook means to Claude Code, which is the harness that all of these gates are made for.

use serde_json::Value;

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Answer {
    /// It runs, and nobody is asked.
    Allowed,
    /// The gate says nothing: the harness does what it would do without one.
    Left,
    /// The harness asks the person.
    Asked,
    /// It does not run.
    Denied,
    /// The harness takes the hook for broken, and does what it would do without one.
    Failed,
}

impl Answer {
    /// All of them, in the order of the table's columns.
    pub(crate) const ALL: [Self; 5] = [Self::Allowed, Self::Left, Self::Asked, Self::Denied, Self::Failed];

    /// What a hook said by its end and on its standard output. docs/hooks.md has the rules: exit code 2 blocks, any other but 0
    /// is an error that blocks nothing, and with 0 a decision counts in either of its two shapes.
    pub(crate) fn of(code: Option<i32>, stdout: &str) -> Self {
        match code {
            Some(0) => {}
            Some(2) => return Self::Denied,
            _ => return Self::Failed,
        }
        if stdout.trim().is_empty() {
            return Self::Left;
        }
        let Ok(said) = serde_json::from_str::<Value>(stdout) else { return Self::Failed };
        if said["continue"] == Value::Bool(false) {
            return Self::Denied;
        }
        match (said["hookSpecificOutput"]["permissionDecision"].as_str(), said["decision"].as_str()) {
            (Some("allow"), _) | (None, Some("approve")) => Self::Allowed,
            (Some("ask"), _) => Self::Asked,
            (Some("deny"), _) | (None, Some("block")) => Self::Denied,
            (None, None) => Self::Left,
            _ => Self::Failed,
        }
    }

    /// Its name in lists.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Left => "left",
            Self::Asked => "asked",
            Self::Denied => "denied",
            Self::Failed => "failed",
        }
    }
}

/// Why the answers of a gate to a line that everybody runs and to one that nobody wants can't be those of one that looks at
/// lines: a call that is broken must not count as one that allows everything, or denies it.
pub(crate) fn doubt(harmless: Answer, dangerous: Answer) -> Option<&'static str> {
    match (harmless, dangerous) {
        (Answer::Failed, _) | (_, Answer::Failed) => Some("its hook fails"),
        (_, Answer::Allowed) => Some("it allows that the home folder is removed"),
        (one, other) if one == other => Some("it answers the same to any line"),
        (one, other) if one > other => Some("it is stricter with what is harmless"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_the_end_of_a_hook_then_it_means_what_it_means_to_claude_code() {
        let new = |word: &str| {
            format!(
                "{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"{word}\"}}}}"
            )
        };
        for (code, stdout, expected) in [
            (Some(0), new("allow"), Answer::Allowed),
            (Some(0), new("ask"), Answer::Asked),
            (Some(0), new("deny"), Answer::Denied),
            (Some(0), new("what"), Answer::Failed),
            (Some(0), "{\"decision\":\"approve\"}".to_owned(), Answer::Allowed),
            (Some(0), "{\"decision\":\"block\",\"reason\":\"x\"}".to_owned(), Answer::Denied),
            (Some(0), "{\"continue\":false}".to_owned(), Answer::Denied),
            (Some(0), String::new(), Answer::Left),
            (Some(0), " {}\n".to_owned(), Answer::Left),
            (Some(0), "{\"systemMessage\":\"x\"}".to_owned(), Answer::Left),
            (Some(0), "usage: gate".to_owned(), Answer::Failed),
            (Some(2), String::new(), Answer::Denied),
            (Some(2), new("allow"), Answer::Denied),
            (Some(1), new("deny"), Answer::Failed),
            (Some(127), String::new(), Answer::Failed),
            (None, String::new(), Answer::Failed),
        ] {
            assert_eq!(Answer::of(code, &stdout), expected, "{code:?} {stdout}");
        }
    }

    #[test]
    fn given_a_gate_that_does_not_look_at_lines_then_it_is_no_peer() {
        for (harmless, dangerous) in [
            (Answer::Left, Answer::Left),
            (Answer::Denied, Answer::Denied),
            (Answer::Allowed, Answer::Allowed),
            (Answer::Failed, Answer::Denied),
            (Answer::Left, Answer::Failed),
            (Answer::Denied, Answer::Asked),
        ] {
            assert!(doubt(harmless, dangerous).is_some(), "{harmless:?} {dangerous:?}");
        }
        for (harmless, dangerous) in [
            (Answer::Allowed, Answer::Denied),
            (Answer::Allowed, Answer::Left),
            (Answer::Left, Answer::Denied),
            (Answer::Asked, Answer::Denied),
        ] {
            assert_eq!(doubt(harmless, dangerous), None, "{harmless:?} {dangerous:?}");
        }
    }
}
