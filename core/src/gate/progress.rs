//! What becomes of what was decided: it begins, and it ends. The record says so where the agent says so, and where mayi
//! does it by its own hands.

use std::collections::{HashMap, VecDeque};

use jiff::Timestamp;

use super::{Authorized, Gate};
use crate::call::{AgentId, Call, SessionId};
use crate::record::CallId;
use crate::store::Change;

/// As many calls are remembered, to say later that they began and ended.
const REMEMBERED: usize = 4096;

/// The names that entries have for calls of agents.
#[derive(Debug, Default)]
pub(super) struct CallIds {
    by_tool_call: HashMap<(SessionId, String), TrackedCall>,
    order: VecDeque<(SessionId, String)>,
}

#[derive(Debug)]
struct TrackedCall {
    id: CallId,
    started: bool,
}

impl CallIds {
    /// A new name for `call`.
    pub(super) fn assign_id(&mut self, call: &Call) -> CallId {
        let id = CallId::new();
        let Some(tool_call) = &call.tool_call_id else { return id };
        let key = (call.session.clone(), tool_call.clone());
        if self.order.len() >= REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_tool_call.remove(&oldest);
        }
        if self.by_tool_call.insert(key.clone(), TrackedCall { id, started: false }).is_none() {
            self.order.push_back(key);
        }
        id
    }

    /// The name of a call that starts now, if it has not started before.
    fn mark_started(&mut self, session: &SessionId, tool_call: &str) -> Option<CallId> {
        let known = self.by_tool_call.get_mut(&(session.clone(), tool_call.to_owned()))?;
        (!std::mem::replace(&mut known.started, true)).then_some(known.id)
    }

    /// The name of a call that has ended now.
    fn take_id(&mut self, session: &SessionId, tool_call: &str) -> Option<CallId> {
        let key = (session.clone(), tool_call.to_owned());
        let known = self.by_tool_call.remove(&key)?;
        self.order.retain(|other| *other != key);
        Some(known.id)
    }
}

impl Gate {
    /// The agent says that a tool call which was decided about has begun.
    pub fn report_started(&self, session: &SessionId, tool_call_id: &str) {
        let mut state = self.lock();
        let Some(id) = state.calls.mark_started(session, tool_call_id) else { return };
        let Some(agent) = state.judge.sessions.agent_of(session) else { return };
        let now = Timestamp::now();
        state.ledger.commit_or_warn(|memory| {
            vec![Change::Append(memory.writer.started_entry(id, &agent, session, now))]
        });
    }

    /// The agent says that a tool call has finished, as `how` says: it covers nothing any more.
    pub fn report_finished(&self, session: &SessionId, tool_call_id: &str, how: &str) {
        let mut state = self.lock();
        state.cover.forget_call(session, tool_call_id);
        let Some(id) = state.calls.take_id(session, tool_call_id) else { return };
        let Some(agent) = state.judge.sessions.agent_of(session) else { return };
        let now = Timestamp::now();
        state.ledger.commit_or_warn(|memory| {
            vec![Change::Append(memory.writer.finished_entry(id, &agent, session, how, now))]
        });
    }

    /// mayi begins to do by its own hands what was allowed. Its end is to be told.
    #[must_use]
    pub fn begin_execution(&self, authorized: &Authorized<Call>) -> Execution {
        let (id, call) = (authorized.id(), authorized.call());
        let (agent, session) = (call.agent.clone(), call.session.clone());
        let carrying = Execution { gate: self.clone(), id, agent: agent.clone(), session: session.clone() };
        let now = Timestamp::now();
        self.lock().ledger.append_later(move |writer| writer.started_entry(id, &agent, &session, now));
        carrying
    }
}

/// What mayi does by its own hands.
pub struct Execution {
    gate: Gate,
    id: CallId,
    agent: AgentId,
    session: SessionId,
}

impl Execution {
    /// It has ended, as `how` says: one line.
    pub fn finish(self, how: &str) {
        let Self { gate, id, agent, session } = self;
        let (how, now) = (how.to_owned(), Timestamp::now());
        gate.lock().ledger.append_later(move |writer| writer.finished_entry(id, &agent, &session, &how, now));
    }
}

impl std::fmt::Debug for Execution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Carrying")
            .field("id", &self.id)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}
