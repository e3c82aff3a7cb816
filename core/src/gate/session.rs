//! Sessions, and what holds in each.

use std::path::PathBuf;

use super::{Gate, GateState};
use crate::approval::{Card, choice};
use crate::call::{Access, AgentId, Call, ServerId, SessionId};
use crate::policy::{AgentSettings, Mode};

/// A session of an agent.
#[derive(Clone, Debug)]
pub struct Session {
    /// The protocol's id.
    pub id: SessionId,
    /// Who works in it.
    pub agent: AgentId,
    /// The session that started it, for a sub-agent.
    pub parent: Option<SessionId>,
    /// The folders it may work in, links resolved.
    pub roots: Vec<PathBuf>,
    /// The folder that relative names start from.
    pub cwd: PathBuf,
    /// The mode that was chosen for it; none: as configured.
    pub mode: Option<Mode>,
}

/// The servers that mayi itself has put into a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Passed {
    pub(super) names: Vec<String>,
    identities: Vec<ServerId>,
}

impl FromIterator<(String, ServerId)> for Passed {
    fn from_iter<T: IntoIterator<Item = (String, ServerId)>>(servers: T) -> Self {
        let (names, identities) = servers.into_iter().unzip();
        Self { names, identities }
    }
}

impl Passed {
    /// The server `name`; `None` if it was not put there, or two were by this name.
    fn identity(&self, name: &str) -> Option<&ServerId> {
        let mut named = self.names.iter().zip(&self.identities).filter(|(passed, _)| *passed == name);
        let (_, identity) = named.next()?;
        named.all(|(_, other)| other == identity).then_some(identity)
    }
}

impl Gate {
    /// Makes a session known. The first one without a parent is the connection's root: calls of
    /// sessions that nobody announced belong to it.
    pub fn open_session(&self, session: Session) {
        let mut state = self.lock();
        if session.parent.is_none() && state.root.is_none() {
            state.root = Some(session.id.clone());
        }
        state.sessions.insert(session.id.clone(), session);
    }

    /// Says which of the configured MCP servers mayi itself has put into a session, and which servers they are. A call
    /// of one of them that does not say which server it is about is about that one.
    pub fn pass_servers(&self, id: &SessionId, servers: Vec<(String, ServerId)>) {
        let passed = servers.into_iter().collect();
        self.lock().passed.insert(id.clone(), passed);
    }

    /// Says that the requests of this session stand for themselves, and may come from several clients: "No session scope
    /// where the protocol has no session" (decisions, section 6).
    pub fn stands_alone(&self, id: &SessionId) {
        self.lock().alone.insert(id.clone());
    }

    /// Forgets a session: what waits in it is cancelled, and its grants are gone.
    pub fn close_session(&self, id: &SessionId) {
        self.cancel(id);
        let mut state = self.lock();
        state.grants.forget(id);
        state.sessions.remove(id);
        state.passed.remove(id);
        state.alone.remove(id);
        if state.root.as_ref() == Some(id) {
            state.root = None;
        }
    }

    /// The session that calls under the name `id` belong to: itself, or the root where it was never
    /// announced.
    #[must_use]
    pub fn session(&self, id: &SessionId) -> Option<Session> {
        let state = self.lock();
        state
            .sessions
            .get(id)
            .or_else(|| state.root.as_ref().and_then(|root| state.sessions.get(root)))
            .cloned()
    }

    /// Changes a session's mode, and judges again what waits.
    pub fn set_mode(&self, id: &SessionId, mode: Mode) {
        let mut state = self.lock();
        if let Some(session) = state.sessions.get_mut(id) {
            session.mode = Some(mode);
        }
        state.judge_again(true);
    }

    /// The mode that holds in a session.
    #[must_use]
    pub fn mode(&self, id: &SessionId) -> Mode {
        let state = self.lock();
        state.sessions.get(id).map_or(state.policy.mode, |session| state.mode_of(session))
    }
}

impl GateState {
    /// Puts on a card which session started its own, and takes off what its session does not have.
    pub(super) fn fit(&self, card: &mut Card, session: &SessionId) {
        let parent = self.sessions.get(session).and_then(|session| session.parent.as_ref());
        card.parent = parent.map(ToString::to_string);
        if self.alone.contains(session) {
            card.options.retain(|option| option.option_id != choice::ALLOW_SESSION);
            for suggestion in &mut card.suggestions {
                suggestion.scopes.retain(|scope| scope != "session");
            }
            // Whoever has no name in the configuration is remembered for a session at most.
            if !self.sessions.get(session).is_some_and(|session| session.agent.is_named()) {
                card.options.retain(|option| option.option_id != choice::ALLOW_ALWAYS);
                card.suggestions.clear();
                card.levels.clear();
            }
        }
    }

    /// Fills in which server `call` is about, where mayi itself has put it into the session.
    pub(super) fn identify(&self, call: &mut Call) {
        if call.server.is_some() {
            return;
        }
        let mut servers = call.accesses.iter().filter_map(|access| match access {
            Access::Mcp(mcp) => Some(mcp.certain().map(|(server, _)| server)),
            _ => None,
        });
        let Some(Some(name)) = servers.next() else { return };
        if servers.all(|other| other == Some(name)) {
            call.server = self.passed.get(&call.session).and_then(|passed| passed.identity(name)).cloned();
        }
    }

    /// The strictest of the session's own mode and those of its parents.
    pub(super) fn mode_of(&self, session: &Session) -> Mode {
        self.ancestry(session)
            .map(|session| self.policy.mode_of(&session.agent, session.mode))
            .max()
            .unwrap_or(self.policy.mode)
    }

    /// Whether the agent is bypassed; a child only if its parents are.
    pub(super) fn bypassed(&self, session: &Session) -> bool {
        self.ancestry(session)
            .all(|session| self.settings(session).is_some_and(|settings| settings.bypass_permissions))
    }

    /// A session and everything that it started.
    pub(super) fn family(&self, id: &SessionId) -> Vec<SessionId> {
        let mut family = vec![id.clone()];
        family.extend(
            self.sessions
                .values()
                .filter(|session| self.ancestry(session).skip(1).any(|ancestor| ancestor.id == *id))
                .map(|session| session.id.clone()),
        );
        family
    }

    fn settings(&self, session: &Session) -> Option<&AgentSettings> {
        self.policy.agents.get(session.agent.as_str()).filter(|_| session.agent.is_named())
    }

    fn ancestry<'a>(&'a self, session: &'a Session) -> impl Iterator<Item = &'a Session> {
        // An announced child can name any parent, also itself: never walk further than there are
        // sessions.
        let most = self.sessions.len().max(1);
        std::iter::successors(Some(session), |session| {
            session.parent.as_ref().and_then(|id| self.sessions.get(id))
        })
        .take(most)
    }
}
