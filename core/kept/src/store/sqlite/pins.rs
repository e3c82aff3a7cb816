//! What MCP servers said of themselves.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::value::{from_json, maybe_time, nanos, time, word, wrong};
use crate::store::{Definition, Item, Pinned};
use mayi_call::Digest;

const COLUMNS: &str = "server, kind, name, trusted, pending, first_seen, changed_at, accepted_at";

/// A server said something of an item. A program that is not trusted itself is trusted in nothing.
pub(super) fn say(
    connection: &Connection,
    server: &str,
    item: &Item,
    said: &Definition,
    at: Timestamp,
) -> rusqlite::Result<()> {
    let strange = *item != Item::Launch
        && one(connection, server, &Item::Launch)?.is_some_and(|launch| launch.is_changed());
    let pin = match one(connection, server, item)? {
        Some(pin) => pin.after(said.clone(), strange, at),
        None => Pinned::first(server, item.clone(), said.clone(), strange, at),
    };
    put(connection, &pin)
}

/// A person accepts what is pending; returns whether that is still what the person looked at.
pub(super) fn accept(
    connection: &Connection,
    server: &str,
    item: &Item,
    looked_at: &Digest,
    at: Timestamp,
) -> rusqlite::Result<bool> {
    let accepted = one(connection, server, item)?.and_then(|pin| pin.accepted(looked_at, at));
    accepted.map_or(Ok(false), |pin| put(connection, &pin).map(|()| true))
}

/// Forgets all that a server said.
pub(super) fn forget(connection: &Connection, server: &str) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM pins WHERE server = ?1")?.execute([server]).map(|_| ())
}

/// Those of one server, or all.
pub(super) fn list(connection: &Connection, server: Option<&str>) -> rusqlite::Result<Vec<Pinned>> {
    let mut pins: Vec<Pinned> = connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM pins WHERE ?1 IS NULL OR server = ?1"))?
        .query_map([server], read)?
        .collect::<rusqlite::Result<_>>()?;
    pins.sort_by(|a, b| (&a.server, &a.item).cmp(&(&b.server, &b.item)));
    Ok(pins)
}

fn one(connection: &Connection, server: &str, item: &Item) -> rusqlite::Result<Option<Pinned>> {
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM pins WHERE server = ?1 AND kind = ?2 AND name = ?3"))?
        .query_row([server, item.kind(), item.name()], read)
        .optional()
}

fn put(connection: &Connection, pin: &Pinned) -> rusqlite::Result<()> {
    connection
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO pins ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        ))?
        .execute(params![
            pin.server,
            pin.item.kind(),
            pin.item.name(),
            pin.trusted.as_ref().map(word),
            pin.pending.as_ref().map(word),
            nanos(pin.first_seen),
            pin.changed_at.map(nanos),
            pin.accepted_at.map(nanos),
        ])?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Pinned> {
    let text = |at: usize| row.get_ref(at)?.as_str_or_null().map_err(rusqlite::Error::from);
    let some = |at: usize| text(at).map(Option::unwrap_or_default);
    let definition =
        |at: usize| -> rusqlite::Result<Option<Definition>> { text(at)?.map(from_json).transpose() };
    let kind = some(1)?;
    let item =
        Item::parse(kind, some(2)?).ok_or_else(|| wrong(format!("`{kind}` is nothing that is pinned")))?;
    Ok(Pinned {
        server: some(0)?.to_owned(),
        item,
        trusted: definition(3)?,
        pending: definition(4)?,
        first_seen: time(row.get(5)?)?,
        changed_at: maybe_time(row.get(6)?)?,
        accepted_at: maybe_time(row.get(7)?)?,
    })
}
