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

const UNKNOWN: &str = r#"{"permissions": {"allow": ["Bash(npm test:*)"], "denyAllOfThat": ["x"]}}"#;

/// Attack 741.
#[test]
fn given_a_denial_that_nothing_stands_for_then_yes_alone_writes_nothing() {
    let machine = Machine::new().user("# mine\n").file("claude.json", UNKNOWN);
    let done = machine.mayi(["config", "import", "claude-code", "claude.json", "-q"]);
    assert!(done.err.contains("1 denial NOT carried over: nothing stands in its place"), "{}", done.err);
    let done = machine.mayi(["config", "import", "claude-code", "claude.json", "--write", "--yes"]);
    assert_eq!((done.code, machine.user_text().as_str()), (2, "# mine\n"), "{}", done.err);
    assert!(done.err.contains("--without-denials"), "{}", done.err);
    let words = ["config", "import", "claude-code", "claude.json", "--write", "--yes", "--without-denials"];
    let done = machine.mayi(words);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(machine.user_text().contains("shell(npm test *)"));
}

/// What is asked about instead loosens nothing: `--yes` is enough.
#[test]
fn given_a_denial_that_is_asked_about_instead_then_it_is_counted_and_written() {
    let text = r#"{"permissions": {"allow": ["Bash(psql:*)"], "deny": ["Bash(psql -c $X*)"]}}"#;
    let machine = Machine::new().file("claude.json", text);
    let done = machine.mayi(["config", "import", "claude-code", "claude.json", "--write", "--yes"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("asked     permissions.deny: Bash(psql -c $X*): "), "{}", done.err);
    assert!(
        done.err.contains("1 denial NOT carried over: what it is about is asked about in its place"),
        "{}",
        done.err
    );
    assert_eq!(machine.mayi(["check", "shell", "psql -c y"]).code, 6);
    let rows = machine.mayi(["config", "import", "claude-code", "claude.json", "--json", "-q"]).out;
    assert!(rows.contains(r#""type":"asked""#) && rows.contains(r#""denial":true"#), "{rows}");
}

/// D1.26: further folders are the person's, and edits there are as in the session's own.
#[test]
fn given_further_folders_then_they_are_written_and_work_is_judged_there_as_here() {
    let machine = Machine::new().user("[workspace] # mine\nfolders = []\n");
    let shared = machine.home().join("shared");
    std::fs::create_dir(&shared).unwrap();
    let text = format!(
        r#"{{"permissions": {{"defaultMode": "acceptEdits", "additionalDirectories": [{shared:?}, "/"]}}}}"#
    );
    let machine = machine.file("claude.json", &text);
    let file = shared.join("a.txt").display().to_string();
    assert_eq!(machine.mayi(["check", "edit", &file, "--allow", "edit(./**)"]).code, 6);
    let there = shared.to_str().unwrap();
    assert_eq!(machine.mayi(["check", "edit", &file, "--allow", "edit(./**)", "--add-dir", there]).code, 0);
    let done = machine.mayi(["check", "edit", "/var/elsewhere/x"]);
    assert!(done.out.contains("--add-dir"), "the way that works is said: {}", done.out);
    let done = machine.mayi(["config", "import", "claude-code", "claude.json", "--write", "--yes"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("2 rules and 1 folder carried over, 1 left out"), "{}", done.err);
    assert_eq!(machine.mayi(["check", "edit", &file]).code, 0);
    // What is protected stays so there.
    let hook = shared.join(".git/hooks/pre-commit").display().to_string();
    assert_eq!(machine.mayi(["check", "edit", &hook]).code, 6);
    let done = machine.mayi(["config", "import", "claude-code", "claude.json", "--write", "--yes"]);
    assert!(done.err.contains("nothing has changed"), "{}", done.err);
    let done = machine.mayi(["check", "edit", &file, "--add-dir", "no-such-folder"]);
    assert_eq!(done.code, 2, "{}", done.err);
}

/// D4.10: `config check` says of a rule that it takes no effect, and what does.
#[test]
fn given_a_rule_for_changes_elsewhere_then_config_check_says_what_works() {
    let machine = Machine::new().user("[rules]\nallow = [\"write(/var/elsewhere/**)\"]\n");
    let done = machine.mayi(["config", "check"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.err.contains("`folders = [\"/var/elsewhere\"]` under [workspace]"), "{}", done.err);
}
