//! The one enforcement point: a [`Call`](crate::call::Call) goes in, an [`Authorized`] call or a refusal comes out.
//!
//! Doors hand calls in and await [`Ticket`]s in tasks of their own; surfaces subscribe to [`GateEvent`]s and send answers.
//! What a gate knows has owners, each in a file of its own, and is decided about under one lock by what stands in
//! `submit`, `answer`, `settle` and `again`.

mod answer;
#[cfg(unix)]
mod answering;
mod asking;
mod authorized;
mod bypass;
mod cover;
mod hook_events;
mod judge;
mod ledger;
mod listeners;
mod memory;
mod other_processes;
mod peer_process;
mod progress;
mod questions;
mod queue;
mod rejudge;
mod remembered_answers;
mod remote_questions;
mod session;
mod session_tools;
mod settle;
mod submit;

#[cfg(unix)]
pub use answering::check_by_those_who_ask;
pub use asking::{QuestionEvent, Questions};
pub use authorized::{Authorized, DecidedBy, Refusal, Verdict};
pub use hook_events::EndReport;
pub use listeners::{GateEvent, Tally};
pub use mayi_kept::{AnswerPersistence, KeepError, NoPersistence};
pub use memory::{Memory, cancel_abandoned};
#[cfg(target_os = "linux")]
pub use peer_process::ProcessTree;
pub use peer_process::{
    PeerError, PeerFacts, SUPERVISOR, asking_pids, is_started_by, is_within_an_agent, look_up_peers, peer_of,
};
pub use progress::Execution;
pub use remote_questions::{RemoteQuestions, in_view, parse_stored_card};
pub use session::Session;
pub use session_tools::ToolFactsSource;
pub use submit::{ReportedEnd, Ticket};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::mpsc;

use crate::approval::Card;
use crate::policy::Policy;

use authorized::{JudgedCall, RefusalReason};
use judge::Judge;
use ledger::Ledger;
use listeners::{Listener, Listeners};

/// What becomes of an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnAsk {
    /// A surface of this process asks a person.
    Prompt,
    /// There is nobody: it is denied.
    Deny,
    /// It waits for another surface.
    Wait,
    /// The agent's own prompt asks: mayi neither allows nor denies it.
    Leave,
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

/// A gate that somebody else holds, and that ends with them.
#[derive(Clone)]
pub struct WeakGate {
    state: Weak<Mutex<GateState>>,
}

impl WeakGate {
    /// The gate; `None`, if nobody holds it any more.
    #[must_use]
    pub fn upgrade(&self) -> Option<Gate> {
        self.state.upgrade().map(|state| Gate { state })
    }
}

/// What a gate knows, by what it is for.
struct GateState {
    asking: Asking,
    judge: Judge,
    /// The names that the record has for calls.
    calls: progress::CallIds,
    cover: cover::Cover,
    /// Calls of tools that were judged where they run.
    gateway_calls: session_tools::GatewayCalls,
    queue: queue::Queue,
    listeners: Listeners,
    tally: Tally,
    ledger: Ledger,
}

impl Gate {
    /// A gate that decides by `policy` and asks as `asking` says.
    #[must_use]
    pub fn new(policy: Policy, asking: Asking, keeper: Box<dyn AnswerPersistence>) -> Self {
        Self::with_ledger(policy, asking, Ledger::new(None, keeper))
    }

    /// The same, with a record, answers that outlive the process, and a queue that others can answer.
    /// Nothing runs that can't be written down. [`Gate::watch_store`] has to run, so that others are heard.
    #[must_use]
    pub fn with_memory(
        policy: Policy,
        asking: Asking,
        keeper: Box<dyn AnswerPersistence>,
        memory: Memory,
    ) -> Self {
        Self::with_ledger(policy, asking, Ledger::new(Some(memory), keeper))
    }

    /// The same for a process that is there for one call, and has [`Memory::of_one_call`]: which policy holds is not written
    /// down by each of them.
    #[must_use]
    pub fn of_one_call(
        policy: Policy,
        asking: Asking,
        keeper: Box<dyn AnswerPersistence>,
        memory: Memory,
    ) -> Self {
        Self::from_ledger(policy, asking, Ledger::new(Some(memory), keeper))
    }

    fn with_ledger(policy: Policy, asking: Asking, ledger: Ledger) -> Self {
        ledger.record_policy(&policy);
        Self::from_ledger(policy, asking, ledger)
    }

    fn from_ledger(policy: Policy, asking: Asking, ledger: Ledger) -> Self {
        let state = GateState {
            asking,
            judge: Judge::with_policy(policy),
            calls: progress::CallIds::default(),
            cover: cover::Cover::default(),
            gateway_calls: session_tools::GatewayCalls::default(),
            queue: queue::Queue::default(),
            listeners: Listeners::default(),
            tally: Tally::default(),
            ledger,
        };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// The gate for those who do not need it to go on.
    #[must_use]
    pub fn downgrade(&self) -> WeakGate {
        WeakGate { state: Arc::downgrade(&self.state) }
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

    /// What waits and is shown, oldest first.
    #[must_use]
    pub fn waiting_cards(&self) -> Vec<Card> {
        self.lock().queue.shown_cards().cloned().collect()
    }

    /// How many wait, also in line.
    #[must_use]
    pub fn count_waiting(&self) -> usize {
        self.lock().queue.waiting_counts().0
    }

    /// How many of these wait in line, behind those that are shown: as many of a session are not shown at once
    /// (D6.5).
    #[must_use]
    pub fn count_queued(&self) -> usize {
        self.lock().queue.waiting_counts().1
    }

    /// Hears of everything from now on; cards that wait already come first.
    #[must_use]
    pub fn subscribe(&self) -> mpsc::UnboundedReceiver<GateEvent> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.forward_events(sender);
        receiver
    }

    /// Sends everything from now on `to` a channel that others send to as well, at the moment at which it happens; cards that
    /// wait already come first.
    pub fn forward_events<E: From<GateEvent> + Send + 'static>(&self, to: mpsc::UnboundedSender<E>) {
        self.add_listener(Box::new(move |event| to.send(event.clone().into()).is_ok()));
    }

    /// Tells `listener` of everything from now on; cards that wait already come first.
    fn add_listener(&self, listener: Listener) {
        let mut state = self.lock();
        for card in state.queue.shown_cards() {
            listener(&GateEvent::Asked(Box::new(card.clone())));
        }
        state.listeners.add(listener);
    }

    fn lock(&self) -> MutexGuard<'_, GateState> {
        // A panic elsewhere must not make the gate unusable: nothing is left half done in here.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
