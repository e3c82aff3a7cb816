//! Moves the oldest entries to archives, so that the database does not grow for ever.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;

use super::folder::{self, Opening, name};
use super::lock::Lock;
use super::value::{count, nanos};
use super::{Limits, SqliteStore, archive, check, connect, error, must};
use crate::record::Anchor;
use crate::store::StoreError;

/// At most so many entries go to one archive, in one transaction: others must not wait for long.
const MOST: u64 = 10_000;
/// At most so many archives are made when a store is opened.
const AT_OPEN: u32 = 4;

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
    pub fn rotate(&self, limits: Limits, now: Timestamp) -> Result<u64, StoreError> {
        self.rotate_some(limits, now, u32::MAX)
    }

    /// The same, for a store that was just opened: it is no reason to fail.
    pub(super) fn rotate_at_open(&self, limits: Limits) {
        let now = Timestamp::now();
        let moved = match self.excess(limits, limits.max_bytes, now) {
            Ok(None) => return,
            Ok(Some(_)) => self.rotate_some(limits, now, AT_OPEN),
            Err(error) => Err(error),
        };
        match moved {
            Ok(entries) => tracing::info!(entries, "the oldest entries of the record went to the archive"),
            Err(error) => tracing::warn!(%error, "the record could not be archived"),
        }
    }

    fn rotate_some(&self, limits: Limits, now: Timestamp, archives: u32) -> Result<u64, StoreError> {
        self.may_write()?;
        let place = self.folder.join(name::ARCHIVE);
        let failed = |error| error::io(&place, &error);
        if self.excess(limits, limits.max_bytes, now)?.is_none() {
            return Ok(0);
        }
        folder::make(&place).map_err(failed)?;
        let path = place.join(name::LOCK);
        let lock = Lock::new(must(&path, folder::open(&path, Opening::Make)?)?, path);
        let _held = match lock.hold(Duration::ZERO) {
            Err(StoreError::Locked(_)) => return Ok(0),
            held => held?,
        };
        archive::tidy(&self.folder, None).map_err(failed)?;
        let mut moved = 0;
        for _ in 0..archives {
            let Some(last) = self.excess(limits, limits.max_bytes / 4 * 3, now)? else { break };
            moved += self.archive(last)?;
        }
        if moved > 0 {
            self.shrink()?;
        }
        Ok(moved)
    }

    /// The last of the entries that should go to an archive next, if any should.
    fn excess(&self, limits: Limits, most: u64, now: Timestamp) -> Result<Option<u64>, StoreError> {
        let found = |connection: &Connection| -> rusqlite::Result<Option<u64>> {
            let ends = |what: &str| {
                let sql = format!("SELECT {what}(seq) FROM record");
                connection.query_row(&sql, (), |row| row.get::<_, Option<i64>>(0))?.map(count).transpose()
            };
            let (Some(first), Some(newest)) = (ends("min")?, ends("max")?) else { return Ok(None) };
            let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| count(row.get(0)?));
            let pages = number("page_count")?.saturating_sub(number("freelist_count")?);
            let bytes = pages.saturating_mul(number("page_size")?);
            let entries = newest.saturating_sub(first);
            let too_many = match bytes.saturating_sub(most) {
                0 => 0,
                over => u64::try_from(u128::from(entries) * u128::from(over) / u128::from(bytes))
                    .unwrap_or(u64::MAX)
                    .max(1),
            };
            let too_old = match limits.max_age {
                Some(age) => {
                    too_old(connection, now, age)?.map_or(0, |last| (last + 1).saturating_sub(first))
                }
                None => 0,
            };
            let many = too_many.max(too_old).min(MOST).min(entries);
            Ok((many > 0).then(|| first + many - 1))
        };
        self.read(found)
    }

    /// Moves the entries up to `last` to an archive.
    fn archive(&self, last: u64) -> Result<u64, StoreError> {
        let keys = self.keys.as_ref().ok_or_else(|| self.only_read())?;
        let connection = connect::open(&self.path, self.reading, &self.options)?;
        let failed = |error| error::sqlite(&self.path, error);
        let (anchors, _) = check::anchors(&connection, keys).map_err(failed)?;
        let before = anchors.last().map_or(crate::record::Link::START, |anchor| anchor.last);
        let first = before.seq.saturating_add(1);
        let (entries, end) = archive::write(&self.folder, &connection, first, last)?;
        let anchor = Anchor { first, prev: before.mac, last: end };
        let seal = anchor.seal(&keys.anchors);
        self.transact(false, |work| {
            let to = last.cast_signed();
            let removed =
                work.transaction.execute("DELETE FROM record WHERE seq <= ?1", [to]).map_err(failed)?;
            if removed as u64 != entries {
                return Err(StoreError::Other {
                    path: self.path.clone(),
                    reason: "the record was changed while it was archived; see `mayi log verify`".to_owned(),
                });
            }
            work.transaction
                .execute(
                    "INSERT INTO anchors (first, last, prev, mac, seal) VALUES (?1, ?2, ?3, ?4, ?5)",
                    (first.cast_signed(), to, anchor.prev.0, end.mac.0, seal.0),
                )
                .map_err(failed)?;
            Ok(())
        })?;
        archive::tidy(&self.folder, Some((first, last))).map_err(|error| error::io(&self.folder, &error))?;
        Ok(entries)
    }

    /// Gives the space of what was removed back.
    fn shrink(&self) -> Result<(), StoreError> {
        let writer = self.writer()?;
        // Each step gives back one page.
        let drained = |sql: &str| -> rusqlite::Result<()> {
            let mut statement = writer.connection.prepare(sql)?;
            let mut rows = statement.query(())?;
            while rows.next()?.is_some() {}
            Ok(())
        };
        drained("PRAGMA incremental_vacuum")
            .and_then(|()| drained("PRAGMA wal_checkpoint(TRUNCATE)"))
            .map_err(|error| error::sqlite(&self.path, error))
    }
}

/// The last of the oldest entries that are older than `age`.
fn too_old(connection: &Connection, now: Timestamp, age: Duration) -> rusqlite::Result<Option<u64>> {
    let age = SignedDuration::try_from(age).unwrap_or(SignedDuration::MAX);
    let Ok(before) = now.checked_sub(age) else { return Ok(None) };
    let mut statement = connection.prepare("SELECT seq, at FROM record ORDER BY seq LIMIT ?1")?;
    let mut rows = statement.query([MOST.cast_signed()])?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        if row.get::<_, i64>(1)? >= nanos(before) {
            break;
        }
        last = Some(count(row.get(0)?)?);
    }
    Ok(last)
}
