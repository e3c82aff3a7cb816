//! A snapshot around one command.

use std::path::PathBuf;

use crate::SnapshotError;
use crate::limits::Limits;
use crate::snapshot::Snapshot;
use crate::store::Snapshots;
use crate::take::Taken;

/// Why a command has no snapshot: it should be asked about, or not run.
#[derive(Debug, thiserror::Error)]
pub enum NotTaken {
    /// There is more than the limits say.
    #[error("what it could change can't be kept: {0}")]
    TooLarge(String),
    /// It could not be taken.
    #[error("what it could change can't be kept: {0}")]
    Failed(#[from] SnapshotError),
}

/// A command that runs after a snapshot. Where it is dropped without [`Guard::finished`], what the command left is not known.
#[derive(Debug)]
#[must_use = "what the command left has to be noted when it has ended"]
pub struct Guard<'a> {
    snapshots: &'a Snapshots,
    /// The snapshot.
    pub snapshot: Snapshot,
}

/// Takes a snapshot of `roots` before a command runs, within the usual limits. `label` says what runs, without secrets.
///
/// # Errors
/// If there is none.
pub fn before<'a>(snapshots: &'a Snapshots, roots: &[PathBuf], label: &str) -> Result<Guard<'a>, NotTaken> {
    match snapshots.take(roots, &Limits::default(), label)? {
        Taken::Done(snapshot) => Ok(Guard { snapshots, snapshot }),
        Taken::TooLarge { what } => Err(NotTaken::TooLarge(what)),
    }
}

impl Guard<'_> {
    /// Notes what the command left. Gives the number of files, folders and links that it created, changed or deleted.
    ///
    /// # Errors
    /// As [`Snapshots::finish`].
    pub fn finished(self) -> Result<usize, SnapshotError> {
        self.snapshots.finish(self.snapshot.id)
    }
}
