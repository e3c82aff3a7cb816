//! Sessions, as doors announce them.

use std::path::PathBuf;

use super::Gate;
use crate::call::{AgentId, ServerId, SessionId};
use crate::policy::Mode;

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

impl Gate {
    /// Makes a session known. The first one without a parent is the connection's root: calls of
    /// sessions that nobody announced belong to it.
    pub fn open_session(&self, session: Session) {
        let mut state = self.lock();
        state.judge.sessions.open(session);
        // Answers that were remembered for it at an earlier time are read with the next call.
        if let Some(memory) = state.ledger.memory_mut() {
            memory.grants_stamp = None;
        }
    }

    /// Says which of the configured MCP servers mayi itself has put into a session, and which servers they are. A call
    /// of one of them that does not say which server it is about is about that one.
    pub fn set_own_servers(&self, id: &SessionId, servers: Vec<(String, ServerId)>) {
        self.lock().judge.sessions.set_own_servers(id, servers);
    }

    /// Says that the requests of this session stand for themselves, and may come from several clients: "No session scope
    /// where the protocol has no session" (D6.17).
    pub fn mark_requests_independent(&self, id: &SessionId) {
        self.lock().judge.sessions.mark_alone(id);
    }

    /// Forgets a session: what waits in it is cancelled, and its grants are gone.
    pub fn close_session(&self, id: &SessionId) {
        self.cancel_family(id, "session", "the session was closed");
        let mut state = self.lock();
        state.judge.grants.forget_session(id);
        state.gateway_calls.forget_session(id);
        state.judge.sessions.close(id);
    }

    /// The session that calls under the name `id` belong to: itself, or the root where it was never
    /// announced.
    #[must_use]
    pub fn session(&self, id: &SessionId) -> Option<Session> {
        self.lock().judge.sessions.or_root(id).cloned()
    }

    /// Changes a session's mode, and judges again what waits.
    pub fn set_mode(&self, id: &SessionId, mode: Mode) {
        let mut state = self.lock();
        if let Some(session) = state.judge.sessions.get_mut(id) {
            session.mode = Some(mode);
        }
        state.rejudge_waiting(true);
    }

    /// The mode that holds in a session.
    #[must_use]
    pub fn mode(&self, id: &SessionId) -> Mode {
        let state = self.lock();
        state.judge.standing(id).map_or(state.judge.policy.mode, |standing| standing.mode)
    }

    /// Says that a turn is over: what was approved in it covers nothing any more.
    pub fn end_turn(&self, session: &SessionId) {
        let mut state = self.lock();
        state.cover.end_turn(session);
        state.gateway_calls.forget_session(session);
    }
}
