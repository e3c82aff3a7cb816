//! A call comes in: what becomes of it is written down before anybody hears of it.

use jiff::Timestamp;
use tokio::sync::oneshot;

use super::{
    By, Gate, GateEvent, GateState, Ledger, Memory, OnAsk, Refusal, Ticket, Verdict, Waiting, ledger, pass,
};
use crate::approval::{AgentOption, Card, Event, Output};
use crate::call::Call;
use crate::policy::{Decision, Effect, Finding, Source};
use crate::record::{CallId, Ruling};
use crate::store::{Change, StoreError, StoredApproval};

/// A call is judged again so often when a remembered answer has ended just when it was used.
const TRIES: usize = 8;

/// What becomes of a call.
enum Fate {
    Allow(By),
    Refuse(Box<Refusal>),
    Ask(Box<Card>),
}

impl Gate {
    /// Hands a call in: it is allowed or refused at once, or a person is asked.
    pub fn submit(&self, call: Call, options: &[AgentOption]) -> Ticket {
        self.take_in(call, options, None)
    }

    /// The same, where `on_ask` says what becomes of an ask about this one call.
    pub fn submit_as(&self, call: Call, options: &[AgentOption], on_ask: OnAsk) -> Ticket {
        self.take_in(call, options, Some(on_ask))
    }

    fn take_in(&self, mut call: Call, options: &[AgentOption], on_ask: Option<OnAsk>) -> Ticket {
        let (reply, verdict) = oneshot::channel();
        let mut state = self.lock();
        let on_ask = on_ask.unwrap_or(state.asking.on_ask);
        state.judge.sessions.identify(&mut call);
        let id = state.calls.begin(&call);
        let (decision, fate) = state.fate(id, &call, options, on_ask);
        let answer = match fate {
            Fate::Allow(by) => Verdict::Allowed(state.authorize(id, call, decision, by, None)),
            Fate::Refuse(refusal) => Verdict::Denied(*refusal),
            Fate::Ask(card) => {
                let approval = card.approval_id;
                let full = Refusal::full(&call, decision.clone());
                match state.queue.handle(Event::Ask(card), Timestamp::now()) {
                    Output::Show(card) => {
                        let (options, levels) = (options.to_vec(), card.levels.clone());
                        let waiting = Waiting { id, call, decision, options, levels, reply };
                        state.waiting.insert(approval, waiting);
                        state.tell(&GateEvent::Asked(card));
                        let limit = state.asking.limit;
                        drop(state);
                        self.expire_later(approval, limit);
                        return Ticket { gate: self.clone(), id: Some(approval), verdict };
                    }
                    _ => Verdict::Denied(full),
                }
            }
        };
        state.count_and_tell(&answer);
        let _ = reply.send(answer);
        Ticket { gate: self.clone(), id: None, verdict }
    }
}

impl GateState {
    /// Judges a call, and writes down what becomes of it. What can't be written does not run.
    fn fate(&mut self, id: CallId, call: &Call, options: &[AgentOption], on_ask: OnAsk) -> (Decision, Fate) {
        let mut tries = 0;
        loop {
            let recalled = self.ledger.recall(&mut self.judge);
            let decision = self.judge.decide(call);
            let now = Timestamp::now();
            let pass = self.ledger.pass(call, &decision, now).unwrap_or_else(|error| {
                tracing::warn!(%error, "what another door has allowed could not be read");
                None
            });
            let fate = match pass {
                Some(_) => Fate::Allow(By::Covered),
                None => self.choose(call, &decision, (options, on_ask), now),
            };
            let spends = match fate {
                Fate::Allow(By::Policy) => decision.spends(),
                _ => Vec::new(),
            };
            let written = recalled.and_then(|()| {
                self.ledger.commit(|memory| {
                    let mut changes = self.proposal(memory, id, call, &decision, &fate, now);
                    changes.extend(Ledger::spending(&self.judge.grants, &spends, now));
                    changes.extend(pass.map(|pass| Change::TakePass { id: pass.id, at: now }));
                    if matches!(fate, Fate::Allow(_)) {
                        changes.extend(memory.leaving(call, false, now));
                    }
                    changes
                })
            });
            let Err(error) = written else {
                for grant in spends {
                    self.judge.grants.used(grant);
                }
                return (decision, fate);
            };
            tries += 1;
            if pass::is_taken(&error) && tries < TRIES {
                // Another call went through by it.
                continue;
            }
            if let Some(grant) = ledger::ended(&error)
                && tries < TRIES
            {
                // Somebody else was quicker with its last use, or has just revoked it.
                self.judge.grants.remove(grant);
                continue;
            }
            // A denial stands without its entry: nothing ran.
            let fate = match fate {
                Fate::Refuse(refusal) => Fate::Refuse(refusal),
                _ => Fate::Refuse(Box::new(Refusal::unrecorded(call, decision.clone(), &error))),
            };
            return (decision, fate);
        }
    }

    fn choose(
        &mut self,
        call: &Call,
        decision: &Decision,
        (options, on_ask): (&[AgentOption], OnAsk),
        now: Timestamp,
    ) -> Fate {
        // What an approved call announced is not asked about again, and not counted twice.
        let covered = decision.effect != Effect::Deny && self.cover.spend(call);
        let refuse = |refusal| Fate::Refuse(Box::new(refusal));
        match decision.effect {
            Effect::Allow | Effect::Ask if covered => Fate::Allow(By::Covered),
            Effect::Allow => Fate::Allow(By::Policy),
            Effect::Deny => refuse(Refusal::policy(call, decision.clone())),
            Effect::Ask if on_ask == OnAsk::Deny => refuse(Refusal::nobody(call, decision.clone())),
            Effect::Ask if !self.queue.has_room(&call.session) => {
                refuse(Refusal::full(call, decision.clone()))
            }
            Effect::Ask => {
                let mut card = Card::new(call, decision, options, self.judge.policy.epoch, now);
                card.expires_at = self.asking.limit.and_then(|limit| now.checked_add(limit).ok());
                card.history = self.ledger.history(call, decision);
                card.levels = self.judge.levels(call, decision);
                self.judge.sessions.fit(&mut card, &call.session);
                Fate::Ask(Box::new(card))
            }
        }
    }

    /// What is written of a call that came in.
    fn proposal(
        &self,
        memory: &Memory,
        id: CallId,
        call: &Call,
        decision: &Decision,
        fate: &Fate,
        now: Timestamp,
    ) -> Vec<Change> {
        let writer = &memory.writer;
        let by = match fate {
            Fate::Allow(by) => by.as_str(),
            Fate::Refuse(refusal) if refusal.unanswered => "nobody",
            Fate::Refuse(_) | Fate::Ask(_) => By::Policy.as_str(),
        };
        let mut changes = vec![Change::Append(writer.proposed(id, call, now))];
        if let Some(standing) = self.judge.standing(&call.session) {
            let effect = match fate {
                Fate::Allow(_) => Effect::Allow,
                Fate::Refuse(_) => Effect::Deny,
                Fate::Ask(_) => Effect::Ask,
            };
            let ruling = Ruling::new(effect, by, call, &standing);
            changes.push(Change::Append(writer.decided(id, call, decision, &ruling, now)));
        }
        if let Fate::Ask(card) = fate {
            changes.push(Change::Ask(Box::new(StoredApproval {
                id: card.approval_id,
                owner: memory.owner.id,
                agent: call.agent.clone(),
                session: call.session.clone(),
                workspace: call.workspace(),
                digest: card.digest.clone(),
                card: writer.card(card),
                state: card.state,
                asked_at: now,
                settled_at: None,
                by: None,
                reason: None,
            })));
            changes.push(Change::Append(writer.asked(id, call, decision, card, now)));
        }
        changes
    }
}

impl Refusal {
    /// It would have been allowed or asked about, and could not be written down.
    /// "An error while judging is a deny finding with the error as its reason" (decisions, 4.7).
    fn unrecorded(call: &Call, mut decision: Decision, error: &StoreError) -> Self {
        let reason = format!("nothing runs that can't be recorded: {error}");
        let access = decision.because().map_or_else(|| call.title.clone(), |finding| finding.access.clone());
        decision.effect = Effect::Deny;
        decision.trail.insert(0, Finding::new(Effect::Deny, access, Source::Error, &*reason));
        Self::of(call, decision, Some(&reason))
    }
}
