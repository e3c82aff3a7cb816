//! The parts of an automatic decision by themselves: building a call's accesses, and judging it, with few rules and with
//! very many. Beside it, with `--features yardstick`, the same rules and calls in cedar-policy.
//!
//! usage: `cargo bench -p mayi-tests --bench decide [-- [--quick] [FILTER]]`
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

#[cfg(feature = "yardstick")]
mod cedar;
#[path = "../common/mod.rs"]
mod common;
mod hostile;
mod rules;
mod table;

use std::hint::black_box;

use common::{Machine, Outcome};
use criterion::{BenchmarkId, Criterion};
use mayi_core::call::{Access, PathAccess, Surroundings, json, shell};
use mayi_core::grant::Grants;
use mayi_core::policy::{Effect, Mode, Policy, SessionStanding, decide};

/// Five commands, each of which is allowed by a rule of its own.
pub(crate) const LINE: &str =
    "cargo test -p core 2>&1 | tail -20 && git status --short && rg -n TODO src | head -5";

/// How many rules there are.
pub(crate) const SIZES: [usize; 3] = [10, 1_000, 100_000];

fn main() -> Outcome<()> {
    let mut criterion = Criterion::default().configure_from_args();
    let machine = Machine::new()?;
    for size in SIZES {
        let policy = rules::policy(&machine, size)?;
        judging(&mut criterion, &machine, &policy, size)?;
    }
    #[cfg(feature = "yardstick")]
    cedar::judging(&mut criterion, &machine)?;
    building(&mut criterion, &machine);
    hostile::answering(&mut criterion, &machine)?;
    criterion.final_summary();
    table::print();
    Ok(())
}

/// Calls that one rule for each access allows, among others that are about something else.
fn judging(criterion: &mut Criterion, machine: &Machine, policy: &Policy, size: usize) -> Outcome<()> {
    let mut group = criterion.benchmark_group("decide");
    let grants = Grants::default();
    let standing = SessionStanding { mode: Mode::Default, bypass: false, grants: &grants, servers: &[] };
    let write = machine.write();
    let mut line = machine.shell();
    line.accesses = built(machine);
    for (what, call) in [("plain", &write), ("line", &line)] {
        let decision = decide(policy, call, &standing);
        if decision.effect != Effect::Allow {
            return Err(format!("{what} with {size} rules: {:?}", decision.trail).into());
        }
        group.bench_function(BenchmarkId::new(what, size), |bencher| {
            bencher.iter(|| decide(black_box(policy), black_box(call), &standing));
        });
    }
    group.bench_function(BenchmarkId::new("build and decide line", size), |bencher| {
        bencher.iter(|| {
            line.accesses = built(machine);
            decide(black_box(policy), black_box(&line), &standing)
        });
    });
    group.finish();
    Ok(())
}

fn built(machine: &Machine) -> Vec<Access> {
    shell::line_accesses(
        black_box(LINE),
        &Surroundings::new(&machine.work, std::slice::from_ref(&machine.work)),
    )
}

/// What a door does before it can judge.
fn building(criterion: &mut Criterion, machine: &Machine) {
    let mut group = criterion.benchmark_group("build");
    let at = Surroundings::new(&machine.work, std::slice::from_ref(&machine.work));
    group.bench_function("path", |bencher| {
        bencher.iter(|| PathAccess::new(black_box(&machine.work), black_box("src/part7/lines.rs")));
    });
    group.bench_function("command", |bencher| {
        let line = "cargo test --workspace --quiet -- --nocapture gate";
        bencher.iter(|| shell::line_accesses(black_box(line), &at));
    });
    group.bench_function("line", |bencher| bencher.iter(|| built(machine)));
    let words: Vec<String> = ["git", "commit", "-m", "one idea, short subject"].map(str::to_owned).to_vec();
    group.bench_function("words", |bencher| {
        bencher.iter(|| shell::argv_accesses(black_box(&words), &at));
    });
    let request = machine.mcp().raw_input.to_string();
    group.bench_function("arguments", |bencher| bencher.iter(|| json::parse_strict(black_box(&request))));
    group.bench_function("digest", |bencher| {
        let call = machine.write();
        bencher.iter(|| black_box(&call).digest(1));
    });
    group.finish();
}
