//! The head's file: which entry is the newest, kept apart from the entries.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::folder::{self, Opening, name};
use super::{Durability, error};
use crate::record::{HEAD_LENGTH, Key, Link, read_head, write_head};
use crate::store::StoreError;

/// The head's file, open, and what it said then.
pub(super) struct Head {
    file: File,
    path: PathBuf,
    /// The newest entry, as far as the file knows.
    pub(super) newest: Link,
}

/// Brings the head to the disk, if there is one.
pub(super) fn sync(folder: &Path) -> Result<(), StoreError> {
    let path = folder.join(name::HEAD);
    match folder::open(&path, Opening::Write)? {
        Some(file) => file.sync_data().map_err(|error| error::io(&path, &error)),
        None => Ok(()),
    }
}

/// What is wrong with a head's file.
pub(super) enum Wrong {
    /// It is not there.
    Missing,
    /// mayi did not write it.
    Damaged,
}

impl Head {
    /// Opens it. It is opened anew for every commit: one that was moved away meanwhile shows at once.
    pub(super) fn open(
        folder: &Path,
        key: &Key,
        opening: Opening,
    ) -> Result<Result<Self, Wrong>, StoreError> {
        let path = folder.join(name::HEAD);
        let Some(mut file) = folder::open(&path, opening)? else { return Ok(Err(Wrong::Missing)) };
        let mut bytes = Vec::with_capacity(HEAD_LENGTH + 1);
        (&mut file)
            .take(HEAD_LENGTH as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| error::io(&path, &error))?;
        let head = std::str::from_utf8(&bytes).ok().and_then(|text| read_head(key, text));
        Ok(head.map(|newest| Self { file, path, newest }).ok_or(Wrong::Damaged))
    }

    /// The same to append to the record: without its head, nothing is appended.
    pub(super) fn to_append(folder: &Path, key: &Key) -> Result<Self, StoreError> {
        Self::open(folder, key, Opening::Write)?.map_err(|wrong| {
            let what = match wrong {
                Wrong::Missing => "is missing",
                Wrong::Damaged => "was changed",
            };
            let path = folder.join(name::HEAD);
            StoreError::Damaged {
                path: folder.to_owned(),
                reason: format!("{} {what}, and the record with it: see `mayi log verify`", path.display()),
            }
        })
    }

    /// Makes one for a record without entries.
    pub(super) fn make(folder: &Path, key: &Key) -> Result<(), StoreError> {
        let path = folder.join(name::HEAD);
        folder::put(folder, &path, write_head(key, Link::START).as_bytes())
            .map_err(|error| error::io(&path, &error))
    }

    /// Names another entry. The text has always the same length and is written in one go, so that there is never
    /// a half of it.
    pub(super) fn write(&mut self, key: &Key, newest: Link, durability: Durability) -> io::Result<()> {
        self.newest = newest;
        self.file.rewind()?;
        self.file.write_all(write_head(key, newest).as_bytes())?;
        match durability {
            Durability::Process => Ok(()),
            Durability::Power => self.file.sync_data(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}
