//! What is said of a snapshot.

use std::fmt::{self, Display};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::state::{Kind, Tree};

/// Maximum number of places that are named of what is not kept.
const MOST_LEFT_OUT: usize = 20;

/// Names a snapshot. Later ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SnapshotId(Uuid);

impl SnapshotId {
    pub(crate) fn new() -> Self {
        Self(Uuid::now_v7())
    }
}

impl Display for SnapshotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for SnapshotId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::try_parse(text).map(Self)
    }
}

/// A place that is not kept, and can't be restored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The place.
    pub path: PathBuf,
    /// Why it is not kept.
    pub why: String,
}

/// What is known of a command that ran after a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nobody has said that it ended: it still runs, or mayi was killed.
    Unfinished,
    /// It has ended.
    Finished {
        /// Number of files, folders and links that it created, changed or deleted.
        changed: usize,
    },
}

/// A snapshot, without what is in it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Its name.
    pub id: SnapshotId,
    /// What is about to run, in the caller's words: without secrets, as everything else that is shown.
    pub label: String,
    /// The folders: absolute, links resolved, none within another.
    pub roots: Vec<PathBuf>,
    /// When it was taken.
    pub taken_at: SystemTime,
    /// Number of files, folders and links in it.
    pub entries: usize,
    /// Number of bytes in its files.
    pub bytes: u64,
    /// Number of files that had to be read. The others were as at the snapshot before.
    pub read: usize,
    /// What came of the command.
    pub outcome: Outcome,
    /// It was taken before this one was undone.
    pub undo_of: Option<SnapshotId>,
    /// Places that are not kept: the first 20.
    pub left_out: Vec<LeftOut>,
    /// Number of places that are not kept.
    pub left_out_count: usize,
}

/// A snapshot's description, as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) label: String,
    pub(crate) roots: Vec<Vec<u8>>,
    /// Since 1970.
    pub(crate) taken_at: Duration,
    pub(crate) entries: usize,
    pub(crate) bytes: u64,
    /// Bytes that the store grew by.
    pub(crate) added: u64,
    pub(crate) read: usize,
    pub(crate) left_out: Vec<(Vec<u8>, String)>,
    pub(crate) left_out_count: usize,
    pub(crate) undo_of: Option<SnapshotId>,
}

impl Head {
    pub(crate) fn describe(self, id: SnapshotId, outcome: Outcome) -> Snapshot {
        use std::os::unix::ffi::OsStringExt as _;
        let path = |bytes| PathBuf::from(std::ffi::OsString::from_vec(bytes));
        Snapshot {
            id,
            label: self.label,
            roots: self.roots.into_iter().map(path).collect(),
            taken_at: SystemTime::UNIX_EPOCH.checked_add(self.taken_at).unwrap_or(SystemTime::UNIX_EPOCH),
            entries: self.entries,
            bytes: self.bytes,
            read: self.read,
            outcome,
            undo_of: self.undo_of,
            left_out: self
                .left_out
                .into_iter()
                .map(|(bytes, why)| LeftOut { path: path(bytes), why })
                .collect(),
            left_out_count: self.left_out_count,
        }
    }
}

/// What of a tree is not kept: the first places, and their number.
pub(crate) fn left_out_of(tree: &Tree) -> (Vec<(Vec<u8>, String)>, usize) {
    use std::os::unix::ffi::OsStrExt as _;
    let mut all = tree.entries.iter().filter_map(|(key, entry)| Some((key, why_not_kept(&entry.kind)?)));
    let named = all.by_ref().take(MOST_LEFT_OUT);
    let named: Vec<_> =
        named.map(|(key, why)| (tree.path_of(key).as_os_str().as_bytes().to_vec(), why.to_owned())).collect();
    let count = named.len() + all.count();
    (named, count)
}

/// Why what lies at a path can't be restored; none: it can.
pub(crate) fn why_not_kept(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::File { .. } | Kind::Link(_) | Kind::Folder => None,
        Kind::Unread { .. } => Some("it is too large to be kept"),
        Kind::PassedOver => Some("dependencies and git's objects are not kept"),
        Kind::Unreadable => Some("it can't be read"),
        Kind::Special => Some("it is a pipe, a socket or a device"),
    }
}
