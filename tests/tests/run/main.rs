//! `mayi run` from end to end: the real program, real agents behind it as processes of their own, nobody to ask.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "only tests")]

mod advice;
mod config;
mod demo;
mod ends;
mod exits;
mod formats;
mod loose;
mod modes;
mod rogues;
mod servers;
mod sessions;
mod sides;
mod together;
mod wire;

use std::sync::atomic::{AtomicUsize, Ordering};

use mayi_tests::{Machine, Mayi, command_line};
use serde_json::Value;

/// The agent that misbehaves.
const ROGUE: &str = env!("CARGO_BIN_EXE_rogue_agent");

/// `mayi run` with an agent that misbehaves in this way.
fn rogue(machine: &Machine, behaviour: &[&str]) -> Mayi {
    let line = command_line([&[ROGUE], behaviour].concat());
    machine.mayi(["run", "--command", &line, "hello"])
}

/// `mayi run` with the demo agent.
fn demo(machine: &Machine, prompt: &str) -> Mayi {
    machine.mayi(["run", "demo", prompt])
}

/// Checks all cases, some at a time: most of a run is waiting.
fn each<C: Sync>(cases: &[C], check: impl Fn(&C) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(case);
                }
            });
        }
    });
}

/// What the agent tells of an answer that picked this option.
fn picked(ask: usize, option: &str) -> String {
    format!(r#"ask {ask} -> {{"outcome":"selected","optionId":"{option}"}}"#)
}

/// The count of this name in a result.
fn count(result: &Value, name: &str) -> u64 {
    result["tally"][name].as_u64().unwrap_or_else(|| panic!("no count of {name}: {result}"))
}
