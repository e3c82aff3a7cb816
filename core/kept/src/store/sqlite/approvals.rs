//! Questions. The table `offers` is of earlier versions, whose processes may still run: nothing is read from it.

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;

use super::value::{from_nanos, invalid_value, maybe_time, parse, parse_json, to_nanos, to_word};
use crate::approval::{ApprovalId, State};
use crate::store::{ApprovalQuery, Conflict, OwnerId, StoredApproval};
use mayi_call::Digest;

/// Settled questions are kept for so long, to tell a late answer what happened,
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 30);
/// and no more of them than this.
const MOST: i64 = 4096;

const COLUMNS: &str = "id, owner, agent, session, workspace, digest, card, state, asked_at, settled_at, \
     \"by\", reason";

/// What of a question decides whether something can happen to it.
pub(super) struct QuestionState {
    state: State,
    by: Option<String>,
}

impl QuestionState {
    /// It must wait still.
    pub(super) fn check_waiting(&self, id: ApprovalId) -> Result<(), Conflict> {
        match self.state {
            State::Pending => Ok(()),
            state => Err(Conflict::Settled { id, state, by: self.by.clone().unwrap_or_default() }),
        }
    }
}

/// How a question stands; `None` if there is no such question.
pub(super) fn question_state(
    connection: &Connection,
    id: ApprovalId,
) -> rusqlite::Result<Option<QuestionState>> {
    connection
        .prepare_cached("SELECT state, \"by\" FROM approvals WHERE id = ?1")?
        .query_row([id.to_string()], |row| {
            Ok(QuestionState { state: parse(row.get_ref(0)?.as_str()?)?, by: row.get(1)? })
        })
        .optional()
}

/// Asks.
pub(super) fn insert(connection: &Connection, asked: &StoredApproval) -> rusqlite::Result<()> {
    connection
        .prepare_cached(&format!(
            "INSERT INTO approvals ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
        ))?
        .execute(params![
            asked.id.to_string(),
            to_word(&asked.owner),
            asked.agent.as_str(),
            asked.session.0,
            asked.workspace,
            asked.digest.as_str(),
            asked.card.to_string(),
            to_word(&asked.state),
            to_nanos(asked.asked_at),
            asked.settled_at.map(to_nanos),
            asked.by,
            asked.reason,
        ])?;
    Ok(())
}

/// Puts another card in place of the one that is shown.
pub(super) fn update_card(
    connection: &Connection,
    id: ApprovalId,
    digest: &Digest,
    card: &Value,
) -> rusqlite::Result<()> {
    connection.prepare_cached("UPDATE approvals SET digest = ?2, card = ?3 WHERE id = ?1")?.execute((
        id.to_string(),
        digest.as_str(),
        card.to_string(),
    ))?;
    Ok(())
}

/// Settles a question. Its card is kept for those who look at the recent past, unless it is a long one.
pub(super) fn settle_question(
    connection: &Connection,
    id: ApprovalId,
    state: State,
    by: &str,
    reason: Option<&str>,
    at: Timestamp,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE approvals SET card = CASE WHEN length(card) <= ?6 THEN card END, state = ?2, \"by\" = ?3, reason = ?4, settled_at = ?5 \
             WHERE id = ?1",
        )?
        .execute((id.to_string(), to_word(&state), by, reason, to_nanos(at), LONGEST_PAST))?;
    Ok(())
}

/// The longest card of a settled question that is kept, in bytes.
const LONGEST_PAST: i64 = 64 * 1024;

/// Those that `query` asks for, oldest first; where there is a limit, the newest of them.
pub(super) fn list_approvals(
    connection: &Connection,
    query: &ApprovalQuery,
) -> rusqlite::Result<Vec<StoredApproval>> {
    let wanted = match (query.pending, query.id) {
        (true, None) => "settled_at IS NULL AND ?1 IS NULL",
        (true, Some(_)) => "settled_at IS NULL AND id = ?1",
        (false, None) => "?1 IS NULL",
        (false, Some(_)) => "id = ?1",
    };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM approvals WHERE {wanted} ORDER BY asked_at DESC, id DESC LIMIT ?2"
    ))?;
    let limit = query.limit.map_or(-1, i64::from);
    let found = statement.query_map((query.id.map(|id| id.to_string()), limit), read)?;
    let mut found = found.collect::<rusqlite::Result<Vec<_>>>()?;
    found.reverse();
    Ok(found)
}

/// The processes whose questions wait.
pub(super) fn list_asking_owners(connection: &Connection) -> rusqlite::Result<Vec<OwnerId>> {
    let mut statement =
        connection.prepare_cached("SELECT DISTINCT owner FROM approvals WHERE settled_at IS NULL")?;
    statement.query_map([], |row| parse(row.get_ref(0)?.as_str()?))?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<StoredApproval> {
    let text = |at: usize| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
    let card = row.get_ref(6)?.as_str_or_null()?;
    Ok(StoredApproval {
        id: parse(text(0)?)?,
        owner: parse(text(1)?)?,
        agent: parse(text(2)?)?,
        session: parse(text(3)?)?,
        workspace: row.get(4)?,
        digest: parse(text(5)?)?,
        card: card.map_or(Ok(Value::Null), parse_json)?,
        state: parse(text(7)?)?,
        asked_at: from_nanos(row.get(8)?)?,
        settled_at: maybe_time(row.get(9)?)?,
        by: row.get(10)?,
        reason: row.get(11)?,
    })
}

/// Forgets settled questions that are old or too many. Returns whether there were any.
pub(super) fn forget_settled(connection: &Connection, now: Timestamp) -> rusqlite::Result<bool> {
    let before = to_nanos(now.saturating_sub(KEPT).map_err(|error| invalid_value(error.to_string()))?);
    let old = connection.execute("DELETE FROM approvals WHERE settled_at < ?1", [before])?;
    let many = connection.execute(
        "DELETE FROM approvals WHERE id IN (SELECT id FROM approvals WHERE settled_at IS NOT NULL \
         ORDER BY settled_at DESC LIMIT -1 OFFSET ?1)",
        [MOST],
    )?;
    Ok(old + many > 0)
}

/// Whether [`forget_settled`] would find something.
pub(super) fn has_forgettable(connection: &Connection, now: Timestamp) -> rusqlite::Result<bool> {
    let before = to_nanos(now.saturating_sub(KEPT).map_err(|error| invalid_value(error.to_string()))?);
    connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM approvals WHERE settled_at < ?1) \
         OR (SELECT count(*) FROM approvals WHERE settled_at IS NOT NULL) > ?2",
        [before, MOST],
        |row| row.get(0),
    )
}
