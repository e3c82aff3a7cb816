//! How long a question takes through `mayi serve` to an editor, and its answer back; and whether very many questions
//! and editors lose anything.
//!
//! The agent is a process of its own (`asking_agent`), which notes when it asks and when it is answered; the editors are
//! WebSocket clients in this process, which read the same clock. The backend is the program `mayi serve`, with 30 rules
//! and the record on; no rule is about what is asked. From there to the webview and back is measured in a real editor:
//! `editors/vscode/e2e/bench/webview.mjs`.
//!
//! usage: `cargo bench -p mayi-tests --bench serve [-- [--quick] [FILTER]]`
//!
//! FILTER is a part of a section's name. Options of criterion's that mean nothing here are ignored. It fails if anything
//! is lost.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod asking;
mod backend;
mod client;
#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/mod.rs"]
mod common;
mod crowd;
mod delays;
#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/figures.rs"]
mod figures;
mod hosts;
#[path = "../common/options.rs"]
mod options;
#[path = "../common/program.rs"]
mod program;
#[path = "../common/resident.rs"]
mod resident;
#[expect(dead_code, reason = "what the other benches need of it")]
#[path = "../common/running.rs"]
mod running;

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use common::{Machine, Outcome};
use options::Options;
use program::Program;

/// The agent that asks.
const AGENT: &str = env!("CARGO_BIN_EXE_asking_agent");

/// How many rules the configuration has.
const RULES: usize = 30;

/// What all sections work with.
struct Bench {
    options: Options,
    machine: Machine,
    program: Program,
}

fn main() -> Outcome<()> {
    let Some(options) = Options::read(std::env::args().skip(1)) else { return Ok(()) };
    let built = Path::new(AGENT).parent().ok_or("the agent is in no folder")?;
    let program = program::find(built, "serve", "--listen")?;
    let machine = Machine::new()?;
    machine.policy(RULES)?;
    println!("{}; mayi: {} build", program::conditions()?, program.profile);
    let bench = Bench { options, machine, program };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(delays::measure(&bench))?;
    runtime.block_on(hosts::measure(&bench))?;
    runtime.block_on(crowd::measure(&bench))
}

/// Now, in nanoseconds since 1970: the same for every process of the machine.
fn now() -> Outcome<u64> {
    Ok(u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos())?)
}

/// From one reading of the clock to a later one.
fn between(from: u64, to: u64) -> Outcome<i64> {
    Ok(i64::try_from(to)? - i64::try_from(from)?)
}

/// Nanoseconds as milliseconds.
fn millis(nanos: i64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "times of less than an hour")]
    let millis = nanos as f64 / 1_000_000.0;
    format!("{millis:.2} ms")
}

/// A line of figures.
fn line(name: &str, values: &[i64]) -> String {
    let [median, high] = [50, 99].map(|percent| millis(figures::percentile(values, percent)));
    format!("  {name:<58} p50 {median:>10}   p99 {high:>10}   n {}", figures::grouped(values.len()))
}
