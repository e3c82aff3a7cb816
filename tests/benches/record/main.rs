//! What the record costs: a decision of two entries in one commit, many of them from one and from four processes, and
//! the first page of a record with a million entries; and what a commit takes while the oldest entries are archived.
//!
//! usage: `cargo bench -p mayi-tests --bench record [-- [--quick] [FILTER]]`
//!
//! With `--quick`, and where nothing is measured (`cargo test --bench record`), the record has 50,000 entries.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod archiving;
mod pages;
mod processes;

use std::error::Error;
use std::time::Duration;

use criterion::{BatchSize, Criterion};
use jiff::Timestamp;
use mayi_core::call::{AgentId, SessionId};
use mayi_core::policy::Effect;
use mayi_core::record::{CallId, Entry, Kind};
use mayi_core::store::{Change, Durability, Options, SqliteStore, Store};
use serde_json::json;

/// What the benches return.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let mut criterion = Criterion::default().configure_from_args();
    let asked = |option: &str| std::env::args().any(|argument| argument == option);
    // `cargo test` leaves `--bench` out.
    let quick = asked("--quick") || !asked("--bench");
    commits(&mut criterion)?;
    pages::reading(&mut criterion, if quick { 50_000 } else { 1_000_000 })?;
    criterion.final_summary();
    processes::measure(if quick { 1_000 } else { 10_000 })?;
    archiving::measure(if quick { 2_000 } else { 40_000 })?;
    println!("aims: a commit under 150 µs where only the process may die, a first page under 100 ms");
    Ok(())
}

/// How the benches open a store.
pub(crate) fn options(durability: Durability) -> Options {
    Options { durability, limits: None, ..Options::default() }
}

/// What the gate commits for a call that it allows: it was proposed, and it was decided.
pub(crate) fn decision() -> Vec<Change> {
    let (at, call) = (Timestamp::now(), CallId::new());
    let entry = |kind, effect, detail| Entry {
        call: Some(call),
        session: Some(SessionId("session-1".to_owned())),
        agent: Some(AgentId::from_name("claude")),
        workspace: Some("/home/me/work".to_owned()),
        effect,
        access: Some("shell(cargo test --workspace)".to_owned()),
        ..Entry::new(at, kind, detail)
    };
    let proposed = json!({ "preview": "x".repeat(1_000) });
    let decided = json!({ "trail": "y".repeat(1_000) });
    vec![
        Change::Append(entry(Kind::Proposed, None, proposed)),
        Change::Append(entry(Kind::Decided, Some(Effect::Allow), decided)),
    ]
}

fn commits(criterion: &mut Criterion) -> Outcome<()> {
    let mut group = criterion.benchmark_group("commit");
    for (what, durability) in [("process", Durability::Process), ("power", Durability::Power)] {
        let folder = tempfile::tempdir()?;
        let store = SqliteStore::open(&folder.path().join("mayi"), options(durability))?;
        if durability == Durability::Power {
            group.sample_size(20).measurement_time(Duration::from_secs(3));
        }
        let mut failed = None;
        group.bench_function(what, |bencher| {
            bencher.iter_batched(
                decision,
                |changes| {
                    if let Err(error) = store.commit(changes) {
                        failed = Some(error);
                    }
                },
                // One at a time: what is measured is one decision, not what many cost together.
                BatchSize::PerIteration,
            );
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        singles(what, &store, if durability == Durability::Power { 300 } else { 2_000 })?;
    }
    group.finish();
    Ok(())
}

/// How the times of single commits are spread: criterion tells of means of many.
fn singles(what: &str, store: &SqliteStore, count: u32) -> Outcome<()> {
    let mut times = Vec::new();
    for _ in 0..count {
        let changes = decision();
        let begin = std::time::Instant::now();
        store.commit(changes)?;
        times.push(begin.elapsed());
    }
    times.sort();
    let at = |part: usize| times.get(times.len() * part / 1_000).copied().unwrap_or_default();
    println!(
        "commit/{what}: p50 {:.1?}, p95 {:.1?}, p99 {:.1?} of single commits",
        at(500),
        at(950),
        at(990)
    );
    Ok(())
}
