//! Entries: what is written down of a call (D7.1).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::approval::ApprovalId;
use mayi_call::{AgentId, SessionId};
use mayi_policy::Effect;

/// Joins the entries of one call: a UUIDv7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub Uuid);

impl CallId {
    /// A new one.
    #[must_use]
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }
}

impl Default for CallId {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Display for CallId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for CallId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

/// What an entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "EntryKind")]
pub enum Kind {
    /// A call came in.
    Proposed,
    /// What was decided about it, and why: an allow is here before the agent hears of it.
    Decided,
    /// A person is asked.
    Asked,
    /// A person answered.
    Answered,
    /// Nobody answered in time.
    Expired,
    /// The question was withdrawn, or whoever asked is gone.
    Cancelled,
    /// mayi began to carry it out by its own hands, or the agent said that it began.
    Started,
    /// It ended.
    Finished,
    /// An agent did it without asking.
    Unasked,
    /// An answer is remembered.
    Granted,
    /// A remembered answer ended by a person's hand.
    Revoked,
    /// The configuration that holds from here on.
    Config,
}

impl Kind {
    /// Every kind, in the order of a call's life.
    pub const ALL: [Self; 12] = [
        Self::Proposed,
        Self::Decided,
        Self::Asked,
        Self::Answered,
        Self::Expired,
        Self::Cancelled,
        Self::Started,
        Self::Finished,
        Self::Unasked,
        Self::Granted,
        Self::Revoked,
        Self::Config,
    ];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Decided => "decided",
            Self::Asked => "asked",
            Self::Answered => "answered",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Started => "started",
            Self::Finished => "finished",
            Self::Unasked => "unasked",
            Self::Granted => "granted",
            Self::Revoked => "revoked",
            Self::Config => "config",
        }
    }

    /// The kind with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// One entry, before it has its place in the chain. Every text in it is redacted already.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When, by this machine's clock.
    pub at: Timestamp,
    /// What it says.
    pub kind: Kind,
    /// The call it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<CallId>,
    /// The approval it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub approval: Option<ApprovalId>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<SessionId>,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agent: Option<AgentId>,
    /// The first folder of the session.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub workspace: Option<String>,
    /// What was decided or answered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub effect: Option<Effect>,
    /// The access that it turned on, as findings write it: `shell(rm -rf x)`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub access: Option<String>,
    /// The rest, by kind: an object.
    pub detail: Value,
}

impl Entry {
    /// An entry about nothing in particular yet.
    #[must_use]
    pub fn new(at: Timestamp, kind: Kind, detail: Value) -> Self {
        Self {
            at,
            kind,
            call: None,
            approval: None,
            session: None,
            agent: None,
            workspace: None,
            effect: None,
            access: None,
            detail,
        }
    }
}

/// An entry in its place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recorded {
    /// Its number: from 1, without gaps.
    pub seq: u64,
    /// What it says.
    #[serde(flatten)]
    pub entry: Entry,
}
