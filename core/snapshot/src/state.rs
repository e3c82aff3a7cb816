//! What is noted of each file and folder, and what of it is compared.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// SHA-256 of a file's content.
pub(crate) type ContentDigest = [u8; 32];

/// Seconds since 1970, and nanoseconds.
pub(crate) type Time = (i64, u32);

/// Where an entry is: the root's number, and the path below it as bytes. The root itself has an empty one.
pub(crate) type Key = (u32, Vec<u8>);

/// What lies at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// A file whose content is known.
    File {
        /// SHA-256 of the content.
        digest: ContentDigest,
        /// Bytes.
        size: u64,
    },
    /// A file that is larger than what may be read: known by its size and the time of its last change alone.
    Unread {
        /// Bytes.
        size: u64,
        /// When anything of it was changed last.
        changed: Time,
    },
    /// A symbolic link, and what it says.
    Link(Vec<u8>),
    /// A folder whose content is noted too.
    Folder,
    /// A folder whose content is neither kept nor looked at: dependencies that git does not track, git's own objects.
    PassedOver,
    /// A file or folder that this user can't read.
    Unreadable,
    /// A pipe, a socket or a device.
    Special,
}

/// By which a file is known not to have been changed since it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// The file system.
    pub(crate) device: u64,
    /// The file within it.
    pub(crate) inode: u64,
    /// When content or metadata were changed last: programs can't set it.
    pub(crate) changed: Time,
    /// Bytes.
    pub(crate) size: u64,
}

/// What lies at a path, with its metadata.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    /// Permission bits, with set-user-id, set-group-id and sticky.
    pub(crate) mode: u32,
    /// User and group.
    pub(crate) owner: (u32, u32),
    /// When the content was changed last, as programs see and set it.
    pub(crate) modified: Time,
    pub(crate) stamp: Stamp,
    /// Number of names that the file has.
    pub(crate) names: u64,
    /// The stamp is older than the look by enough that a later change would have another one.
    pub(crate) settled: bool,
}

impl Entry {
    /// Whether a person would say that it is the same: what it is, what it holds, and who may use it how.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let mode = matches!(self.kind, Kind::Link(_)) || self.mode == other.mode;
        self.kind == other.kind && mode && self.owner == other.owner
    }
}

/// All that was found below some folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tree {
    /// The folders, as absolute paths: none lies in another.
    pub(crate) roots: Vec<Vec<u8>>,
    /// What lies there. A folder comes before what is in it.
    pub(crate) entries: BTreeMap<Key, Entry>,
}

impl Tree {
    /// The absolute path of an entry.
    pub(crate) fn path_of(&self, key: &Key) -> PathBuf {
        let root = usize::try_from(key.0).ok().and_then(|at| self.roots.get(at));
        let root = Path::new(OsStr::from_bytes(root.map(Vec::as_slice).unwrap_or_default()));
        if key.1.is_empty() { root.to_owned() } else { root.join(OsStr::from_bytes(&key.1)) }
    }

    /// The folders with their numbers.
    pub(crate) fn roots(&self) -> impl Iterator<Item = (u32, &Path)> {
        (0..).zip(self.roots.iter().map(|root| Path::new(OsStr::from_bytes(root))))
    }
}

/// What a command left that was not there before, beside a snapshot: what is neither here nor changed is as in the snapshot.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct After {
    /// What differs from the snapshot; none: it was gone.
    pub(crate) differs: BTreeMap<Key, Option<Entry>>,
    /// There was more that is new than is listed.
    pub(crate) truncated: bool,
}

/// The key of what lies in a folder.
pub(crate) fn key_below(folder: &Key, name: &[u8]) -> Key {
    let mut path = folder.1.clone();
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    (folder.0, path)
}

/// The key of the folder that an entry lies in, and its name; none for a root.
pub(crate) fn parent_of(key: &Key) -> Option<(Key, &[u8])> {
    if key.1.is_empty() {
        return None;
    }
    Some(match key.1.iter().rposition(|byte| *byte == b'/') {
        Some(at) => {
            let (folder, name) = key.1.split_at(at);
            ((key.0, folder.to_vec()), name.get(1..).unwrap_or_default())
        }
        None => ((key.0, Vec::new()), key.1.as_slice()),
    })
}
