//! What is asked of a store.

use std::fmt;

use jiff::Timestamp;

use super::OwnerId;
use crate::approval::ApprovalId;
use crate::record::Kind;
use mayi_call::{AgentId, SessionId};
use mayi_policy::Effect;

/// Which remembered answers.
#[derive(Clone, Debug, Default)]
pub struct GrantQuery {
    /// Those that `live` says count at this time; else all of them.
    pub live_at: Option<Timestamp>,
    /// Those of this agent.
    pub agent: Option<AgentId>,
    /// Those that count in this process: its own sessions', and those of no session.
    pub owner: Option<OwnerId>,
}

/// Which questions.
#[derive(Clone, Debug, Default)]
pub struct ApprovalQuery {
    /// Only those that wait.
    pub pending: bool,
    /// This one.
    pub id: Option<ApprovalId>,
    /// At most so many, the newest ones.
    pub limit: Option<u32>,
}

/// In which order entries come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The newest first.
    #[default]
    NewestFirst,
    /// The oldest first.
    OldestFirst,
}

/// Which entries. What is empty or `None` leaves nothing out.
#[derive(Clone, Debug, Default)]
pub struct EntryQuery {
    /// In which order.
    pub order: Order,
    /// At most so many.
    pub limit: Option<u32>,
    /// Only entries after this number.
    pub after: Option<u64>,
    /// Only entries before this number.
    pub before: Option<u64>,
    /// Not older than this.
    pub since: Option<Timestamp>,
    /// Not younger than this.
    pub until: Option<Timestamp>,
    /// Of these kinds.
    pub kinds: Vec<Kind>,
    /// With these effects.
    pub effects: Vec<Effect>,
    /// Of this agent.
    pub agent: Option<AgentId>,
    /// Of this session.
    pub session: Option<SessionId>,
    /// In this folder.
    pub workspace: Option<String>,
    /// About this approval.
    pub approval: Option<ApprovalId>,
    /// About this call.
    pub call: Option<crate::record::CallId>,
    /// Whose access begins with this: `shell(`, `mcp(github/`.
    pub access_prefix: Option<String>,
    /// Whose access or detail holds this text.
    pub contains: Option<String>,
}

/// Entries that can't be read, however many: those between two that can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryGap {
    /// The last one before them; `None`: none before them can be read.
    pub after: Option<u64>,
    /// The first one after them; `None`: none after them can be read.
    pub before: Option<u64>,
}

impl fmt::Display for EntryGap {
    /// What can't be read, as a clause.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.after, self.before) {
            (Some(after), Some(before)) => {
                write!(f, "what stands between entry {after} and entry {before} can't be read")
            }
            (None, Some(before)) => write!(f, "what stands before entry {before} can't be read"),
            (Some(after), None) => write!(f, "what stands after entry {after} can't be read"),
            (None, None) => f.write_str("nothing of it can be read"),
        }
    }
}
