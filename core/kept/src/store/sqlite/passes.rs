//! One-time passes.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::entries;
use super::value::{from_nanos, parse, to_nanos, to_word};
use crate::store::{Pass, PassId, PassedCall};

const COLUMNS: &str = "id, owner, agent, server, tool, arguments, person, at, expires_at";

/// Leaves a pass, and forgets those that have ended.
pub(super) fn leave_pass(connection: &Connection, pass: &Pass) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM passes WHERE expires_at <= ?1")?.execute([to_nanos(pass.at)])?;
    connection
        .prepare_cached(&format!(
            "INSERT INTO passes ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
        ))?
        .execute(params![
            pass.id.to_string(),
            to_word(&pass.owner),
            pass.call.agent.as_str(),
            pass.call.server.as_str(),
            pass.call.tool,
            pass.call.arguments,
            pass.person,
            to_nanos(pass.at),
            to_nanos(pass.expires_at),
        ])?;
    Ok(())
}

/// Takes a pass away; returns whether it was there and counted.
pub(super) fn take_pass(connection: &Connection, id: PassId, at: Timestamp) -> rusqlite::Result<bool> {
    let pass = connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM passes WHERE id = ?1"))?
        .query_row([id.to_string()], read)
        .optional()?;
    let newest = entries::newest_time(connection)?;
    let live = pass.is_some_and(|pass| pass.is_live(at, newest));
    let gone = connection.prepare_cached("DELETE FROM passes WHERE id = ?1")?.execute([id.to_string()])?;
    Ok(live && gone == 1)
}

/// One for `call` that counts at `now`.
pub(super) fn find_pass(
    connection: &Connection,
    call: &PassedCall,
    now: Timestamp,
) -> rusqlite::Result<Option<Pass>> {
    let newest = entries::newest_time(connection)?;
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM passes WHERE agent = ?1 AND server = ?2 AND tool = ?3 AND arguments = ?4 \
         ORDER BY person DESC, at, id"
    ))?;
    let found = statement
        .query_map((call.agent.as_str(), call.server.as_str(), &call.tool, &call.arguments), read)?;
    for pass in found {
        let pass = pass?;
        if pass.is_live(now, newest) {
            return Ok(Some(pass));
        }
    }
    Ok(None)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Pass> {
    let text = |at: usize| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
    Ok(Pass {
        id: parse(text(0)?)?,
        owner: parse(text(1)?)?,
        call: PassedCall {
            agent: parse(text(2)?)?,
            server: parse(text(3)?)?,
            tool: row.get(4)?,
            arguments: row.get(5)?,
        },
        person: row.get(6)?,
        at: from_nanos(row.get(7)?)?,
        expires_at: from_nanos(row.get(8)?)?,
    })
}
