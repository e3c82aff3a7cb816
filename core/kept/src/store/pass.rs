//! One-time passes: what one door has just allowed, another does not ask about again.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::OwnerId;
use super::grant::is_clock_behind;
use mayi_call::{AgentId, ServerId};

/// The id of a pass: a UUIDv7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PassId(pub Uuid);

impl std::fmt::Display for PassId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The call of an MCP tool, as two doors know it: what a pass is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PassedCall {
    /// Who calls.
    pub agent: AgentId,
    /// The server, by how it is reached.
    pub server: ServerId,
    /// The tool, by the server's name for it.
    pub tool: String,
    /// A keyed digest of the arguments.
    pub arguments: String,
}

/// A pass: the call was allowed, and goes through once where it is met again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// Its id.
    pub id: PassId,
    /// The process that allowed it.
    pub owner: OwnerId,
    /// What it is about.
    pub call: PassedCall,
    /// A person allowed exactly this: then it covers what is always asked about too.
    pub person: bool,
    /// When it was left.
    pub at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Timestamp,
}

impl Pass {
    /// So long is a pass good for.
    pub const LIFE: SignedDuration = SignedDuration::from_secs(120);

    /// One that is left at `at`; none if there is no such time later.
    #[must_use]
    pub fn issue(owner: OwnerId, call: PassedCall, person: bool, at: Timestamp) -> Option<Self> {
        let expires_at = at.checked_add(Self::LIFE).ok()?;
        Some(Self { id: PassId(Uuid::now_v7()), owner, call, person, at, expires_at })
    }

    /// Whether it counts at `now`, if the newest entry of the record is from `newest`: a clock that was turned back
    /// ends it.
    #[must_use]
    pub fn is_live(&self, now: Timestamp, newest: Option<Timestamp>) -> bool {
        now >= self.at && now < self.expires_at && !is_clock_behind(now, newest)
    }
}
