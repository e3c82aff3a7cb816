//! The one enforcement point: a [`Call`] goes in, an [`Authorized`] call or a refusal comes out.
//!
//! The gate owns the queue, the sessions and the remembered answers. Doors hand it calls and await
//! [`Ticket`]s in tasks of their own; surfaces subscribe to [`GateEvent`]s and send answers.

mod again;
mod answer;
mod asking;
mod attend;
mod authorized;
mod cover;
mod elsewhere;
mod judge;
mod kin;
mod later;
mod ledger;
mod memory;
mod pass;
mod progress;
mod questions;
mod remembered;
mod session;
mod submit;
mod tally;

pub use asking::{QuestionEvent, Questions};
pub use authorized::{Authorized, By, Refusal, Verdict};
pub use elsewhere::{Remote, card};
pub use kin::{KinError, asking, is_within_an_agent, peer_of, started_by};
pub use mayi_kept::{KeepError, Keeper, NoKeeper};
pub use memory::{Memory, sweep};
pub use progress::Carrying;
pub use session::Session;
pub use tally::Tally;

use judge::Judge;
use ledger::Ledger;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::{mpsc, oneshot};

use crate::approval::{AgentOption, ApprovalId, ApprovalResolved, Card, Event, Output, Queue, State};
use crate::call::{Call, SessionId};
use crate::policy::{Decision, Level, Policy};
use crate::record::CallId;
use crate::store::Change;

/// What becomes of an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnAsk {
    /// A surface of this process asks a person.
    Prompt,
    /// There is nobody: it is denied.
    Deny,
    /// It waits for another surface.
    Wait,
}

/// What surfaces hear of.
#[derive(Clone, Debug)]
pub enum GateEvent {
    /// A card is to be shown.
    Asked(Box<Card>),
    /// A card has changed, and its old digest is void.
    Updated(Box<Card>),
    /// A card is settled.
    Resolved(ApprovalResolved),
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
        by: Option<By>,
    },
}

/// How the gate asks.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    /// What becomes of an ask.
    pub on_ask: OnAsk,
    /// After this time an ask expires into a denial; none by default.
    pub limit: Option<Duration>,
}

/// The gate. Cheap to clone; all clones are the same gate.
#[derive(Clone)]
pub struct Gate {
    state: Arc<Mutex<GateState>>,
}

struct GateState {
    asking: Asking,
    judge: Judge,
    queue: Queue,
    waiting: HashMap<ApprovalId, Waiting>,
    cover: cover::Cover,
    surfaces: Vec<Surface>,
    tally: Tally,
    ledger: Ledger,
    calls: progress::Calls,
}

/// Hears of what happens; says whether anybody still listens.
type Surface = Box<dyn Fn(&GateEvent) -> bool + Send>;

struct Waiting {
    id: CallId,
    call: Call,
    decision: Decision,
    options: Vec<AgentOption>,
    /// What may be granted to its server.
    levels: Vec<Level>,
    reply: oneshot::Sender<Verdict>,
}

/// A call that was handed in. Dropping it withdraws the question, if one is open.
#[must_use]
pub struct Ticket {
    gate: Gate,
    id: Option<ApprovalId>,
    verdict: oneshot::Receiver<Verdict>,
}

impl Ticket {
    /// The approval that waits, if a person is asked.
    #[must_use]
    pub fn approval(&self) -> Option<ApprovalId> {
        self.id
    }

    /// The verdict, if it is there already: nobody had to be asked.
    pub fn at_once(&mut self) -> Option<Verdict> {
        self.verdict.try_recv().ok()
    }

    /// Waits for the verdict. There is always exactly one.
    pub async fn verdict(mut self) -> Verdict {
        match (&mut self.verdict).await {
            Ok(verdict) => verdict,
            // The gate is gone; nothing may run.
            Err(_) => Verdict::Cancelled,
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

impl Gate {
    /// A gate that decides by `policy` and asks as `asking` says.
    #[must_use]
    pub fn new(policy: Policy, asking: Asking, keeper: Box<dyn Keeper>) -> Self {
        Self::with(policy, asking, keeper, None)
    }

    /// The same, with a record, answers that outlive the process, and a queue that others can answer.
    /// Nothing runs that can't be written down. [`Gate::attend`] has to run, so that others are heard.
    #[must_use]
    pub fn remembering(policy: Policy, asking: Asking, keeper: Box<dyn Keeper>, memory: Memory) -> Self {
        Self::with(policy, asking, keeper, Some(memory))
    }

    fn with(policy: Policy, asking: Asking, keeper: Box<dyn Keeper>, memory: Option<Memory>) -> Self {
        let state = GateState {
            asking,
            judge: Judge::by(policy),
            queue: Queue::default(),
            waiting: HashMap::new(),
            cover: cover::Cover::default(),
            surfaces: Vec::new(),
            tally: Tally::default(),
            ledger: Ledger::new(memory, keeper),
            calls: progress::Calls::default(),
        };
        state.ledger.policy(&state.judge.policy);
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// The policy that holds now.
    #[must_use]
    pub fn policy(&self) -> Arc<Policy> {
        Arc::clone(&self.lock().judge.policy)
    }

    /// How many of what there were.
    #[must_use]
    pub fn tally(&self) -> Tally {
        self.lock().tally.clone()
    }

    /// Everything that waits, oldest first.
    #[must_use]
    pub fn waiting(&self) -> Vec<Card> {
        self.lock().queue.waiting().to_vec()
    }

    /// How many wait.
    #[must_use]
    pub fn count_waiting(&self) -> usize {
        self.lock().queue.waiting().len()
    }

    /// Hears of everything from now on; cards that wait already come first.
    #[must_use]
    pub fn subscribe(&self) -> mpsc::UnboundedReceiver<GateEvent> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.hear(Box::new(move |event| sender.send(event.clone()).is_ok()));
        receiver
    }

    /// Tells `surface` of everything from now on; cards that wait already come first.
    fn hear(&self, surface: Surface) {
        let mut state = self.lock();
        for card in state.queue.waiting() {
            surface(&GateEvent::Asked(Box::new(card.clone())));
        }
        state.surfaces.push(surface);
    }

    /// Judges a call that only was reported: it can't be stopped, and is counted.
    pub fn judge_reported(&self, call: &Call) -> Decision {
        let mut state = self.lock();
        let mut call = call.clone();
        state.judge.sessions.identify(&mut call);
        let call = &call;
        let decision = state.judge.decide(call);
        state.tally.unasked(decision.effect);
        let now = Timestamp::now();
        let id = state.calls.begin(call);
        state.ledger.note(|memory| vec![Change::Append(memory.writer.unasked(id, call, &decision, now))]);
        decision
    }

    /// Counts a request that was refused before it could be judged.
    pub fn refused(&self) {
        self.lock().tally.denied += 1;
    }

    /// Ends an approval by something else than an answer. Nothing happens if it is settled.
    pub fn settle(&self, id: ApprovalId, how: State, by: &str, reason: Option<&str>) {
        let mut state = self.lock();
        state.settle(id, how, by, reason);
    }

    /// Cancels everything that waits in `session` and its children: the turn is gone.
    pub fn cancel(&self, session: &SessionId) {
        let mut state = self.lock();
        let family = state.judge.sessions.family(session);
        for session in &family {
            state.cover.end_turn(session);
        }
        let ids: Vec<_> = state
            .waiting
            .iter()
            .filter(|(_, w)| family.contains(&w.call.session))
            .map(|(id, _)| *id)
            .collect();
        for id in ids {
            state.settle(id, State::Cancelled, "turn", Some("the turn was cancelled"));
        }
    }

    /// Cancels everything: the agent is gone.
    pub fn cancel_all(&self, reason: &str) {
        let mut state = self.lock();
        let ids: Vec<_> = state.waiting.keys().copied().collect();
        for id in ids {
            state.settle(id, State::Cancelled, "agent", Some(reason));
        }
    }

    /// The last surface is gone: what waits is denied, and so is what would be asked from now on.
    pub fn nobody_is_here(&self, why: &str) {
        let mut state = self.lock();
        state.asking.on_ask = OnAsk::Deny;
        let ids: Vec<_> = state.waiting.keys().copied().collect();
        for id in ids {
            state.settle(id, State::Expired, "mayi", Some(why));
        }
    }

    /// Puts another policy in place, and judges again what is waiting.
    pub fn replace_policy(&self, policy: Policy) {
        let mut state = self.lock();
        state.put_in_place(policy);
        state.judge_again(true);
    }

    fn expire_later(&self, id: ApprovalId, limit: Option<Duration>) {
        let Some(limit) = limit else { return };
        let gate = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(limit).await;
            gate.settle(id, State::Expired, "time limit", Some("nobody answered in time"));
        });
    }

    fn lock(&self) -> MutexGuard<'_, GateState> {
        // A panic elsewhere must not make the gate unusable: nothing is left half done in here.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GateState {
    fn authorize(
        &mut self,
        id: CallId,
        call: Call,
        decision: Decision,
        by: By,
        picked: Option<String>,
    ) -> Authorized<Call> {
        self.cover.approved(&call);
        Authorized::new(id, call, decision, by, picked)
    }

    fn tell(&mut self, event: &GateEvent) {
        self.surfaces.retain(|surface| surface(event));
    }

    fn count_and_tell(&mut self, verdict: &Verdict) {
        self.tally.count(verdict);
        if self.surfaces.is_empty() {
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
                    by: Some(authorized.by()),
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
        self.tell(&event);
    }

    fn settle(&mut self, id: ApprovalId, how: State, by: &str, reason: Option<&str>) {
        let Some(waiting) = self.waiting.get(&id) else { return };
        let now = Timestamp::now();
        let spent = match how {
            State::Approved => Ledger::spending(&self.judge.grants, &waiting.decision.spends(), now),
            _ => Vec::new(),
        };
        let written = self.ledger.commit(|memory| {
            let mut changes = settling(memory, id, waiting, (how, by, reason), now);
            changes.extend(spent);
            if how == State::Approved {
                changes.extend(memory.leaving(&waiting.call, false, now));
            }
            changes
        });
        if let Err(error) = written {
            if how == State::Approved {
                // Nothing is allowed that is not written down: it waits on.
                tracing::warn!(%error, "what a remembered answer allows could not be recorded");
                if let Some(grant) = ledger::ended(&error) {
                    self.judge.grants.remove(grant);
                }
                return;
            }
            tracing::warn!(%error, "the record lacks how a question ended");
        }
        if how == State::Approved {
            for grant in self.waiting.get(&id).map(|waiting| waiting.decision.spends()).unwrap_or_default() {
                self.judge.grants.used(grant);
            }
        }
        let event = Event::Settle { id, state: how, by: by.to_owned(), reason: reason.map(str::to_owned) };
        let Output::Settled(resolved, _) = self.queue.handle(event, now) else { return };
        let Some(waiting) = self.waiting.remove(&id) else { return };
        let verdict = match how {
            State::Approved => {
                Verdict::Allowed(self.authorize(waiting.id, waiting.call, waiting.decision, By::Grant, None))
            }
            State::Cancelled | State::Pending => Verdict::Cancelled,
            State::Expired => Verdict::Denied(Refusal::expired(&waiting.call, waiting.decision)),
            State::Denied => Verdict::Denied(Refusal::of(&waiting.call, waiting.decision, reason)),
        };
        self.tally.count(&verdict);
        let _ = waiting.reply.send(verdict);
        self.tell(&GateEvent::Resolved(resolved));
    }
}

/// What is written when a question ends by something else than an answer.
fn settling(
    memory: &Memory,
    id: ApprovalId,
    waiting: &Waiting,
    (state, by, reason): (State, &str, Option<&str>),
    at: Timestamp,
) -> Vec<Change> {
    let Waiting { id: call_id, call, .. } = waiting;
    let by = by.to_owned();
    let resolved = ApprovalResolved::new(id, state, by.clone(), at, reason.map(str::to_owned));
    vec![
        Change::Settle { id, state, by, reason: memory.reason(reason), at },
        Change::Append(memory.writer.settled(*call_id, call, &resolved)),
    ]
}

#[cfg(test)]
mod tests;
