//! A gateway that lives long: flat memory, a record within its bounds.

use std::path::Path;
use std::time::{Duration, Instant};

use mayi_tests::Machine;

use super::Clock;
use super::gateway::Gateway;

/// From this size on, the oldest entries go to the archive; what is beyond it is for what was written since the last look.
const MOST: u64 = 8_000_000;
/// Calls a second.
const PACE: u32 = 400;
/// What comes before the first look at the memory.
const WARM: u64 = 2000;

/// "Flat memory, archives in bounds": after the first calls it grows no more, whatever was called, and what is too much for
/// the record goes to the archive while the gateway lives.
#[test]
fn given_a_long_day_then_memory_is_flat_and_the_record_within_its_bounds() {
    let clock = Clock::new();
    let machine = Machine::new().user("[record]\nmax_size = \"8MB\"\n");
    let mut gateway = Gateway::start(&machine, &[]);
    let (mut calls, mut early, mut largest, mut slowest) = (0_u64, 0, 0, Duration::ZERO);
    let begun = Instant::now();
    while clock.goes_on() || calls < 3 * WARM {
        let due = begun + Duration::from_secs(1) / PACE * u32::try_from(calls).unwrap();
        std::thread::sleep(due.saturating_duration_since(Instant::now()).min(Duration::from_millis(50)));
        let asked = Instant::now();
        assert!(gateway.call(&format!("t-0-{calls}")));
        assert!(gateway.answer().unwrap().1, "call {calls}");
        slowest = slowest.max(asked.elapsed());
        calls += 1;
        if calls == WARM {
            early = memory(gateway.id());
        }
        if calls % 500 == 0 {
            largest = largest.max(size(&machine.outside("data/mayi/store.db")));
        }
    }
    let late = memory(gateway.id());
    gateway.end();
    let archives = std::fs::read_dir(machine.outside("data/mayi/archive")).map_or(0, Iterator::count);
    println!(
        "soak: {calls} calls in {:.0?}, slowest {slowest:.0?}; memory {early} kB, then {late} kB; record at most {largest} \
         bytes, {archives} archives",
        begun.elapsed()
    );
    // Allocators keep some; what leaks with every call is much more.
    assert!(late < early + early / 3, "{early} kB, then {late} kB");
    assert!(largest < 2 * MOST, "{largest} bytes");
    let _ = machine.mayi(["log", "verify"]).end().exits(0);
}

/// What a process holds in memory, in kB.
fn memory(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |meta| meta.len())
}
