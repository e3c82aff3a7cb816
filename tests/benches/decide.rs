//! The parts of an automatic decision by themselves: building a call's access, and judging it.

#[path = "common/mod.rs"]
mod common;

use std::hint::black_box;

use common::{Machine, Outcome};
use criterion::{BenchmarkId, Criterion};
use mayi_core::call::{PathAccess, Surroundings, json, shell};
use mayi_core::grant::Grants;
use mayi_core::policy::{Effect, Mode, Standing, decide};

fn main() -> Outcome<()> {
    let mut criterion = Criterion::default().configure_from_args();
    let machine = Machine::new()?;
    judging(&mut criterion, &machine)?;
    building(&mut criterion, &machine);
    criterion.final_summary();
    Ok(())
}

/// A call that a rule allows, by the number of rules.
fn judging(criterion: &mut Criterion, machine: &Machine) -> Outcome<()> {
    let mut group = criterion.benchmark_group("decide");
    let grants = Grants::default();
    let standing = Standing { mode: Mode::Default, bypass: false, grants: &grants, servers: &[] };
    for rules in [30, 1000] {
        let policy = machine.policy(rules)?;
        for (what, call) in [("write", machine.write()), ("shell", machine.shell()), ("mcp", machine.mcp())] {
            let effect = decide(&policy, &call, &standing).effect;
            if effect != Effect::Allow {
                return Err(format!("{what} with {rules} rules: {effect} instead of allow").into());
            }
            group.bench_function(BenchmarkId::new(what, rules), |bencher| {
                bencher.iter(|| decide(black_box(&policy), black_box(&call), &standing));
            });
        }
    }
    group.finish();
    Ok(())
}

/// What a door does before it can judge.
fn building(criterion: &mut Criterion, machine: &Machine) {
    let mut group = criterion.benchmark_group("build");
    let at = Surroundings::new(&machine.work, std::slice::from_ref(&machine.work));
    group.bench_function("write", |bencher| {
        bencher.iter(|| PathAccess::new(black_box(&machine.work), black_box("src/part7/lines.rs")));
    });
    group.bench_function("shell", |bencher| {
        let line = "cargo test --workspace --quiet -- --nocapture gate";
        bencher.iter(|| shell::line(black_box(line), &at));
    });
    let words: Vec<String> = ["git", "commit", "-m", "one idea, short subject"].map(str::to_owned).to_vec();
    group.bench_function("words", |bencher| {
        bencher.iter(|| shell::argv(black_box(&words), &at));
    });
    let request = machine.mcp().raw_input.to_string();
    group.bench_function("mcp", |bencher| bencher.iter(|| json::strict(black_box(&request))));
    group.bench_function("digest", |bencher| {
        let call = machine.write();
        bencher.iter(|| black_box(&call).digest(1));
    });
    group.finish();
}
