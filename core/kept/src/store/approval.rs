//! Questions as they are kept, and the processes that ask them.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::approval::{ApprovalId, State};
use mayi_call::{AgentId, Digest, SessionId};

/// A process that asks: a UUIDv7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OwnerId(pub Uuid);

/// A process that asks. Only it takes answers to its questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Its id, new for every process.
    pub id: OwnerId,
    /// The process, by its number.
    pub pid: u32,
    /// When it began.
    pub since: Timestamp,
    /// The process that it works for and that started it, such as the client of a gateway: what that one starts can't
    /// answer for the person either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<u32>,
}

impl Owner {
    /// A process that was not heard of for this long counts as gone.
    pub const LEASE: Duration = Duration::from_secs(30);
    /// So often it should be heard of.
    pub const BEAT: Duration = Duration::from_secs(5);

    /// This process.
    #[must_use]
    pub fn this_process() -> Self {
        Self { id: OwnerId(Uuid::now_v7()), pid: std::process::id(), since: Timestamp::now(), client: None }
    }

    /// This process, which works for the process `client`.
    #[must_use]
    pub fn serving_client(client: u32) -> Self {
        Self { client: Some(client), ..Self::this_process() }
    }
}

/// A question as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredApproval {
    /// Its id.
    pub id: ApprovalId,
    /// The process that asks.
    pub owner: OwnerId,
    /// Who wants to do it.
    pub agent: AgentId,
    /// In which session.
    pub session: SessionId,
    /// The first folder of the session.
    pub workspace: Option<String>,
    /// What an answer is bound to.
    pub digest: Digest,
    /// The card, redacted: JSON as surfaces show it.
    pub card: Value,
    /// Where it stands.
    pub state: State,
    /// When it was asked.
    pub asked_at: Timestamp,
    /// When it was settled.
    pub settled_at: Option<Timestamp>,
    /// Who or what settled it.
    pub by: Option<String>,
    /// Why.
    pub reason: Option<String>,
}
