//! The machine that looks for the next way around a decision: lines that mayi allows are run in real shells, and whatever
//! happens has to be something that the same policy allows by itself.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on has failed"
)]
#![allow(clippy::print_stdout, reason = "what was counted is told, also where it is fine")]

mod effects;
mod grammar;
mod holes;
mod hunt;
mod judge;
mod network;
mod programs;
mod report;
mod shells;
mod shrink;
mod world;

use effects::{Bench, Effect};
use hunt::Order;
use shells::Shell;

/// The lines of every run are the same ones.
const SEED: u64 = 20_261_123;
/// As many distinct lines are run in each shell: half a minute, on two processors that have nothing else to do.
const LINES: usize = 1500;

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

fn order() -> Order {
    Order {
        seed: variable("MAYI_SEED").map_or(SEED, |text| text.parse().unwrap()),
        lines: variable("MAYI_LINES").map_or(LINES, |text| text.parse().unwrap()),
        shells: Shell::ALL.to_vec(),
        until: Vec::new(),
    }
}

/// "No known way around a decision": what happens because of a line that is allowed is allowed by itself.
/// Attack 260.
#[test]
fn given_lines_that_are_allowed_then_nothing_happens_that_is_not() {
    // A line that writes on and on is ended by the system.
    let limit = rustix::process::Rlimit { current: Some(1 << 24), maximum: None };
    let _ = rustix::process::setrlimit(rustix::process::Resource::Fsize, limit);
    let holes = holes::holes();
    let sought = variable("MAYI_HOLE").map(|name| {
        holes
            .iter()
            .find(|hole| hole.name == name)
            .cloned()
            .unwrap_or_else(|| panic!("there is no hole {name}"))
    });
    let order =
        Order { until: sought.as_ref().map(|hole| hole.constructs.clone()).unwrap_or_default(), ..order() };
    let tally = hunt::hunt(&order);
    let names = grammar::Grammar::new(0).names();
    println!("{}", report::table(&order, &tally, &names));
    tally.doubtful.iter().for_each(|line| println!("# not seen again: {line}"));
    println!("{}", report::of_holes(&holes, &tally));
    let is_of = |hole: &holes::Hole, names: &[&str]| {
        hole.constructs.iter().any(|construct| names.contains(&construct.as_str()))
    };
    if let Some(hole) = sought {
        let found = tally.findings.keys().any(|name| is_of(&hole, &[name]));
        assert!(found, "{} was not found in {} lines", hole.name, tally.distinct);
        return;
    }
    let known = |constructs: &[&str]| holes.iter().any(|hole| hole.open && is_of(hole, constructs));
    let new = tally.found.iter().filter(|found| !known(&found.constructs));
    let new: Vec<String> = new.map(|found| format!("{:?}", found.short)).collect();
    assert!(new.is_empty(), "hidden effects: {}", new.join("\n"));
    assert!(tally.distinct >= order.lines, "too few lines are allowed: {} of {}", tally.distinct, tally.made);
}

/// A machine that sees nothing finds nothing. Attack 260.
#[test]
fn given_a_line_that_does_what_is_not_allowed_then_each_effect_is_told() {
    let mut bench = Bench::new();
    let line =
        "touch x; echo >a.txt; cat .env ~/.ssh/id_rsa; ./evil & unknown; exec 3<>/dev/tcp/127.0.0.1/45191";
    for shell in order().shells {
        let mut verdict = bench.verdict(line, shell).unwrap();
        assert_eq!(verdict.by, 0, "nobody allows that");
        // As if it were allowed by the second policy.
        verdict.by = 2;
        let hidden = bench.hidden(line, shell, &verdict);
        let effects: Vec<&Effect> = hidden.iter().map(|one| &one.effect).collect();
        let ran = |name: &str| {
            effects.iter().any(|effect| matches!(effect, Effect::Ran(words) if words[0] == name))
        };
        assert!(ran("touch") && ran("./evil"), "{}: {effects:?}", shell.name());
        assert_eq!(ran("unknown"), shell == Shell::Bash, "only bash tells what is not there");
        for name in ["home/project/.env", "home/.ssh/id_rsa"] {
            assert!(effects.contains(&&Effect::Told(name.to_owned())), "{}: {effects:?}", shell.name());
        }
        assert!(effects.contains(&&Effect::Wrote("home/project/a.txt".to_owned())), "{effects:?}");
        assert_eq!(effects.contains(&&Effect::Called), shell == Shell::Bash, "only bash has such files");
        // The same again: the world is as it was.
        assert_eq!(bench.hidden(line, shell, &verdict), hidden);
    }
}
