//! What one decision took of time and memory.

use std::time::{Duration, Instant};

use crate::common::Outcome;
use crate::resident;

/// What came of one input.
pub(crate) struct Told {
    /// Until the answer or the card was there.
    pub(crate) took: Duration,
    /// KiB that the process grew at most, until all was settled.
    pub(crate) grew: u64,
    /// Milliseconds of processors that it used until then: what it takes by itself, whatever else the machine does. A clock that ticks
    /// 100 times a second.
    pub(crate) used: u64,
    /// Whether a person is asked.
    pub(crate) card: bool,
}

/// A process that is about to be told something.
pub(crate) struct Watch {
    process: u32,
    before: u64,
    used: u64,
    begin: Instant,
}

impl Watch {
    /// Forgets how large it was at most, and begins.
    pub(crate) fn begin(process: u32) -> Outcome<Self> {
        // "5": the kernel's own word for it, proc_pid_clear_refs(5).
        std::fs::write(format!("/proc/{process}/clear_refs"), "5")?;
        let [before, _] = resident::of(process)?;
        Ok(Self { process, before, used: used(process)?, begin: Instant::now() })
    }

    /// How long ago it began at `at`.
    pub(crate) fn took(&self, at: Instant) -> Duration {
        at.saturating_duration_since(self.begin)
    }

    /// All is settled.
    pub(crate) fn end(self, took: Duration, card: bool) -> Outcome<Told> {
        let [_, most] = resident::of(self.process).map_err(|error| format!("it has ended: {error}"))?;
        let used = used(self.process)?.saturating_sub(self.used);
        Ok(Told { took, grew: most.saturating_sub(self.before), used, card })
    }
}

/// Milliseconds of processors that a process has used: all its threads, also those that have ended.
pub(crate) fn used(process: u32) -> Outcome<u64> {
    ticks(process, 11)
}

/// The same of those of its children that have ended.
pub(crate) fn used_by_children(process: u32) -> Outcome<u64> {
    ticks(process, 13)
}

/// Two fields of proc_pid_stat(5), as milliseconds: what stands behind the name, which may hold blanks.
fn ticks(process: u32, first: usize) -> Outcome<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    let fields = stat.rsplit_once(')').ok_or("no name")?.1.split_whitespace();
    let mut sum = 0;
    for field in fields.skip(first).take(2) {
        sum += field.parse::<u64>()? * 10;
    }
    Ok(sum)
}
