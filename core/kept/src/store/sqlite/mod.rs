//! The store in SQLite: one database in mayi's data folder, and beside it the record's key and head.
//!
//! | file | what |
//! |---|---|
//! | `store.db` | the record, remembered answers, questions; with `-wal` and `-shm` while it is open |
//! | `key` | what entries are sealed with: 32 random bytes, in hexadecimal |
//! | `head` | the newest entry's number and MAC, so that a removed end shows |
//! | `lock` | held while something is written, so that entry and head go together |
//! | `owners/ID` | held by a process that asks, for as long as it lives; `ID.sock` is where it takes answers of others |
//! | `surfaces/ID` | held by a process at whose surface a person can answer, for as long as that is open |
//! | `archive/` | the record's oldest entries, once there were too many |
//!
//! **Writing.** A commit is one transaction. The next entry's number and the MAC that it is sealed after are read
//! inside of it; the head is written after it, all under `lock`. So the head is never ahead of the database but
//! for one case: see [`Durability`]. A process that is killed in between leaves a head that is one commit behind,
//! which the next commit mends.
//!
//! **A removed end.** If the database ends before its head, the next entry goes on after the head, not after what
//! is left: the numbers of what is missing are never given again, and `mayi log verify` goes on telling of them.
//!
//! **A missing head or key.** Nothing is appended to a record that lost one of them: with a new one, nobody could
//! tell what was removed before. It can still be read.

mod approvals;
mod archive;
mod check;
mod commit;
mod connect;
mod damage;
mod entries;
mod error;
mod files;
mod folder;
mod grants;
mod head;
mod lock;
mod maintenance;
mod options;
mod owners;
mod passes;
mod pins;
mod query;
mod rotate;
mod schema;
mod spans;
mod value;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use rusqlite::Connection;

use super::{
    ApprovalQuery, Change, EntryQuery, GrantQuery, Owner, OwnerId, Pass, PassedCall, Store, StoreError,
    StoredApproval, StoredGrant,
};
use crate::approval::History;
use crate::record::{Key, RecordKeys, Recorded};
use crate::store::PinnedItem;
use connect::ConnectionUse;
pub use damage::DamageCheck;
use files::Files;
pub use folder::compiled_key;
use folder::{OpenMode, name};
use lock::FileLock;
use maintenance::Maintenance;
use mayi_call::AgentId;
pub use options::{Durability, Limits, Options};
use owners::{OwnerLife, Owners};
pub use owners::{Presence, Surfaces, present_in, surfaces_open};

/// From so many bytes on, SQLite's log is not left to the next one that opens the store, who would have to read it: 256 KiB.
const LARGE_LOG: u64 = 256 << 10;

/// The store in SQLite.
#[derive(Debug)]
pub struct SqliteStore {
    files: Files,
    /// None: they were not there, and nobody asked for them to be made.
    keys: Option<RecordKeys>,
    /// For what is asked often and answered fast. None: the writer's is used.
    reader: Option<Mutex<Connection>>,
    /// For what may take long.
    pages: Mutex<Option<Connection>>,
    reading: ConnectionUse,
    /// None: it is only read. Its thread ends before the others are dropped.
    tending: Option<Maintenance>,
    /// None: it is only read. Dropped after the others: SQLite tidies up its log when the last that could write it
    /// is done.
    writer: Option<Mutex<WriteConnection>>,
    owners: Owners,
    /// Which entries can't be read, once some could not be.
    damage: Mutex<Option<damage::Damage>>,
    /// Entries whose values could not be read.
    changed: Mutex<BTreeSet<u64>>,
}

/// Who writes.
#[derive(Debug)]
struct WriteConnection {
    connection: Connection,
    lock: FileLock,
    /// The record's head, once something was appended.
    head: Option<head::HeadFile>,
}

impl SqliteStore {
    /// Opens the store in `folder`, and makes what is not there yet.
    ///
    /// # Errors
    /// If it belongs to somebody else or is open to others, is damaged, was written by a later version, is locked
    /// for longer than `options.busy`, or can't be written; and if the record has entries but its key or its head
    /// is missing.
    pub fn open(folder: &Path, options: Options) -> Result<Self, StoreError> {
        let folder = folder::prepare_folder(folder)?;
        let path = folder.join(name::STORE);
        let lock = folder.join(name::LOCK);
        let lock = FileLock::new(require_file(&lock, folder::open(&lock, OpenMode::Make)?)?, lock);
        let held = lock.lock_within(options.busy)?;
        let database = require_file(&path, folder::open(&path, OpenMode::Make)?)?;
        let meta = database.metadata().map_err(|error| error::from_io(&path, &error))?;
        drop(database);
        let mut connection = connect::open(&path, ConnectionUse::Write, &options)?;
        connect::prepare_database(&mut connection, &path, &options)?;
        let keys = Self::load_keys(&folder, &path, &connection)?;
        drop(held);
        let files = Files::new(&folder, options, folder::file_identity(&meta));
        let writer = WriteConnection { connection, lock, head: None };
        let store = if options.one_connection {
            // Its tables were just looked at, or made.
            Self::from_parts(files, Some(keys), Some(writer), None, ConnectionUse::Read)
        } else {
            require_file(&path, Self::open_if_made(files, Some(keys), Some(writer), ConnectionUse::Read)?)?
        };
        if let Some(tending) = &store.tending
            && store.read(|connection| tending.is_due(connection))?
        {
            tending.request_step();
        }
        Ok(store)
    }

    /// Opens the store in `folder` to read, where there is one; none where the first writer of all is just making it.
    /// Nothing in it is changed, and a folder that can't be written is fine; where it can, SQLite puts an empty `-wal` and a
    /// `-shm` beside the database.
    ///
    /// # Errors
    /// As [`SqliteStore::open`], but for what is about writing; and if the tables are gone while what belongs to a record
    /// is there.
    pub fn open_existing(folder: &Path, options: Options) -> Result<Option<Self>, StoreError> {
        let Ok(folder) = folder.canonicalize() else { return Ok(None) };
        let path = folder.join(name::STORE);
        let meta = folder.metadata().map_err(|error| error::from_io(&folder, &error))?;
        folder::check_safe(&folder, &meta)?;
        if folder::open(&path, OpenMode::Read)?.is_none() {
            return Ok(None);
        }
        // Tables are made before what belongs to a record. So it is looked for first: what is there by then had tables.
        let had_tables = Self::has_more(&folder);
        let keys = folder::read_key(&folder)?.map(|key| RecordKeys::derive_all(&key));
        // SQLite needs two more files beside a database that others may write. Where it can't make them, nobody
        // else can write either; but what a killed process left in its log must not be overlooked.
        let log = folder.join(format!("{}-wal", name::STORE)).metadata().map_or(0, |meta| meta.len());
        let files = Files::new(&folder, options, (0, 0));
        let opened = match Self::open_if_made(files.clone(), keys.clone(), None, ConnectionUse::Read) {
            Err(StoreError::ReadOnly { .. }) if log == 0 => {
                Self::open_if_made(files, keys, None, ConnectionUse::Frozen)
            }
            opened => opened,
        };
        match opened? {
            None if had_tables => {
                Err(StoreError::Damaged { path, reason: "the record's tables are gone".to_owned() })
            }
            opened => Ok(opened),
        }
    }

    /// None: it has no tables, since whoever makes it is not that far.
    fn open_if_made(
        files: Files,
        keys: Option<RecordKeys>,
        writer: Option<WriteConnection>,
        reading: ConnectionUse,
    ) -> Result<Option<Self>, StoreError> {
        let connection = connect::open(&files.path, reading, &files.options)?;
        if !schema::is_made(&connection, &files.path)? {
            return Ok(None);
        }
        Ok(Some(Self::from_parts(files, keys, writer, Some(connection), reading)))
    }

    fn from_parts(
        files: Files,
        keys: Option<RecordKeys>,
        writer: Option<WriteConnection>,
        reader: Option<Connection>,
        reading: ConnectionUse,
    ) -> Self {
        let tended = keys.clone().filter(|_| writer.is_some());
        Self {
            owners: Owners::new(&files.folder),
            tending: tended.map(|keys| Maintenance::new(files.clone(), keys)),
            files,
            keys,
            writer: writer.map(Mutex::new),
            reader: reader.map(Mutex::new),
            pages: Mutex::new(None),
            damage: Mutex::new(None),
            changed: Mutex::default(),
            reading,
        }
    }

    /// The record's keys. They and the head are made together with the record, and never for one that has
    /// entries.
    fn load_keys(folder: &Path, path: &Path, connection: &Connection) -> Result<RecordKeys, StoreError> {
        let failed = |error| error::from_sqlite(path, error);
        let begun: bool = connection
            .query_row("SELECT EXISTS (SELECT 1 FROM record) OR EXISTS (SELECT 1 FROM anchors)", (), |row| {
                row.get(0)
            })
            .map_err(failed)?;
        let head = folder::open(&folder.join(name::HEAD), OpenMode::Read)?.is_some();
        let lost = |what: &str| StoreError::Damaged {
            path: folder.to_owned(),
            reason: format!("the record's {what} is missing, so that changes to it would not show"),
        };
        let key = match folder::read_key(folder)? {
            Some(key) => key,
            None if begun || head => return Err(lost("key")),
            None => folder::make_key(folder)?,
        };
        let keys = RecordKeys::derive_all(&key);
        if begun && !head {
            return Err(lost("head"));
        }
        if head {
            // One that was changed is told now, not at the first call.
            head::HeadFile::to_append(folder, &keys.head)?;
        } else {
            head::HeadFile::create_file(folder, &keys.head)?;
        }
        Ok(keys)
    }

    /// Leaves the store as a process that is killed leaves it: whoever opens it next finds all of it in SQLite's log, and nobody
    /// waits for the disk. A log that is long goes to the database first, whoever else holds the store in this process: each
    /// that opens the store reads all of the log. For a process that is about to end.
    pub fn leave_unclosed(store: Arc<Self>) {
        if let Some(tending) = &store.tending {
            tending.stop();
        }
        let log = store.files.folder.join(format!("{}-wal", name::STORE));
        if log.metadata().is_ok_and(|meta| meta.len() > LARGE_LOG)
            && let Err(error) = store.checkpoint_log()
        {
            tracing::warn!(%error, "the record's log could not be brought to the database");
        }
        std::mem::forget(store);
    }

    /// Brings the log to the database, and begins it anew. Others may write meanwhile, but for the moment that the second takes.
    fn checkpoint_log(&self) -> Result<(), StoreError> {
        let writer = self.lock_writer()?;
        for how in ["PASSIVE", "TRUNCATE"] {
            // What is in the database outlives a failure of the power: so must the head, which would be older than it.
            head::sync_head(&self.files.folder)?;
            writer
                .connection
                .query_row(&format!("PRAGMA wal_checkpoint({how})"), (), |_| Ok(()))
                .map_err(|error| error::from_sqlite(&self.files.path, error))?;
        }
        Ok(())
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.files.folder
    }

    /// The key for digests of arguments in entries: the same arguments have the same digest, and what they are
    /// can't be found out by trying. `None`: the store is only read, and has no key.
    #[must_use]
    pub fn arguments_key(&self) -> Option<&Key> {
        self.keys.as_ref().map(|keys| &keys.arguments)
    }

    /// The key for the short names of questions. `None`: the store is only read, and has no key.
    #[must_use]
    pub fn questions_key(&self) -> Option<&Key> {
        self.keys.as_ref().map(|keys| &keys.questions)
    }

    /// Whether `folder` has what belongs to a record, and the record itself is not there: somebody has removed it.
    #[must_use]
    pub fn is_gone(folder: &Path) -> bool {
        folder.join(name::STORE).symlink_metadata().is_err() && Self::has_more(folder)
    }

    /// Whether `folder` has what belongs to a record, besides the database.
    fn has_more(folder: &Path) -> bool {
        let there = |name: &&str| folder.join(name).symlink_metadata().is_ok();
        [name::HEAD, name::KEY, name::ARCHIVE].iter().any(there)
    }

    /// Reads something that takes no time.
    fn read<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let read = match &self.reader {
            Some(reader) => read(&reader.lock().unwrap_or_else(PoisonError::into_inner)),
            None => read(&self.lock_writer()?.connection),
        };
        read.map_err(|error| error::from_sqlite(&self.files.path, error))
    }

    fn lock_damage(&self) -> MutexGuard<'_, Option<damage::Damage>> {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection for what may take long.
    fn lock_pages(&self) -> Result<MutexGuard<'_, Option<Connection>>, StoreError> {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.is_none() {
            *pages = Some(connect::open(&self.files.path, self.reading, &self.files.options)?);
        }
        Ok(pages)
    }
}

/// A file that was made if it was not there.
fn require_file<T>(path: &Path, file: Option<T>) -> Result<T, StoreError> {
    file.ok_or_else(|| StoreError::Other { path: path.to_owned(), reason: "was removed just now".to_owned() })
}

impl Store for SqliteStore {
    fn commit(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        self.write(&changes)
    }

    fn change_stamp(&self) -> Result<u64, StoreError> {
        self.read(commit::read_stamp)
    }

    fn query_grants(&self, query: &GrantQuery) -> Result<Vec<StoredGrant>, StoreError> {
        self.read(|connection| grants::list_grants(connection, query))
    }

    fn read_pins(&self, server: Option<&str>) -> Result<Vec<PinnedItem>, StoreError> {
        self.read(|connection| pins::list_pins(connection, server))
    }

    fn find_pass(&self, call: &PassedCall, now: Timestamp) -> Result<Option<Pass>, StoreError> {
        self.read(|connection| passes::find_pass(connection, call, now))
    }

    fn query_approvals(&self, query: &ApprovalQuery) -> Result<Vec<StoredApproval>, StoreError> {
        self.read(|connection| approvals::list_approvals(connection, query))
    }

    fn answer_socket(&self, owner: OwnerId) -> PathBuf {
        self.owners.socket_path(owner)
    }

    fn attach_owner(&self, owner: &Owner) -> Result<(), StoreError> {
        self.check_writable()?;
        self.owners.attach_owner(owner, Timestamp::now())
    }

    fn renew_lease(&self, owner: OwnerId, now: Timestamp) -> Result<(), StoreError> {
        self.check_writable()?;
        self.owners.renew_lease(owner, now)
    }

    fn detach_owner(&self, owner: OwnerId) -> Result<(), StoreError> {
        self.check_writable()?;
        self.forget_gone(&[owner], None)?;
        self.owners.detach_owner(owner)
    }

    fn live_owners(&self, now: Timestamp) -> Result<Vec<Owner>, StoreError> {
        Ok(self.owners.alive_and_gone(now)?.0)
    }

    fn present_owners(&self, now: Timestamp) -> Result<Vec<Owner>, StoreError> {
        self.owners.present_owners(now)
    }

    fn abandoned_approvals(&self, now: Timestamp) -> Result<Vec<StoredApproval>, StoreError> {
        // This is asked often, and nearly always there is none: the cards are read only then.
        let mut gone = Vec::new();
        for owner in self.read(approvals::list_asking_owners)? {
            if self.owners.life_of(owner, now)? != OwnerLife::Alive {
                gone.push(owner);
            }
        }
        let mut abandoned = Vec::new();
        if !gone.is_empty() {
            let pending = ApprovalQuery { pending: true, ..ApprovalQuery::default() };
            abandoned = self.query_approvals(&pending)?;
            abandoned.retain(|approval| gone.contains(&approval.owner));
        }
        if self.writer.is_some() {
            self.forget_dead_owners(now)?;
        }
        Ok(abandoned)
    }

    fn query_entries(&self, query: &EntryQuery) -> Result<Vec<Recorded>, StoreError> {
        let pages = self.lock_pages()?;
        let Some(connection) = pages.as_ref() else { return Ok(Vec::new()) };
        let find = |lost: &mut BTreeSet<u64>| {
            // Of one moment, all of it.
            let seen = connection.unchecked_transaction()?;
            let limit = query.limit.map(|limit| limit as usize);
            let mut found: Vec<Recorded> = Vec::new();
            let known = self.lock_damage().is_some();
            let stretches = match spans::entry_stretches(&seen, query) {
                // Without them it takes longer.
                Err(error) if damage::is_damage(&error) => vec![spans::whole_stretch(query)],
                stretches => stretches?,
            };
            for stretch in stretches.into_iter().flat_map(|stretch| self.known_parts(query, stretch)) {
                let left = limit.map(|limit| limit.saturating_sub(found.len()));
                if left == Some(0) {
                    break;
                }
                found.extend(damage::read_stretch(&seen, query, stretch, left, (known, &mut *lost))?);
            }
            Ok(found)
        };
        let mut lost = BTreeSet::new();
        let found = match find(&mut lost) {
            Err(error) if damage::is_damage(&error) && self.learn_damage(connection) => {
                lost.clear();
                find(&mut lost)
            }
            found => found,
        };
        let found = found.map_err(|error| error::from_sqlite(&self.files.path, error))?;
        if !lost.is_empty() {
            tracing::warn!(entries = lost.len(), "some of the record can't be read: see `mayi log verify`");
            self.changed.lock().unwrap_or_else(PoisonError::into_inner).append(&mut lost);
        }
        Ok(found)
    }

    fn newest_time(&self) -> Result<Option<Timestamp>, StoreError> {
        self.read(entries::newest_time)
    }

    fn answer_history(&self, agent: &AgentId, access: &str) -> Result<History, StoreError> {
        self.read(|connection| entries::read_history(connection, agent.as_str(), access))
    }
}
