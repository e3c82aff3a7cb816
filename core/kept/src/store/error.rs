//! Why a store could not do what it was asked.

use std::path::PathBuf;

use thiserror::Error;

use super::Item;
use super::{GrantId, PassId};
use crate::approval::{ApprovalId, State};

/// A change that can't be made any more.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Conflict {
    /// The grant was revoked, has expired, or has no uses left.
    #[error("the remembered answer {0} has ended")]
    Ended(GrantId),
    /// The question is settled.
    #[error("already settled by {by}: {state:?}")]
    Settled {
        /// Which.
        id: ApprovalId,
        /// How.
        state: State,
        /// By whom or what.
        by: String,
    },
    /// There is no such question.
    #[error("no approval has this id")]
    Unknown(ApprovalId),
    /// What is pending is something else by now, or nothing.
    #[error("what the server {server} says of its {0} has changed since it was shown; look at it again",
        server = crate::approval::escape_line(.1))]
    Repinned(Item, String),
    /// Another call went through by it, or it has ended.
    #[error("the pass {0} was used, or has ended")]
    Passed(PassId),
}

/// Why the store could not be read or written. Nothing was changed.
#[derive(Clone, Debug, Error)]
pub enum StoreError {
    /// A change that can't be made any more.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// Another process kept it locked for too long.
    #[error("{0} is locked by another process; try again, or end that process")]
    Locked(PathBuf),
    /// No space is left.
    #[error("there is no space left for {0}; free some")]
    Full(PathBuf),
    /// It can't be written to.
    #[error("{path} can't be written: {reason}")]
    ReadOnly {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// It is no store, or a broken one.
    #[error("{path} is damaged: {reason}; move it away to begin a new one")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A later mayi wrote it.
    #[error(
        "{path} was written by a later version of mayi (format {found}, this one knows {known}); update mayi"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format that is known here.
        known: u32,
    },
    /// It belongs to somebody else, or others can read or write it.
    #[error("{path} {reason}")]
    Unsafe {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// Anything else.
    #[error("{path}: {reason}")]
    Other {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}
