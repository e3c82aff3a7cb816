//! The record's table: appending to it, and reading it.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, ToSql};

use super::spans;
use super::value::{from_nanos, invalid_value, parse, parse_json, parse_optional, to_count, to_nanos};
use crate::approval::History;
use crate::record::{Cell, Entry, Key, Kind, Link, MAC, Mac, PART, PREV, Recorded, SEQ, seal_entry};
use mayi_policy::Effect;

/// The columns of an entry, in the order of the table.
pub(super) const COLUMNS: [&str; 14] = [
    SEQ,
    PART,
    "at",
    "kind",
    "call",
    "approval",
    "session",
    "agent",
    "workspace",
    "effect",
    "access",
    "detail",
    PREV,
    MAC,
];

const INSERT: &str = "INSERT INTO record (seq, part, at, kind, call, approval, session, agent, workspace, \
     effect, access, detail, prev, mac) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

/// The newest entry of the table: its number, and its MAC if that can be one.
pub(super) fn newest_entry(connection: &Connection) -> rusqlite::Result<Option<(u64, Option<Mac>)>> {
    connection
        .prepare_cached("SELECT seq, mac FROM record ORDER BY seq DESC LIMIT 1")?
        .query_row((), |row| {
            let mac = row.get_ref(1)?;
            Ok((to_count(row.get(0)?)?, mac.as_blob().ok().and_then(Mac::from_bytes)))
        })
        .optional()
}

/// The time of the newest entry.
pub(super) fn newest_time(connection: &Connection) -> rusqlite::Result<Option<jiff::Timestamp>> {
    connection
        .prepare_cached("SELECT at FROM record ORDER BY seq DESC LIMIT 1")?
        .query_row((), |row| from_nanos(row.get(0)?))
        .optional()
}

/// Appends entries, one after the other.
pub(super) struct EntryAppender<'a> {
    insert: CachedStatement<'a>,
    connection: &'a Connection,
    key: &'a Key,
    /// The entry before.
    pub(super) previous: Link,
    part: i64,
    /// The detail of the entry at hand, as text.
    detail: Vec<u8>,
}

impl<'a> EntryAppender<'a> {
    pub(super) fn after_link(
        before: Link,
        connection: &'a Connection,
        key: &'a Key,
    ) -> rusqlite::Result<Self> {
        Ok(Self {
            insert: connection.prepare_cached(INSERT)?,
            connection,
            key,
            previous: before,
            part: 0,
            detail: Vec::new(),
        })
    }

    /// Appends `entry`, and counts it where it is an answer.
    pub(super) fn append(&mut self, entry: &Entry) -> rusqlite::Result<()> {
        let next = self.previous.seq.checked_add(1).filter(|seq| i64::try_from(*seq).is_ok());
        let seq = next.ok_or_else(|| invalid_value("the newest entry has the largest number"))?;
        let call = entry.call.map(|id| id.0.to_string());
        let approval = entry.approval.map(|id| id.to_string());
        self.detail.clear();
        serde_json::to_writer(&mut self.detail, &entry.detail)
            .map_err(|error| invalid_value(error.to_string()))?;
        let prev = self.previous.mac;
        fn text_cell(text: Option<&str>) -> Cell<'_> {
            text.map_or(Cell::Null, |text| Cell::Text(text.as_bytes()))
        }
        let values = [
            Cell::Integer(seq.cast_signed()),
            Cell::Integer(self.part),
            Cell::Integer(to_nanos(entry.at)),
            Cell::Text(entry.kind.as_str().as_bytes()),
            text_cell(call.as_deref()),
            text_cell(approval.as_deref()),
            text_cell(entry.session.as_ref().map(|id| id.0.as_str())),
            text_cell(entry.agent.as_ref().map(|id| id.as_str())),
            text_cell(entry.workspace.as_deref()),
            text_cell(entry.effect.map(Effect::as_str)),
            text_cell(entry.access.as_deref()),
            Cell::Text(&self.detail),
            Cell::Blob(&prev.0),
        ];
        let mac = seal_entry(self.key, COLUMNS.into_iter().zip(values));
        for (at, value) in values.into_iter().chain([Cell::Blob(&mac.0)]).enumerate() {
            self.insert.raw_bind_parameter(at + 1, BoundCell(value))?;
        }
        self.insert.raw_execute()?;
        if spans::is_last_of_span(seq) {
            spans::count_up_to(self.connection, seq)?;
        }
        self.previous = Link { seq, mac };
        self.part += 1;
        self.count_answer(entry)
    }

    fn count_answer(&self, entry: &Entry) -> rusqlite::Result<()> {
        let (Kind::Answered, Some(agent), Some(access)) = (entry.kind, &entry.agent, &entry.access) else {
            return Ok(());
        };
        let (allowed, denied) = match entry.effect {
            Some(Effect::Allow) => (1, 0),
            Some(Effect::Deny) => (0, 1),
            Some(Effect::Ask) | None => return Ok(()),
        };
        self.connection
            .prepare_cached(
                "INSERT INTO history (agent, access, allowed, denied, first_seen) VALUES (?1, ?2, ?3, ?4, ?5) \
                 ON CONFLICT DO UPDATE SET allowed = allowed + ?3, denied = denied + ?4, \
                 first_seen = min(first_seen, ?5)",
            )?
            .execute((agent.as_str(), access, allowed, denied, to_nanos(entry.at)))?;
        Ok(())
    }
}

struct BoundCell<'a>(Cell<'a>);

impl ToSql for BoundCell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Cell::Null => ValueRef::Null,
            Cell::Integer(number) => ValueRef::Integer(number),
            Cell::Real(bits) => ValueRef::Real(f64::from_bits(bits)),
            Cell::Text(text) => ValueRef::Text(text),
            Cell::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// A stored value with its type.
pub(super) fn to_cell(value: ValueRef<'_>) -> Cell<'_> {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number.to_bits()),
        ValueRef::Text(text) => Cell::Text(text),
        ValueRef::Blob(bytes) => Cell::Blob(bytes),
    }
}

/// How often `agent`'s wish for `access` was answered with what.
pub(super) fn read_history(connection: &Connection, agent: &str, access: &str) -> rusqlite::Result<History> {
    let found = connection
        .prepare_cached("SELECT allowed, denied, first_seen FROM history WHERE agent = ?1 AND access = ?2")?
        .query_row((agent, access), |row| {
            let (allowed, denied) = (to_count(row.get(0)?)?, to_count(row.get(1)?)?);
            Ok(History { allowed, denied, first_seen: Some(from_nanos(row.get(2)?)?) })
        })
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// The columns that [`read_entry`] reads, in its order.
pub(super) const READ: &str =
    "seq, at, kind, call, approval, session, agent, workspace, effect, access, detail";

/// An entry from its row.
pub(super) fn read_entry(row: &Row<'_>) -> rusqlite::Result<Recorded> {
    let text =
        |at: usize| row.get_ref(at)?.as_str_or_null().map_err(|error| invalid_value(error.to_string()));
    let kind = text(2)?
        .and_then(Kind::parse)
        .ok_or_else(|| invalid_value("an entry of a kind that is not known"))?;
    let entry = Entry {
        at: from_nanos(row.get(1)?)?,
        kind,
        call: parse_optional(text(3)?)?,
        approval: parse_optional(text(4)?)?,
        session: parse_optional(text(5)?)?,
        agent: parse_optional(text(6)?)?,
        workspace: row.get(7)?,
        effect: text(8)?.map(parse).transpose()?,
        access: row.get(9)?,
        detail: parse_json(text(10)?.unwrap_or_default())?,
    };
    Ok(Recorded { seq: to_count(row.get(0)?)?, entry })
}
