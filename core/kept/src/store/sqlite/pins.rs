//! What MCP servers said of themselves.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::value::{from_json, from_nanos, invalid_value, maybe_time, to_nanos, to_word};
use crate::store::{Definition, Item, PinnedItem};
use mayi_call::Digest;

const COLUMNS: &str = "server, kind, name, trusted, pending, first_seen, changed_at, accepted_at";

/// A server said something of an item. A program that is not trusted itself is trusted in nothing.
pub(super) fn record_definition(
    connection: &Connection,
    server: &str,
    item: &Item,
    said: &Definition,
    at: Timestamp,
) -> rusqlite::Result<()> {
    let strange = *item != Item::Launch
        && find_pin(connection, server, &Item::Launch)?.is_some_and(|launch| launch.is_changed());
    let pin = match find_pin(connection, server, item)? {
        Some(pin) => pin.updated_with(said.clone(), strange, at),
        None => PinnedItem::on_first_use(server, item.clone(), said.clone(), strange, at),
    };
    write_pin(connection, &pin)
}

/// A person accepts what is pending; returns whether that is still what the person looked at.
pub(super) fn accept_pending(
    connection: &Connection,
    server: &str,
    item: &Item,
    looked_at: &Digest,
    at: Timestamp,
) -> rusqlite::Result<bool> {
    let accepted = find_pin(connection, server, item)?.and_then(|pin| pin.into_accepted(looked_at, at));
    accepted.map_or(Ok(false), |pin| write_pin(connection, &pin).map(|()| true))
}

/// Forgets all that a server said.
pub(super) fn forget_server(connection: &Connection, server: &str) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM pins WHERE server = ?1")?.execute([server]).map(|_| ())
}

/// Those of one server, or all.
pub(super) fn list_pins(connection: &Connection, server: Option<&str>) -> rusqlite::Result<Vec<PinnedItem>> {
    let mut pins: Vec<PinnedItem> = connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM pins WHERE ?1 IS NULL OR server = ?1"))?
        .query_map([server], read)?
        .collect::<rusqlite::Result<_>>()?;
    pins.sort_by(|a, b| (&a.server, &a.item).cmp(&(&b.server, &b.item)));
    Ok(pins)
}

fn find_pin(connection: &Connection, server: &str, item: &Item) -> rusqlite::Result<Option<PinnedItem>> {
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM pins WHERE server = ?1 AND kind = ?2 AND name = ?3"))?
        .query_row([server, item.kind(), item.name()], read)
        .optional()
}

fn write_pin(connection: &Connection, pin: &PinnedItem) -> rusqlite::Result<()> {
    connection
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO pins ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        ))?
        .execute(params![
            pin.server,
            pin.item.kind(),
            pin.item.name(),
            pin.trusted.as_ref().map(to_word),
            pin.pending.as_ref().map(to_word),
            to_nanos(pin.first_seen),
            pin.changed_at.map(to_nanos),
            pin.accepted_at.map(to_nanos),
        ])?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<PinnedItem> {
    let text = |at: usize| row.get_ref(at)?.as_str_or_null().map_err(rusqlite::Error::from);
    let some = |at: usize| text(at).map(Option::unwrap_or_default);
    let definition =
        |at: usize| -> rusqlite::Result<Option<Definition>> { text(at)?.map(from_json).transpose() };
    let kind = some(1)?;
    let item = Item::parse(kind, some(2)?)
        .ok_or_else(|| invalid_value(format!("`{kind}` is nothing that is pinned")))?;
    Ok(PinnedItem {
        server: some(0)?.to_owned(),
        item,
        trusted: definition(3)?,
        pending: definition(4)?,
        first_seen: from_nanos(row.get(5)?)?,
        changed_at: maybe_time(row.get(6)?)?,
        accepted_at: maybe_time(row.get(7)?)?,
    })
}
