//! Remembered answers. For now those of a session; the others are rules in the user's file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::call::{Access, AgentId, Call, Caveat, Digest, SessionId, WriteKind};
use crate::policy::pattern::{Certainty, SeenTouch, Written};
use crate::policy::{Pattern, PatternError};

/// How long an answer is remembered.
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

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Session => "for this session",
            Self::Workspace => "for this workspace",
            Self::User => "for good",
        })
    }
}

/// A remembered permission: bound to the agent and the session, judged as an allow rule would be.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Who may use it.
    pub agent: AgentId,
    /// Where.
    pub session: SessionId,
    /// What it is about; none: exactly the call of its fingerprint.
    pub pattern: Option<Pattern>,
    /// The exact call it was given for: discharges that call's `always` asks.
    pub fingerprint: Option<Digest>,
    /// How long it is remembered.
    pub scope: Scope,
}

/// Something that a person said no to, once.
#[derive(Clone, Debug)]
struct Denied {
    session: SessionId,
    pattern: Pattern,
    call: Digest,
}

/// All remembered answers.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    grants: Vec<Grant>,
    denied: Vec<Denied>,
}

impl Grants {
    /// Remembers a permission.
    pub fn add(&mut self, grant: Grant) {
        self.grants.push(grant);
    }

    /// Remembers that a person said no: the like is asked about again in this session, in every
    /// mode (decisions, section 6).
    pub fn deny(&mut self, call: &Call) {
        // What was allowed before is not allowed any more; what an exact call's grant was about is not
        // known here, so those go too.
        self.grants.retain(|grant| {
            grant.agent != call.agent
                || grant.session != call.session
                || grant.pattern.as_ref().is_some_and(|pattern| {
                    !call.accesses.iter().any(|access| pattern.allows(access, &call.roots))
                })
        });
        for access in &call.accesses {
            if let Ok(Some(pattern)) = same(access) {
                self.denied.push(Denied { session: call.session.clone(), pattern, call: call.fingerprint() });
            }
        }
    }

    /// Forgets what belongs to a session.
    pub fn forget(&mut self, session: &SessionId) {
        self.grants.retain(|grant| grant.session != *session);
        self.denied.retain(|denied| denied.session != *session);
    }

    /// What is remembered.
    #[must_use]
    pub fn all(&self) -> &[Grant] {
        &self.grants
    }

    /// A grant that covers `access` as an allow rule would.
    #[must_use]
    pub fn covering(&self, call: &Call, access: &Access) -> Option<&Grant> {
        self.live(call)
            .find(|grant| grant.pattern.as_ref().is_some_and(|pattern| pattern.allows(access, &call.roots)))
            .or_else(|| self.exactly(call, access))
    }

    /// A grant that covers `access` and names it: exactly, or with the pattern `written`.
    #[must_use]
    pub fn naming(&self, call: &Call, access: &Access, written: Option<&str>) -> Option<&Grant> {
        self.live(call)
            .find(|grant| {
                grant.pattern.as_ref().is_some_and(|pattern| {
                    pattern.allows(access, &call.roots)
                        && (pattern.is_exact() || written == Some(pattern.as_str()))
                })
            })
            .or_else(|| self.exactly(call, access))
    }

    /// A grant that covers `access`, and names what `caveat` is about.
    #[must_use]
    pub fn naming_caveat(&self, call: &Call, access: &Access, caveat: &Caveat) -> Option<&Grant> {
        let Access::Shell(shell) = access else { return self.exactly(call, access) };
        self.live(call)
            .find(|grant| grant.pattern.as_ref().is_some_and(|pattern| pattern.names(shell, caveat)))
            .or_else(|| self.exactly(call, access))
    }

    /// A grant of exactly this call.
    #[must_use]
    pub fn exactly(&self, call: &Call, access: &Access) -> Option<&Grant> {
        if matches!(access, Access::Mode { .. }) {
            return None;
        }
        let mut bound = self.live(call).filter(|grant| grant.fingerprint.is_some()).peekable();
        bound.peek()?;
        let fingerprint = call.fingerprint();
        bound.find(|grant| grant.fingerprint.as_ref() == Some(&fingerprint))
    }

    /// Denials of the like in this session, by their patterns.
    pub fn denials<'a>(&'a self, call: &'a Call, access: &'a Access) -> impl Iterator<Item = &'a Pattern> {
        self.denied
            .iter()
            .filter(|denied| {
                denied.session == call.session
                    && denied.pattern.concerns(access, &call.roots)
                    && (!matches!(access, Access::Mcp(_)) || denied.call == call.fingerprint())
            })
            .map(|denied| &denied.pattern)
    }

    /// Denials in this session of something that a command only touches.
    pub(crate) fn touched_denials<'a>(
        &'a self,
        call: &'a Call,
        touch: &'a SeenTouch<'a>,
    ) -> impl Iterator<Item = (&'a Pattern, Option<WriteKind>)> {
        self.denied.iter().filter(|denied| denied.session == call.session).filter_map(|denied| {
            let touching = denied.pattern.touched(touch, Written::ByHand)?;
            (touching.certainty == Certainty::Known).then_some((&denied.pattern, touching.write))
        })
    }

    fn live(&self, call: &Call) -> impl Iterator<Item = &Grant> {
        self.grants.iter().filter(|grant| grant.agent == call.agent && grant.session == call.session)
    }
}

/// What "Allow for this session" covers (decisions, section 6): for mcp the server and tool with
/// any arguments; for shell these exact words; for write this path; for read its folder; for fetch
/// its host. Nothing for mode switches, lines that were not understood, uncertain names and tools
/// whose input is not understood: there, exactly the same call is covered, and no more.
///
/// # Errors
/// If a path can't be written as a pattern.
pub fn session_pattern(access: &Access) -> Result<Option<Pattern>, PatternError> {
    match access {
        Access::Read(path) => {
            let folder = path.lexical.parent().unwrap_or(Path::new("/"));
            Pattern::exact_path("read", folder, true).map(Some)
        }
        Access::Tool { .. } => Ok(None),
        _ => same(access),
    }
}

/// What was done, exactly: names a written ask about it, where [`session_pattern`] is wider.
///
/// # Errors
/// If a path can't be written as a pattern.
pub fn naming_pattern(access: &Access) -> Result<Option<Pattern>, PatternError> {
    match access {
        Access::Write(kind, path) => Pattern::exact_path(kind.as_str(), &path.lexical, false).map(Some),
        Access::Read(path) => Pattern::exact_path("read", &path.lexical, false).map(Some),
        _ => Ok(None),
    }
}

/// A pattern for this and nothing wider.
fn same(access: &Access) -> Result<Option<Pattern>, PatternError> {
    let parse = |text: String| Pattern::parse(&text, &crate::policy::pattern::Places::default()).map(Some);
    match access {
        Access::Read(path) => Pattern::exact_path("read", &path.lexical, false).map(Some),
        Access::Write(_, path) => Pattern::exact_path("write", &path.lexical, false).map(Some),
        Access::Shell(shell) => Ok(Pattern::exact_command(shell)),
        Access::Mode { .. } => Ok(None),
        Access::Fetch(url) if url.port.is_none() => parse(format!("fetch({})", url.host)),
        Access::Fetch(url) => {
            parse(format!("fetch({}://{}:{}/*)", url.scheme, url.host, url.port.unwrap_or_default()))
        }
        Access::Mcp(mcp) => match mcp.certain() {
            Some((server, tool)) => parse(format!(
                "mcp({}/{})",
                crate::policy::pattern::escape(server),
                crate::policy::pattern::escape(tool)
            )),
            None => Ok(None),
        },
        Access::Tool { name, .. } => parse(format!("tool({})", crate::policy::pattern::escape(name))),
    }
}
