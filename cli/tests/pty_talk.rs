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

/// Surfaces, section 1: "`-i` (go on with further prompts)".
#[test]
fn given_i_then_prompts_go_on_in_one_session_until_an_empty_line() {
    let machine = machine();
    let terminal = run(machine.path(), &["-i"]);
    terminal.sees("you:");
    terminal.send("demo: run touch one.txt\r");
    terminal.sees(LIVE);
    terminal.send("s");
    terminal.sees("✓ allowed for this session");
    // What is typed before the prompt is there again is thrown away.
    terminal.sees("printed nothing.\nyou:");
    terminal.send("demo: run touch one.txt ;; demo: say again\r");
    terminal.sees("\nagain\nyou:");
    terminal.send("/mode plan\r");
    terminal.sees("plan mode now\nyou:");
    terminal.send("demo: write two.txt x\r");
    terminal.sees("plan mode: write is not done, only proposed");
    terminal.sees("I leave it.\nyou:");
    terminal.send("\r");
    assert_eq!(terminal.exit().code(), Some(5), "{}", terminal.screen());
    assert!(machine.path().join("work/one.txt").exists() && !machine.path().join("work/two.txt").exists());
    assert!(terminal.as_before());
}

/// Issue "The main job": "Ctrl-C cancels the turn", and only the turn.
#[test]
fn given_ctrl_c_in_a_conversation_then_the_next_prompt_is_asked_for() {
    let machine = machine();
    let terminal = run(machine.path(), &["-i", "demo: run touch one.txt"]);
    terminal.sees(LIVE);
    terminal.send("\x03");
    terminal.sees("– withdrawn: shell(touch one.txt)");
    terminal.sees("you:");
    terminal.send("demo: say still here\r");
    terminal.sees("\nstill here\nyou:");
    terminal.send("\r");
    assert_eq!(terminal.exit().code(), Some(0), "{}", terminal.screen());
    assert!(!machine.path().join("work/one.txt").exists());
}

/// Issue "The main job": "answering "Bypass permissions for this agent" at the prompt writes it to
/// the user's file, keeping its comments and layout".
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
    terminal.send("y");
    terminal.sees("› yes");
    terminal.send(ENTER);
    assert_eq!(terminal.exit().code(), Some(0), "{}", terminal.screen());
    assert!(machine.path().join("work/one.txt").exists() && machine.path().join("work/two.txt").exists());
    assert_eq!(config(&machine), format!("{before}bypass_permissions = true\n"));
}

/// Surfaces, section 4: "sends a denial's reason in `_meta` and, when the turn has ended, as a
/// follow-up prompt".
#[test]
fn given_a_reason_then_the_agent_gets_it_as_a_prompt_of_its_own() {
    let machine = machine();
    let terminal = run(machine.path(), &["demo: run touch one.txt"]);
    terminal.sees(LIVE);
    terminal.send("r");
    terminal.sees("Why");
    terminal.send("use make instead\r");
    // The demo agent takes any other prompt as its tour, and begins it with what it was told.
    terminal.sees("You said: ");
    terminal.sees(LIVE);
    terminal.send("\x03");
    assert_eq!(terminal.exit().code(), Some(130), "{}", terminal.screen());
    assert!(!machine.path().join("work/one.txt").exists());
}
