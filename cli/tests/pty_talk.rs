//! `mayi run` in a real terminal over more than one turn.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "support/pty.rs"]
mod pty;

use std::path::Path;
use std::process::Command;

use pty::Terminal;
use tempfile::TempDir;

/// The highlight on Deny is drawn once keys do something.
const LIVE: &str = "› n  Deny";
const ENTER: &str = "\r";
/// The key down, as terminals send it.
const DOWN: &str = "\x1b[B";

fn machine() -> TempDir {
    let machine = tempfile::tempdir().unwrap();
    for folder in ["home", "work"] {
        std::fs::create_dir(machine.path().join(folder)).unwrap();
    }
    machine
}

fn run(machine: &Path, words: &[&str]) -> Terminal {
    let mut mayi = Command::new(env!("CARGO_BIN_EXE_mayi"));
    mayi.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", machine.join("home"));
    mayi.current_dir(machine.join("work")).arg("run").arg("demo").args(words);
    Terminal::start(mayi, (40, 90), false)
}

fn config(machine: &TempDir) -> String {
    std::fs::read_to_string(machine.path().join("home/.config/mayi/config.toml")).unwrap_or_default()
}

/// S1.6: `-i` (go on with further prompts).
#[test]
fn given_i_then_prompts_go_on_in_one_session_until_an_empty_line() {
    let machine = machine();
    let terminal = run(machine.path(), &["-i"]);
    terminal.reads_at("you:");
    terminal.send("demo: run touch one.txt\r");
    terminal.sees(LIVE);
    terminal.send("s");
    terminal.sees("✓ allowed for this session");
    // What is typed before the prompt is there again is thrown away.
    terminal.sees("printed nothing.");
    terminal.reads_at("you:");
    terminal.send("demo: run touch one.txt ;; demo: say again\r");
    terminal.sees("\nagain");
    terminal.reads_at("you:");
    terminal.send("/mode plan\r");
    terminal.sees("plan mode now");
    terminal.reads_at("you:");
    terminal.send("demo: write two.txt x\r");
    // The rest stands in the next row.
    terminal.sees("plan mode: write is not done");
    terminal.sees("I leave it.");
    terminal.reads_at("you:");
    terminal.send("\r");
    assert_eq!(terminal.exit().code(), Some(5), "{}", terminal.screen());
    assert!(machine.path().join("work/one.txt").exists() && !machine.path().join("work/two.txt").exists());
    assert!(terminal.as_before());
}

/// Found in use: Ctrl-D in an empty line ends the conversation, Ctrl-U empties the line, and how it ends is said.
#[test]
fn given_a_prompt_then_keys_edit_it_as_in_a_shell_and_the_end_of_input_ends_it() {
    let machine = machine();
    let terminal = run(machine.path(), &["-i"]);
    terminal.sees("an empty line or Ctrl-D ends it");
    terminal.reads_at("you:");
    terminal.send("demo: run touch one.txt\x15demo: say first\r");
    terminal.sees("\nfirst");
    terminal.reads_at("you:");
    // What was said before is at the key up, as in a shell.
    terminal.send("\x1b[A");
    terminal.reads_at("you: demo: say first");
    terminal.send("\x15");
    terminal.reads_at("you:");
    terminal.send("\x04");
    assert_eq!(terminal.exit().code(), Some(0), "{}", terminal.screen());
    assert!(!machine.path().join("work/one.txt").exists());
    assert!(terminal.as_before());
}

/// S1.9: 130 on SIGTERM, also while a prompt is waited for, and the terminal is as it was.
#[test]
fn given_sigterm_at_a_prompt_then_it_ends_and_gives_the_terminal_back() {
    let machine = machine();
    let terminal = run(machine.path(), &["-i"]);
    terminal.reads_at("you:");
    terminal.signal(rustix::process::Signal::TERM);
    assert_eq!(terminal.exit().code(), Some(130), "{}", terminal.screen());
    assert!(terminal.as_before());
}

/// Ctrl-C cancels the turn, and only the turn.
#[test]
fn given_ctrl_c_in_a_conversation_then_the_next_prompt_is_asked_for() {
    let machine = machine();
    let terminal = run(machine.path(), &["-i", "demo: run touch one.txt"]);
    terminal.sees(LIVE);
    terminal.send("\x03");
    terminal.sees("– withdrawn: shell(touch one.txt)");
    terminal.reads_at("you:");
    terminal.send("demo: say still here\r");
    terminal.sees("\nstill here");
    terminal.reads_at("you:");
    terminal.send("\r");
    assert_eq!(terminal.exit().code(), Some(0), "{}", terminal.screen());
    assert!(!machine.path().join("work/one.txt").exists());
}

/// Answering "Bypass permissions for this agent" at the prompt writes it to
/// the user's file, keeping its comments and layout.
#[test]
fn given_bypass_at_the_prompt_then_it_is_written_and_the_next_is_not_asked_about() {
    let machine = machine();
    let before = "# mine\nversion = 1\n\n[agents.demo]   # the demo\nmode = 'default'\n";
    let folder = machine.path().join("home/.config/mayi");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), before).unwrap();
    let terminal = run(machine.path(), &["demo: run touch one.txt ;; demo: run touch two.txt"]);
    terminal.sees(LIVE);
    terminal.send("b");
    terminal.sees("Bypass permissions for demo?");
    terminal.send(DOWN);
    terminal.sees("❯ 1  For this session");
    terminal.send(DOWN);
    terminal.sees("❯ 2  For good");
    terminal.send(ENTER);
    assert_eq!(terminal.exit().code(), Some(0), "{}", terminal.screen());
    assert!(machine.path().join("work/one.txt").exists() && machine.path().join("work/two.txt").exists());
    assert_eq!(config(&machine), format!("{before}bypass_permissions = true\n"));
}

/// A bypass for this session answers what comes in it, and is written nowhere.
#[test]
fn given_bypass_for_the_session_then_the_next_is_not_asked_about_and_no_setting_is_written() {
    let machine = machine();
    let terminal = run(machine.path(), &["-i", "demo: run touch one.txt ;; demo: run touch two.txt"]);
    terminal.sees(LIVE);
    terminal.send("b");
    terminal.sees("Bypass permissions for demo?");
    terminal.send(DOWN);
    terminal.sees("❯ 1  For this session");
    terminal.send(ENTER);
    terminal.reads_at("you:");
    assert!(machine.path().join("work/one.txt").exists() && machine.path().join("work/two.txt").exists());
    assert!(!machine.path().join("home/.config/mayi/config.toml").exists());
    // What it does not cover is asked, and it ends when the person says so.
    terminal.send("demo: run echo x >> .git/config\r");
    terminal.sees(LIVE);
    terminal.send("n");
    terminal.sees("✗ denied");
    terminal.reads_at("you:");
    terminal.send("/bypass off\r");
    terminal.sees("demo asks again");
    // What is typed before the prompt is there again is thrown away.
    terminal.reads_at("you:");
    terminal.send("demo: run touch three.txt\r");
    terminal.sees("touch three.txt");
    terminal.sees(LIVE);
    terminal.send("n");
    terminal.sees("denied: shell(touch three.txt)");
}

/// S4.8: sends a denial's reason in `_meta` and, when the turn has ended, as a
/// follow-up prompt.
#[test]
fn given_a_reason_then_the_agent_gets_it_as_a_prompt_of_its_own() {
    let machine = machine();
    let terminal = run(machine.path(), &["demo: run touch one.txt"]);
    terminal.sees(LIVE);
    terminal.send("r");
    terminal.sees("Why");
    terminal.send("use make instead\r");
    // The demo agent says what it was told, and asks for nothing more.
    terminal.sees("You said: ");
    assert_eq!(terminal.exit().code(), Some(5), "{}", terminal.screen());
    assert!(!machine.path().join("work/one.txt").exists());
}
