//! The head's file: which entry is the newest, kept apart from the entries.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::folder::{self, OpenMode, name};
use super::{Durability, error};
use crate::record::{HEAD_LENGTH, Key, Link, read_head, write_head};
use crate::store::StoreError;

/// The head's file, open, and what it said when it was looked at last.
#[derive(Debug)]
pub(super) struct HeadFile {
    file: File,
    path: PathBuf,
    /// What tells the file from another one in its place.
    identity: (u64, u64),
    /// What it said, to the byte.
    text: Vec<u8>,
    /// The newest entry, as far as the file knows.
    pub(super) newest: Link,
}

/// Brings the head to the disk, if there is one.
pub(super) fn sync_head(folder: &Path) -> Result<(), StoreError> {
    let path = folder.join(name::HEAD);
    match folder::open(&path, OpenMode::Write)? {
        Some(file) => file.sync_data().map_err(|error| error::from_io(&path, &error)),
        None => Ok(()),
    }
}

/// What is wrong with a head's file.
pub(super) enum HeadProblem {
    /// It is not there.
    Missing,
    /// mayi did not write it.
    Damaged,
}

impl HeadFile {
    /// Opens it.
    pub(super) fn open(
        folder: &Path,
        key: &Key,
        opening: OpenMode,
    ) -> Result<Result<Self, HeadProblem>, StoreError> {
        let path = folder.join(name::HEAD);
        let Some(mut file) = folder::open(&path, opening)? else { return Ok(Err(HeadProblem::Missing)) };
        let failed = |error| error::from_io(&path, &error);
        let identity = folder::file_identity(&file.metadata().map_err(failed)?);
        let text = read(&mut file).map_err(failed)?;
        let head = parse_head(key, &text);
        Ok(head.map(|newest| Self { file, path, identity, text, newest }).ok_or(HeadProblem::Damaged))
    }

    /// The head to append after, as it is now. It is looked at anew for every commit, so that one that was changed, or moved away
    /// meanwhile, shows at once.
    pub(super) fn current_head<'h>(
        kept: &'h mut Option<Self>,
        folder: &Path,
        key: &Key,
    ) -> Result<&'h mut Self, StoreError> {
        let head = match kept.take().and_then(|head| head.refreshed(key)) {
            Some(head) => head,
            None => Self::to_append(folder, key)?,
        };
        Ok(kept.insert(head))
    }

    /// What it says now, if the same file is still in its place.
    fn refreshed(mut self, key: &Key) -> Option<Self> {
        let meta = self.path.symlink_metadata().ok()?;
        let same = cfg!(unix) && meta.is_file() && folder::file_identity(&meta) == self.identity;
        if !same || folder::check_safe(&self.path, &meta).is_err() {
            return None;
        }
        self.file.rewind().ok()?;
        let text = read(&mut self.file).ok()?;
        // What was written here, or was found to be mayi's before, need not be proved again.
        if text != self.text {
            self.newest = parse_head(key, &text)?;
            self.text = text;
        }
        Some(self)
    }

    /// The same to append to the record: without its head, nothing is appended.
    pub(super) fn to_append(folder: &Path, key: &Key) -> Result<Self, StoreError> {
        Self::open(folder, key, OpenMode::Write)?.map_err(|wrong| {
            let what = match wrong {
                HeadProblem::Missing => "is missing",
                HeadProblem::Damaged => "was changed",
            };
            let path = folder.join(name::HEAD);
            StoreError::Damaged {
                path: folder.to_owned(),
                reason: format!("{} {what}, and the record with it: see `mayi log verify`", path.display()),
            }
        })
    }

    /// Makes one for a record without entries.
    pub(super) fn create_file(folder: &Path, key: &Key) -> Result<(), StoreError> {
        let path = folder.join(name::HEAD);
        folder::write_atomically(folder, &path, write_head(key, Link::START).as_bytes())
            .map_err(|error| error::from_io(&path, &error))
    }

    /// Names another entry. The text has always the same length and is written in one go, so that there is never
    /// a half of it.
    pub(super) fn write(&mut self, key: &Key, newest: Link, durability: Durability) -> io::Result<()> {
        self.newest = newest;
        let text = write_head(key, newest).into_bytes();
        self.file.rewind()?;
        self.file.write_all(&text)?;
        self.text = text;
        match durability {
            Durability::Process => Ok(()),
            Durability::Power => self.file.sync_data(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// All that `file` holds from where it is, and no more than one byte too many.
fn read(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = [0; HEAD_LENGTH + 1];
    let mut length = 0;
    while let Some(rest) = bytes.get_mut(length..) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if length >= HEAD_LENGTH {
            break;
        }
    }
    Ok(bytes.get(..length).unwrap_or_default().to_vec())
}

/// The newest entry, if a head says this.
fn parse_head(key: &Key, text: &[u8]) -> Option<Link> {
    std::str::from_utf8(text).ok().and_then(|text| read_head(key, text))
}
