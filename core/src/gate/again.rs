//! Judging again what waits, after rules, grants or modes have changed.

use jiff::Timestamp;

use super::{GateEvent, GateState};
use crate::approval::{ApprovalId, Card, Event, Output, State};
use crate::policy::{Decision, Effect};

impl GateState {
    /// Judges what is waiting again, after rules, grants or modes have changed. What is allowed now
    /// runs, if `release`; what is denied now is refused; the rest gets a new card in place.
    pub(super) fn judge_again(&mut self, release: bool) {
        let ids: Vec<_> = self.queue.waiting().iter().map(|card| card.approval_id).collect();
        for id in ids {
            let Some(waiting) = self.waiting.get(&id) else { continue };
            let decision = self.judge(&waiting.call);
            match decision.effect {
                // What always asks is only answered by the person who looks at it.
                Effect::Allow if release && !waiting.decision.always() => {
                    let because = decision.because().map(|finding| finding.relayed().to_owned());
                    if let Some(waiting) = self.waiting.get_mut(&id) {
                        waiting.decision = decision;
                    }
                    self.settle(id, State::Approved, "policy", because.as_deref());
                }
                Effect::Deny => {
                    let because = decision.because().map(|finding| finding.relayed().to_owned());
                    if let Some(waiting) = self.waiting.get_mut(&id) {
                        waiting.decision = decision;
                    }
                    self.settle(id, State::Denied, "policy", because.as_deref());
                }
                _ => self.show_again(id, decision),
            }
        }
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
            self.policy.epoch,
            Timestamp::now(),
        );
        card.approval_id = id;
        let Some(old) = self.queue.waiting().iter().find(|old| old.approval_id == id) else { return };
        card.created_at = old.created_at;
        card.expires_at = old.expires_at;
        if card.digest == old.digest && card.why == old.why {
            return;
        }
        if let Output::Updated(card) = self.queue.handle(Event::Update(Box::new(card)), Timestamp::now()) {
            self.tell(&GateEvent::Updated(card));
        }
    }
}
