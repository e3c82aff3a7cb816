//! What a command is about to change, kept before it runs, and given back when the person wants that.
//!
//! [`Snapshots::take`] keeps all files of some folders before a command runs, [`Snapshots::finish`] notes what it left,
//! [`Snapshots::changes`] says what is different now and who made it so, and [`Snapshots::undo`] restores it.
//!
//! A file that git tracks is kept as any other: the index that says so, and the objects that would have its content, lie in the same
//! folders, where a command can write them. Left out are folders of dependencies in which git tracks nothing, and git's own objects.
//! In that one thing the index is believed: an earlier command that rewrote it chooses which folders of dependencies are kept.
//!
//! No program is started, and no link is followed. Linux and macOS.
#![cfg(unix)]

mod changes;
mod folder;
mod limits;
mod objects;
mod prune;
mod repository;
mod restore;
mod scan;
mod snapshot;
mod state;
mod store;
mod take;
#[cfg(test)]
mod tests;
mod undo;

use std::io;
use std::path::PathBuf;

pub use changes::{Brief, Change, Changes, Since, What};
pub use limits::{Limits, StoreLimits};
pub use snapshot::{LeftOut, Outcome, Snapshot, SnapshotId};
pub use store::Snapshots;
pub use take::Taken;
pub use undo::{Plan, Selection, Undone};

/// Why something could not be done with snapshots.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The folder of snapshots can't be used.
    #[error("the snapshots in {} can't be used: {source}", .folder.display())]
    Store {
        /// Folder of the snapshots.
        folder: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// There is no such snapshot, or not any more.
    #[error("there is no snapshot {0}: it may have been dropped since")]
    Unknown(SnapshotId),
    /// What was written of a snapshot can't be read.
    #[error("the snapshot {0} is damaged, or of another version of mayi")]
    Damaged(SnapshotId),
    /// Folders that no snapshot can be taken of.
    #[error("no snapshot can be taken of {}: {why}", .folder.display())]
    Root {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        why: String,
    },
    /// What is there now could not be kept before it is replaced.
    #[error("what is there now could not be kept before it is replaced: {0}")]
    NothingToReturnTo(String),
}
