//! Who hears of what happens, and how much of it there was: surfaces, exit codes and the summary at the end.

use serde::Serialize;

use super::{DecidedBy, ReportedEnd, Verdict};
use crate::approval::{ApprovalResolved, Card};
use crate::call::SessionId;
use crate::policy::{Decision, Effect};

/// What surfaces hear of.
#[derive(Clone, Debug)]
pub enum GateEvent {
    /// A card is to be shown.
    Asked(Box<Card>),
    /// A card has changed, and its old digest is void.
    Updated(Box<Card>),
    /// A card is settled.
    Resolved(ApprovalResolved),
    /// So many questions wait in line now, behind those that are shown.
    InLine(usize),
    /// A call was decided without asking.
    Decided {
        /// The session.
        session: SessionId,
        /// The protocol's id of the tool call.
        tool_call_id: Option<String>,
        /// What was decided, and why.
        decision: Decision,
        /// The agent's title: data.
        title: String,
        /// Who allowed it, if it was.
        by: Option<DecidedBy>,
    },
}

/// Hears of what happens; says whether anybody still listens.
pub(super) type Listener = Box<dyn Fn(&GateEvent) -> bool + Send>;

/// Those who hear of what happens at a gate.
#[derive(Default)]
pub(super) struct Listeners {
    all: Vec<Listener>,
}

impl Listeners {
    pub(super) fn add(&mut self, listener: Listener) {
        self.all.push(listener);
    }

    pub(super) fn notify(&mut self, event: &GateEvent) {
        self.all.retain(|listener| listener(event));
    }

    /// Tells of a call that was decided without asking.
    pub(super) fn notify_decided(&mut self, verdict: &Verdict) {
        if self.all.is_empty() {
            return;
        }
        let event = match verdict {
            Verdict::Allowed(authorized) => {
                let call = authorized.call();
                GateEvent::Decided {
                    session: call.session.clone(),
                    tool_call_id: call.tool_call_id.clone(),
                    decision: authorized.decision().clone(),
                    title: call.title.clone(),
                    by: Some(authorized.decided_by()),
                }
            }
            Verdict::Denied(refusal) => GateEvent::Decided {
                session: refusal.session.clone(),
                tool_call_id: refusal.tool_call_id.clone(),
                decision: refusal.decision.clone(),
                title: refusal.title.clone(),
                by: None,
            },
            Verdict::Cancelled => return,
        };
        self.notify(&event);
    }
}

/// Counts of one gate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Allowed without asking.
    pub allowed: u64,
    /// Allowed by a person's answer.
    pub approved: u64,
    /// Denied by the policy.
    pub denied: u64,
    /// Denied by a person.
    pub rejected: u64,
    /// Needed an answer that nobody gave.
    pub unanswered: u64,
    /// Withdrawn with their turn.
    pub cancelled: u64,
    /// Ran without asking, though the policy allows it.
    pub unasked_allowed: u64,
    /// Ran without asking, though the policy would have asked.
    pub unasked_ask: u64,
    /// Ran without asking, though the policy denies it.
    pub unasked_denied: u64,
    /// Tried without asking, and failed.
    pub unasked_failed: u64,
    /// What would have allowed the unanswered ones.
    pub would_allow: Vec<String>,
    /// Of the unanswered ones, those that no rule allows.
    pub needs_person: u64,
}

impl Tally {
    pub(super) fn count_verdict(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Allowed(authorized) if authorized.decided_by() == DecidedBy::Person => {
                self.approved += 1
            }
            Verdict::Allowed(authorized) if authorized.decided_by() == DecidedBy::Covered => {}
            Verdict::Allowed(_) => self.allowed += 1,
            Verdict::Denied(refusal) if refusal.unanswered => {
                self.unanswered += 1;
                if refusal.would_allow.is_empty() {
                    self.needs_person += 1;
                }
                for pattern in &refusal.would_allow {
                    if !self.would_allow.contains(pattern) {
                        self.would_allow.push(pattern.clone());
                    }
                }
            }
            Verdict::Denied(refusal) if refusal.by_person => self.rejected += 1,
            Verdict::Denied(_) => self.denied += 1,
            Verdict::Cancelled => self.cancelled += 1,
        }
    }

    pub(super) fn count_unasked(&mut self, effect: Effect, end: ReportedEnd) {
        match (end, effect) {
            (ReportedEnd::Failed, _) => self.unasked_failed += 1,
            (ReportedEnd::Ran, Effect::Allow) => self.unasked_allowed += 1,
            (ReportedEnd::Ran, Effect::Ask) => self.unasked_ask += 1,
            (ReportedEnd::Ran, Effect::Deny) => self.unasked_denied += 1,
        }
    }

    /// Tool calls that ran without asking, though the policy would have asked or denies them.
    #[must_use]
    pub fn count_unasked_against(&self) -> u64 {
        self.unasked_ask + self.unasked_denied
    }

    /// Tool calls that ran without asking.
    #[must_use]
    pub fn count_ran_unasked(&self) -> u64 {
        self.unasked_allowed + self.unasked_ask + self.unasked_denied
    }
}
