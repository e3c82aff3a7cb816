//! Stores in folders of their own, and what their tests share.

mod answers;
mod damage;
mod entries;
mod heads;
mod opening;
mod questions;
mod rotation;
mod spans;
mod tampering;
mod versions;

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;
use uuid::Uuid;

use super::{Options, SqliteStore};
use crate::record::{CallId, Entry, Kind, VerifyReport};
use crate::store::{Change, Store, StoreError};
use mayi_call::{AgentId, SessionId};
use mayi_policy::Effect;

/// A folder with a store.
struct Place {
    _folder: TempDir,
    data: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().canonicalize().unwrap().join("mayi");
        Self { _folder: folder, data }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.data.join(name)
    }

    fn open(&self) -> SqliteStore {
        self.try_open().unwrap()
    }

    fn try_open(&self) -> Result<SqliteStore, StoreError> {
        SqliteStore::open(&self.data, quick())
    }

    /// The store to read.
    fn read(&self) -> SqliteStore {
        SqliteStore::open_existing(&self.data, quick()).unwrap().unwrap()
    }

    /// The database as anybody with SQLite sees it.
    fn database(&self) -> Connection {
        Connection::open(self.at("store.db")).unwrap()
    }

    fn verify(&self) -> VerifyReport {
        verify(&self.read())
    }
}

fn quick() -> Options {
    Options { busy: Duration::from_millis(200), ..Options::default() }
}

fn verify(store: &SqliteStore) -> VerifyReport {
    store.verify_record(&mut |_, _| {}).unwrap()
}

/// What is wrong, in words.
fn findings(report: &VerifyReport) -> Vec<String> {
    report.findings.iter().map(ToString::to_string).collect()
}

fn second(number: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1_800_000_000 + number)
}

/// An entry with a value in every column; every third is an answer.
fn entry(number: u64) -> Entry {
    let kind = [Kind::Proposed, Kind::Decided, Kind::Answered][usize::try_from(number % 3).unwrap()];
    Entry {
        call: Some(CallId(Uuid::from_u128(number.into()))),
        approval: Some(crate::approval::ApprovalId::new()),
        session: Some(SessionId(format!("session-{}", number % 2))),
        agent: Some(AgentId::from_name(["claude", "codex"][usize::from(number.is_multiple_of(5))])),
        workspace: Some("/w".to_owned()),
        effect: Some(if number.is_multiple_of(4) { Effect::Deny } else { Effect::Allow }),
        access: Some(format!("shell(make {})", number % 3)),
        ..Entry::new(second(number.cast_signed()), kind, json!({ "number": number, "text": "hé \"x\"" }))
    }
}

fn append(store: &SqliteStore, numbers: impl IntoIterator<Item = u64>) {
    for number in numbers {
        store.commit(vec![Change::Append(entry(number))]).unwrap();
    }
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&path.metadata().unwrap().permissions()) & 0o777
}
