//! How a run is cut short, and that nothing stays behind.
#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use mayi_tests::{LIMIT, Machine, command_line, until};
use rustix::process::Signal;

use crate::wire::overheard;
use crate::{ROGUE, demo, each, rogue};

/// An agent has five seconds to end a turn that was cancelled; ending the agent takes a moment.
const FEW_SECONDS: Duration = Duration::from_secs(12);

/// Waits until mayi has sent this.
fn until_heard(machine: &Machine, what: &str) {
    let heard = || std::fs::read_to_string(machine.outside("heard")).unwrap_or_default();
    until(LIMIT, || if heard().contains(what) { Ok(()) } else { Err(format!("{what} was not sent")) });
}

/// An agent that misbehaves in this way, and has started something else before.
fn with_a_background(behaviour: &str) -> String {
    command_line(["sh", "-c", &format!("sleep 300 >/dev/null 2>&1 & exec {ROGUE} {behaviour}")])
}

/// S1.9: 124 `--timeout` reached, whatever the agent does about it; and it is gone afterwards.
#[test]
fn given_an_agent_that_never_ends_its_turn_then_the_time_limit_ends_it() {
    each(&["silent-prompt", "ignore-cancel"], |behaviour| {
        let machine = Machine::new();
        let line = with_a_background(behaviour);
        let ended = machine.mayi(["run", "--command", &line, "hi", "--timeout", "300ms"]).end();
        let ended = ended.exits(124).says("the time limit of 300ms was reached");
        assert!(ended.took < FEW_SECONDS, "{ended}");
        machine.is_quiet();
    });
}

/// "124 `--timeout` reached": also before there is a session.
#[test]
fn given_an_agent_that_never_answers_then_the_time_limit_ends_it_at_once() {
    let machine = Machine::new();
    let ended = rogue(&machine, &["silent"]).args(["--timeout", "300ms"]).end().exits(124);
    assert!(ended.says("the time limit of 300ms was reached").took < Duration::from_secs(4));
    machine.is_quiet();
}

/// Found in review: an agent that was mute from the start was waited for without a word. Found with real agents:
/// one that waits for an answer is not mute.
#[test]
fn given_an_agent_that_says_nothing_then_that_is_said_unless_it_waits_for_an_answer() {
    each(&[("silent", true), ("silent-prompt", true), ("many-asks 1", false)], |(behaviour, mute)| {
        let machine = Machine::new();
        let words: Vec<&str> = behaviour.split(' ').collect();
        let ended = rogue(&machine, &words).args(["--on-ask", "wait", "--timeout", "13s"]).end().exits(124);
        assert_eq!(ended.err.contains("the agent has said nothing for 10 s; Ctrl-C "), *mute, "{ended}");
    });
}

/// "124 `--timeout` reached": before 6, for what waited was not left unanswered but withdrawn with its turn.
#[test]
fn given_a_question_that_waits_then_the_time_limit_withdraws_it() {
    let machine = Machine::new();
    let ended = rogue(&machine, &["two-asks"]).args(["--on-ask", "wait", "--timeout", "2s"]).end();
    let ended = ended.exits(124).tells(r#"ask 0 -> {"outcome":"cancelled"}"#);
    let _ = ended.tells(r#"ask 1 -> {"outcome":"cancelled"}"#);
}

/// D6.22: ACP's `cancelled` "means the turn is gone". A turn that was cancelled allows nothing any more.
#[test]
fn given_an_ask_after_the_cancel_then_no_rule_allows_it() {
    let machine = Machine::new();
    let ended = rogue(&machine, &["ask-after-cancel"]).args(["--timeout", "2s", "--allow", "*"]).end();
    let _ = ended.exits(124).tells(r#"ask 0 -> {"outcome":"cancelled"}"#);
}

/// "130 interrupted": by Ctrl-C, SIGTERM and SIGHUP; at once when it is said twice.
#[test]
fn given_two_signals_then_130_at_once_and_the_agent_is_gone() {
    let signals = [Signal::INT, Signal::TERM, Signal::HUP];
    let cases = signals.map(|signal| [(signal, "silent-prompt"), (signal, "ignore-cancel")]).concat();
    each(&cases, |(signal, behaviour)| {
        let machine = Machine::new();
        let running = overheard(&machine, &[behaviour]).args(["--format", "stream-json"]).start();
        until_heard(&machine, "session/prompt");
        let before = Instant::now();
        running.signal(*signal);
        until_heard(&machine, "session/cancel");
        running.signal(*signal);
        let ended = running.end().exits(130);
        assert!(before.elapsed() < Duration::from_secs(4), "{ended}");
        assert_eq!(ended.stream().last().unwrap()["error"], "interrupted; the turn was cancelled");
        machine.is_quiet();
    });
}

/// "130 interrupted": once is enough, whatever the agent does about it.
#[test]
fn given_one_signal_then_130_when_the_turn_has_ended_or_a_few_seconds_later() {
    for signal in [Signal::INT, Signal::TERM] {
        let machine = Machine::new();
        let running = demo(&machine, "demo: slow 60").args(["--format", "stream-json"]).start();
        running.until_it_tells("agent_message_chunk", 1);
        running.signal(signal);
        let ended = running.end().exits(130);
        assert_eq!(ended.stream().last().unwrap()["stopReason"], "cancelled", "{ended}");
        machine.is_quiet();
    }
    let machine = Machine::new();
    let running = overheard(&machine, &["ignore-cancel"]).start();
    until_heard(&machine, "session/prompt");
    running.signal(Signal::TERM);
    let ended = running.end().exits(130).says("interrupted");
    assert!(ended.took < FEW_SECONDS, "{ended}");
    machine.is_quiet();
}

/// "130 interrupted": also while the agent is still starting.
#[test]
fn given_a_signal_before_there_is_a_session_then_130_at_once() {
    let machine = Machine::new();
    let running = overheard(&machine, &["silent"]).start();
    until_heard(&machine, "initialize");
    running.signal(Signal::INT);
    let ended = running.end().exits(130).says("interrupted");
    assert!(ended.took < Duration::from_secs(6), "{ended}");
    machine.is_quiet();
}

/// What an agent started ends with it: however it ended, and also what it started in its background.
#[test]
fn given_an_agent_with_programs_of_its_own_then_they_end_with_it() {
    let cases = [("updates 1", 0), ("die", 4), ("die-early", 4), ("invalid-json", 4), ("silent", 124)];
    each(&cases, |(behaviour, code)| {
        let machine = Machine::new();
        let limit = if *code == 124 { "500ms" } else { "50s" };
        let line = with_a_background(behaviour);
        let _ = machine.mayi(["run", "--command", &line, "hi", "--timeout", limit]).end().exits(*code);
        machine.is_quiet();
    });
}

/// "4 agent ... failed": it has, also if something that it started still holds its standard output open. Without that,
/// a script would wait for ever.
#[test]
fn given_an_agent_that_died_then_what_it_started_does_not_hold_up_the_end() {
    each(&["die", "die-early"], |behaviour| {
        let machine = Machine::new();
        let line = command_line(["sh", "-c", &format!("sleep 300 & exec {ROGUE} {behaviour}")]);
        let ended = machine.mayi(["run", "--command", &line, "hi", "--timeout", "15s"]).end();
        assert!(ended.took < Duration::from_secs(10), "{ended}");
        let _ = ended.exits(4).says("the agent ended");
        machine.is_quiet();
    });
}

/// A command that mayi runs for the agent ends with the turn that it belonged to.
#[test]
fn given_a_command_that_runs_then_it_ends_with_the_run() {
    each(&[&[][..], &["--no-terminal"]], |options| {
        let machine = Machine::new();
        let running = demo(&machine, "demo: run sleep 300")
            .args(["--allow", "shell(sleep 300)"])
            .args(*options)
            .start();
        until(LIMIT, || match machine.programs() {
            programs if programs.iter().any(|program| program.starts_with("sleep")) => Ok(()),
            programs => Err(format!("no sleep in {programs:?}")),
        });
        running.signal(Signal::INT);
        let _ = running.end().exits(130);
        machine.is_quiet();
    });
}

/// The same for what such a command left in the background.
#[test]
fn given_a_command_with_a_background_then_it_ends_with_the_run() {
    let machine = Machine::new();
    machine.program(&machine.work().join("background"), "#!/bin/sh\nsleep 300 &\n");
    let _ = rogue(&machine, &["side-run", "./background"])
        .args(["--allow", "shell(./background)"])
        .end()
        .exits(0);
    machine.is_quiet();
}

/// Nobody reads any more (`mayi run ... | head -1`): the turn is cancelled, and the agent ended.
#[test]
fn given_an_output_that_nobody_reads_then_the_run_ends() {
    let machine = Machine::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = demo(&machine, "demo: slow 60").args(["--format", "stream-json"]).stdout(writer).end();
    assert!(ended.took < FEW_SECONDS, "{ended}");
    assert_ne!(ended.code, Some(0), "{ended}");
    machine.is_quiet();
}
