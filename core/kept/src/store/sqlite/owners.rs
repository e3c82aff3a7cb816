//! The processes that ask: each holds a lock on a file of its own, which it loses when it ends, however it ends.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use jiff::Timestamp;

use super::error;
use super::folder::{self, OpenMode, name};
use crate::store::{Owner, OwnerId, StoreError};

/// The processes that ask.
#[derive(Debug)]
pub(super) struct Owners {
    folder: PathBuf,
    /// Those that are this process, with their locks.
    own_owners: Mutex<HashMap<OwnerId, (Owner, File)>>,
}

/// How a process stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnerLife {
    /// It was heard of.
    Alive,
    /// It is there, and was not heard of for long.
    Hung,
    /// It has ended.
    Gone,
}

impl Owners {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.join(name::OWNERS), own_owners: Mutex::new(HashMap::new()) }
    }

    /// The processes at whose surface a person can answer.
    fn of_surfaces(folder: &Path) -> Self {
        Self { folder: folder.join(name::SURFACES), own_owners: Mutex::new(HashMap::new()) }
    }

    fn lock_own_owners(&self) -> MutexGuard<'_, HashMap<OwnerId, (Owner, File)>> {
        self.own_owners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, id: OwnerId) -> PathBuf {
        self.folder.join(id.0.to_string())
    }

    /// Where a process takes answers. A short name: that of a socket is limited.
    pub(super) fn socket_path(&self, id: OwnerId) -> PathBuf {
        self.folder.join(format!("{}.sock", id.0.simple()))
    }

    /// Makes a process known: this one.
    pub(super) fn attach_owner(&self, owner: &Owner, now: Timestamp) -> Result<(), StoreError> {
        let file = self.create_file(owner, now).map_err(|error| error::from_io(&self.folder, &error))?;
        self.lock_own_owners().insert(owner.id, (owner.clone(), file));
        Ok(())
    }

    /// The file is locked before it has its name: nobody meets it without its lock.
    fn create_file(&self, owner: &Owner, now: Timestamp) -> io::Result<File> {
        folder::make_folder(&self.folder)?;
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.folder)?;
        file.as_file().try_lock().map_err(io::Error::from)?;
        file.write_all(serde_json::to_string(owner)?.as_bytes())?;
        file.as_file().set_modified(SystemTime::from(now.max(owner.since)))?;
        file.persist(self.path(owner.id)).map_err(|error| error.error)
    }

    /// Hears of a process at `now`: of this one.
    pub(super) fn renew_lease(&self, id: OwnerId, now: Timestamp) -> Result<(), StoreError> {
        let path = self.path(id);
        let mut own = self.lock_own_owners();
        let Some((owner, file)) = own.get_mut(&id) else {
            let reason = "is not known as one that asks; attach it first".to_owned();
            return Err(StoreError::Other { path, reason });
        };
        let there = |file: &File| -> io::Result<bool> {
            match path.symlink_metadata() {
                Ok(meta) => Ok(folder::file_identity(&meta) == folder::file_identity(&file.metadata()?)),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
                Err(error) => Err(error),
            }
        };
        let heard = there(file).and_then(|there| {
            if !there {
                *file = self.create_file(owner, now)?;
            }
            file.set_modified(SystemTime::from(now))
        });
        heard.map_err(|error| error::from_io(&path, &error))
    }

    /// Forgets a process: this one, or one that is gone.
    pub(super) fn detach_owner(&self, id: OwnerId) -> Result<(), StoreError> {
        let remove = |path: PathBuf| match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error::from_io(&path, &error)),
            _ => Ok(()),
        };
        let removed = remove(self.socket_path(id)).and_then(|()| remove(self.path(id)));
        self.lock_own_owners().remove(&id);
        removed
    }

    /// How the process stands at `now`.
    pub(super) fn life_of(&self, id: OwnerId, now: Timestamp) -> Result<OwnerLife, StoreError> {
        self.read_owner(&self.path(id), now).map(|(_, life)| life)
    }

    fn read_owner(&self, path: &Path, now: Timestamp) -> Result<(Option<Owner>, OwnerLife), StoreError> {
        let Some(mut file) = folder::open(path, OpenMode::Read)? else { return Ok((None, OwnerLife::Gone)) };
        let failed = |error: io::Error| error::from_io(path, &error);
        match file.try_lock_shared() {
            // Nobody holds it.
            Ok(()) => return Ok((None, OwnerLife::Gone)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut text = String::new();
        (&mut file).take(4096).read_to_string(&mut text).map_err(failed)?;
        let heard = file.metadata().and_then(|meta| meta.modified()).map_err(failed)?;
        let heard = Timestamp::try_from(heard).unwrap_or(Timestamp::MIN);
        let lease = jiff::SignedDuration::try_from(Owner::LEASE).unwrap_or_default();
        let life = if now.duration_since(heard) > lease { OwnerLife::Hung } else { OwnerLife::Alive };
        Ok((serde_json::from_str(&text).ok(), life))
    }

    /// Those that are alive at `now`, and the ids of those that have ended.
    pub(super) fn alive_and_gone(&self, now: Timestamp) -> Result<(Vec<Owner>, Vec<OwnerId>), StoreError> {
        let (mut alive, mut gone) = (Vec::new(), Vec::new());
        for (id, owner, life) in self.read_all(now)? {
            match (owner, life) {
                (Some(owner), OwnerLife::Alive) => alive.push(owner),
                (_, OwnerLife::Gone) => gone.push(id),
                _ => {}
            }
        }
        alive.sort_by_key(|owner: &Owner| (owner.since, owner.id));
        Ok((alive, gone))
    }

    /// Those that have not ended, heard of or not.
    pub(super) fn present_owners(&self, now: Timestamp) -> Result<Vec<Owner>, StoreError> {
        let there = self.read_all(now)?.into_iter().filter(|(_, _, life)| *life != OwnerLife::Gone);
        Ok(there.filter_map(|(_, owner, _)| owner).collect())
    }

    fn read_all(&self, now: Timestamp) -> Result<Vec<(OwnerId, Option<Owner>, OwnerLife)>, StoreError> {
        let failed = |error: io::Error| error::from_io(&self.folder, &error);
        let files = match fs::read_dir(&self.folder) {
            Ok(files) => files,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut all = Vec::new();
        for file in files {
            let path = file.map_err(failed)?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Ok(id) = name.parse() else { continue };
            let (owner, life) = self.read_owner(&path, now)?;
            all.push((OwnerId(id), owner, life));
        }
        Ok(all)
    }
}

/// A process that runs an agent without the store, and is known as one: what it starts can't answer for the person.
#[derive(Debug)]
pub struct Presence {
    owners: Owners,
    id: OwnerId,
}

impl Presence {
    /// Makes this process known in the store's `folder`, until this is dropped. The store itself is not opened.
    ///
    /// # Errors
    /// If the folder can't be written, or is not the user's alone.
    pub fn in_folder(folder: &Path) -> Result<Self, StoreError> {
        Self::for_owner(&Owner::this_process(), folder)
    }

    /// The same, where this process is known as `owner`.
    ///
    /// # Errors
    /// If the folder can't be written, or is not the user's alone.
    pub fn for_owner(owner: &Owner, folder: &Path) -> Result<Self, StoreError> {
        let owners = Owners::new(&folder::prepare_folder(folder)?);
        owners.attach_owner(owner, Timestamp::now())?;
        Ok(Self { owners, id: owner.id })
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        if let Err(error) = self.owners.detach_owner(self.id) {
            tracing::warn!(%error, "this process could not be taken out of the store");
        }
    }
}

/// A surface of mayi that a person has open and can answer at, known to the user's other processes while it is held.
/// The store itself is not opened.
#[derive(Debug)]
pub struct Surfaces(#[expect(dead_code, reason = "it is held for what dropping it does")] Presence);

impl Surfaces {
    /// Makes this process's surface known in the store's `folder`, until this is dropped or the process ends, however
    /// it ends.
    ///
    /// # Errors
    /// If the folder can't be written, or is not the user's alone.
    pub fn in_folder(folder: &Path) -> Result<Self, StoreError> {
        let surfaces = Owners::of_surfaces(&folder::prepare_folder(folder)?);
        // What killed processes left.
        for id in surfaces.alive_and_gone(Timestamp::now())?.1 {
            surfaces.detach_owner(id)?;
        }
        let owner = Owner::this_process();
        surfaces.attach_owner(&owner, Timestamp::now())?;
        Ok(Self(Presence { owners: surfaces, id: owner.id }))
    }
}

/// The processes that are known in the store's `folder` and have not ended, heard of or not: those that ask, and those with a
/// surface that a person has open. The store itself is not opened, and need not be there.
///
/// # Errors
/// If that can't be told.
pub fn present_in(folder: &Path) -> Result<(Vec<Owner>, Vec<Owner>), StoreError> {
    let folder = match folder.canonicalize() {
        Ok(folder) => folder,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((Vec::new(), Vec::new())),
        Err(error) => return Err(error::from_io(folder, &error)),
    };
    let now = Timestamp::now();
    Ok((Owners::new(&folder).present_owners(now)?, Owners::of_surfaces(&folder).present_owners(now)?))
}

/// Whether a person has a surface open at which questions of the store in `folder` can be answered. Where that can't be
/// told there is none.
#[must_use]
pub fn surfaces_open(folder: &Path) -> bool {
    let present = folder.canonicalize().map_err(|error| error::from_io(folder, &error));
    match present.and_then(|folder| Owners::of_surfaces(&folder).present_owners(Timestamp::now())) {
        Ok(present) => !present.is_empty(),
        Err(error) => {
            tracing::debug!(%error, "it can't be told whether a surface is open");
            false
        }
    }
}
