//! Judging again what waits, after rules, grants or modes have changed.

use jiff::Timestamp;

use super::{Gate, GateEvent, GateState, Memory};
use crate::approval::{ApprovalId, Card, Event, Output, State};
use crate::call::Call;
use crate::policy::{Decision, Effect, Source};
use crate::store::Change;

impl Gate {
    /// The call that waits as `id` has changed since it was handed in: its card changes in place, and
    /// answers to the old one are refused. A change never allows anything.
    pub fn revise(&self, id: ApprovalId, mut call: Call) {
        let mut state = self.lock();
        let epoch = state.judge.policy.epoch;
        state.judge.sessions.identify(&mut call);
        let Some(waiting) = state.waiting.get_mut(&id) else { return };
        // What was said of the options still holds.
        call.by_hand = call.by_hand.or_else(|| waiting.call.by_hand.clone());
        call.not_shown.extend(waiting.call.not_shown.iter().cloned());
        call.not_shown.dedup();
        if call.digest(epoch) == waiting.call.digest(epoch) {
            return;
        }
        waiting.call = call;
        state.judge_one(id, false);
    }
}

/// A bypass answers nothing that waits already (decisions, section 6).
fn bypassed(decision: &Decision) -> bool {
    decision.trail.iter().any(|finding| finding.source == Source::Bypass)
}

impl GateState {
    /// Judges what is waiting again, after rules, grants or modes have changed. What is allowed now
    /// runs, if `release`; what is denied now is refused; the rest gets a new card in place.
    pub(super) fn judge_again(&mut self, release: bool) {
        let ids: Vec<_> = self.queue.waiting().iter().map(|card| card.approval_id).collect();
        for id in ids {
            self.judge_one(id, release);
        }
    }

    fn judge_one(&mut self, id: ApprovalId, release: bool) {
        let Some(waiting) = self.waiting.get(&id) else { return };
        let decision = self.judge.decide(&waiting.call);
        // What always asks is only answered by the person who looks at it.
        let released = release && !waiting.decision.always() && !bypassed(&decision);
        let how = match decision.effect {
            Effect::Allow if released => State::Approved,
            Effect::Deny => State::Denied,
            _ => return self.show_again(id, decision),
        };
        let because = decision.because().map(|finding| finding.relayed().to_owned());
        if let Some(waiting) = self.waiting.get_mut(&id) {
            waiting.decision = decision;
        }
        self.settle(id, how, "policy", because.as_deref());
    }

    fn show_again(&mut self, id: ApprovalId, decision: Decision) {
        let Some(waiting) = self.waiting.get_mut(&id) else { return };
        if decision.effect == Effect::Ask {
            waiting.decision = decision;
        }
        let mut card = Card::new(
            &waiting.call,
            &waiting.decision,
            &waiting.options,
            self.judge.policy.epoch,
            Timestamp::now(),
        );
        let session = waiting.call.session.clone();
        self.judge.sessions.fit(&mut card, &session);
        card.approval_id = id;
        let Some(old) = self.queue.waiting().iter().find(|old| old.approval_id == id) else { return };
        card.history.clone_from(&old.history);
        card.created_at = old.created_at;
        card.expires_at = old.expires_at;
        if card.digest == old.digest && card.why == old.why {
            return;
        }
        let update = |memory: &Memory| {
            vec![Change::Update { id, digest: card.digest.clone(), card: memory.writer.card(&card) }]
        };
        // Not written: an answer from another process is for the old digest, and refused.
        self.ledger.note(update);
        if let Output::Updated(card) = self.queue.handle(Event::Update(Box::new(card)), Timestamp::now()) {
            self.tell(&GateEvent::Updated(card));
        }
    }
}
