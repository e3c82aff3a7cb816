//! One store and several processes: real ones, some of which are killed.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "only tests")]

mod bounds;
mod disk;
mod killed;
mod together;

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use mayi_core::record::VerifyReport;
use mayi_core::store::{EntryQuery, Options, Order, SqliteStore, Store};
use tempfile::TempDir;

/// The program that uses a store.
const WORKER: &str = env!("CARGO_BIN_EXE_store_worker");

/// A folder for a store.
struct Data {
    folder: TempDir,
}

impl Data {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("mayi")
    }

    fn open(&self) -> SqliteStore {
        SqliteStore::open(&self.path(), Options::default()).unwrap()
    }

    /// A process that is ready to begin.
    fn worker(&self, words: &[&str]) -> Worker {
        let mut worker = Worker::start(Command::new(WORKER), &self.path(), words);
        worker.must_say("ready");
        worker
    }

    /// The entries that `name` told of, by their numbers: each has two.
    fn numbers(&self, name: &str) -> Vec<u64> {
        let query = EntryQuery { order: Order::OldestFirst, ..EntryQuery::default() };
        let entries = self.open().query_entries(&query).unwrap();
        let own = entries.into_iter().filter(|found| found.entry.detail["worker"] == name);
        own.map(|found| found.entry.detail["number"].as_u64().unwrap()).collect()
    }
}

fn verify(store: &SqliteStore) -> VerifyReport {
    store.verify_record(&mut |_, _| {}).unwrap()
}

/// What is wrong with the record in `folder`, in words.
fn wrong(folder: &Path) -> Vec<String> {
    let store = SqliteStore::open_existing(folder, Options::default()).unwrap().unwrap();
    verify(&store).findings.iter().map(ToString::to_string).collect()
}

/// A process that uses a store.
struct Worker {
    child: Child,
    stdin: ChildStdin,
    lines: BufReader<ChildStdout>,
}

impl Worker {
    fn start(mut command: Command, folder: &Path, words: &[impl AsRef<OsStr>]) -> Self {
        command.arg(folder).args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, stdin, lines: BufReader::new(stdout) }
    }

    fn begin(&mut self) {
        self.stdin.write_all(b"begin\n").unwrap();
    }

    /// Its next line; none once it has ended.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        // A line that was cut by a kill was not told.
        line.strip_suffix('\n').map(str::to_owned)
    }

    #[track_caller]
    fn must_say(&mut self, what: &str) {
        assert_eq!(self.line().as_deref(), Some(what));
    }

    /// What else it says until its end.
    fn rest(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.line()).collect()
    }

    /// Ends it as the system does: at once, wherever it is. Returns what it has told until then.
    fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        let rest = self.rest();
        self.child.wait().unwrap();
        rest
    }

    /// Waits for its end.
    fn end(mut self) -> Vec<String> {
        let rest = self.rest();
        assert!(self.child.wait().unwrap().success(), "{rest:?}");
        rest
    }
}
