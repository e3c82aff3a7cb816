//! The bypass of one session: by an answer it comes as a remembered one (`remembered`), by a command from here.

use jiff::Timestamp;

use super::{Gate, GateState, KeepError, remembered_answers};
use crate::call::{AgentId, SessionId};
use crate::store::Change;

impl Gate {
    /// Bypasses the agent of a session until that ends: what a bypass in the settings answers is not asked about from now
    /// on. What waits already still waits (D6.19).
    ///
    /// # Errors
    /// If the session is not known or stands for one request, if a managed file locks it, or if it can't be written down.
    pub fn bypass_session(&self, id: &SessionId) -> Result<(), KeepError> {
        let mut state = self.lock();
        let agent = state.judge.sessions.agent_of(id);
        let agent = agent.ok_or_else(|| KeepError("the session is not known".to_owned()))?;
        if state.judge.sessions.has_independent_requests(id) {
            return Err(KeepError("each request stands for itself here: there is no session".to_owned()));
        }
        state.ledger.keeper().check_bypass_allowed(&agent)?;
        if state.judge.grants.bypass_grant(&agent, id).is_some() {
            return Ok(());
        }
        let grant = remembered_answers::bypass_grant(agent, id.clone());
        let now = Timestamp::now();
        let written = state.ledger.commit(|memory| {
            let kept = memory.to_stored_grant(&grant, now);
            vec![Change::Append(memory.writer.bypassed_entry(&kept, now)), Change::Grant(Box::new(kept))]
        });
        written.map_err(|error| KeepError(error.to_string()))?;
        state.judge.grants.add(grant);
        state.rejudge_waiting(false);
        Ok(())
    }

    /// Ends the bypass of a session, as `by` wants it. Returns whether there was one.
    pub fn end_session_bypass(&self, id: &SessionId, by: &str) -> bool {
        let mut state = self.lock();
        let Some(agent) = state.judge.sessions.agent_of(id) else { return false };
        let ended = state.end_bypass(&agent, id, by);
        if ended {
            state.rejudge_waiting(false);
        }
        ended
    }

    /// Whether a session is bypassed, by itself or by the settings.
    #[must_use]
    pub fn is_bypassed(&self, id: &SessionId) -> bool {
        self.lock().judge.standing(id).is_some_and(|standing| standing.bypass)
    }

    /// Whether a session is bypassed by itself, whatever the settings say.
    #[must_use]
    pub fn is_session_bypassed(&self, id: &SessionId) -> bool {
        let state = self.lock();
        let session = state.judge.sessions.get(id);
        session.is_some_and(|session| state.judge.session_bypass(session).is_some())
    }
}

impl GateState {
    fn end_bypass(&mut self, agent: &AgentId, id: &SessionId, by: &str) -> bool {
        let mut ended = false;
        while let Some(grant) = self.judge.grants.bypass_grant(agent, id) {
            ended = true;
            let now = Timestamp::now();
            let ending = self.judge.grants.all().iter().find(|kept| kept.id == grant);
            self.ledger.commit_or_warn(|memory| {
                let entry =
                    ending.map(|one| memory.writer.revoked_entry(&memory.to_stored_grant(one, now), by, now));
                let revoked = Change::Revoke { id: grant, at: now };
                std::iter::once(revoked).chain(entry.map(Change::Append)).collect()
            });
            self.judge.grants.remove(grant);
        }
        ended
    }
}
