//! Judging again what waits, after rules, grants, modes or the call itself have changed.

use jiff::Timestamp;

use super::{Gate, GateEvent, GateState, JudgedCall};
use crate::approval::{ApprovalId, Card, State};
use crate::call::Call;
use crate::policy::{Decision, Effect, Policy, Source};
use crate::store::Change;

impl Gate {
    /// Puts another policy in place, and judges again what is waiting.
    pub fn replace_policy(&self, policy: Policy) {
        let mut state = self.lock();
        state.apply_policy(policy);
        state.rejudge_waiting(true);
    }

    /// The call that waits as `id` has changed since it was handed in: its card changes in place, and
    /// answers to the old one are refused. A change never allows anything.
    pub fn revise_call(&self, id: ApprovalId, mut call: Call) {
        let mut state = self.lock();
        let epoch = state.judge.policy.epoch;
        state.judge.add_session_tool_facts(&mut call);
        let Ok(found) = state.queue.find(id) else { return };
        let before = &found.question().judged.call;
        // What was said of the options still holds.
        call.by_hand = call.by_hand.or_else(|| before.by_hand.clone());
        call.not_shown = merge_not_shown(&before.not_shown, call.not_shown);
        if call.digest(epoch) == before.digest(epoch) {
            return;
        }
        state.rejudge_question(id, Some(call), false);
    }
}

/// What is not shown of a call that has changed: what was not before, in its order, and what has come to it since. Two
/// images are two.
fn merge_not_shown(before: &[String], now: Vec<String>) -> Vec<String> {
    let mut known = before.to_vec();
    let added = now.into_iter().filter(|what| match known.iter().position(|other| other == what) {
        Some(place) => {
            known.swap_remove(place);
            false
        }
        None => true,
    });
    let added: Vec<String> = added.collect();
    before.iter().cloned().chain(added).collect()
}

/// A bypass answers nothing that waits already (D6.19).
fn uses_bypass(decision: &Decision) -> bool {
    decision.trail.iter().any(|finding| finding.source == Source::Bypass)
}

impl GateState {
    /// Lets `policy` hold from now on, and writes that down.
    pub(super) fn apply_policy(&mut self, policy: Policy) {
        self.judge.set_policy(policy);
        self.ledger.record_policy(&self.judge.policy);
    }

    /// Judges what is waiting again, after rules, grants or modes have changed. What is allowed now
    /// runs, if `release`; what is denied now is refused; the rest gets a new card in place.
    pub(super) fn rejudge_waiting(&mut self, release: bool) {
        for id in self.queue.approval_ids() {
            self.rejudge_question(id, None, release);
        }
    }

    /// Judges one question again, where its call has `changed` as that.
    fn rejudge_question(&mut self, id: ApprovalId, changed: Option<Call>, release: bool) {
        let Ok(found) = self.queue.find(id) else { return };
        let judged = &found.question().judged;
        let is_other_call = changed.is_some();
        let now = self.judge.judge(judged.id, changed.unwrap_or_else(|| judged.call.clone()));
        // What always asks is only answered by the person who looks at it.
        let released = release && !judged.decision.always_asks() && !uses_bypass(&now.decision);
        let how = match now.decision.effect {
            Effect::Allow if released => State::Approved,
            Effect::Deny => State::Denied,
            _ => return self.update_card(id, now, is_other_call),
        };
        let because = now.decision.deciding_finding().map(|finding| finding.reason_for_model().to_owned());
        self.settle_as(Some(now), id, how, "policy", because.as_deref());
    }

    /// Shows a question as it is judged by `now`. Call, decision and card are put in together, after all that could fail:
    /// an answer to the card is about just this call. `is_other_call`: it has changed, too.
    fn update_card(&mut self, id: ApprovalId, now: JudgedCall, is_other_call: bool) {
        let Ok(mut found) = self.queue.find(id) else { return };
        let question = found.question_mut();
        let (judged, old) = (&mut question.judged, &mut question.card);
        // How the like of it was answered: of another call, something else.
        let history = match is_other_call {
            true => self.ledger.answer_history(&now.call, &now.decision),
            false => old.history.clone(),
        };
        // An allow that does not count here says nothing of what was asked about.
        let asks = now.decision.effect == Effect::Ask;
        let now = if asks { now } else { JudgedCall { decision: judged.decision.clone(), ..now } };
        let call = &now.call;
        let mut card = Card::new(call, &now.decision, &question.options, now.epoch, Timestamp::now());
        // Where it would be allowed without one, no level is what allows it.
        card.levels = if asks { self.judge.allowing_levels(call, &now.decision) } else { Vec::new() };
        self.judge.sessions.adapt_card_to_session(&mut card, &call.session);
        card.approval_id = id;
        card.history = history;
        card.created_at = old.created_at;
        card.expires_at = old.expires_at;
        let looks_alike = card.digest == old.digest && card.why == old.why && card.levels == old.levels;
        if !looks_alike {
            // Not written: an answer from another process is for the old digest, and refused.
            self.ledger.commit_or_warn(|memory| {
                vec![Change::Update {
                    id,
                    digest: card.digest.clone(),
                    card: memory.writer.stored_card(call, &card),
                }]
            });
        }
        *judged = now;
        if !looks_alike {
            old.clone_from(&card);
            // One in line is shown as it is by then.
            if !question.shown {
                return;
            }
            self.listeners.notify(&GateEvent::Updated(Box::new(card)));
        }
    }
}
