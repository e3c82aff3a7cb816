//! The list of behaviours, and what each does in a turn.

use serde_json::Value;

use crate::agent::{Agent, quit};
use crate::{asks, noise, sides};

/// How each behaviour is written, and what it does.
const BEHAVIOURS: [(&str, &str); 37] = [
    ("updates N", "sends N message chunks"),
    ("big BYTES", "sends one message chunk of BYTES"),
    ("big-ask BYTES", "asks with BYTES of text in rawInput"),
    ("invalid-json", "sends a line that is not JSON in the turn"),
    ("invalid-json-early", "sends a line that is not JSON before it answers initialize; then asks once"),
    ("not-jsonrpc", "sends a JSON object that is no message"),
    ("batch", "sends an update and a permission request as a JSON array"),
    ("garbage-bytes", "sends a line that is not UTF-8"),
    ("unknown-method", "calls _vendor/thing and bogus/method, and tells the errors"),
    ("duplicate-responses", "answers the prompt twice, and a request nobody sent"),
    ("silent", "never answers anything"),
    ("silent-prompt", "never answers the prompt"),
    ("die", "exits with 3 in the middle of the turn"),
    ("die-early", "exits with 1 at once"),
    ("die-asking", "opens a permission request and exits with 3"),
    ("ignore-cancel", "silent on a prompt; ignores session/cancel, SIGTERM and the end of the input"),
    ("dup-keys", "asks with a duplicate key in rawInput"),
    ("lone-surrogate", "asks with a lone surrogate in rawInput"),
    ("no-options", "asks without any option"),
    ("dup-options", "asks with an allow and a reject of the same id"),
    ("no-allow", "asks with rejects only"),
    ("only-always", "asks with two allow_always of different scope, and a reject"),
    ("switch-options", "asks for an edit with a mode switch among the options"),
    ("unknown-kind", "asks with an option of an unknown kind"),
    ("id-only", "announces a call, then asks with its id only"),
    ("cancel-own", "asks, withdraws that with $/cancel_request, and tells the answer"),
    ("late-ask", "asks 100 ms after the end of the turn"),
    ("ask-after-cancel", "waits for session/cancel, then asks"),
    ("wrong-session", "asks for the session \"other\""),
    ("two-asks", "asks for an edit and a command at once"),
    ("many-asks N", "asks N times at once"),
    ("heavy-asks N", "asks N times at once for what is made to be slow or large"),
    ("ansi", "speaks and asks with terminal escapes, bidi overrides and a fake prompt"),
    ("side-write PATH CONTENT", "writes through the client without asking"),
    ("side-read PATH", "reads through the client without asking"),
    ("side-run CMD ARGS…", "runs a terminal of the client without asking"),
    ("ask-write-then PATH CONTENT OTHER", "asks to write CONTENT, then writes OTHER, whatever the answer"),
];

/// A behaviour and its arguments.
pub(crate) struct Behaviour {
    name: String,
    args: Vec<String>,
}

impl Behaviour {
    /// The behaviour that the arguments name; the list of all when they name none.
    pub(crate) fn from_args(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let name = args.next().unwrap_or_default();
        let args: Vec<String> = args.collect();
        let usage = BEHAVIOURS.iter().find(|(usage, _)| usage.split(' ').next() == Some(&name));
        let needed = |usage: &str| usage.split(' ').skip(1).filter(|word| !word.ends_with('…')).count();
        match usage {
            Some((usage, _)) if args.len() >= needed(usage) => Ok(Self { name, args }),
            Some((usage, _)) => Err(format!("usage: rogue_agent {usage}")),
            None => Err(BEHAVIOURS.map(|(usage, what)| format!("rogue_agent {usage}: {what}")).join("\n")),
        }
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        self.name == name
    }

    /// An argument; those that are needed are there.
    pub(crate) fn arg(&self, at: usize) -> &str {
        self.args.get(at).map_or("", String::as_str)
    }

    pub(crate) fn args_from(&self, at: usize) -> &[String] {
        self.args.get(at..).unwrap_or_default()
    }

    /// The first argument as a number.
    pub(crate) fn number(&self) -> usize {
        self.arg(0).parse().unwrap_or(0)
    }
}

/// The turn of a prompt, misdeed included.
pub(crate) fn turn(agent: &mut Agent, behaviour: &Behaviour, prompt: &Value) {
    match behaviour.name.as_str() {
        "silent-prompt" | "ignore-cancel" => return,
        "die" => {
            agent.say("I was about to");
            quit(3, "")
        }
        "die-asking" => {
            asks::open_one(agent);
            quit(3, "")
        }
        "duplicate-responses" => noise::answer_twice(agent, prompt),
        "late-ask" => {
            agent.end_turn(prompt);
            std::thread::sleep(std::time::Duration::from_millis(100));
            return asks::ask_one(agent);
        }
        "invalid-json-early" => asks::ask_one(agent),
        "updates" => noise::updates(agent, behaviour.number()),
        "big" => agent.say(&"x".repeat(behaviour.number())),
        "invalid-json" => noise::line(agent, br#"{"jsonrpc": oops"#),
        "not-jsonrpc" => noise::line(agent, br#"{"hello":"world"}"#),
        "garbage-bytes" => noise::line(agent, b"\xff\xfe{\"jsonrpc\":\x80\"2.0\"}"),
        "batch" => noise::batch(agent),
        "unknown-method" => sides::unknown_methods(agent),
        "side-write" => sides::write(agent, behaviour.arg(0), behaviour.arg(1)),
        "side-read" => sides::read(agent, behaviour.arg(0)),
        "side-run" => sides::run(agent, behaviour.arg(0), behaviour.args_from(1)),
        "ask-write-then" => {
            asks::ask_write(agent, behaviour.arg(0), behaviour.arg(1));
            sides::write(agent, behaviour.arg(0), behaviour.arg(2));
        }
        name => asks::ask(agent, name, behaviour.number()),
    }
    agent.end_turn(prompt);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behaviour(args: &[&str]) -> Result<Behaviour, String> {
        Behaviour::from_args(args.iter().map(|arg| (*arg).to_owned()))
    }

    #[test]
    fn given_a_name_and_enough_arguments_then_it_is_a_behaviour() {
        assert!(behaviour(&["side-run", "ls"]).is_ok_and(|found| found.args_from(1).is_empty()));
        assert!(behaviour(&["side-run", "ls", "-l"]).is_ok_and(|found| found.args_from(1) == ["-l"]));
        assert_eq!(behaviour(&["big", "1000"]).map(|found| found.number()), Ok(1000));
    }

    #[test]
    fn given_an_unknown_name_or_too_few_arguments_then_the_usage_is_told() {
        assert_eq!(
            behaviour(&["side-write", "a"]).err().as_deref(),
            Some("usage: rogue_agent side-write PATH CONTENT")
        );
        assert_eq!(behaviour(&[]).err().map(|usage| usage.lines().count()), Some(BEHAVIOURS.len()));
    }
}
