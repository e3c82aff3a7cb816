//! How questions end by something else than an answer: a policy, a grant, the agent, a time limit.

use std::time::Duration;

use jiff::Timestamp;

use super::queue::Question;
use super::{Authorized, DecidedBy, Gate, GateEvent, GateState, JudgedCall, OnAsk, Refusal, Verdict};
use crate::approval::{ApprovalId, ApprovalResolved, State};
use crate::call::SessionId;
use crate::store::{Conflict, StoreError};

impl Gate {
    /// Denies what waits, where a door can't get an answer to it. Nothing happens if it is settled. A door ends a question
    /// in no other way: what is allowed, an answer or the policy allows.
    pub fn deny_waiting(&self, id: ApprovalId, by: &str, why: &str) {
        self.settle(id, State::Denied, by, Some(why));
    }

    /// Ends an approval by something else than an answer. Nothing happens if it is settled.
    pub(super) fn settle(&self, id: ApprovalId, how: State, by: &str, reason: Option<&str>) {
        self.lock().settle(id, how, by, reason);
    }

    /// Cancels everything that waits in `session` and its children: the turn is gone.
    pub fn cancel_turn(&self, session: &SessionId) {
        self.cancel_family(session, "turn", "the turn was cancelled");
    }

    /// Cancels everything that waits in `session` and its children.
    pub(super) fn cancel_family(&self, session: &SessionId, by: &str, reason: &str) {
        let mut state = self.lock();
        let family = state.judge.sessions.with_descendants(session);
        for session in &family {
            state.cover.end_turn(session);
        }
        // The last first: what waits in line is not shown for a moment.
        for id in state.queue.ids_of(&family).into_iter().rev() {
            state.settle(id, State::Cancelled, by, Some(reason));
        }
    }

    /// Cancels what waits in line.
    pub(super) fn cancel_queued(&self) {
        let mut state = self.lock();
        for id in state.queue.ids_in_line() {
            state.settle(id, State::Cancelled, "turn", Some("the turn was cancelled"));
        }
    }

    /// Cancels everything: the agent is gone.
    pub fn cancel_all(&self, reason: &str) {
        self.lock().settle_all(State::Cancelled, "agent", reason);
    }

    /// The last surface is gone: what waits is denied, and so is what would be asked from now on.
    pub fn deny_unattended(&self, why: &str) {
        let mut state = self.lock();
        state.asking.on_ask = OnAsk::Deny;
        state.settle_all(State::Expired, "mayi", why);
    }

    /// Denies it after `limit`, if it waits until then.
    pub(super) fn expire_later(&self, id: ApprovalId, limit: Option<Duration>) {
        let Some(limit) = limit else { return };
        let gate = self.downgrade();
        tokio::spawn(async move {
            tokio::time::sleep(limit).await;
            let Some(gate) = gate.upgrade() else { return };
            gate.settle(id, State::Expired, "time limit", Some("nobody answered in time"));
        });
    }
}

impl GateState {
    pub(super) fn settle_all(&mut self, how: State, by: &str, reason: &str) {
        for id in self.queue.approval_ids().into_iter().rev() {
            self.settle(id, how, by, Some(reason));
        }
    }

    pub(super) fn settle(&mut self, id: ApprovalId, how: State, by: &str, reason: Option<&str>) {
        self.settle_as(None, id, how, by, reason);
    }

    /// The same, where it ends as what it is `judged` to be by now. If that can't be written down, it waits on as it was
    /// asked about.
    pub(super) fn settle_as(
        &mut self,
        judged: Option<JudgedCall>,
        id: ApprovalId,
        how: State,
        by: &str,
        reason: Option<&str>,
    ) {
        let Ok(found) = self.queue.find(id) else { return };
        let ending = judged.as_ref().unwrap_or(&found.question().judged);
        let resolved =
            ApprovalResolved::new(id, how, by.to_owned(), Timestamp::now(), reason.map(str::to_owned));
        if let Err(error) = self.ledger.record_settlement(ending, &resolved, &self.judge) {
            if how == State::Approved {
                // Nothing is allowed that is not written down: it waits on.
                tracing::warn!(%error, "what a remembered answer allows could not be recorded");
                if let StoreError::Conflict(Conflict::Ended(grant)) = error {
                    self.judge.grants.remove(grant);
                }
                // It is tried again when the store has changed.
                if let Some(memory) = self.ledger.memory_mut() {
                    memory.grants_changed = true;
                }
                return;
            }
            tracing::warn!(%error, "the record lacks how a question ended");
        }
        let Question { judged: asked, reply, .. } = found.settle(&resolved);
        let judged = judged.unwrap_or(asked);
        let session = judged.call.session.clone();
        let verdict = match how {
            State::Approved => {
                for grant in judged.decision.spent_grants() {
                    self.judge.grants.record_use(grant);
                }
                Verdict::Allowed(Authorized::new(judged, DecidedBy::Grant, None))
            }
            State::Cancelled | State::Pending => Verdict::Cancelled,
            State::Expired => Verdict::Denied(Refusal::from_expiry(judged)),
            State::Denied => Verdict::Denied(Refusal::from_denial(judged, reason)),
        };
        // First: what the agent says when it has the answer stands behind it.
        self.listeners.notify(&GateEvent::Resolved(resolved));
        self.deliver_verdict(verdict, reply);
        self.show_next(&session);
    }

    /// One that waited in line is shown, now that another has ended.
    pub(super) fn show_next(&mut self, session: &SessionId) {
        if let Some(card) = self.queue.show_next(session) {
            self.listeners.notify(&GateEvent::Asked(Box::new(card.clone())));
        }
        self.announce_queue_length();
    }

    /// Says how many wait in line, if it has changed.
    pub(super) fn announce_queue_length(&mut self) {
        if let Some(count) = self.queue.changed_line_count() {
            self.listeners.notify(&GateEvent::InLine(count));
        }
    }
}
