//! Processes that are killed while they ask and while they answer: one that runs an agent, and one that a person answers
//! in, at scattered points.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "it tells how much of what it looks for it met")]

#[path = "support/pty.rs"]
mod pty;
#[path = "support/waiting.rs"]
mod waiting;

use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::time::Duration;

use mayi_core::approval::State;
use mayi_core::policy::Effect;
use mayi_core::record::Kind;
use mayi_core::store::{ApprovalQuery, EntryQuery, Options, Order, SqliteStore, Store};
use pty::Terminal;
use waiting::{Machine, ended};

/// So often each of the tests kills.
const KILLS: u64 = 25;

/// What is known of one round from outside.
#[derive(Debug, Default)]
struct Seen {
    /// The person was told that it is allowed.
    told: bool,
    /// The run ended by itself, with this code.
    ended: Option<i32>,
}

/// Some moment within so many milliseconds: where the kill falls is chance, and nothing is waited for.
fn moment(random: u64, most: u64) {
    std::thread::sleep(Duration::from_micros(random % (most * 1000)));
}

fn kills(round: impl Fn(&Machine, &str, u64) -> Seen) {
    let machine = Machine::new();
    // Its keys are the same each time.
    let chance = BuildHasherDefault::<DefaultHasher>::default();
    let mut rounds = BTreeMap::new();
    for kill in 0..KILLS {
        let file = format!("ran-{kill}.txt");
        let seen = round(&machine, &format!("demo: run touch {file}"), chance.hash_one(kill));
        rounds.insert(file, seen);
    }
    // What the killed ones left behind is swept by whoever looks next.
    assert!(machine.ids(0).is_empty());
    holds(&machine, &rounds);
    let verify = machine.out(&["log", "verify"]);
    assert_eq!(verify.status.code(), Some(0), "{}", String::from_utf8_lossy(&verify.stdout));
    let told = rounds.values().filter(|seen| seen.told).count();
    let ran = rounds.keys().filter(|file| machine.file(file).exists()).count();
    println!("{KILLS} rounds: {told} answers were told, {ran} commands ran");
}

/// "No entry lost that was acknowledged, no approval answered twice, no allow without its entry."
fn holds(machine: &Machine, rounds: &BTreeMap<String, Seen>) {
    let data = machine.folder.path().join("home/.local/share/mayi");
    let store = SqliteStore::open_existing(&data, Options::default()).unwrap().unwrap();
    let query = EntryQuery { order: Order::OldestFirst, ..EntryQuery::default() };
    let entries = store.query_entries(&query).unwrap();
    let approvals = store.query_approvals(&ApprovalQuery::default()).unwrap();
    for approval in &approvals {
        let own = entries.iter().filter(|found| found.entry.approval == Some(approval.id));
        let kinds: Vec<Kind> = own.map(|found| found.entry.kind).collect();
        let count = |kind| kinds.iter().filter(|own| **own == kind).count();
        assert_eq!(count(Kind::Asked), 1, "{approval:?}");
        let settled = count(Kind::Answered) + count(Kind::Cancelled) + count(Kind::Expired);
        assert_eq!(settled, 1, "settled once and only once: {approval:?} {kinds:?}");
        assert_eq!(count(Kind::Answered) == 1, approval.state == State::Approved, "{approval:?} {kinds:?}");
        if approval.state == State::Cancelled {
            assert_eq!(approval.reason.as_deref(), Some("interrupted"), "{approval:?}");
        }
    }
    for (file, seen) in rounds {
        let access = format!("shell(touch {file})");
        let own = || entries.iter().filter(|found| found.entry.access.as_deref() == Some(&*access));
        let allowed = |kind: Kind| {
            own()
                .filter(|found| found.entry.kind == kind && found.entry.effect == Some(Effect::Allow))
                .count()
        };
        assert!(allowed(Kind::Decided) <= 1 && allowed(Kind::Answered) <= 1, "{file}: {seen:?}");
        if machine.file(file).exists() {
            assert_eq!(allowed(Kind::Decided), 1, "{file} ran, so its allow was on disk: {seen:?}");
        }
        if seen.told {
            assert_eq!(allowed(Kind::Answered), 1, "{file}: the answer was acknowledged, so it is there");
        }
        if let Some(code) = seen.ended {
            assert_eq!(code == 0, machine.file(file).exists(), "{file}: {seen:?}");
        }
    }
}

fn answer(machine: &Machine, id: &str) -> Terminal {
    Terminal::start(machine.mayi(&["inbox", "approve", id]), (24, 100), false)
}

fn told(terminal: &Terminal) -> bool {
    terminal.screen().contains("allowed once")
}

/// Kill -9 at every step of asking and answering, a hundred times at random points, with two
/// processes: here before anybody answers.
/// Attack 17.
#[test]
fn given_runs_that_are_killed_while_they_start_and_ask_then_nothing_is_allowed() {
    kills(|machine, prompt, random| {
        let mut run = machine.asks(prompt);
        moment(random, 400);
        run.kill().unwrap();
        run.wait().unwrap();
        Seen::default()
    });
}

/// The same, with an answer under way.
/// Attack 17.
#[test]
fn given_runs_that_are_killed_while_they_are_answered_then_what_was_told_is_there() {
    kills(|machine, prompt, random| {
        let mut run = machine.asks(prompt);
        let id = machine.ids(1).remove(0);
        let person = answer(machine, &id);
        moment(random, 400);
        run.kill().unwrap();
        run.wait().unwrap();
        // It hears of an answer that was taken, or that the run is gone: it does not wait for ever.
        person.exit();
        Seen { told: told(&person), ended: None }
    });
}

/// The same, where the one that answers is killed: the question waits on, or was answered.
/// Attack 17.
#[test]
fn given_answers_that_are_killed_then_the_run_goes_on_with_one_answer() {
    kills(|machine, prompt, random| {
        let run = machine.asks(prompt);
        let id = machine.ids(1).remove(0);
        let person = answer(machine, &id);
        moment(random, 200);
        person.kill();
        person.exit();
        let first = told(&person);
        // Once more: it is taken, or the first one was.
        let person = answer(machine, &id);
        let code = person.exit().code();
        assert!(code == Some(0) || !person.screen().contains("allowed once"), "{}", person.screen());
        assert!(!(first && told(&person)), "told twice");
        Seen { told: first || told(&person), ended: Some(ended(run)) }
    });
}

/// The same, where both are killed.
/// Attack 17.
#[test]
fn given_both_killed_then_what_was_told_is_there() {
    kills(|machine, prompt, random| {
        let mut run = machine.asks(prompt);
        let id = machine.ids(1).remove(0);
        let person = answer(machine, &id);
        moment(random, 200);
        person.kill();
        moment(random >> 32, 20);
        run.kill().unwrap();
        run.wait().unwrap();
        person.exit();
        Seen { told: told(&person), ended: None }
    });
}
