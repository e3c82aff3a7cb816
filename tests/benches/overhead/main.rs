//! What mayi adds to each call that it decides by itself, seen by the agent.
//!
//! A raw agent (`loop_agent`) asks 1,000 times, one after the other, and notes how long each answer took: from a raw
//! client that reads and writes lines and nothing else, from the barest client that the SDK lets one write, from mayi's
//! ACP door in this process, and from the program `mayi run` where it has been built. Every round has a loop with each
//! of them, in turn, so that what the machine does besides hits all alike; what mayi adds is the difference of the
//! calls with the same number in the same round.
//!
//! usage: `cargo bench -p mayi-tests --bench overhead [-- [--quick] [FILTER]]`
//!
//! FILTER is a part of a section's name. Options of criterion's that mean nothing here are ignored.
#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod binary;
mod clients;
#[path = "../common/mod.rs"]
mod common;
mod demo;
#[path = "../common/figures.rs"]
mod figures;
mod inside;
mod loops;
#[path = "../common/options.rs"]
mod options;
#[path = "../common/program.rs"]
mod program;

use std::path::{Path, PathBuf};

use common::{Machine, Outcome};
use mayi_core::policy::Policy;
use options::Options;

/// What all sections work with.
struct Bench {
    options: Options,
    machine: Machine,
    /// The usual number of rules, and very many.
    policies: [Policy; 2],
    runtime: tokio::runtime::Runtime,
}

/// How many rules the policies have.
const RULES: [usize; 2] = [30, 1000];

fn main() -> Outcome<()> {
    if std::env::args().nth(1).as_deref() == Some(demo::AGENT) {
        return demo::agent();
    }
    let Some(options) = Options::read(std::env::args().skip(1)) else { return Ok(()) };
    let machine = Machine::new()?;
    let policies = [machine.policy(RULES[0])?, machine.policy(RULES[1])?];
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    println!("{}", program::conditions()?);
    let bench = Bench { options, machine, policies, runtime };
    loops::measure(&bench)?;
    demo::measure(&bench)?;
    inside::measure(&bench)?;
    Ok(())
}

/// The folder of programs that were built along, such as `target/release`.
fn built() -> Outcome<PathBuf> {
    let agent = Path::new(env!("CARGO_BIN_EXE_loop_agent"));
    Ok(agent.parent().ok_or("the loop agent is in no folder")?.to_owned())
}
