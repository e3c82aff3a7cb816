//! The keys that docs/cards.md says of mayi in a terminal are counted: each answer is given as the table says, by a hand that counts,
//! in a real terminal with the demo agent.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "support/pty.rs"]
mod pty;

use std::process::Command;

use pty::Terminal;

const LIVE: &str = "› n  Deny";

/// What the table says of an answer in a terminal, and the key that it names.
fn table(answer: &str) -> (String, String) {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/cards.md")).unwrap();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let column = rows.iter().find_map(|row| row.iter().position(|cell| *cell == answer)).unwrap();
    let cell = rows.iter().find(|row| row[0] == "mayi in a terminal").unwrap()[column];
    let (count, rest) = cell.split_once(" (`").unwrap();
    let (key, rest) = rest.split_once("`)").unwrap();
    (format!("{count}{rest}"), key.to_owned())
}

/// Presses and types, and says what that was.
struct Hand<'t> {
    terminal: &'t Terminal,
    done: Vec<String>,
}

impl Hand<'_> {
    fn key(&mut self, key: &str) {
        self.terminal.send(key);
        self.done.push("1 key".to_owned());
    }

    fn words(&mut self) {
        self.terminal.sees("Why not?");
        self.terminal.send("Not now.");
        self.terminal.sees("Not now.");
        self.done.push("words".to_owned());
    }
}

/// Answers by `key`, and with words and Enter where the answer has some; returns what was done, and the screen at the end.
fn answered(key: &str, words: bool) -> (String, String) {
    let machine = tempfile::tempdir().unwrap();
    let mut mayi = Command::new(env!("CARGO_BIN_EXE_mayi"));
    mayi.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", machine.path()).env("TERM", "xterm");
    std::fs::create_dir(machine.path().join("work")).unwrap();
    mayi.current_dir(machine.path().join("work"));
    // What was allowed with the like is not asked about again.
    let alike = "demo: run touch one.txt ;; demo: run touch one.txt";
    mayi.args(["run", "demo", if key == "s" { alike } else { "demo: run touch one.txt" }]);
    let terminal = Terminal::start(mayi, (24, 80), false);
    terminal.sees(LIVE);
    let mut hand = Hand { terminal: &terminal, done: Vec::new() };
    hand.key(key);
    if words {
        hand.words();
        hand.key("\r");
    }
    let done = hand.done.join(", ");
    let _ = terminal.exit();
    (done, terminal.screen())
}

#[test]
fn given_an_answer_in_a_terminal_then_it_takes_what_the_table_says() {
    for (answer, left) in [
        ("allow once", "✓ allowed once: shell(touch one.txt)"),
        ("allow alike", "✓ allowed for this session: shell(touch one.txt)"),
        ("deny", "✗ denied: shell(touch one.txt)"),
        ("deny with words", "✗ denied: shell(touch one.txt) (Not now.)"),
    ] {
        let (says, key) = table(answer);
        let (done, screen) = answered(&key, says.contains("words"));
        assert_eq!(done, says, "{answer}");
        assert!(screen.contains(left), "{answer}:\n{screen}");
    }
}
