//! Kills at any moment: of gateways, of runs, of backends whose questions are being answered.

use std::collections::BTreeSet;
use std::time::Duration;

use mayi_tests::backend::Backend;
use mayi_tests::random::Random;
use mayi_tests::{LIMIT, Machine, mayi_program, until};
use serde_json::json;

use super::gateway::Gateway;
use super::laws::{Seen, called, token_in, written};
use super::{Clock, random};

/// So many rounds lie between two looks at the whole record.
const ROUNDS: usize = 10;

/// "Nothing without its entry, nothing lost, nothing stuck": no call reached the server that the record does not allow, none
/// ran twice, what the client was told is in the record, and the next gateway begins on it as if nothing had been.
#[test]
fn given_gateways_that_are_killed_then_the_record_has_all_that_happened() {
    let (clock, mut random, machine) = (Clock::new().part(3), random("kills of gateways"), Machine::new());
    let (mut kills, mut told) = (0, BTreeSet::new());
    while clock.goes_on() {
        let mut gateway = Gateway::start(&machine, &[]);
        for call in 0..=random.below(400) {
            if !gateway.call(&format!("t-{kills}-{call}")) {
                break;
            }
        }
        std::thread::sleep(Duration::from_millis(random.below(300) as u64));
        told.extend(gateway.kill().into_iter().filter(|(_, ran)| *ran).map(|(token, _)| token));
        kills += 1;
        if kills % ROUNDS == 0 {
            gateways_keep_the_law(&machine, &told);
        }
    }
    // It goes on as if nothing had been.
    let mut last = Gateway::start(&machine, &[]);
    assert!(last.call("t-999999-0"));
    assert_eq!(last.answer(), Some(("t-999999-0".to_owned(), true)));
    last.end();
    let (calls, entries) = gateways_keep_the_law(&machine, &told);
    println!(
        "gateways: {kills} kills, {calls} calls reached the server, {} told, {entries} entries",
        told.len()
    );
    machine.is_quiet();
}

fn gateways_keep_the_law(machine: &Machine, told: &BTreeSet<String>) -> (usize, u64) {
    // Its server ends by the end of its input, some moments after the kill.
    machine.is_quiet();
    let (seen, calls) = (Seen::of(machine), called(machine));
    seen.covers("a call reached the server", &calls);
    seen.covers("a client was told that a call ran", told);
    let once: BTreeSet<&String> = calls.iter().collect();
    assert_eq!(once.len(), calls.len(), "a call ran twice");
    (calls.len(), seen.entries)
}

/// The same for runs, by what is in the folder.
#[test]
fn given_runs_that_are_killed_then_the_record_has_all_that_happened() {
    let (clock, mut random, machine) = (Clock::new().part(3), random("kills of runs"), Machine::new());
    let mut kills = 0;
    while clock.goes_on() {
        let steps: Vec<String> = (0..30).map(|step| format!("demo: write t-{kills}-{step} x")).collect();
        let mut command = std::process::Command::new(mayi_program());
        command.args(["run", "demo", "--mode", "auto"]).arg(steps.join(" ;; ")).current_dir(machine.work());
        command.env_clear().envs(machine.environment());
        let null = std::process::Stdio::null;
        let mut child = command.stdin(null()).stdout(null()).stderr(null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(random.below(400) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        if kills % ROUNDS == 0 {
            machine.is_quiet();
            Seen::of(&machine).covers("a file was written", &written(&machine));
        }
    }
    machine.is_quiet();
    let _ = machine.mayi(["run", "demo", "demo: say on"]).end().exits(0);
    let (seen, written) = (Seen::of(&machine), written(&machine));
    seen.covers("a file was written", &written);
    println!("runs: {kills} kills, {} files written, {} entries", written.len(), seen.entries);
}

/// The same for backends of editors, with two tabs whose questions are answered: a question that was asked ends, at the
/// latest when the next one begins.
#[test]
fn given_backends_that_are_killed_then_no_question_stays_open() {
    let (clock, mut random, machine) = (Clock::new().part(3), random("kills of backends"), Machine::new());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (mut kills, mut told) = (0, BTreeSet::new());
    while clock.goes_on() {
        runtime.block_on(killed_among_answers(&machine, kills, &mut random, &mut told));
        kills += 1;
        if kills % ROUNDS == 0 {
            machine.is_quiet();
            let seen = Seen::of(&machine);
            seen.covers("a file was written", &written(&machine));
            seen.covers("a person was told that it is allowed", &told);
        }
    }
    machine.is_quiet();
    // Whoever comes next ends what was left.
    until(LIMIT, || {
        let _ = machine.mayi(["run", "demo", "demo: say on"]).end().exits(0);
        let open = Seen::of(&machine).unsettled;
        if open.is_empty() { Ok(()) } else { Err(format!("still open: {open:?}")) }
    });
    let (seen, written) = (Seen::of(&machine), written(&machine));
    seen.covers("a file was written", &written);
    seen.covers("a person was told that it is allowed", &told);
    println!(
        "backends: {kills} kills, {} answers told, {} files written, {} entries",
        told.len(),
        written.len(),
        seen.entries
    );
}

/// A backend with two tabs that ask; it is killed after some of the answers.
async fn killed_among_answers(
    machine: &Machine,
    round: usize,
    random: &mut Random,
    told: &mut BTreeSet<String>,
) {
    let mut command = tokio::process::Command::new(mayi_program());
    command.arg("serve").current_dir(machine.work()).env_clear().envs(machine.environment());
    let backend = Backend::start(command).await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    for tab in 0..2 {
        let id = client.tab(json!({ "agent": "demo", "cwd": machine.work() })).await;
        let step = |step| format!("demo: write t-{round}-{} x", tab * 20 + step);
        client.prompt(&id, &(0..20).map(step).collect::<Vec<_>>().join(" ;; ")).await;
    }
    for _ in 0..random.below(20) {
        let card = events.until("approval-request").await;
        let option = if random.once_in(4) { "deny" } else { "allow_once" };
        let answered = client.answer(&card, option).await;
        if answered.is_ok() && option == "allow_once" {
            told.insert(token_in(&card.to_string()).unwrap().to_owned());
        }
    }
    backend.kill().await;
}
