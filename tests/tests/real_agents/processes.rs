//! Who is still there: processes that belong to a test, found by the name of its folder.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// A process that has a test's folder in its command line, its environment or its working folder. What an agent
/// starts inherits one of them, also in another process group or session.
#[derive(Debug)]
pub(crate) struct Process {
    pid: Pid,
    /// Its command line.
    pub(crate) line: String,
    /// What it is called in a list of processes: its program, unless it says otherwise.
    pub(crate) name: String,
}

impl Process {
    /// Sends it a signal. Whether it was still there.
    pub(crate) fn signal(&self, signal: Signal) -> bool {
        kill_process(self.pid, signal).is_ok()
    }
}

/// Those of the test with this folder. Dead ones that nobody has waited for are none.
pub(crate) fn of(folder: &Path) -> Vec<Process> {
    let mark = folder.as_os_str().as_encoded_bytes();
    let numbers = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let number: i32 = entry.file_name().to_str()?.parse().ok()?;
        Some((number, entry.path()))
    });
    let found = numbers.filter_map(|(number, path)| {
        // All three are empty or unreadable for the dead, and for other users' processes.
        let read = |name: &str| fs::read(path.join(name)).unwrap_or_default();
        let line = read("cmdline");
        let there = fs::read_link(path.join("cwd")).unwrap_or_default();
        let marked = contains(&line, mark) || contains(&read("environ"), mark) || there.starts_with(folder);
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let name = String::from_utf8_lossy(&read("comm")).trim_end().to_owned();
        marked.then_some(Process { pid: Pid::from_raw(number)?, line, name })
    });
    found.collect()
}

/// Those that are left after `limit`; returns as soon as there are none.
pub(crate) fn left(folder: &Path, limit: Duration) -> Vec<Process> {
    let end = Instant::now() + limit;
    loop {
        let left = of(folder);
        if left.is_empty() || Instant::now() >= end {
            return left;
        }
        std::thread::yield_now();
    }
}

/// Ends all of them, each by its id.
pub(crate) fn end(folder: &Path) {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let left = of(folder);
        if left.is_empty() || Instant::now() >= end {
            return;
        }
        for process in left {
            // It may have ended meanwhile.
            let _ = kill_process(process.pid, Signal::KILL);
        }
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
