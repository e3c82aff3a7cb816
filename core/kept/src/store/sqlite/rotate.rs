//! Moves the oldest entries to archives, so that the database does not grow for ever; and the log to the database.
//!
//! It goes by steps, each with a short hold of the store's lock: whoever commits meanwhile waits for one step at most.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, TransactionBehavior};

use super::connect::{self, ConnectionUse};
use super::files::Files;
use super::folder::{self, OpenMode, name};
use super::head;
use super::lock::FileLock;
use super::value::{to_count, to_nanos};
use super::{Limits, SqliteStore, archive, check, error, require_file, spans};
use crate::record::{Anchor, Link, RecordKeys};
use crate::store::StoreError;

/// At most so many entries go to one archive, in one transaction.
const MOST: u64 = 1_000;
/// And no more than have so many bytes, unless it is one.
const MOST_BYTES: u64 = 4 * 1024 * 1024;
/// So many pages are given back in one transaction.
const PAGES: u64 = 256;
/// With fewer pages than this in the log, it need not begin anew.
const LOG: u64 = 4_000;

impl SqliteStore {
    /// Moves the oldest entries to archives until the record is within `limits`; the newest entry stays. Returns how
    /// many were moved. If another process is at it, none are.
    ///
    /// Each archive is complete on the disk before its entries are removed, together with an anchor that proves
    /// where the record goes on. A process that is killed in between leaves both the file and the entries, and the
    /// next one begins anew.
    ///
    /// # Errors
    /// If the store or the archives can't be written. What was moved until then stays moved.
    pub fn rotate_record(&self, limits: Limits, now: Timestamp) -> Result<u64, StoreError> {
        self.check_writable()?;
        let keys = self.keys.clone().ok_or_else(|| self.read_only_error())?;
        let mut rotation = Rotation::new(self.files.clone(), keys)?;
        let moved = rotation.rotate(limits, || now, || true)?;
        rotation.shrink_file(0, || true)?;
        Ok(moved)
    }
}

/// Who moves entries: with a connection and a lock of its own, beside those who commit.
#[derive(Debug)]
pub(super) struct Rotation {
    files: Files,
    keys: RecordKeys,
    connection: Connection,
    lock: FileLock,
}

impl Rotation {
    pub(super) fn new(files: Files, keys: RecordKeys) -> Result<Self, StoreError> {
        let path = files.folder.join(name::LOCK);
        let lock = FileLock::new(require_file(&path, folder::open(&path, OpenMode::Make)?)?, path);
        let mut connection = connect::open(&files.path, ConnectionUse::Write, &files.options)?;
        connect::prepare_database(&mut connection, &files.path, &files.options)?;
        Ok(Self { files, keys, connection, lock })
    }

    /// Moves entries until the record is within `limits`, or as long as `goes_on`.
    pub(super) fn rotate(
        &mut self,
        limits: Limits,
        now: impl Fn() -> Timestamp,
        goes_on: impl Fn() -> bool,
    ) -> Result<u64, StoreError> {
        let place = self.files.folder.join(name::ARCHIVE);
        let failed = |error| error::from_io(&place, &error);
        if self.last_excess_entry(limits, now())?.is_none() {
            return Ok(0);
        }
        folder::make_folder(&place).map_err(failed)?;
        let path = place.join(name::LOCK);
        let lock = FileLock::new(require_file(&path, folder::open(&path, OpenMode::Make)?)?, path);
        let _held = match lock.lock_within(Duration::ZERO) {
            Err(StoreError::Locked(_)) => return Ok(0),
            held => held?,
        };
        archive::remove_leftovers(&self.files.folder, None).map_err(failed)?;
        let mut moved = 0;
        while let Some(last) = self.last_excess_entry(limits, now())? {
            moved += self.archive_entries(last)?;
            if !goes_on() {
                break;
            }
        }
        Ok(moved)
    }

    /// The last of the entries that should go to an archive next, if any should.
    fn last_excess_entry(&self, limits: Limits, now: Timestamp) -> Result<Option<u64>, StoreError> {
        let connection = &self.connection;
        let found = || -> rusqlite::Result<Option<u64>> {
            let ends = |what: &str| {
                let sql = format!("SELECT {what}(seq) FROM record");
                connection.query_row(&sql, (), |row| row.get::<_, Option<i64>>(0))?.map(to_count).transpose()
            };
            let (Some(first), Some(newest)) = (ends("min")?, ends("max")?) else { return Ok(None) };
            let number =
                |pragma: &str| connection.pragma_query_value(None, pragma, |row| to_count(row.get(0)?));
            let pages = number("page_count")?.saturating_sub(number("freelist_count")?);
            let bytes = pages.saturating_mul(number("page_size")?);
            let entries = newest.saturating_sub(first);
            let too_many = match bytes.saturating_sub(limits.max_bytes) {
                0 => 0,
                // Not only what is too much, or each look would make an archive of a few entries.
                over => u64::try_from(u128::from(entries) * u128::from(over) / u128::from(bytes))
                    .unwrap_or(u64::MAX)
                    .max(MOST.min(entries / 4))
                    .max(1),
            };
            let too_old = too_old(connection, limits, newest, now)?
                .map_or(0, |last| last.saturating_add(1).saturating_sub(first));
            let many = too_many.max(too_old).min(entries);
            if many == 0 { Ok(None) } else { one_step(connection, many).map(Some) }
        };
        found().map_err(|error| error::from_sqlite(&self.files.path, error))
    }

    /// Moves the entries up to `last` to an archive.
    fn archive_entries(&mut self, last: u64) -> Result<u64, StoreError> {
        let Self { files, keys, connection, lock } = self;
        let failed = |error| error::from_sqlite(&files.path, error);
        let (anchors, _) = check::read_anchors(connection, keys).map_err(failed)?;
        let before = anchors.last().map_or(Link::START, |anchor| anchor.last);
        let first = before.seq.saturating_add(1);
        let (entries, end) = archive::write(&files.folder, connection, first, last)?;
        let anchor = Anchor { first, prev: before.mac, last: end };
        let seal = anchor.compute_seal(&keys.anchors);
        {
            let _held = lock.lock_within(files.options.busy)?;
            files.check_file_exists()?;
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            let to = last.cast_signed();
            let removed = transaction.execute("DELETE FROM record WHERE seq <= ?1", [to]).map_err(failed)?;
            if removed as u64 != entries {
                return Err(StoreError::Other {
                    path: files.path.clone(),
                    reason: "the record was changed while it was archived; see `mayi log verify`".to_owned(),
                });
            }
            // The span of the next entry stays.
            let span = (last.saturating_add(1) / spans::LENGTH).cast_signed();
            transaction.execute("DELETE FROM spans WHERE span < ?1", [span]).map_err(failed)?;
            transaction
                .execute(
                    "INSERT INTO anchors (first, last, prev, mac, seal) VALUES (?1, ?2, ?3, ?4, ?5)",
                    (first.cast_signed(), to, anchor.prev.0, end.mac.0, seal.0),
                )
                .map_err(failed)?;
            transaction.commit().map_err(failed)?;
        }
        archive::remove_leftovers(&files.folder, Some((first, last)))
            .map_err(|error| error::from_io(&files.folder, &error))?;
        Ok(entries)
    }

    /// Gives the space of what was removed back, until no more than `spare` pages are free.
    pub(super) fn shrink_file(&mut self, spare: u64, goes_on: impl Fn() -> bool) -> Result<(), StoreError> {
        let path = &self.files.path;
        let failed = |error| error::from_sqlite(path, error);
        let free = || self.connection.pragma_query_value(None, "freelist_count", |row| to_count(row.get(0)?));
        let mut left = free().map_err(failed)?;
        if left <= spare {
            return Ok(());
        }
        while left > spare && goes_on() {
            let many = PAGES.min(left - spare);
            let _held = self.lock.lock_within(self.files.options.busy)?;
            connect::free_pages(&self.connection, many.cast_signed()).map_err(failed)?;
            let still = free().map_err(failed)?;
            // A database of another kind gives nothing back.
            if still >= left {
                break;
            }
            left = still;
        }
        let _held = self.lock.lock_within(self.files.options.busy)?;
        self.sync_head()?;
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).map_err(failed)
    }

    /// Moves what is in the log to the database. It is done beside those who commit; only what came meanwhile holds them up,
    /// where the log would grow for ever otherwise.
    pub(super) fn checkpoint(&mut self) -> Result<(), StoreError> {
        let moved = || {
            self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", (), |row| {
                Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
            })
        };
        let failed = |error| error::from_sqlite(&self.files.path, error);
        let (all, done) = moved().map_err(failed)?;
        if done <= 0 {
            return Ok(());
        }
        self.sync_head()?;
        if all > done && u64::try_from(all).is_ok_and(|all| all > LOG) {
            let _held = self.lock.lock_within(self.files.options.busy)?;
            moved().map_err(failed)?;
            self.sync_head()?;
        }
        Ok(())
    }

    /// What a checkpoint brings to the disk outlives a failure of the power: so must the head, or it would be older than the
    /// record by more than a commit.
    fn sync_head(&self) -> Result<(), StoreError> {
        head::sync_head(&self.files.folder)
    }
}

/// The last of the oldest `many` entries, of as many as go to one archive.
fn one_step(connection: &Connection, many: u64) -> rusqlite::Result<u64> {
    let mut statement =
        connection.prepare_cached("SELECT seq, octet_length(detail) FROM record ORDER BY seq LIMIT ?1")?;
    let mut rows = statement.query([many.min(MOST).cast_signed()])?;
    let (mut last, mut bytes) = (0, 0_u64);
    while let Some(row) = rows.next()? {
        bytes = bytes.saturating_add(to_count(row.get(1)?)?);
        if last > 0 && bytes > MOST_BYTES {
            break;
        }
        last = to_count(row.get(0)?)?;
    }
    Ok(last)
}

/// So many entries are looked at to tell whether some may be too old.
const SAMPLES: u64 = 16;

/// Whether some entries may be older than they may be, from a few of those that are not young by their number: who opens a store
/// for a moment should not go through all of them. What it overlooks is found once the store is looked after.
pub(super) fn may_be_old(connection: &Connection, limits: Limits, now: Timestamp) -> rusqlite::Result<bool> {
    let Some(age) = limits.max_age else { return Ok(false) };
    let age = SignedDuration::try_from(age).unwrap_or(SignedDuration::MAX);
    let Ok(before) = now.checked_sub(age) else { return Ok(false) };
    let end = |what: &str| -> rusqlite::Result<u64> {
        let sql = format!("SELECT {what}(seq) FROM record");
        connection.query_row(&sql, (), |row| row.get::<_, Option<i64>>(0))?.map_or(Ok(0), to_count)
    };
    let old = end("max")?.saturating_sub(limits.young);
    if old == 0 {
        return Ok(false);
    }
    let first = end("min")?;
    let mut at =
        connection.prepare("SELECT at FROM record WHERE seq >= ?1 AND seq <= ?2 ORDER BY seq LIMIT 1")?;
    for sample in 0..SAMPLES {
        let from = first.saturating_add(old.saturating_sub(first) / SAMPLES * sample);
        let found = at.query_map([from.cast_signed(), old.cast_signed()], |row| row.get::<_, i64>(0))?.next();
        if found.transpose()?.is_some_and(|at| at < to_nanos(before)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The last of the oldest entries that are older than they may be.
///
/// A clock that is wrong for a while must not empty the record: what is young by its number stays, and age counts from the
/// time of the oldest of these, unless the clock says less.
fn too_old(
    connection: &Connection,
    limits: Limits,
    newest: u64,
    now: Timestamp,
) -> rusqlite::Result<Option<u64>> {
    let Some(age) = limits.max_age else { return Ok(None) };
    let Some(old) = newest.checked_sub(limits.young).filter(|old| *old > 0) else { return Ok(None) };
    let young: Option<i64> = connection
        .prepare_cached("SELECT at FROM record WHERE seq > ?1 ORDER BY seq LIMIT 1")?
        .query_map([old.cast_signed()], |row| row.get(0))?
        .next()
        .transpose()?;
    let age = SignedDuration::try_from(age).unwrap_or(SignedDuration::MAX);
    let Ok(before) = now.checked_sub(age) else { return Ok(None) };
    let age = i64::try_from(age.as_nanos()).unwrap_or(i64::MAX);
    let before = young.map_or(to_nanos(before), |young| to_nanos(before).min(young.saturating_sub(age)));
    let mut statement =
        connection.prepare_cached("SELECT seq, at FROM record WHERE seq <= ?1 ORDER BY seq LIMIT ?2")?;
    let mut rows = statement.query([old.cast_signed(), MOST.cast_signed()])?;
    let mut last = None;
    // Those between older ones go too: entries of a clock that was ahead must not keep all behind them.
    while let Some(row) = rows.next()? {
        if row.get::<_, i64>(1)? < before {
            last = Some(to_count(row.get(0)?)?);
        }
    }
    Ok(last)
}
