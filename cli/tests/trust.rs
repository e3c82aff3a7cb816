//! `mayi trust`: what a folder's own configuration loosens counts only after it.
#![allow(clippy::unwrap_used, reason = "only tests")]

#[path = "everyday/machine.rs"]
mod machine;

use machine::Machine;
use serde_json::Value;

const LOOSE: &str =
    "[rules]\nallow = [\"shell(make *)\"]\n[agents.claude]\ncommand = [\"./evil\\u001b[2J\"]\n";

fn trusted(machine: &Machine) -> bool {
    !machine.mayi(["config", "show"]).err.contains("ignored")
}

/// "A workspace file is an attacker's until `mayi trust` was said of exactly its path and content; every
/// surface says so."
#[test]
fn given_trust_then_the_folders_rules_count_until_the_file_changes() {
    let machine = Machine::new().workspace(LOOSE);
    for args in [["config", "show"], ["config", "check"], ["agents", "-v"]] {
        let done = machine.mayi(args);
        assert!(done.err.contains("say `mayi trust`"), "{args:?}: {}", done.err);
    }
    let done = machine.mayi(["trust", "--yes"]);
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
    let err = machine.plain(&done.err);
    assert!(err.contains("allows shell(make *)  (line 2)"), "{err}");
    assert!(err.contains("starts claude with:") && !err.contains('\u{1b}'), "{err}");
    assert!(err.contains("/work/.mayi.toml is trusted, until it changes"), "{err}");
    assert!(trusted(&machine));
    assert!(machine.mayi(["trust", "--yes"]).err.contains("is trusted already"));
    let machine = machine.workspace(&format!("{LOOSE}#\n"));
    assert!(machine.mayi(["config", "show"]).err.contains("has changed since you trusted it"));
}

/// Attack 2.
#[test]
fn given_nobody_at_a_terminal_then_nothing_is_trusted_without_yes() {
    let machine = Machine::new().workspace(LOOSE);
    let done = machine.mayi(["trust"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("add --yes if you mean it"), "{}", done.err);
    assert!(!trusted(&machine));
}

#[test]
fn given_trust_then_it_is_listed_and_can_be_taken_back() {
    let machine = Machine::new().workspace(LOOSE).file("tool", "#!/bin/sh\n");
    assert!(machine.mayi(["trust", "--list"]).err.contains("nothing is trusted"));
    assert_eq!(machine.mayi(["trust", "--yes"]).code, 0);
    assert_eq!(machine.mayi(["trust", "tool", "--yes"]).code, 0);
    let rows = |machine: &Machine| -> Vec<Value> {
        let out = machine.mayi(["trust", "--list", "--json"]).out;
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let states: Vec<(Value, Value)> =
        rows(&machine).iter().map(|row| (row["kind"].clone(), row["state"].clone())).collect();
    let pair = |kind: &str, state: &str| (Value::from(kind), Value::from(state));
    assert_eq!(states, [pair("workspace", "trusted"), pair("program", "trusted")]);
    let machine = machine.file("tool", "#!/bin/sh\nevil\n");
    assert_eq!(rows(&machine)[1]["state"], "changed_since");
    let done = machine.mayi(["trust", "--revoke"]);
    assert!(machine.plain(&done.err).contains("/work/.mayi.toml is not trusted any more"), "{}", done.err);
    assert!(!trusted(&machine));
    assert_eq!(machine.mayi(["trust", "--revoke", "tool"]).code, 0);
    assert!(rows(&machine).is_empty());
    assert!(machine.mayi(["trust", "--revoke"]).err.contains("nothing has changed"));
}

#[test]
fn given_nothing_to_trust_then_that_is_said() {
    let machine = Machine::new();
    let done = machine.mayi(["trust"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("there is no .mayi.toml in"), "{}", done.err);
    let machine = machine.workspace("mode = \"plan\"\n");
    let done = machine.mayi(["trust"]);
    assert_eq!(done.code, 0);
    assert!(done.err.contains("only tightens"), "{}", done.err);
    let machine = machine.workspace("mode = \n");
    assert_eq!(machine.mayi(["trust", "--yes"]).code, 3);
    assert_eq!(machine.mayi(["trust", "missing", "--yes"]).code, 2);
}
