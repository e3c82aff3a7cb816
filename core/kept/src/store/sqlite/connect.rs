//! Connections to the database.

use std::fmt::Write as _;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::{Durability, Options, error, schema};
use crate::store::StoreError;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionUse {
    /// To read and write.
    Write,
    /// To read.
    Read,
    /// To read where nothing can be written, not even what SQLite needs to see who else is there. The database
    /// must not change meanwhile.
    Frozen,
}

/// So many pages of 4 KiB may be in the log before a commit moves them to the database by itself: it is done beside those who
/// commit long before.
const LOG: i64 = 16_000;

/// So many free pages are given back where a store is opened.
const FEW: i64 = 64;

/// Opens the database, which must be there.
pub(super) fn open(path: &Path, purpose: ConnectionUse, options: &Options) -> Result<Connection, StoreError> {
    let failed = |error| error::from_sqlite(path, error);
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = match purpose {
        ConnectionUse::Write => Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_WRITE),
        ConnectionUse::Read => Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_READ_ONLY),
        ConnectionUse::Frozen => Connection::open_with_flags(
            immutable_uri(path),
            flags | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
        ),
    }
    .map_err(failed)?;
    connection.busy_timeout(options.busy).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(64);
    for (option, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        connection.set_db_config(option, on).map_err(failed)?;
    }
    connection.pragma_update(None, "cell_size_check", true).map_err(failed)?;
    Ok(connection)
}

/// Brings a database that can be written to its newest version, and says how it is written from now on.
pub(super) fn prepare_database(
    connection: &mut Connection,
    path: &Path,
    options: &Options,
) -> Result<(), StoreError> {
    let failed = |error| error::from_sqlite(path, error);
    let version = schema::tables_version(connection, path, schema::STEPS.len())?;
    if version == 0 {
        // So that what was archived gives its space back. Only before the first table.
        connection.pragma_update(None, "auto_vacuum", "incremental").map_err(failed)?;
    }
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0)).map_err(failed)?;
    if mode != "wal" {
        let reason = format!("its journal is `{mode}`, and can't be a write-ahead log there");
        return Err(StoreError::Other { path: path.to_owned(), reason });
    }
    let synchronous = match options.durability {
        Durability::Process => "normal",
        Durability::Power => "full",
    };
    connection.pragma_update(None, "synchronous", synchronous).map_err(failed)?;
    // Both answer with a row.
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(())).map_err(failed)?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", LOG, |_| Ok(())).map_err(failed)?;
    // Nobody else makes tables meanwhile: the store's lock is held.
    if version != schema::STEPS.len() {
        schema::migrate_tables(connection, path, schema::STEPS)?;
    }
    // What a step has freed, where that is quickly done; otherwise it is done beside those who commit.
    let free: i64 =
        connection.pragma_query_value(None, "freelist_count", |row| row.get(0)).map_err(failed)?;
    if (1..=FEW).contains(&free) { free_pages(connection, FEW).map_err(failed) } else { Ok(()) }
}

/// Gives the space of at most `pages` free pages back.
pub(super) fn free_pages(connection: &Connection, pages: i64) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
    let mut rows = statement.query(())?;
    // Each step gives back one page.
    while rows.next()?.is_some() {}
    Ok(())
}

/// An address of the file at `path` that says that nobody changes it.
fn immutable_uri(path: &Path) -> String {
    let mut address = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                address.push(char::from(*byte));
            }
            _ => {
                let _ = write!(address, "%{byte:02x}");
            }
        }
    }
    address.push_str("?immutable=1");
    address
}
