//! `mayi mcp` and the process that has started it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "support/pty.rs"]
#[allow(dead_code, reason = "this test needs no terminal")]
mod pty;
#[path = "support/waiting.rs"]
#[allow(dead_code, reason = "other tests need more of it")]
mod waiting;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use waiting::Machine;

/// What loosens the person's own settings.
const LOOSENING: [&[&str]; 4] = [
    &["log", "suggest", "--apply"],
    &["trust", "--yes"],
    &["bypass", "claude", "on", "--yes"],
    &["config", "import", "claude-code", "claude.json", "--write", "--yes"],
];

/// D6.8: Answers from a descendant of a gated agent are refused.
/// Attack 160: the client of a gateway is an agent, or what one works in: it is the gateway's parent, not its child.
#[test]
fn given_a_gateway_then_what_its_client_starts_can_not_answer_for_the_person() {
    let machine = Machine::new();
    std::fs::write(machine.file(".mayi.toml"), "[rules]\nallow = [\"shell(make *)\"]\n").unwrap();
    let rules = r#"{"permissions": {"allow": ["Bash(npm test:*)"]}}"#;
    std::fs::write(machine.file("claude.json"), rules).unwrap();
    let home = machine.folder.path().join("home");
    let settings = home.join(".config/mayi/config.toml");
    let trusted = home.join(".local/share/mayi/trusted.json");
    let mut command: Command = machine.mayi(&["mcp", "--name", "echo", "--", "cat"]);
    let mut gateway =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // This test is its client. An answer shows that it is there: what it says to `cat` comes back as no message.
    let mut stdin = gateway.stdin.take().unwrap();
    writeln!(stdin, "no message").unwrap();
    let mut line = String::new();
    BufReader::new(gateway.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("-32700"), "{line}");
    for words in LOOSENING {
        let refused = machine.out(words);
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{words:?}: {told}");
        assert!(told.contains("an agent can't answer for the person"), "{words:?}: {told}");
        assert!(!settings.exists() && !trusted.exists(), "{words:?}");
    }
    drop(stdin);
    gateway.wait().unwrap();
    // Nothing else has kept them from it.
    for words in LOOSENING {
        let taken = machine.out(words);
        let told = String::from_utf8_lossy(&taken.stderr).into_owned();
        assert_eq!(taken.status.code(), Some(0), "{words:?}: {told}");
    }
    let written = std::fs::read_to_string(settings).unwrap();
    assert!(written.contains("bypass_permissions = true"), "{written}");
    assert!(written.contains("shell(npm test *)"), "{written}");
    assert!(trusted.exists());
}
