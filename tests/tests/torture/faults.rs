//! Disks, limits and files that fail: what can't be recorded is not done, and it is said why.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use mayi_core::store::{Options, SqliteStore};
use mayi_tests::{Machine, mayi_program};

use super::laws::{Seen, written};
use super::{Clock, random};

/// Where memory is short, the pool of threads that the agent's library reads and writes with may try for ever to start another. The
/// run is what ends then, and it says so.
const LIMIT: &str = "60s";

/// A fault, and the line of a shell that runs what is behind it in it.
const FAULTS: &[(&str, &str)] = &[
    ("files of 1 kB at most", "ulimit -f 1; exec \"$@\""),
    ("files of 64 kB at most", "ulimit -f 64; exec \"$@\""),
    ("files of 136 kB at most", "ulimit -f 136; exec \"$@\""),
    ("ten open files", "ulimit -n 10; exec \"$@\""),
    ("twenty open files", "ulimit -n 20; exec \"$@\""),
    ("forty open files", "ulimit -n 40; exec \"$@\""),
    ("300 MB of memory", "ulimit -v 300000; exec \"$@\""),
    ("a full disk", "mount -t tmpfs -o size=600k,mode=700 tmpfs \"$STORE\" || exit 99; exec \"$@\""),
    ("a database of garbage", "printf garbage > \"$STORE/store.db\"; exec \"$@\""),
    ("a database that is cut", "truncate -s 5000 \"$STORE/store.db\"; exec \"$@\""),
    ("an empty database", ": > \"$STORE/store.db\"; exec \"$@\""),
    ("a head of garbage", "printf garbage > \"$STORE/head\"; exec \"$@\""),
    ("an empty head", ": > \"$STORE/head\"; exec \"$@\""),
    ("no head", "rm \"$STORE/head\"; exec \"$@\""),
    ("another key", "head -c 32 /dev/urandom | xxd -p -c 64 > \"$STORE/key\"; exec \"$@\""),
    ("no key", "rm \"$STORE/key\"; exec \"$@\""),
    ("the lock is held", "exec 9<\"$STORE/lock\"; flock 9; \"$@\""),
    ("no home", "unset HOME; exec \"$@\""),
];

/// "Faults: always denied or refused with a reason, no effect without an entry"; and where what failed is put right, it goes
/// on.
#[test]
fn given_a_fault_then_nothing_happens_without_its_entry() {
    let (clock, mut random) = (Clock::new(), random("faults"));
    let (mut rounds, mut effects, mut skipped) = (0, 0, 0);
    let mut left: Vec<&(&str, &str)> = FAULTS.iter().collect();
    // Each once, and as often as there is time.
    while clock.goes_on() || !left.is_empty() {
        let fault = left.pop().unwrap_or_else(|| &FAULTS[random.below(FAULTS.len())]);
        match round(fault.0, fault.1) {
            Some(count) => (rounds, effects) = (rounds + 1, effects + count),
            None => skipped += 1,
        }
    }
    println!(
        "faults: {rounds} rounds of {} faults, {effects} effects, each recorded; {skipped} not to be had",
        FAULTS.len()
    );
}

/// How many effects there were; none if the system does not give the fault.
fn round(fault: &str, line: &str) -> Option<usize> {
    let machine = Machine::new();
    let _ = run(&machine, &["sh", "-c", "exec \"$@\"", "sh"], 0);
    let store = machine.outside("data/mayi");
    close(&store);
    let kept = machine.outside("kept");
    copy(&store, &kept);
    let mounts = line.starts_with("mount");
    let own = ["unshare", "--mount", "sh", "-c", line, "sh"];
    let words = if mounts { &own[..] } else { &own[2..] };
    let (code, said) = run(&machine, words, 1);
    if code == Some(99) || (mounts && said.contains("unshare:")) {
        return None;
    }
    let files = written(&machine);
    let new = files.iter().filter(|token| token.starts_with("t-1-")).count();
    // A disk of its own is gone with what it held; there, the exit code and the words have to do.
    if new > 0 && !mounts {
        let (seen, wrong) = Seen::read(&machine);
        seen.covers(fault, files.iter().filter(|token| token.starts_with("t-1-")));
        // What was taken away goes on being told.
        let removed = wrong.iter().all(|finding| finding.ends_with("are missing"));
        assert_eq!((removed, wrong.is_empty()), (true, fault != "an empty database"), "{fault}: {wrong:?}");
    }
    // Killed by a signal, or with a reason.
    assert!(code.is_some(), "{fault}: {said}");
    assert!(new == 30 || !said.trim().is_empty(), "{fault}: nothing was said");
    assert!(new == 30 || code != Some(0), "{fault}: {said}");
    // Put right, it goes on.
    fs::remove_dir_all(&store).unwrap();
    copy(&kept, &store);
    let (code, said) = run(&machine, &["sh", "-c", "exec \"$@\"", "sh"], 2);
    assert_eq!(code, Some(0), "after {fault}: {said}");
    Some(new)
}

/// Runs the demo agent, which writes thirty files, behind `words`: its exit code, and what was said.
fn run(machine: &Machine, words: &[&str], round: usize) -> (Option<i32>, String) {
    let steps: Vec<String> = (0..30).map(|step| format!("demo: write t-{round}-{step} x")).collect();
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .arg(mayi_program())
        .args(["run", "demo", "--mode", "auto", "--timeout", LIMIT])
        .arg(steps.join(" ;; "));
    command.current_dir(machine.work()).env_clear().envs(machine.environment());
    command.env("STORE", machine.outside("data/mayi")).stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// Brings what the run has left in SQLite's log to the database: the log alone would stand in for one that is damaged.
fn close(store: &Path) {
    drop(SqliteStore::open(store, Options::default()).unwrap());
}

/// Copies a folder as it is.
fn copy(from: &Path, to: &Path) {
    let status = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(status.success());
}
