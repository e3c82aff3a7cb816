//! A day with the demo agent, then what the record suggests, then the same day again: how many prompts there were.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "support/pty.rs"]
mod pty;

use std::process::{Command, Stdio};

use pty::Terminal;
use tempfile::TempDir;

/// What the agent does in a day, and whether the person lets it.
const DAY: &[(&str, bool)] = &[
    ("read README.md", true),
    ("run git init", true),
    ("write src/main.txt first", true),
    ("run git add src/main.txt", true),
    ("run git commit -m first", true),
    ("run git status", true),
    ("write src/lib.txt second", true),
    ("run git add src/lib.txt", true),
    ("run git commit -m second", true),
    ("run git push origin main", false),
    ("run tar -cf out.tar src", true),
    ("run ls -l src", true),
    ("write src/util.txt third", true),
    ("run git add src/util.txt", true),
    ("run git commit -m third", true),
    ("run tar -cf out.tar src", true),
    ("run rm -r src/old", false),
    ("write src/main.txt fourth", true),
    ("run git diff --stat", true),
    ("run git add src/main.txt", true),
    ("run git commit -m fourth", true),
    ("run tar -cf out.tar src", true),
    ("run git push origin main", false),
    ("write notes.txt done", true),
];

struct Machine(TempDir);

impl Machine {
    fn mayi(&self, words: &[&str]) -> Command {
        let mut mayi = Command::new(env!("CARGO_BIN_EXE_mayi"));
        mayi.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.0.path().join("home"));
        mayi.current_dir(self.0.path().join("work")).args(words).stdin(Stdio::null());
        mayi
    }

    /// Lives through the day, and answers each card. Returns how many there were.
    fn day(&self) -> usize {
        let mut prompts = 0;
        for (what, allowed) in DAY {
            let run =
                Terminal::start(self.mayi(&["run", "demo", &format!("demo: {what}")]), (30, 100), false);
            // The card, or what is said at the end.
            run.until("a card or the end", |screen| {
                let text = screen.contents();
                text.contains("› n  Deny") || text.contains("mayi: ")
            });
            if run.screen().contains("› n  Deny") {
                prompts += 1;
                run.send(if *allowed { "y" } else { "n" });
            }
            run.exit();
        }
        prompts
    }
}

/// A day's worth of prompts from the demo agent, then `mayi log suggest` applied, then the
/// same day again: the number of prompts before and after is in docs/record.md.
#[test]
fn given_a_day_and_what_the_record_suggests_then_the_same_day_asks_less_and_never_for_what_was_denied() {
    let machine = Machine(tempfile::tempdir().unwrap());
    for folder in ["home", "work", "work/src"] {
        std::fs::create_dir(machine.0.path().join(folder)).unwrap();
    }
    std::fs::write(machine.0.path().join("work/README.md"), "a project\n").unwrap();
    let before = machine.day();
    let applied = machine.mayi(&["log", "suggest", "--apply", "--yes"]).output().unwrap();
    assert!(applied.status.success(), "{applied:?}");
    let rules = std::fs::read_to_string(machine.0.path().join("home/.config/mayi/config.toml")).unwrap();
    let after = machine.day();
    println!(
        "a day of {} requests: {before} prompts, and {after} with the rules that were suggested",
        DAY.len()
    );
    println!("{rules}");
    for denied in ["git push", "rm "] {
        assert!(!rules.contains(denied), "{rules}");
    }
    assert!(after * 2 <= before, "{before} before, {after} after\n{rules}");
    let verify = machine.mayi(&["log", "verify"]).output().unwrap();
    assert!(verify.status.success(), "{verify:?}");
}
