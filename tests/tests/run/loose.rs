//! What an agent starts stays the agent's, however it forks: it can't answer for the person, and ends with mayi.
#![cfg(target_os = "linux")]

use mayi_tests::{LIMIT, Loose, Machine, command_line, until};
use rustix::process::Signal;

use crate::{ROGUE, demo, each, picked};

/// An agent that a shell becomes, after it has done something else.
fn after(first: &str, behaviour: &str) -> String {
    command_line(["sh", "-c", &format!("{first}exec {ROGUE} {behaviour}")])
}

/// Waits until this runs on the machine.
fn runs(machine: &Machine, what: &str) {
    let programs = || machine.programs().into_iter().filter(|line| line.starts_with(what)).count();
    until(LIMIT, || if programs() > 0 { Ok(()) } else { Err(format!("`{what}` does not run")) });
}

/// D6.8: Answers from within an agent are refused. Attack 178: whatever it does to be nobody's child. Attack 780: or to see
/// nothing of whose child it is.
#[test]
fn given_what_an_agent_lets_go_of_then_it_answers_for_nobody_and_ends_with_the_run() {
    let machine = Machine::new();
    let loose = Loose::new(&machine);
    let line = command_line(["sh", "-c", &loose.line(&format!("{ROGUE} many-asks 1"))]);
    let words = ["run", "--command", &line, "hi", "--on-ask", "wait", "--timeout", "50s"];
    let running = machine.mayi(words).start();
    let ids = machine.waiting(1);
    loose.are_refused(&ids[0]);
    assert_eq!(machine.waiting(1), ids);
    // Somebody else is listened to.
    let line = format!("{} inbox deny {}", mayi_tests::mayi_program().display(), ids[0]);
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).env_clear().envs(machine.environment());
    let out = command.stdin(std::process::Stdio::null()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stdout));
    let _ = running.end().exits(5).tells(&picked(0, "reject"));
    machine.is_quiet();
}

/// The same of an ordinary user, where the tests run as root. Attack 780.
#[test]
fn given_an_ordinary_user_then_what_an_agent_lets_go_of_answers_for_nobody_either() {
    mayi_tests::again_as_ordinary_user(
        "loose::given_what_an_agent_lets_go_of_then_it_answers_for_nobody_and_ends_with_the_run",
    );
}

/// Attack 321: an agent that kills whoever looks after it, or stops that, gets nothing loose by it.
#[test]
fn given_an_agent_that_turns_on_its_supervisor_then_what_it_started_ends_all_the_same() {
    let cases = [("KILL", "silent-prompt", 4), ("TERM", "silent-prompt", 4), ("STOP", "updates 1", 0)];
    each(&cases, |(signal, behaviour, code)| {
        let machine = Machine::new();
        // Once mayi speaks to it: a supervisor that is stopped before it has said so has started nothing.
        let spoken = "python3 -c \"import select; select.select([0], [], [])\"; ";
        let line = after(
            &format!("(setsid sleep 300 >/dev/null 2>&1 </dev/null &); {spoken}kill -{signal} $PPID; "),
            behaviour,
        );
        let _ = machine.mayi(["run", "--command", &line, "hi", "--timeout", "50s"]).end().exits(*code);
        machine.is_quiet();
    });
}

/// What an agent started ends with it, also what has a session of its own; and what ignores that it should.
#[test]
fn given_an_agent_that_leaves_daemons_behind_then_they_end_with_the_run() {
    let trap = "(setsid sh -c \"trap '' TERM HUP; sleep 300\" >/dev/null 2>&1 </dev/null &); ";
    let daemon = "setsid -f sleep 300 >/dev/null 2>&1 </dev/null; ";
    each(
        &[(daemon, "updates 1", 0), (trap, "updates 1", 0), (daemon, "die", 4)],
        |(first, behaviour, code)| {
            let machine = Machine::new();
            let line = after(first, behaviour);
            let _ = machine.mayi(["run", "--command", &line, "hi", "--timeout", "50s"]).end().exits(*code);
            machine.is_quiet();
        },
    );
}

/// Attack 322: mayi is killed. Nothing that it has started goes on without it: neither a command of the agent's, nor an
/// agent that does not read that its input has ended, nor what one of them let go of.
#[test]
fn given_a_mayi_that_is_killed_then_agents_and_their_commands_end() {
    each(&["command", "deaf"], |what| {
        let machine = Machine::new();
        let running = if *what == "deaf" {
            let line = after("setsid -f sleep 301 >/dev/null 2>&1 </dev/null; ", "ignore-cancel");
            machine.mayi(["run", "--command", &line, "hi"]).start()
        } else {
            demo(&machine, "demo: run sleep 301").args(["--allow", "shell(sleep 301)"]).start()
        };
        runs(&machine, "sleep 301");
        running.signal(Signal::KILL);
        machine.is_quiet();
    });
}

/// A supervisor starts a program without asking anybody: only mayi starts one. Attack 323.
#[test]
fn given_a_supervisor_that_mayi_did_not_start_then_it_starts_nothing() {
    let machine = Machine::new();
    let own = std::process::id().to_string();
    let ended = machine.mayi(["supervise", &own, "1", "touch", "a.txt"]).end().exits(2);
    let _ = ended.says("only mayi starts a supervisor");
    let _ = machine.mayi(["supervise"]).end().exits(2).says("only mayi starts a supervisor");
    assert!(machine.files().is_empty());
}
