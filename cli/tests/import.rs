//! `mayi config import`: the rules that people already have.
#![allow(clippy::unwrap_used, reason = "only tests")]

#[path = "everyday/machine.rs"]
mod machine;

use machine::Machine;
use serde_json::Value;

const CLAUDE: &str = r#"{"permissions": {"allow": ["Bash(npm test:*)", "Task"], "deny": ["Bash(rm:*)"]}}"#;

/// "Saying for each rule it could not carry over why not."
#[test]
fn given_settings_of_another_tool_then_the_rules_are_printed_and_what_is_left_out_is_named() {
    let machine = Machine::new().file(".claude/settings.json", CLAUDE);
    let done = machine.mayi(["config", "import", "claude-code"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("pattern = \"shell(npm test *)\""), "{}", done.out);
    assert!(done.out.contains("/work\".rule]]"), "the folder's rules are for the folder: {}", done.out);
    assert!(done.err.contains("left out  permissions.allow: Task: "), "{}", done.err);
    assert!(done.err.contains("2 rules carried over, 1 left out"), "{}", done.err);
    // What is printed is a configuration.
    let machine = machine.user(&done.out);
    assert_eq!(machine.mayi(["config", "check"]).code, 0);
    let done = machine.mayi(["config", "import", "claude-code", "--json", "-q"]);
    let rows: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = rows.iter().map(|row| row["type"].as_str().unwrap()).collect();
    assert_eq!((kinds.as_slice(), done.err.as_str()), (["left_out", "rule", "rule"].as_slice(), ""));
}

#[test]
fn given_write_then_the_change_is_shown_and_made_once() {
    let machine = Machine::new().user("# mine\nmode = \"plan\"\n").file("claude.json", CLAUDE);
    let done = machine.mayi(["config", "import", "claude-code", "claude.json", "--write"]);
    assert_eq!(done.code, 2, "nobody is here to confirm it");
    assert_eq!(machine.user_text(), "# mine\nmode = \"plan\"\n");
    let done = machine.mayi(["config", "import", "claude-code", "claude.json", "--write", "--yes"]);
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
    assert!(done.err.contains("+pattern = \"shell(rm *)\""), "{}", done.err);
    let text = machine.user_text();
    assert!(text.starts_with("# mine\nmode = \"plan\"\n\n# From Claude Code"), "{text}");
    let done = machine.mayi(["config", "import", "claude-code", "claude.json", "--write", "--yes"]);
    assert!(done.err.contains("nothing has changed"), "{}", done.err);
    assert_eq!(machine.user_text(), text);
    let rules = machine.mayi(["config", "show", "--json"]).out;
    assert!(rules.contains("shell(npm test *)"), "{rules}");
}

#[test]
fn given_nothing_to_read_or_nonsense_then_that_is_said() {
    let machine = Machine::new().file("bad.json", "{").file("huge.json", &" ".repeat(2 << 20));
    let done = machine.mayi(["config", "import", "zed"]);
    assert_eq!(done.code, 2);
    assert!(done.err.contains("no settings of Zed were found"), "{}", done.err);
    for file in ["bad.json", "huge.json", "missing.json", "."] {
        let done = machine.mayi(["config", "import", "vscode", file]);
        assert_eq!((done.code, done.out.as_str()), (3, ""), "{file}: {}", done.err);
    }
    let machine = machine.file("ok.json", CLAUDE);
    let done = machine.mayi(["config", "import", "claude-code", "ok.json", "--agent", "a/b"]);
    assert_eq!(done.code, 2);
    let done = machine.mayi(["config", "import", "claude-code", "ok.json", "--agent", "claude"]);
    assert!(done.out.contains("agents = [\"claude\"]"), "{}", done.out);
}
