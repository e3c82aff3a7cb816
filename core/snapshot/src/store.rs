//! The folder of all snapshots: contents by their digests, and a folder for each snapshot, which gets its name when it is whole.

use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;

use crate::limits::StoreLimits;
use crate::objects::{Objects, make_folder};
use crate::snapshot::{Head, Outcome, Snapshot, SnapshotId};
use crate::state::{After, Tree};
use crate::{SnapshotError, prune};

/// The first byte of what is written: another version has another one.
const VERSION: u8 = 1;

/// Maximum size of what is read back, in bytes.
const LONGEST: u64 = 1 << 30;

/// A snapshot's files.
pub(crate) const HEAD: &str = "head";
pub(crate) const TREE: &str = "tree";
pub(crate) const AFTER: &str = "after";

/// All snapshots of a user.
#[derive(Clone, Debug)]
pub struct Snapshots {
    folder: PathBuf,
    pub(crate) limits: StoreLimits,
}

impl Snapshots {
    /// Opens the snapshots in `folder`, and makes it if there is none: nobody else may look into it.
    ///
    /// # Errors
    /// If it can't be made or is not a folder of this user.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, SnapshotError> {
        Self::open_with(folder, StoreLimits::default())
    }

    /// The same, with other limits.
    ///
    /// # Errors
    /// As [`Snapshots::open`].
    pub fn open_with(folder: impl Into<PathBuf>, limits: StoreLimits) -> Result<Self, SnapshotError> {
        let store = Self { folder: folder.into(), limits };
        let made = || {
            for part in [store.folder.clone(), store.objects_folder(), store.taken(), store.unfinished()] {
                make_folder(&part)?;
            }
            let found = fs::symlink_metadata(&store.folder)?;
            if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
                return Err(io::Error::other("it is not a folder of this user"));
            }
            fs::set_permissions(&store.folder, Permissions::from_mode(0o700))
        };
        made().map_err(|error| store.error(error))?;
        Ok(store)
    }

    /// Opens the snapshots in `folder` if there are any.
    ///
    /// # Errors
    /// As [`Snapshots::open`].
    pub fn open_existing(folder: impl Into<PathBuf>) -> Result<Option<Self>, SnapshotError> {
        let folder = folder.into();
        if folder.symlink_metadata().is_err() {
            return Ok(None);
        }
        Self::open(folder).map(Some)
    }

    /// All snapshots, the newest first. Damaged ones are not among them.
    ///
    /// # Errors
    /// If the folder can't be read.
    pub fn list(&self) -> Result<Vec<Snapshot>, SnapshotError> {
        let ids = self.ids().map_err(|error| self.error(error))?;
        Ok(ids.into_iter().filter_map(|id| self.describe(id).ok()).collect())
    }

    /// One snapshot.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub fn describe(&self, id: SnapshotId) -> Result<Snapshot, SnapshotError> {
        let head: Head = self.read(id, HEAD)?;
        let outcome = match self.after_of(id)? {
            Some(after) => Outcome::Finished { changed: after.differs.len() },
            None => Outcome::Unfinished,
        };
        Ok(head.describe(id, outcome))
    }

    /// Drops a snapshot. What only it kept is deleted the next time that room is made.
    ///
    /// # Errors
    /// If there is none, or it can't be deleted.
    pub fn forget(&self, id: SnapshotId) -> Result<(), SnapshotError> {
        prune::drop_snapshot(self, id).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => SnapshotError::Unknown(id),
            _ => self.error(error),
        })
    }

    pub(crate) fn error(&self, source: io::Error) -> SnapshotError {
        SnapshotError::Store { folder: self.folder.clone(), source }
    }

    /// The ids of whole snapshots, the newest first.
    pub(crate) fn ids(&self) -> io::Result<Vec<SnapshotId>> {
        let mut ids = Vec::new();
        for entry in fs::read_dir(self.taken())? {
            ids.extend(entry?.file_name().to_str().and_then(|name| name.parse::<SnapshotId>().ok()));
        }
        ids.sort_unstable_by(|a, b| b.cmp(a));
        Ok(ids)
    }

    pub(crate) fn objects_folder(&self) -> PathBuf {
        self.folder.join("objects")
    }

    /// The contents; new ones are written in `scratch` first.
    pub(crate) fn objects(&self, scratch: &Path) -> Objects {
        Objects::new(self.objects_folder(), scratch.to_owned())
    }

    pub(crate) fn taken(&self) -> PathBuf {
        self.folder.join("taken")
    }

    pub(crate) fn unfinished(&self) -> PathBuf {
        self.folder.join("unfinished")
    }

    pub(crate) fn folder_of(&self, id: SnapshotId) -> PathBuf {
        self.taken().join(id.to_string())
    }

    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Which folder the store is, by file system and inode.
    pub(crate) fn place(&self) -> Option<(u64, u64)> {
        fs::symlink_metadata(&self.folder).ok().map(|found| (found.dev(), found.ino()))
    }

    fn lock_file(&self) -> io::Result<File> {
        let mut options = File::options();
        options.write(true).create(true).truncate(false).mode(0o600);
        options.open(self.folder.join("lock"))
    }

    /// Keeps contents from being deleted while it is held.
    pub(crate) fn lock(&self) -> Result<File, SnapshotError> {
        let locked = self.lock_file().and_then(|file| file.lock_shared().map(|()| file));
        locked.map_err(|error| self.error(error))
    }

    /// The right to delete contents; none while somebody else uses them.
    pub(crate) fn lock_alone(&self) -> io::Result<Option<File>> {
        let file = self.lock_file()?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// Reads one of a snapshot's files.
    pub(crate) fn read<T: DeserializeOwned>(&self, id: SnapshotId, name: &str) -> Result<T, SnapshotError> {
        let file = File::open(self.folder_of(id).join(name)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => SnapshotError::Unknown(id),
            _ => self.error(error),
        })?;
        let mut bytes = Vec::new();
        file.take(LONGEST).read_to_end(&mut bytes).map_err(|error| self.error(error))?;
        let content = bytes.strip_prefix(&[VERSION]);
        content.and_then(|content| postcard::from_bytes(content).ok()).ok_or(SnapshotError::Damaged(id))
    }

    pub(crate) fn tree_of(&self, id: SnapshotId) -> Result<Tree, SnapshotError> {
        self.read(id, TREE)
    }

    /// What the command left; none: nobody has said that it ended.
    pub(crate) fn after_of(&self, id: SnapshotId) -> Result<Option<After>, SnapshotError> {
        match self.read(id, AFTER) {
            Ok(after) => Ok(Some(after)),
            Err(SnapshotError::Unknown(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Writes a file in one step.
pub(crate) fn write(folder: &Path, name: &str, what: &impl Serialize) -> io::Result<u64> {
    let bytes = postcard::to_extend(what, vec![VERSION]).map_err(io::Error::other)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(&bytes)?;
    file.as_file().sync_data()?;
    file.persist(folder.join(name)).map_err(|error| error.error)?;
    Ok(u64::try_from(bytes.len()).unwrap_or(u64::MAX))
}

/// The folders as they are kept: absolute, links resolved, none within another.
pub(crate) fn normalize(roots: &[PathBuf]) -> Result<Vec<PathBuf>, SnapshotError> {
    let mut found = Vec::new();
    for root in roots {
        let wrong = |why: String| SnapshotError::Root { folder: root.clone(), why };
        let real = root.canonicalize().map_err(|error| wrong(error.to_string()))?;
        if !real.is_dir() {
            return Err(wrong("it is not a folder".to_owned()));
        }
        found.push(real);
    }
    found.sort_unstable_by(|a, b| a.as_os_str().as_bytes().cmp(b.as_os_str().as_bytes()));
    let mut kept: Vec<PathBuf> = Vec::new();
    for root in found {
        if !kept.iter().any(|above| root.starts_with(above)) {
            kept.push(root);
        }
    }
    Ok(kept)
}
