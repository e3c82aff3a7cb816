//! A call comes in: what becomes of it is written down before anybody hears of it.

use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::oneshot;

use super::ledger::AwaitedWrite;
use super::queue::Question;
use super::{
    Asking, Authorized, DecidedBy, Gate, GateEvent, GateState, JudgedCall, OnAsk, Refusal, RefusalReason,
    Verdict,
};
use crate::approval::{AgentOption, ApprovalId, Card, State};
use crate::call::{Access, Call, Category, Door};
use crate::grant::GrantId;
use crate::policy::{Decision, Effect, decide};
use crate::record::CallId;
use crate::store::{Change, Conflict, Pass, StoreError};

/// A call is judged again so often when a remembered answer has ended just when it was used, or when another call went
/// through by its pass.
const TRIES: usize = 8;

/// What becomes of a call.
pub(super) enum Fate {
    /// It runs. This uses up the grants, and the pass.
    Allow {
        by: DecidedBy,
        grants: Vec<GrantId>,
        pass: Option<Pass>,
    },
    Refuse(RefusalReason),
    Ask(Box<Card>),
}

impl Gate {
    /// Hands a call in: it is allowed or refused at once, or a person is asked.
    pub fn submit(&self, call: Call, options: &[AgentOption]) -> Ticket {
        self.submit_as(call, options, None)
    }

    /// The same, where `on_ask` says what becomes of an ask about this one call.
    pub fn submit_as(&self, call: Call, options: &[AgentOption], on_ask: impl Into<Option<OnAsk>>) -> Ticket {
        let on_ask = on_ask.into();
        self.submit_with(call, &Submission { on_ask: &|| on_ask, ..Submission::new(options) })
    }

    /// The same for a door whose calls come many at a time: what becomes of them is written together, if nobody has to be
    /// asked, and the verdict comes when that is done. Its ticket then has no approval, and no verdict at once. What `on_ask`
    /// says counts as above, and it is only heard about an ask.
    pub fn submit_together(
        &self,
        call: Call,
        options: &[AgentOption],
        on_ask: impl Fn() -> Option<OnAsk>,
    ) -> Ticket {
        self.submit_with(call, &Submission { on_ask: &on_ask, together: true, ..Submission::new(options) })
    }

    /// The same, where a question about this one call expires after `limit` at the latest.
    pub fn submit_within(&self, call: Call, limit: Option<Duration>) -> Ticket {
        self.submit_with(call, &Submission { limit, together: true, ..Submission::new(&[]) })
    }

    fn submit_with(&self, mut call: Call, how: &Submission<'_>) -> Ticket {
        let mut state = self.lock();
        state.judge.add_session_tool_facts(&mut call);
        let id = state.calls.assign_id(&call);
        let fated = state.judge_and_record(id, call, how);
        self.issue_ticket(state, fated, how)
    }

    /// The ticket of a call that was judged, and is written down or will be.
    fn issue_ticket(
        &self,
        mut state: MutexGuard<'_, GateState>,
        fated: JudgedSubmission,
        how: &Submission<'_>,
    ) -> Ticket {
        let (judged, fate) = match fated {
            JudgedSubmission::Now(judged, fate) => (judged, fate),
            JudgedSubmission::Soon(written) => {
                drop(state);
                return Ticket {
                    gate: self.clone(),
                    id: None,
                    comes: VerdictSource::Written(Some(Box::new(written))),
                };
            }
        };
        state.remember_gateway_call(&judged, &fate);
        let (id, comes) = match fate {
            Fate::Allow { by, .. } => (None, VerdictSource::at_once(state.allow_at_once(judged, by))),
            Fate::Refuse(why) => (None, VerdictSource::at_once(state.refuse_at_once(judged, &why))),
            Fate::Ask(card) => {
                let (reply, verdict) = oneshot::channel();
                let (approval, limit) = (card.approval_id, how.limit(state.asking));
                let options = how.options.to_vec();
                let question = Question { card: (*card).clone(), judged, options, reply, shown: false };
                if state.queue.enqueue(question) {
                    state.listeners.notify(&GateEvent::Asked(card));
                }
                state.announce_queue_length();
                drop(state);
                self.expire_later(approval, limit);
                (Some(approval), VerdictSource::Asked(verdict))
            }
        };
        Ticket { gate: self.clone(), id, comes }
    }

    /// The verdict on a call whose fate was to be written down, now that it is known whether it was.
    fn verdict_after_write(
        &self,
        judged: Arc<JudgedCall>,
        fate: Fate,
        written: Option<Result<(), StoreError>>,
    ) -> Verdict {
        let mut state = self.lock();
        let fate = match (written, fate) {
            // A denial stands without its entry: nothing ran.
            (Some(Ok(())), fate) => fate,
            (Some(Err(error)), Fate::Refuse(RefusalReason::Left)) => {
                Fate::Refuse(RefusalReason::Unrecorded(error))
            }
            (_, fate @ Fate::Refuse(_)) => fate,
            (Some(Err(error)), _) => Fate::Refuse(RefusalReason::Unrecorded(error)),
            // Nobody is there any more who would have written it.
            (None, _) => return Verdict::Cancelled,
        };
        state.remember_gateway_call(&judged, &fate);
        // Whoever has made its entries is done with it.
        let judged = Arc::unwrap_or_clone(judged);
        match fate {
            Fate::Allow { by, .. } => state.allow_at_once(judged, by),
            Fate::Refuse(why) => state.refuse_at_once(judged, &why),
            // Questions are written by themselves.
            Fate::Ask(_) => Verdict::Cancelled,
        }
    }

    /// Judges a call that only was reported: it can't be stopped, and is counted. `None`: it was judged where it ran, at
    /// the gateway that stands before the servers of its session.
    pub fn judge_reported(&self, call: &Call, end: ReportedEnd) -> Option<Decision> {
        let mut state = self.lock();
        let mut call = call.clone();
        state.judge.add_session_tool_facts(&mut call);
        if state.gateway_calls.take_reported(&call) {
            return None;
        }
        let id = state.calls.assign_id(&call);
        let JudgedCall { call, decision, .. } = state.judge.judge(id, call);
        if decision.effect != Effect::Allow || call.accesses.iter().any(touches_something) {
            state.tally.count_unasked(decision.effect, end);
        }
        let now = Timestamp::now();
        state.ledger.commit_or_warn(|memory| {
            let unasked = memory.writer.unasked_entry(id, &call, &decision, now);
            let failed = (end == ReportedEnd::Failed)
                .then(|| memory.writer.finished_entry(id, &call.agent, &call.session, "failed", now));
            std::iter::once(unasked).chain(failed).map(Change::Append).collect()
        });
        Some(decision)
    }

    /// What would become of a call. Nobody is asked, and nothing is written down or counted.
    #[must_use]
    pub fn preview_effect(&self, call: &Call) -> Effect {
        let state = self.lock();
        let mut call = call.clone();
        state.judge.add_session_tool_facts(&mut call);
        let standing = state.judge.standing(&call.session);
        standing.map_or(Effect::Deny, |standing| decide(&state.judge.policy, &call, &standing).effect)
    }

    /// Counts a request that was refused before it could be judged.
    pub fn count_refused(&self) {
        self.lock().tally.denied += 1;
    }
}

/// How a call is handed in.
struct Submission<'s> {
    /// The agent's own options.
    options: &'s [AgentOption],
    /// What becomes of an ask about it; none: as of any.
    on_ask: &'s dyn Fn() -> Option<OnAsk>,
    /// After this time an ask about it expires, if others do not before.
    limit: Option<Duration>,
    /// What becomes of it may be written down with other calls.
    together: bool,
}

impl<'s> Submission<'s> {
    fn new(options: &'s [AgentOption]) -> Self {
        Self { options, on_ask: &|| None, limit: None, together: false }
    }

    /// After which time an ask about it expires.
    fn limit(&self, asking: Asking) -> Option<Duration> {
        self.limit.into_iter().chain(asking.limit).min()
    }
}

/// How a call ended that only was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedEnd {
    /// It has run.
    Ran,
    /// It was tried, and failed: what it did until then, nobody says.
    Failed,
}

/// Whether more is done than to think or to start a sub-agent, whose own calls are judged.
fn touches_something(access: &Access) -> bool {
    !matches!(access, Access::Tool { category: Category::Read, .. })
}

impl GateState {
    /// Judges a call, and writes down what becomes of it. What can't be written does not run. With `together` it may be written
    /// soon, and nobody hears of it before.
    fn judge_and_record(&mut self, id: CallId, mut call: Call, how: &Submission<'_>) -> JudgedSubmission {
        let mut tries = 0;
        loop {
            let recalled = self.ledger.refresh_grants(&mut self.judge);
            let mut judged = self.judge.judge(id, call);
            let now = Timestamp::now();
            let fate = self.choose_fate(&judged, how, now);
            if how.together && recalled.is_ok() && self.ledger.is_plain(&judged.call, &fate) {
                let shared = Arc::new(judged);
                if let Some(soon) = self.ledger.record_submission_soon(&shared, &fate, now) {
                    return JudgedSubmission::Soon(PendingVerdict {
                        judged: shared,
                        fate,
                        pending_write: soon,
                    });
                }
                judged = Arc::unwrap_or_clone(shared);
            }
            let written =
                recalled.and_then(|()| self.ledger.record_submission(&judged, &fate, &self.judge, now));
            let Err(error) = written else {
                if let Fate::Allow { grants, .. } = &fate {
                    grants.iter().for_each(|grant| self.judge.grants.record_use(*grant));
                }
                return JudgedSubmission::Now(judged, fate);
            };
            tries += 1;
            match error {
                // Another call went through by the pass.
                StoreError::Conflict(Conflict::Passed(_)) if tries < TRIES => {}
                // Somebody else was quicker with its last use, or has just revoked it.
                StoreError::Conflict(Conflict::Ended(grant)) if tries < TRIES => {
                    self.judge.grants.remove(grant);
                }
                // A denial stands without its entry: nothing ran. What is left to another prompt may run.
                _ if matches!(&fate, Fate::Refuse(why) if !matches!(why, RefusalReason::Left)) => {
                    return JudgedSubmission::Now(judged, fate);
                }
                error => {
                    return JudgedSubmission::Now(judged, Fate::Refuse(RefusalReason::Unrecorded(error)));
                }
            }
            call = judged.call;
        }
    }

    fn choose_fate(&mut self, judged: &JudgedCall, how: &Submission<'_>, now: Timestamp) -> Fate {
        let JudgedCall { call, decision, .. } = judged;
        // What was approved at one door is not asked about again at the next, and not counted twice.
        let (covered, pass) = match call.door {
            Door::AcpFs | Door::AcpTerminal => {
                (decision.effect != Effect::Deny && self.cover.spend(call), None)
            }
            // In an agent's session the gateway is the session's own: what was approved is known here, and a pass is somebody
            // else's.
            Door::Mcp if self.judge.sessions.has_gateway(&call.session) => {
                let mut spends = || self.cover.spend_tool(call, decision.always_asks(), judged.basis());
                (decision.effect != Effect::Deny && spends(), None)
            }
            Door::Mcp if decision.effect == Effect::Ask => {
                let pass = self.ledger.find_pass(call, decision, now);
                (pass.is_some(), pass)
            }
            _ => (false, None),
        };
        if covered {
            return Fate::Allow { by: DecidedBy::Covered, grants: Vec::new(), pass };
        }
        match decision.effect {
            Effect::Allow => {
                Fate::Allow { by: DecidedBy::Policy, grants: decision.spent_grants(), pass: None }
            }
            Effect::Deny => Fate::Refuse(RefusalReason::Policy),
            Effect::Ask => {
                match (how.on_ask)().unwrap_or(self.asking.on_ask) {
                    OnAsk::Deny => return Fate::Refuse(RefusalReason::Nobody),
                    OnAsk::Leave => return Fate::Refuse(RefusalReason::Left),
                    OnAsk::Prompt | OnAsk::Wait if !self.queue.has_room(&call.session) => {
                        return Fate::Refuse(RefusalReason::Full);
                    }
                    OnAsk::Prompt | OnAsk::Wait => {}
                }
                let mut card = Card::new(call, decision, how.options, self.judge.policy.epoch, now);
                card.expires_at = how.limit(self.asking).and_then(|limit| now.checked_add(limit).ok());
                card.history = self.ledger.answer_history(call, decision);
                card.levels = self.judge.allowing_levels(call, decision);
                self.judge.sessions.adapt_card_to_session(&mut card, &call.session);
                Fate::Ask(Box::new(card))
            }
        }
    }

    /// A call of a session that mayi stands before the servers of was judged where it runs.
    fn remember_gateway_call(&mut self, judged: &JudgedCall, fate: &Fate) {
        if self.judge.sessions.has_gateway(&judged.call.session) {
            // One that was asked about is known by just its arguments: the agent has said them before.
            self.gateway_calls
                .remember_call(&judged.call, matches!(fate, Fate::Allow { by: DecidedBy::Policy, .. }));
        }
    }

    /// Allows a call without asking.
    fn allow_at_once(&mut self, judged: JudgedCall, by: DecidedBy) -> Verdict {
        self.announce_verdict(Verdict::Allowed(Authorized::new(judged, by, None)))
    }

    /// Refuses a call without asking.
    fn refuse_at_once(&mut self, judged: JudgedCall, why: &RefusalReason) -> Verdict {
        self.announce_verdict(Verdict::Denied(Refusal::at_once(judged, why)))
    }

    fn announce_verdict(&mut self, verdict: Verdict) -> Verdict {
        self.listeners.notify_decided(&verdict);
        self.count_verdict(&verdict);
        verdict
    }

    /// Hands a verdict to whoever holds the ticket.
    pub(super) fn deliver_verdict(&mut self, verdict: Verdict, to: oneshot::Sender<Verdict>) {
        self.count_verdict(&verdict);
        // The ticket may be gone.
        let _ = to.send(verdict);
    }

    /// What a verdict allows covers its side doors from now on, and it is counted.
    fn count_verdict(&mut self, verdict: &Verdict) {
        if let Verdict::Allowed(authorized) = verdict {
            self.cover.remember_approved(authorized);
        }
        self.tally.count_verdict(verdict);
    }
}

/// A call that was handed in. Dropping it withdraws the question, if one is open.
#[must_use]
pub struct Ticket {
    gate: Gate,
    id: Option<ApprovalId>,
    comes: VerdictSource,
}

/// How a verdict comes.
enum VerdictSource {
    /// It is there already. None, once it was given.
    AtOnce(Option<Box<Verdict>>),
    /// From whoever ends the question.
    Asked(oneshot::Receiver<Verdict>),
    /// It is known, and counts as soon as it is written down. None, once it was given.
    Written(Option<Box<PendingVerdict>>),
}

impl VerdictSource {
    fn at_once(verdict: Verdict) -> Self {
        Self::AtOnce(Some(Box::new(verdict)))
    }
}

/// A call that was judged.
#[expect(clippy::large_enum_variant, reason = "there is one for each call, and it is moved once")]
enum JudgedSubmission {
    /// What becomes of it is written down.
    Now(JudgedCall, Fate),
    /// It will be.
    Soon(PendingVerdict),
}

/// What becomes of a call once that is written down.
struct PendingVerdict {
    /// Shared with whoever makes its entries, until they are made.
    judged: Arc<JudgedCall>,
    fate: Fate,
    pending_write: AwaitedWrite,
}

impl Ticket {
    /// The approval that waits, if a person is asked.
    #[must_use]
    pub fn approval_id(&self) -> Option<ApprovalId> {
        self.id
    }

    /// The verdict, if it is there already: nobody had to be asked.
    pub fn at_once(&mut self) -> Option<Verdict> {
        match &mut self.comes {
            VerdictSource::AtOnce(verdict) => verdict.take().map(|verdict| *verdict),
            VerdictSource::Asked(verdict) => verdict.try_recv().ok(),
            VerdictSource::Written(_) => None,
        }
    }

    /// Waits for the verdict. There is always exactly one.
    pub async fn verdict(mut self) -> Verdict {
        // Where nobody is there any more who would say it, nothing may run.
        match &mut self.comes {
            VerdictSource::AtOnce(verdict) => verdict.take().map_or(Verdict::Cancelled, |verdict| *verdict),
            VerdictSource::Asked(verdict) => verdict.await.unwrap_or(Verdict::Cancelled),
            VerdictSource::Written(written) => {
                let Some(written) = written.take() else { return Verdict::Cancelled };
                let PendingVerdict { judged, fate, pending_write } = *written;
                let outcome = pending_write.wait_until_written().await;
                self.gate.verdict_after_write(judged, fate, outcome)
            }
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.gate.settle(id, State::Cancelled, "agent", Some("the question was withdrawn"));
        }
    }
}
