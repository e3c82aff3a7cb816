//! What a commit takes while the oldest entries go to archives, and how large the database becomes.

use std::time::Instant;

use mayi_core::store::{Durability, Limits, Options, SqliteStore, Store};

use crate::{Outcome, decision, options};

/// What the database may grow to, in bytes.
const LIMIT: u64 = 20_000_000;

pub(crate) fn measure(decisions: u32) -> Outcome<()> {
    for limits in [None, Some(Limits { max_bytes: LIMIT, ..Limits::default() })] {
        let folder = tempfile::tempdir()?;
        let data = folder.path().join("mayi");
        let store = SqliteStore::open(&data, Options { limits, ..options(Durability::Process) })?;
        let (mut times, mut largest) = (Vec::new(), 0);
        for _ in 0..decisions {
            let changes = decision();
            let begin = Instant::now();
            store.commit(changes)?;
            times.push(begin.elapsed());
            largest = largest.max(std::fs::metadata(data.join("store.db"))?.len());
        }
        times.sort();
        let at = |part: usize| {
            times.get((times.len() * part / 1_000).min(times.len() - 1)).copied().unwrap_or_default()
        };
        let what = if limits.is_some() { "while it archives" } else { "without limits" };
        println!(
            "{decisions} commits {what}: p50 {:.1?}, p99 {:.1?}, p99.9 {:.1?}, the longest {:.1?}; {} MB at most",
            at(500),
            at(990),
            at(999),
            at(1_000),
            largest / 1_000_000
        );
    }
    Ok(())
}
