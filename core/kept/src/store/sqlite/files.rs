//! Where a store is, and whether it is there still.

use std::path::{Path, PathBuf};

use super::Options;
use super::folder::{self, name};
use crate::store::StoreError;

/// The files of a store, and how they are used.
#[derive(Clone, Debug)]
pub(super) struct Files {
    pub(super) folder: PathBuf,
    /// The database.
    pub(super) path: PathBuf,
    pub(super) options: Options,
    /// What the database's file was when it was opened.
    file: (u64, u64),
}

impl Files {
    pub(super) fn new(folder: &Path, options: Options, file: (u64, u64)) -> Self {
        Self { folder: folder.to_owned(), path: folder.join(name::STORE), options, file }
    }

    /// SQLite goes on with a file that was removed: what is written there is lost.
    pub(super) fn check_file_exists(&self) -> Result<(), StoreError> {
        match self.path.symlink_metadata() {
            Ok(meta) if folder::file_identity(&meta) == self.file => Ok(()),
            _ => Err(StoreError::Other {
                path: self.path.clone(),
                reason: "was removed or replaced while mayi runs; start mayi again".to_owned(),
            }),
        }
    }
}
