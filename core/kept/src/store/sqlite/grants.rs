//! Remembered answers.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::entries;
use super::value::{from_json, from_nanos, maybe_time, parse, parse_optional, to_count, to_nanos, to_word};
use crate::store::{GrantId, GrantQuery, OwnerId, StoredGrant};

const COLUMNS: &str = "id, effect, agent, scope, owner, session, workspace, pattern, fingerprint, server, \
     level, created_at, expires_at, uses_left, used, used_at, revoked_at, approval, scripts, identity";

/// Remembers an answer.
pub(super) fn insert(connection: &Connection, grant: &StoredGrant) -> rusqlite::Result<()> {
    connection
        .prepare_cached(&format!(
            "INSERT INTO grants ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, \
             ?14, ?15, ?16, ?17, ?18, ?19, ?20)"
        ))?
        .execute(params![
            grant.id.to_string(),
            grant.effect.as_str(),
            grant.agent.as_str(),
            to_word(&grant.scope),
            grant.owner.as_ref().map(to_word),
            grant.session.as_ref().map(|id| id.0.as_str()),
            grant.workspace,
            grant.pattern,
            grant.fingerprint.as_ref().map(|digest| digest.as_str()),
            grant.level.as_ref().map(|(server, _)| server),
            grant.level.as_ref().map(|(_, level)| to_word(level)),
            to_nanos(grant.created_at),
            grant.expires_at.map(to_nanos),
            grant.uses_left,
            i64::try_from(grant.used).unwrap_or(i64::MAX),
            grant.used_at.map(to_nanos),
            grant.revoked_at.map(to_nanos),
            grant.approval.map(|id| id.to_string()),
            (!grant.scripts.is_empty()).then(|| to_word(&grant.scripts)),
            grant.server.as_ref().map(|server| server.as_str()),
        ])?;
    Ok(())
}

/// Uses a grant once; returns whether it could be used.
pub(super) fn spend_grant(connection: &Connection, id: GrantId, at: Timestamp) -> rusqlite::Result<bool> {
    let grant = connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM grants WHERE id = ?1"))?
        .query_row([id.to_string()], read)
        .optional()?;
    let Some(grant) = grant else { return Ok(false) };
    if !grant.is_live(at, entries::newest_time(connection)?) {
        return Ok(false);
    }
    let changed = connection
        .prepare_cached(
            "UPDATE grants SET uses_left = uses_left - 1, used = used + 1, used_at = ?2 \
             WHERE id = ?1 AND uses_left IS NOT 0",
        )?
        .execute((id.to_string(), to_nanos(at)))?;
    Ok(changed == 1)
}

/// Ends a grant, if it has not ended by somebody's hand before.
pub(super) fn revoke_grant(connection: &Connection, id: GrantId, at: Timestamp) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE grants SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL")?
        .execute((id.to_string(), to_nanos(at)))?;
    Ok(())
}

/// Those that `query` asks for, newest first.
pub(super) fn list_grants(connection: &Connection, query: &GrantQuery) -> rusqlite::Result<Vec<StoredGrant>> {
    let newest = match query.live_at {
        Some(_) => entries::newest_time(connection)?,
        None => None,
    };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM grants WHERE (?1 IS NULL OR agent = ?1) \
         AND (?2 IS NULL OR owner IS NULL OR owner = ?2) ORDER BY created_at DESC, id DESC"
    ))?;
    let agent = query.agent.as_ref().map(|agent| agent.as_str());
    let found = statement.query_map((agent, query.owner.as_ref().map(to_word)), read)?;
    let live = |grant: &StoredGrant| query.live_at.is_none_or(|now| grant.is_live(now, newest));
    found.filter(|grant| grant.as_ref().map_or(true, live)).collect()
}

/// The processes that have grants of their own.
pub(super) fn grant_owners(connection: &Connection) -> rusqlite::Result<Vec<OwnerId>> {
    connection
        .prepare_cached("SELECT DISTINCT owner FROM grants WHERE owner IS NOT NULL")?
        .query_map((), |row| parse(row.get_ref(0)?.as_str()?))?
        .collect()
}

/// Forgets the grants of a process that has ended.
pub(super) fn forget_grants_of(connection: &Connection, owner: OwnerId) -> rusqlite::Result<usize> {
    connection.prepare_cached("DELETE FROM grants WHERE owner = ?1")?.execute([to_word(&owner)])
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredGrant> {
    let text = |at: usize| row.get_ref(at)?.as_str_or_null().map_err(rusqlite::Error::from);
    let some = |at: usize| text(at).map(Option::unwrap_or_default);
    let level = match (text(9)?, text(10)?) {
        (Some(server), Some(level)) => Some((server.to_owned(), parse(level)?)),
        _ => None,
    };
    Ok(StoredGrant {
        id: parse(some(0)?)?,
        effect: parse(some(1)?)?,
        agent: parse(some(2)?)?,
        scope: parse(some(3)?)?,
        owner: parse_optional(text(4)?)?,
        session: parse_optional(text(5)?)?,
        workspace: row.get(6)?,
        pattern: row.get(7)?,
        fingerprint: parse_optional(text(8)?)?,
        level,
        created_at: from_nanos(row.get(11)?)?,
        expires_at: maybe_time(row.get(12)?)?,
        uses_left: row.get(13)?,
        used: to_count(row.get(14)?)?,
        used_at: maybe_time(row.get(15)?)?,
        revoked_at: maybe_time(row.get(16)?)?,
        approval: parse_optional(text(17)?)?,
        scripts: text(18)?.map(from_json).transpose()?.unwrap_or_default(),
        server: parse_optional(text(19)?)?,
    })
}
