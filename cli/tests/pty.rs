//! `mayi run` in a real terminal, with the demo agent behind it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "support/pty.rs"]
mod pty;

use std::process::Command;

use pty::Terminal;
use tempfile::TempDir;

/// The highlight on Deny is drawn once keys do something.
const LIVE: &str = "› n  Deny";

/// Runs the demo agent with `prompt`, in a home and a folder of its own.
fn run(prompt: &str, options: &[&str], pipe: bool) -> (Terminal, TempDir) {
    let machine = tempfile::tempdir().unwrap();
    for folder in ["home", "work"] {
        std::fs::create_dir(machine.path().join(folder)).unwrap();
    }
    let mut mayi = Command::new(env!("CARGO_BIN_EXE_mayi"));
    mayi.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", machine.path().join("home"));
    mayi.current_dir(machine.path().join("work")).arg("run").args(options).args(["demo", prompt]);
    (Terminal::start(mayi, (30, 80), pipe), machine)
}

/// Runs it, and waits until keys do something.
fn asked(prompt: &str) -> (Terminal, TempDir) {
    let (terminal, machine) = run(prompt, &[], false);
    terminal.sees(LIVE);
    (terminal, machine)
}

fn file(machine: &TempDir, name: &str) -> Option<String> {
    std::fs::read_to_string(machine.path().join("work").join(name)).ok()
}

#[test]
fn given_a_write_that_is_allowed_then_the_file_is_there() {
    let (terminal, machine) = asked("demo: write hello.txt Hello there");
    let screen = terminal.screen();
    assert!(
        screen.contains("[write] demo wants to create hello.txt (new, 1 line)")
            && screen.contains("1 + Hello there"),
        "{screen}"
    );
    assert_eq!(file(&machine, "hello.txt"), None);
    terminal.send("y");
    terminal.sees("✓ allowed once: create(");
    assert_eq!(terminal.exit().code(), Some(0), "{}", terminal.screen());
    assert_eq!(file(&machine, "hello.txt").unwrap().trim_end(), "Hello there");
    assert!(terminal.as_before());
}

/// S1.9: 5 something was denied.
#[test]
fn given_a_command_that_is_denied_then_it_does_not_run_and_the_exit_code_says_so() {
    let (terminal, machine) = asked("demo: run touch ran.txt");
    terminal.send("n");
    terminal.sees("✗ denied: shell(touch ran.txt)");
    assert_eq!(terminal.exit().code(), Some(5), "{}", terminal.screen());
    assert_eq!(file(&machine, "ran.txt"), None);
    assert!(terminal.as_before());
}

#[test]
fn given_two_at_once_then_each_is_answered_by_itself() {
    let (terminal, machine) = asked("demo: two");
    terminal.sees("1 more waits");
    terminal.send("y");
    terminal.sees_no_more("1 more waits");
    terminal.sees(LIVE);
    terminal.send("n");
    assert_eq!(terminal.exit().code(), Some(5), "{}", terminal.screen());
    assert_eq!([file(&machine, "ran.txt").is_some(), file(&machine, "two.txt").is_some()], [true, false]);
}

/// S1.9: 130 interrupted.
#[test]
fn given_ctrl_c_at_a_question_then_the_turn_is_over() {
    let (terminal, machine) = asked("demo: two");
    terminal.send("\x03");
    terminal.sees("– withdrawn: shell(touch ran.txt)");
    assert_eq!(terminal.exit().code(), Some(130), "{}", terminal.screen());
    assert_eq!(file(&machine, "ran.txt"), None);
    assert!(terminal.as_before());
}

#[test]
fn given_a_prompt_from_a_pipe_then_the_terminal_still_asks() {
    let (mut terminal, machine) = run("-", &[], true);
    terminal.tell("demo: run touch ran.txt");
    terminal.end_of_input();
    terminal.sees(LIVE);
    terminal.send("s");
    terminal.sees("✓ allowed for this session: shell(touch ran.txt)");
    assert_eq!(terminal.exit().code(), Some(0), "{}", terminal.screen());
    assert!(file(&machine, "ran.txt").is_some());
}

/// D6.13: Scopes once, session, workspace, user.
#[test]
fn given_always_then_it_is_a_rule_and_not_asked_about_again() {
    let (terminal, machine) = asked("demo: run touch ran.txt");
    terminal.send("a");
    terminal.sees("❯ Back");
    terminal.send("\x1b[B");
    terminal.sees("❯ 1  shell(touch ran.txt)");
    terminal.send("\r");
    terminal.sees("For how long?");
    terminal.sees("❯ Back");
    terminal.send("\x1b[B");
    terminal.sees("❯ 1  For good, everywhere");
    terminal.send("\r");
    assert_eq!(terminal.exit().code(), Some(0), "{}", terminal.screen());
    let rules = std::fs::read_to_string(machine.path().join("home/.config/mayi/config.toml")).unwrap();
    assert!(rules.contains("shell(touch ran.txt)"), "{rules}");
}

/// An agent without a name: what is offered is not refused afterwards.
#[test]
fn given_an_agent_by_its_command_then_a_pattern_holds_for_the_session_and_nothing_longer_is_offered() {
    let machine = tempfile::tempdir().unwrap();
    std::fs::create_dir(machine.path().join("work")).unwrap();
    let agent = format!("{} demo-agent", env!("CARGO_BIN_EXE_mayi"));
    let mut mayi = Command::new(env!("CARGO_BIN_EXE_mayi"));
    mayi.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", machine.path());
    mayi.current_dir(machine.path().join("work"));
    mayi.args(["run", "--command", &agent, "demo: run touch a.txt ;; demo: run touch b.txt"]);
    let terminal = Terminal::start(mayi, (24, 80), false);
    terminal.sees(LIVE);
    assert!(terminal.screen().contains("a  Allow by a pattern, for this session"), "{}", terminal.screen());
    terminal.send("a");
    terminal.sees("❯ Back");
    terminal.send("2");
    terminal.sees("❯ 2  shell(touch *)");
    terminal.send("\r");
    terminal.sees("For how long?");
    terminal.sees("❯ Back");
    let screen = terminal.screen();
    assert!(!screen.contains("For good") && !screen.contains("In this folder"), "{screen}");
    terminal.send("1");
    terminal.sees("❯ 1  Until this session ends");
    terminal.send("\r");
    assert_eq!(terminal.exit().code(), Some(0), "{}", terminal.screen());
    let there = |name: &str| machine.path().join("work").join(name).exists();
    assert!(there("a.txt") && there("b.txt"), "{}", terminal.screen());
}

/// Attack 176: the configuration names another program under the name of the agent that runs, and bypasses that one.
#[test]
fn given_a_bypass_of_another_program_under_the_agents_name_then_the_next_is_still_asked_about() {
    let (terminal, machine) = asked("demo: run touch ran.txt ;; demo: run touch other.txt");
    let config = machine.path().join("home/.config/mayi/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    let other = "[agents.demo]\ncommand = [\"/bin/false\"]\nbypass_permissions = true\n";
    std::fs::write(&config, other).unwrap();
    // "Always": everything is read again.
    terminal.send("a");
    for choice in ["❯ 1  ", "❯ 1  For good, everywhere"] {
        terminal.sees("❯ Back");
        terminal.send("\x1b[B");
        terminal.sees(choice);
        terminal.send("\r");
    }
    terminal.sees("✓ allowed from now on");
    terminal.sees(LIVE);
    terminal.send("n");
    assert_eq!(terminal.exit().code(), Some(5), "{}", terminal.screen());
    let written = std::fs::read_to_string(config).unwrap();
    assert!(written.starts_with(other) && written.contains("shell(touch ran.txt)"), "{written}");
    assert_eq!(file(&machine, "other.txt"), None);
}

#[test]
fn given_sigterm_at_a_question_then_the_terminal_is_as_before() {
    let (terminal, machine) = asked("demo: run touch ran.txt");
    terminal.signal(rustix::process::Signal::TERM);
    assert_eq!(terminal.exit().code(), Some(130), "{}", terminal.screen());
    terminal.sees("– withdrawn: shell(touch ran.txt)");
    terminal.sees("1 cancelled");
    assert_eq!(file(&machine, "ran.txt"), None);
    assert!(terminal.as_before());
}
