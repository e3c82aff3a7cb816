//! Remembered answers (D6.13). Those for good without limits are rules in the user's file
//! instead.

mod grants;
mod patterns;

pub use crate::grant_id::GrantId;
pub use grants::Grants;
pub(crate) use grants::SessionDenial;
pub use patterns::{exact_pattern, naming_pattern, session_pattern};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::aliases::same_agent;
use crate::{Effect, Level, Pattern};
use mayi_call::shell::Script;
use mayi_call::{Access, AgentId, Call, Digest, ServerId, SessionId};

/// How long an answer is remembered, and where it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Until the session ends.
    Session,
    /// In this folder.
    Workspace,
    /// Everywhere.
    User,
}

impl Scope {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Workspace => "workspace",
            Self::User => "user",
        }
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Session => "for this session",
            Self::Workspace => "for this workspace",
            Self::User => "for good",
        })
    }
}

/// A remembered answer. A permission is judged as an allow rule would be, a denial as a deny rule.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Its id.
    pub id: GrantId,
    /// Allow or deny.
    pub effect: Effect,
    /// Whose calls it is about.
    pub agent: AgentId,
    /// How long it is remembered, and where it counts.
    pub scope: Scope,
    /// The session it counts in, where the scope is that.
    pub session: Option<SessionId>,
    /// The first folder of the session it was given in: it counts there alone, where the scope is that.
    pub workspace: Option<String>,
    /// It is a bypass: whatever a bypass in the settings answers, for as long as the session lasts. It names nothing else.
    pub bypass: bool,
    /// What it is about; none: exactly the call of its fingerprint, a server's level, or all that a bypass answers.
    pub pattern: Option<Pattern>,
    /// The exact call it was given for: discharges that call's `always` asks.
    pub fingerprint: Option<Digest>,
    /// A level for all tools of an MCP server.
    pub level: Option<(String, Level)>,
    /// The MCP server that it was given for, by how it is reached; none: it was not known, or it is about no server.
    /// A permission counts for calls of a server only if it is the same one.
    pub server: Option<ServerId>,
    /// The scripts of the call that it was given for, with what they held: it counts for no others.
    pub scripts: Vec<Script>,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// How often it can still be used, if that is counted.
    pub uses_left: Option<u32>,
}

impl Grant {
    /// A permission for `agent` in `session`, for as long as that lasts, about nothing yet.
    #[must_use]
    pub fn of_session(agent: AgentId, session: SessionId) -> Self {
        Self {
            id: GrantId::new(),
            effect: Effect::Allow,
            agent,
            scope: Scope::Session,
            session: Some(session),
            workspace: None,
            bypass: false,
            pattern: None,
            fingerprint: None,
            level: None,
            server: None,
            scripts: Vec::new(),
            expires_at: None,
            uses_left: None,
        }
    }

    /// Whether it is about calls like `call`, as far as agent, session and folder say.
    #[must_use]
    pub fn applies_to(&self, call: &Call) -> bool {
        let of_agent = match self.effect {
            // D1.20: a denial holds for every name of the agent, at every door.
            Effect::Deny => same_agent(self.agent.as_str(), &call.agent),
            Effect::Allow | Effect::Ask => self.agent == call.agent,
        };
        of_agent
            && match self.scope {
                Scope::Session => self.session.as_ref() == Some(&call.session),
                Scope::Workspace => self.workspace.is_some() && self.workspace == call.workspace(),
                Scope::User => true,
            }
    }

    /// Whether it is about what `access` of `call` reaches and runs: the MCP server is the one that it was given for, and
    /// each script in the session's folders holds what it held when the answer was given (D6.12: a
    /// grant on a workspace script binds its content).
    #[must_use]
    pub fn matches_target(&self, call: &Call, access: &Access) -> bool {
        let of_server = self.server.is_some() || matches!(access, Access::Mcp(_));
        if of_server && self.server != call.server {
            return false;
        }
        let Access::Shell(shell) = access else { return true };
        shell.scripts.iter().all(|script| script.digest.is_some() && self.scripts.contains(script))
    }
}
