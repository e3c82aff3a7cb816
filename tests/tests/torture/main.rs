//! What kills, crowds, faults and long days do to mayi: real processes, one record, and the laws that hold whatever happened.
//!
//! Each test goes on for a quarter of `MAYI_TORTURE` minutes (`just torture MINUTES`), or for some seconds without it, and
//! tells what it counted. What is random comes from `MAYI_SEED`, which is told.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "only tests, which tell what they counted"
)]

mod faults;
mod gateway;
mod kills;
mod laws;
mod soak;
mod together;

use std::time::{Duration, Instant};

use mayi_tests::random::Random;

/// The MCP server whose calls leave a line each.
const SERVER: &str = env!("CARGO_BIN_EXE_mini_mcp");

/// The time that a test has.
struct Clock {
    end: Instant,
}

impl Clock {
    fn new() -> Self {
        let minutes = std::env::var("MAYI_TORTURE").ok().and_then(|text| text.parse::<f64>().ok());
        let time = minutes.map_or(Duration::from_secs(5), |minutes| Duration::from_secs_f64(minutes * 15.0));
        Self { end: Instant::now() + time }
    }

    /// Whether there is time for another round.
    fn goes_on(&self) -> bool {
        Instant::now() < self.end
    }

    /// A part of what is left.
    fn part(&self, of: u32) -> Self {
        Self { end: Instant::now() + (self.end - Instant::now()) / of }
    }
}

/// Random numbers of a test: its seed is told, so that a finding can be repeated as far as processes can.
fn random(test: &str) -> Random {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let seed = std::env::var("MAYI_SEED").ok().and_then(|text| text.parse().ok());
    let seed = seed.unwrap_or(now.as_secs());
    println!("{test}: MAYI_SEED={seed}");
    Random(seed)
}
