//! What a terminal that asks for it is told of a question that waits (OSC 7501), in a real terminal.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "support/surface.rs"]
mod example;
#[path = "support/pty.rs"]
mod pty;

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use example::surface;
use pty::Terminal;
use rustix::process::Signal;

const LIVE: &str = "› n  Deny";
const QUERY: &str = "\x1b]7501;?\x1b\\";
const WORKING: &str = "\x1b]7501;state=working:app=mayi\x1b\\";
const IDLE: &str = "\x1b]7501;state=idle:app=mayi\x1b\\";
/// The words are `An agent wants to run a command`.
const BLOCKED: &str =
    "\x1b]7501;state=blocked:kind=permission:app=mayi:msg=QW4gYWdlbnQgd2FudHMgdG8gcnVuIGEgY29tbWFuZA==\x1b\\";

/// Asks in a terminal that knows the protocol, and waits until it was told.
fn blocked(scenario: &str, pipe: bool, call: &str) -> Terminal {
    let mut terminal = Terminal::start(surface(scenario), (24, 80), pipe);
    if pipe {
        terminal.sees("I will ask now.");
        terminal.tell(&format!("ask {call}"));
    }
    terminal.until_raw(QUERY);
    // As a terminal answers: the same again.
    terminal.send(QUERY);
    terminal.until_raw("state=blocked");
    terminal.sees(LIVE);
    terminal
}

/// What it was told, one after the other.
fn told(terminal: &Terminal) -> Vec<String> {
    let raw = terminal.raw();
    raw.split("\x1b]7501;").skip(1).map(|rest| rest.split("\x1b\\").next().unwrap().to_owned()).collect()
}

#[test]
fn given_a_terminal_that_knows_it_then_it_is_told_of_the_wait_and_of_its_end() {
    let terminal = blocked("command", false, "");
    assert!(terminal.raw().contains(BLOCKED), "{:?}", terminal.raw());
    terminal.send("y");
    terminal.sees("verdict 1: allowed");
    assert!(terminal.exit().success());
    let raw = terminal.raw();
    let (blocked, working, idle) = (raw.find(BLOCKED), raw.find(WORKING), raw.find(IDLE));
    assert!(blocked < working && working < idle && idle.is_some(), "{raw:?}");
    assert_eq!(told(&terminal).len(), 4, "{raw:?}");
    assert!(terminal.as_before());
}

#[test]
fn given_several_questions_then_it_is_blocked_until_the_last_is_answered() {
    let terminal = blocked("two", false, "");
    for (before, after) in [("2 more wait", "1 more waits"), ("1 more waits", "$ git push")] {
        terminal.sees(before);
        terminal.send("n");
        terminal.sees(after);
        terminal.sees_no_more(before);
        terminal.sees(LIVE);
    }
    assert_eq!(told(&terminal).len(), 2, "{:?}", told(&terminal));
    terminal.send("n");
    assert!(terminal.exit().success());
    assert_eq!(told(&terminal).len(), 4, "{:?}", told(&terminal));
}

/// Withdrawn by the agent or by its end, by Ctrl-C, by a signal to mayi.
#[test]
fn given_a_card_that_nobody_answers_then_its_end_is_told_too() {
    let mut terminal = blocked("later", true, "command");
    terminal.tell("withdraw");
    terminal.until_raw(WORKING);
    terminal.tell("ask command");
    terminal.until_raw_count(BLOCKED, 2);
    terminal.tell("allow");
    terminal.until_raw_count(WORKING, 2);
    let terminal = blocked("command", false, "");
    terminal.send("\x03");
    terminal.until_raw(WORKING);
    for signal in [Signal::TERM, Signal::HUP] {
        let terminal = blocked("command", false, "");
        terminal.signal(signal);
        terminal.exit();
        assert!(terminal.raw().contains(IDLE), "{:?}", terminal.raw());
    }
}

/// The agent is killed, or the time for an answer is over: in a run of the real program.
#[test]
fn given_an_agent_that_is_killed_or_a_time_limit_then_the_end_of_the_wait_is_told_too() {
    for limit in ["1h", "2s"] {
        let machine = tempfile::tempdir().unwrap();
        let folder = |name: &str| machine.path().join(name);
        std::fs::create_dir(folder("work")).unwrap();
        let (agent, pid) = (folder("agent"), folder("pid"));
        let mayi = env!("CARGO_BIN_EXE_mayi");
        let script = format!("#!/bin/sh\necho $$ > '{}'\nexec '{mayi}' demo-agent\n", pid.display());
        std::fs::write(&agent, script).unwrap();
        std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut program = Command::new(mayi);
        program.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", machine.path());
        program.current_dir(folder("work")).args(["run", "--approval-timeout", limit, "--command"]);
        program.arg(&agent).arg("demo: run touch ran.txt");
        let terminal = Terminal::start(program, (24, 80), false);
        terminal.until_raw(QUERY);
        terminal.send(QUERY);
        terminal.until_raw(BLOCKED);
        if limit == "1h" {
            let pid: i32 = std::fs::read_to_string(&pid).unwrap().trim().parse().unwrap();
            rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), Signal::KILL)
                .unwrap();
        }
        terminal.exit();
        let raw = terminal.raw();
        assert!(raw.find(BLOCKED) < raw.rfind(IDLE), "{limit}: {raw:?}");
        assert!(told(&terminal).last().unwrap().starts_with("state=idle"), "{:?}", told(&terminal));
        assert!(!folder("work").join("ran.txt").exists());
        assert!(terminal.as_before());
    }
}

/// Attack 478.
#[test]
fn given_a_terminal_that_does_not_say_that_it_knows_it_then_it_is_told_nothing() {
    // One says nothing, one knows less, one says something else.
    for answer in ["", "\x1b]7501;?:states=idle,working\x1b\\", "\x1b]11;rgb:0/0/0\x1b\\"] {
        let terminal = Terminal::start(surface("command"), (24, 80), false);
        terminal.until_raw(QUERY);
        terminal.send(answer);
        terminal.sees(LIVE);
        terminal.send("n");
        terminal.sees("verdict 1: denied");
        assert!(terminal.exit().success());
        assert_eq!(told(&terminal), ["?"], "{answer:?}");
    }
    let mut dumb = surface("command");
    dumb.env("TERM", "dumb");
    let terminal = Terminal::start(dumb, (24, 80), false);
    terminal.sees(LIVE);
    terminal.send("n");
    assert!(terminal.exit().success());
    assert_eq!(told(&terminal), [""; 0], "a terminal that can't do anything is not asked");
}

/// Attack 478: what the agent says is not in it, and what a terminal says of itself answers nothing.
#[test]
fn given_a_hostile_call_then_nothing_of_it_is_told() {
    let terminal = blocked("hostile", false, "");
    assert_eq!(told(&terminal).len(), 2);
    assert!(terminal.raw().contains(BLOCKED), "{:?}", terminal.raw());
    // A terminal, or somebody who speaks as one, says letters that are keys.
    terminal.send("\x1b]7501;?:states=y\x1b\\\x1b]52;c;y\x07\x1bPy\x1b\\");
    terminal.send("n");
    terminal.sees("verdict 1: denied");
    assert!(terminal.exit().success());
    assert!(!terminal.screen().contains("allowed"), "{}", terminal.screen());
}

/// An answer that comes as the question goes is not left for whoever reads next.
#[test]
fn given_an_answer_as_the_question_ends_then_it_is_nobodys_input() {
    let mut terminal = Terminal::start(surface("later"), (24, 80), true);
    terminal.sees("I will ask now.");
    terminal.tell("ask command");
    terminal.until_raw(QUERY);
    terminal.tell("withdraw");
    terminal.send(QUERY);
    terminal.sees("verdict 101: cancelled");
    terminal.until("the terminal to be as before", |screen| !screen.hide_cursor());
    assert!(terminal.as_before());
    assert!(!terminal.screen().contains("7501"), "{}", terminal.screen());
}
