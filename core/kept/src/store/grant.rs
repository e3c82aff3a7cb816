//! Remembered answers as they are kept.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::OwnerId;
use crate::approval::ApprovalId;
use mayi_call::shell::Script;
use mayi_call::{AgentId, Digest, ServerId, SessionId};
use mayi_policy::grant::{GrantId, Scope};
use mayi_policy::{Effect, Level};

/// A remembered answer (D6.13).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredGrant {
    /// Its id.
    pub id: GrantId,
    /// Allow or deny.
    pub effect: Effect,
    /// Whose calls it is about.
    pub agent: AgentId,
    /// How long it is remembered, and where it counts.
    pub scope: Scope,
    /// For a session: the process it belongs to. It ends with it.
    pub owner: Option<OwnerId>,
    /// For a session: which.
    pub session: Option<SessionId>,
    /// The first folder of the session it was given in; for the scope `workspace` it counts there alone.
    pub workspace: Option<String>,
    /// What it is about, as a rule would write it.
    pub pattern: Option<String>,
    /// Exactly this call, and no other.
    pub fingerprint: Option<Digest>,
    /// A level for all tools of an MCP server.
    pub level: Option<(String, Level)>,
    /// The MCP server that it was given for, by how it is reached: an allow counts for no other.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub server: Option<ServerId>,
    /// The scripts of the call that it was given for, with what they held: it counts for no others.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub scripts: Vec<Script>,
    /// When it was given.
    pub created_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// How often it can still be used, if that is counted.
    pub uses_left: Option<u32>,
    /// How often it was used.
    pub used: u64,
    /// When it was used last.
    pub used_at: Option<Timestamp>,
    /// When somebody ended it.
    pub revoked_at: Option<Timestamp>,
    /// The question it answered.
    pub approval: Option<ApprovalId>,
}

impl StoredGrant {
    /// The MCP server whose tools it is about, if it is about those of one.
    #[must_use]
    pub fn about_server(&self) -> Option<&str> {
        let of_pattern = || {
            let names = self.pattern.as_deref()?.strip_prefix("mcp(")?;
            names.split(['/', ')']).next()
        };
        self.level.as_ref().map(|(server, _)| server.as_str()).or_else(of_pattern)
    }

    /// Whether both are of one answer: it is remembered as what it covers, and as the very call besides.
    #[must_use]
    pub fn of_one_answer(&self, other: &Self) -> bool {
        self.approval.is_some() && self.approval == other.approval
    }

    /// Whether it counts at `now`, if the newest entry of the record is from `newest`: a clock that was
    /// turned back ends what is limited in time (D6.15).
    #[must_use]
    pub fn is_live(&self, now: Timestamp, newest: Option<Timestamp>) -> bool {
        let behind = is_clock_behind(now, newest);
        self.revoked_at.is_none()
            && self.uses_left != Some(0)
            && self.expires_at.is_none_or(|end| now < end && now >= self.created_at && !behind)
    }
}

/// Whether a clock that shows `now` was turned back, if the newest entry of the record is from `newest`.
pub(super) fn is_clock_behind(now: Timestamp, newest: Option<Timestamp>) -> bool {
    newest.is_some_and(|newest| now.saturating_add(TOLERANCE).is_ok_and(|now| now < newest))
}

/// Entries of several processes may come in another order than their times, by less than this.
const TOLERANCE: jiff::SignedDuration = jiff::SignedDuration::from_secs(2);
