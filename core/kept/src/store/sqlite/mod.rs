//! The store in SQLite: one database in mayi's data folder, and beside it the record's key and head.
//!
//! | file | what |
//! |---|---|
//! | `store.db` | the record, remembered answers, questions; with `-wal` and `-shm` while it is open |
//! | `key` | what entries are sealed with: 32 random bytes, in hexadecimal |
//! | `head` | the newest entry's number and MAC, so that a removed end shows |
//! | `lock` | held while something is written, so that entry and head go together |
//! | `owners/ID` | held by a process that asks, for as long as it lives |
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
mod entries;
mod error;
mod files;
mod folder;
mod grants;
mod head;
mod lock;
mod owners;
mod passes;
mod pins;
mod query;
mod rotate;
mod schema;
mod spans;
mod tending;
mod value;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::Connection;

use super::{
    ApprovalQuery, Change, EntryQuery, GrantQuery, Offer, OfferId, Owner, OwnerId, Pass, PassedCall, Store,
    StoreError, StoredApproval, StoredGrant,
};
use crate::approval::History;
use crate::record::{Key, Keys, Recorded};
use crate::store::Pinned;
use connect::Use;
use files::Files;
pub use folder::compiled_key;
use folder::{Opening, name};
use lock::Lock;
use mayi_call::AgentId;
use owners::{Life, Owners};
pub use owners::{Presence, Surfaces, present_in, surfaces_open};
use tending::Tending;

/// What survives once a commit has returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// What was committed survives the death of this process, however it dies. If the power fails or the system
    /// crashes, the database stays sound, and may lose what was committed in the last moments; `mayi log verify`
    /// then tells of these entries as missing, since the head may have been kept.
    #[default]
    Process,
    /// It survives a failure of the power too: each commit waits for the disk, twice.
    Power,
}

/// When the record's oldest entries go to an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// When the database has more bytes than this, until it has no more.
    pub max_bytes: u64,
    /// When they are older than this: by the clock, and by the time of the oldest of those that are young by their number.
    pub max_age: Option<Duration>,
    /// So many of the newest are young by their number, and stay whatever the clock says.
    pub young: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 512 * 1024 * 1024, max_age: None, young: 10_000 }
    }
}

/// How a store is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What survives once a commit has returned.
    pub durability: Durability,
    /// So long is waited for another process that holds the store.
    pub busy: Duration,
    /// What is too much for the database. Looked at when the store is opened, and again after so many entries; `None`: nothing
    /// is.
    pub limits: Option<Limits>,
    /// Reads go by the connection that writes: for a process that does one thing at a time, since a second one takes as long to
    /// open as the first.
    pub one_connection: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::default(),
            busy: Duration::from_secs(5),
            limits: Some(Limits::default()),
            one_connection: false,
        }
    }
}

/// From so many bytes on, SQLite's log is not left to the next one that opens the store, who would have to read it: 256 KiB.
const LARGE_LOG: u64 = 256 << 10;

/// The store in SQLite.
#[derive(Debug)]
pub struct SqliteStore {
    files: Files,
    /// None: they were not there, and nobody asked for them to be made.
    keys: Option<Keys>,
    /// For what is asked often and answered fast. None: the writer's is used.
    reader: Option<Mutex<Connection>>,
    /// For what may take long.
    pages: Mutex<Option<Connection>>,
    reading: Use,
    /// None: it is only read. Its thread ends before the others are dropped.
    tending: Option<Tending>,
    /// None: it is only read. Dropped after the others: SQLite tidies up its log when the last that could write it
    /// is done.
    writer: Option<Mutex<Writer>>,
    owners: Owners,
}

/// Who writes.
#[derive(Debug)]
struct Writer {
    connection: Connection,
    lock: Lock,
    /// The record's head, once something was appended.
    head: Option<head::Head>,
}

impl SqliteStore {
    /// Opens the store in `folder`, and makes what is not there yet.
    ///
    /// # Errors
    /// If it belongs to somebody else or is open to others, is damaged, was written by a later version, is locked
    /// for longer than `options.busy`, or can't be written; and if the record has entries but its key or its head
    /// is missing.
    pub fn open(folder: &Path, options: Options) -> Result<Self, StoreError> {
        let folder = folder::prepare(folder)?;
        let path = folder.join(name::STORE);
        let lock = folder.join(name::LOCK);
        let lock = Lock::new(must(&lock, folder::open(&lock, Opening::Make)?)?, lock);
        let held = lock.hold(options.busy)?;
        let database = must(&path, folder::open(&path, Opening::Make)?)?;
        let meta = database.metadata().map_err(|error| error::io(&path, &error))?;
        drop(database);
        let mut connection = connect::open(&path, Use::Write, &options)?;
        connect::prepare(&mut connection, &path, &options)?;
        let keys = Self::keys(&folder, &path, &connection)?;
        drop(held);
        let files = Files::new(&folder, options, folder::identity(&meta));
        let writer = Writer { connection, lock, head: None };
        let store = if options.one_connection {
            // Its tables were just looked at, or made.
            Self::of(files, Some(keys), Some(writer), None, Use::Read)
        } else {
            must(&path, Self::with(files, Some(keys), Some(writer), Use::Read)?)?
        };
        if let Some(tending) = &store.tending
            && store.read(|connection| tending.is_due(connection))?
        {
            tending.look();
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
        let meta = folder.metadata().map_err(|error| error::io(&folder, &error))?;
        folder::safe(&folder, &meta)?;
        if folder::open(&path, Opening::Read)?.is_none() {
            return Ok(None);
        }
        // Tables are made before what belongs to a record. So it is looked for first: what is there by then had tables.
        let had_tables = Self::has_more(&folder);
        let keys = folder::read_key(&folder)?.map(|key| Keys::of(&key));
        // SQLite needs two more files beside a database that others may write. Where it can't make them, nobody
        // else can write either; but what a killed process left in its log must not be overlooked.
        let log = folder.join(format!("{}-wal", name::STORE)).metadata().map_or(0, |meta| meta.len());
        let files = Files::new(&folder, options, (0, 0));
        let opened = match Self::with(files.clone(), keys.clone(), None, Use::Read) {
            Err(StoreError::ReadOnly { .. }) if log == 0 => Self::with(files, keys, None, Use::Frozen),
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
    fn with(
        files: Files,
        keys: Option<Keys>,
        writer: Option<Writer>,
        reading: Use,
    ) -> Result<Option<Self>, StoreError> {
        let connection = connect::open(&files.path, reading, &files.options)?;
        if !schema::is_made(&connection, &files.path)? {
            return Ok(None);
        }
        Ok(Some(Self::of(files, keys, writer, Some(connection), reading)))
    }

    fn of(
        files: Files,
        keys: Option<Keys>,
        writer: Option<Writer>,
        reader: Option<Connection>,
        reading: Use,
    ) -> Self {
        let tended = keys.clone().filter(|_| writer.is_some());
        Self {
            owners: Owners::new(&files.folder),
            tending: tended.map(|keys| Tending::new(files.clone(), keys)),
            files,
            keys,
            writer: writer.map(Mutex::new),
            reader: reader.map(Mutex::new),
            pages: Mutex::new(None),
            reading,
        }
    }

    /// The record's keys. They and the head are made together with the record, and never for one that has
    /// entries.
    fn keys(folder: &Path, path: &Path, connection: &Connection) -> Result<Keys, StoreError> {
        let failed = |error| error::sqlite(path, error);
        let begun: bool = connection
            .query_row("SELECT EXISTS (SELECT 1 FROM record) OR EXISTS (SELECT 1 FROM anchors)", (), |row| {
                row.get(0)
            })
            .map_err(failed)?;
        let head = folder::open(&folder.join(name::HEAD), Opening::Read)?.is_some();
        let lost = |what: &str| StoreError::Damaged {
            path: folder.to_owned(),
            reason: format!("the record's {what} is missing, so that changes to it would not show"),
        };
        let key = match folder::read_key(folder)? {
            Some(key) => key,
            None if begun || head => return Err(lost("key")),
            None => folder::make_key(folder)?,
        };
        let keys = Keys::of(&key);
        if begun && !head {
            return Err(lost("head"));
        }
        if head {
            // One that was changed is told now, not at the first call.
            head::Head::to_append(folder, &keys.head)?;
        } else {
            head::Head::make(folder, &keys.head)?;
        }
        Ok(keys)
    }

    /// Leaves the store as a process that is killed leaves it: whoever opens it next finds all of it in SQLite's log, and nobody
    /// waits for the disk. A log that is long goes to the database first, whoever else holds the store in this process: each
    /// that opens the store reads all of the log. For a process that is about to end.
    pub fn leave(store: Arc<Self>) {
        if let Some(tending) = &store.tending {
            tending.rest();
        }
        let log = store.files.folder.join(format!("{}-wal", name::STORE));
        if log.metadata().is_ok_and(|meta| meta.len() > LARGE_LOG)
            && let Err(error) = store.shorten()
        {
            tracing::warn!(%error, "the record's log could not be brought to the database");
        }
        std::mem::forget(store);
    }

    /// Brings the log to the database, and begins it anew. Others may write meanwhile, but for the moment that the second takes.
    fn shorten(&self) -> Result<(), StoreError> {
        let writer = self.writer()?;
        for how in ["PASSIVE", "TRUNCATE"] {
            // What is in the database outlives a failure of the power: so must the head, which would be older than it.
            head::sync(&self.files.folder)?;
            writer
                .connection
                .query_row(&format!("PRAGMA wal_checkpoint({how})"), (), |_| Ok(()))
                .map_err(|error| error::sqlite(&self.files.path, error))?;
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
            None => read(&self.writer()?.connection),
        };
        read.map_err(|error| error::sqlite(&self.files.path, error))
    }

    /// A connection for what may take long.
    fn pages(&self) -> Result<MutexGuard<'_, Option<Connection>>, StoreError> {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.is_none() {
            *pages = Some(connect::open(&self.files.path, self.reading, &self.files.options)?);
        }
        Ok(pages)
    }
}

/// A file that was made if it was not there.
fn must<T>(path: &Path, file: Option<T>) -> Result<T, StoreError> {
    file.ok_or_else(|| StoreError::Other { path: path.to_owned(), reason: "was removed just now".to_owned() })
}

impl Store for SqliteStore {
    fn commit(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        self.write(&changes)
    }

    fn stamp(&self) -> Result<u64, StoreError> {
        self.read(commit::stamp)
    }

    fn grants(&self, query: &GrantQuery) -> Result<Vec<StoredGrant>, StoreError> {
        self.read(|connection| grants::list(connection, query))
    }

    fn pins(&self, server: Option<&str>) -> Result<Vec<Pinned>, StoreError> {
        self.read(|connection| pins::list(connection, server))
    }

    fn pass(&self, call: &PassedCall, now: Timestamp) -> Result<Option<Pass>, StoreError> {
        self.read(|connection| passes::find(connection, call, now))
    }

    fn approvals(&self, query: &ApprovalQuery) -> Result<Vec<StoredApproval>, StoreError> {
        self.read(|connection| approvals::list(connection, query))
    }

    fn offers(&self, owner: OwnerId) -> Result<Vec<Offer>, StoreError> {
        self.read(|connection| approvals::offers(connection, owner))
    }

    fn reply(&self, id: OfferId) -> Result<Option<Result<(), String>>, StoreError> {
        let gone = || Some(Err("the process that asked is gone, and its call with it".to_owned()));
        match self.read(|connection| approvals::replied(connection, id))? {
            None => Ok(Some(Err("no answer with this id was given".to_owned()))),
            Some(approvals::Reply::Given(reply)) => Ok(Some(reply)),
            Some(approvals::Reply::Waits(owner)) => match self.owners.life(owner, Timestamp::now())? {
                Life::Gone => Ok(gone()),
                Life::Alive | Life::Hung => Ok(None),
            },
        }
    }

    fn attach(&self, owner: &Owner) -> Result<(), StoreError> {
        self.may_write()?;
        self.owners.attach(owner, Timestamp::now())
    }

    fn beat(&self, owner: OwnerId, now: Timestamp) -> Result<(), StoreError> {
        self.may_write()?;
        self.owners.beat(owner, now)
    }

    fn detach(&self, owner: OwnerId) -> Result<(), StoreError> {
        self.may_write()?;
        self.forget(&[owner], None)?;
        self.owners.detach(owner)
    }

    fn owners(&self, now: Timestamp) -> Result<Vec<Owner>, StoreError> {
        Ok(self.owners.list(now)?.0)
    }

    fn present(&self, now: Timestamp) -> Result<Vec<Owner>, StoreError> {
        self.owners.present(now)
    }

    fn abandoned(&self, now: Timestamp) -> Result<Vec<StoredApproval>, StoreError> {
        let pending = ApprovalQuery { pending: true, ..ApprovalQuery::default() };
        let mut abandoned = Vec::new();
        for approval in self.approvals(&pending)? {
            if self.owners.life(approval.owner, now)? != Life::Alive {
                abandoned.push(approval);
            }
        }
        if self.writer.is_some() {
            self.forget_the_dead(now)?;
        }
        Ok(abandoned)
    }

    fn entries(&self, query: &EntryQuery) -> Result<Vec<Recorded>, StoreError> {
        let pages = self.pages()?;
        let Some(connection) = pages.as_ref() else { return Ok(Vec::new()) };
        let found = || {
            // Of one moment, all of it.
            let seen = connection.unchecked_transaction()?;
            let limit = query.limit.map(|limit| limit as usize);
            let (mut found, mut lost) = (Vec::new(), 0_usize);
            for stretch in spans::stretches(&seen, query)? {
                let left = limit.map(|limit| limit.saturating_sub(found.len()));
                if left == Some(0) {
                    break;
                }
                let query::Statement { sql, values } = query::statement(query, stretch, left);
                let mut statement = seen.prepare_cached(&sql)?;
                for recorded in statement.query_map(rusqlite::params_from_iter(values), entries::recorded)? {
                    match recorded {
                        Ok(recorded) => found.push(recorded),
                        Err(error @ rusqlite::Error::SqliteFailure(..)) => return Err(error),
                        // One that somebody has changed must not hide the others.
                        Err(_) => lost += 1,
                    }
                }
            }
            Ok((found, lost))
        };
        let (found, lost) = found().map_err(|error| error::sqlite(&self.files.path, error))?;
        if lost > 0 {
            tracing::warn!(entries = lost, "some of the record can't be read: see `mayi log verify`");
        }
        Ok(found)
    }

    fn newest(&self) -> Result<Option<Timestamp>, StoreError> {
        self.read(entries::newest_time)
    }

    fn history(&self, agent: &AgentId, access: &str) -> Result<History, StoreError> {
        self.read(|connection| entries::history(connection, agent.as_str(), access))
    }
}
