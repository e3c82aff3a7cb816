//! The tables, and how those of an earlier version become today's.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::{error, spans};
use crate::store::StoreError;

/// What makes each version out of the one before; the first out of nothing.
pub(super) const STEPS: &[&str] = &[
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
];

/// The first version with spans.
const SPANS: usize = 5;

/// Tells a database of mayi's from any other: "mayi".
const APPLICATION: i64 = 0x6d61_7969;

/// The version of the tables; 0 if there are none.
///
/// A database of a later version, or of something else, is refused, and nothing in it is changed.
pub(super) fn tables_version(
    connection: &Connection,
    path: &Path,
    known: usize,
) -> Result<usize, StoreError> {
    let number = |name: &str| -> Result<i64, StoreError> {
        connection
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(|error| error::from_sqlite(path, error))
    };
    let (found, application) = (number("user_version")?, number("application_id")?);
    let damaged = |reason: &str| StoreError::Damaged { path: path.to_owned(), reason: reason.to_owned() };
    if application != APPLICATION && (application != 0 || found != 0) {
        return Err(damaged("it is another program's database"));
    }
    let found = u32::try_from(found).map_err(|_| damaged("its version is no number of a version"))?;
    let known = u32::try_from(known).unwrap_or(u32::MAX);
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    // Triggers and views would let somebody else's SQL run with what mayi writes and reads.
    let foreign: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')", (), |row| {
            row.get(0)
        })
        .map_err(|error| error::from_sqlite(path, error))?;
    if foreign != 0 {
        return Err(damaged("it has triggers or views, which mayi did not make"));
    }
    Ok(found as usize)
}

/// Whether the tables are there. A database that has tables although its version says that it has none is refused.
pub(super) fn is_made(connection: &Connection, path: &Path) -> Result<bool, StoreError> {
    let failed = |error| error::from_sqlite(path, error);
    // One state of it: whoever makes it may be done between two looks.
    let seen = connection.unchecked_transaction().map_err(failed)?;
    if tables_version(&seen, path, STEPS.len())? > 0 {
        return Ok(true);
    }
    let tables: i64 =
        seen.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0)).map_err(failed)?;
    if tables == 0 {
        return Ok(false);
    }
    let reason = "it has tables, and no version of them".to_owned();
    Err(StoreError::Damaged { path: path.to_owned(), reason })
}

/// Brings the tables to the newest version: whole or not at all. One process at a time.
pub(super) fn migrate_tables(
    connection: &mut Connection,
    path: &Path,
    steps: &[&str],
) -> Result<(), StoreError> {
    if tables_version(connection, path, steps.len())? == steps.len() {
        return Ok(());
    }
    let failed = |error| error::from_sqlite(path, error);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let done = tables_version(&transaction, path, steps.len())?;
    for step in steps.iter().skip(done) {
        transaction.execute_batch(step).map_err(failed)?;
    }
    if done < SPANS && steps.len() >= SPANS {
        spans::fill_spans(&transaction).map_err(failed)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
    transaction.pragma_update(None, "user_version", steps.len() as i64).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// How the tables differ from those that mayi makes.
pub(super) fn tables_difference(connection: &Connection) -> Option<String> {
    type Parts = rusqlite::Result<BTreeMap<(String, String), Option<String>>>;
    let parts = |connection: &Connection| -> Parts {
        connection
            .prepare("SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat_'")?
            .query_map((), |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?
            .collect()
    };
    let made = || -> Parts {
        let connection = Connection::open_in_memory()?;
        for step in STEPS {
            connection.execute_batch(step)?;
        }
        parts(&connection)
    };
    let (found, made) = match (parts(connection), made()) {
        (Ok(found), Ok(made)) => (found, made),
        (Err(error), _) | (_, Err(error)) => return Some(error.to_string()),
    };
    let name = |((kind, name), _): (&(String, String), _)| format!("{kind} `{name}`");
    let other = made.iter().find(|(part, sql)| found.get(*part) != Some(sql));
    let more = found.iter().find(|(part, _)| !made.contains_key(*part));
    other
        .map(|part| format!("its {} is not as mayi made it", name(part)))
        .or_else(|| more.map(|part| format!("it has a {} that mayi did not make", name(part))))
}
