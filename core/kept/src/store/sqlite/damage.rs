//! A database of which some pages can't be read: what of the record can be, and where it can't.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::PoisonError;

use rusqlite::{Connection, ErrorCode};

use super::connect::{self, ConnectionUse};
use super::value::to_count;
use super::{SqliteStore, check, entries, query};
use crate::record::Recorded;
use crate::store::{EntryGap, EntryQuery, Options, StoreError};

/// Maximum number of places that can't be read: behind them, the rest counts as unreadable.
const MAX_GAPS: usize = 1_000;

/// Up to this size, in bytes, a database is checked in no time that anybody would notice: 4 MiB.
const QUICKLY_CHECKED: u64 = 4 << 20;

/// Which entries can be read, and which can't.
#[derive(Clone, Debug, Default)]
pub(super) struct Damage {
    /// The numbers of those that can, from one to another, in their order.
    readable: Vec<(u64, u64)>,
    gaps: Vec<EntryGap>,
}

/// Whether SQLite said that a page is not what it should be, or can't be had.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(failure, _) = error else { return false };
    matches!(failure.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::SystemIoFailure)
}

impl Damage {
    /// Goes through all entries, past those that can't be read.
    fn find(connection: &Connection) -> Self {
        let mut damage = Self::default();
        let (mut from, mut before) = (0_u64, None);
        for _ in 0..MAX_GAPS {
            let mut last = None;
            let whole = read_upwards(connection, from, &mut last).is_ok();
            if whole {
                // Whatever comes behind, too.
                damage.readable.push((from, i64::MAX.cast_unsigned()));
                return damage;
            }
            damage.readable.extend(last.map(|last| (from, last)));
            before = last.or(before);
            let lost = last.map_or(from, |last| last.saturating_add(1));
            let next = check::readable_after(connection, lost.saturating_sub(1));
            damage.gaps.push(EntryGap { after: before, before: next });
            let Some(next) = next else { break };
            from = next;
        }
        damage
    }

    /// What of the numbers from `first` to `last` can be read, in their order.
    fn readable_of(&self, (first, last): (u64, u64)) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        let within = move |(from, to): &(u64, u64)| ((*from).max(first), (*to).min(last));
        self.readable.iter().map(within).filter(|(from, to)| from <= to)
    }
}

/// Reads all of the entries from `from` on. `last` hears which was the last.
fn read_upwards(connection: &Connection, from: u64, last: &mut Option<u64>) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("SELECT * FROM record WHERE seq >= ?1 ORDER BY seq")?;
    let mut rows = statement.query([from.cast_signed()])?;
    while let Some(row) = rows.next()? {
        let number = to_count(row.get("seq")?)?;
        // Pages that hang together in a wrong way give the same entries again.
        if last.is_some_and(|last| number <= last) {
            return Err(rusqlite::Error::InvalidQuery);
        }
        *last = Some(number);
    }
    Ok(())
}

/// Reads a stretch of entries for `query`, at most `limit`, and notes those whose values are not as mayi wrote them in `lost`. `known`: all of
/// the stretch can be read, and what can't be lies behind it, where SQLite looks for its end.
pub(super) fn read_stretch(
    connection: &Connection,
    query: &EntryQuery,
    stretch: (u64, u64),
    limit: Option<usize>,
    (known, lost): (bool, &mut BTreeSet<u64>),
) -> rusqlite::Result<Vec<Recorded>> {
    let query::Statement { sql, values } = query::entry_statement(query, stretch);
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = Vec::new();
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0).and_then(to_count), entries::read_entry(row)));
    for row in statement.query_map(rusqlite::params_from_iter(values), read)? {
        match row {
            Ok((_, Ok(recorded))) => {
                found.push(recorded);
                // Those that can't be read do not count: a page that is not full is the last one.
                if limit.is_some_and(|limit| found.len() >= limit) {
                    break;
                }
            }
            // One that somebody has changed must not hide the others.
            Ok((number, Err(_))) => lost.extend(number.ok()),
            Err(error) if known && is_damage(&error) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

impl SqliteStore {
    /// Where entries could not be read so far, since the database is damaged: what queries found lacks these.
    #[must_use]
    pub fn gaps(&self) -> Vec<EntryGap> {
        let pages = self.lock_damage().as_ref().map(|damage| damage.gaps.clone()).unwrap_or_default();
        let changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        let single = |number: &u64| EntryGap { after: number.checked_sub(1), before: number.checked_add(1) };
        pages.into_iter().chain(changed.iter().map(single)).collect()
    }

    /// The parts of a stretch that can be read, in the order of `query`, as far as is known.
    pub(super) fn known_parts(&self, query: &EntryQuery, stretch: (u64, u64)) -> Vec<(u64, u64)> {
        match &*self.lock_damage() {
            None => vec![stretch],
            Some(damage) if query.order == crate::store::Order::NewestFirst => {
                damage.readable_of(stretch).rev().collect()
            }
            Some(damage) => damage.readable_of(stretch).collect(),
        }
    }

    /// Finds out what can be read. Returns whether that was not known.
    pub(super) fn learn_damage(&self, connection: &Connection) -> bool {
        let mut damage = self.lock_damage();
        let first = damage.is_none();
        damage.get_or_insert_with(|| Damage::find(connection));
        first
    }

    /// What says whether the database is damaged, for whoever writes it: nothing but reading all of it does. The second value
    /// is whether that takes no time.
    #[must_use]
    pub fn damage_check(&self) -> (DamageCheck, bool) {
        let check = DamageCheck { path: self.files.path.clone(), options: self.files.options };
        let quick = check.path.metadata().is_ok_and(|meta| meta.len() <= QUICKLY_CHECKED);
        (check, quick)
    }
}

/// A look through the pages of a database.
#[derive(Debug)]
pub struct DamageCheck {
    path: PathBuf,
    options: Options,
}

impl DamageCheck {
    /// What is wrong with the pages, or how they hang together; nothing if nothing is.
    #[must_use]
    pub fn run(&self) -> Option<StoreError> {
        let damaged = |reason: String| StoreError::Damaged { path: self.path.clone(), reason };
        let connection = match connect::open(&self.path, ConnectionUse::Read, &self.options) {
            Ok(connection) => connection,
            Err(error) => return Some(error),
        };
        let said = connection.query_row("PRAGMA quick_check(1)", (), |row| row.get::<_, String>(0));
        match said {
            Ok(said) if said == "ok" => None,
            Ok(said) => Some(damaged(said)),
            Err(error) if is_damage(&error) => Some(damaged(error.to_string())),
            // Somebody else holds it: whether it is damaged is not known.
            Err(_) => None,
        }
    }
}
