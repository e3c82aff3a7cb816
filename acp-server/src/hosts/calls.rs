//! The calls of a session, each by the app's own id.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mayi_core::approval::{ApprovalId, ApprovalResolved};
use mayi_core::call::{Access, Call, Category, Digest};
use mayi_core::policy::Mode;
use tokio::sync::watch;

use crate::api::{HostOutcome, HostStatus, HostVerdict};
use crate::backend::lock_mutex;
use crate::error::RpcError;

/// Maximum number of settled calls of a session that are known by their ids: those that nobody was asked about, and the others,
/// of which as many may wait.
const MOST_SETTLED: [usize; 2] = [64, 600];
/// Maximum number of findings that are kept of a settled call.
const MOST_FINDINGS: usize = 16;
/// The longest that a call counts as running, since it was told to have begun.
const LONGEST_RUN: Duration = Duration::from_secs(24 * 3600);
/// Maximum number of things that are kept of a refused call, and of bytes of each.
const MOST_KEPT: usize = 64;
const MOST_KEPT_BYTES: usize = 4096;

/// The calls of one session.
#[derive(Default)]
pub(super) struct Calls(Mutex<Known>);

#[derive(Default)]
struct Known {
    by_id: HashMap<String, Arc<HostedCall>>,
    /// Those that are settled, oldest first: without a question, and with one.
    settled: [VecDeque<String>; 2],
    closed: bool,
}

/// A call that is known by its id, or a new one.
pub(super) enum Begun {
    New(Arc<HostedCall>),
    Known(Arc<HostedCall>),
}

/// One call.
pub(super) struct HostedCall {
    /// What was asked.
    digest: Digest,
    /// The question, if somebody is asked.
    approval: watch::Sender<Option<ApprovalId>>,
    /// The card as it is shown.
    shown: watch::Sender<Option<Digest>>,
    /// How the question was settled.
    resolved: watch::Sender<Option<ApprovalResolved>>,
    outcome: watch::Sender<Option<HostOutcome>>,
    /// Whoever listens was told what became of it.
    told: watch::Sender<bool>,
    /// Nobody wants to know any more.
    withdrawn: watch::Sender<bool>,
    /// The mode that it was decided in.
    mode: Mutex<Option<Mode>>,
    /// Kept while it may turn out to have run though it was not allowed.
    refused: Mutex<Option<Call>>,
    run: Mutex<Run>,
}

/// What the app has told of a call that it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Run {
    /// Nothing yet.
    Untold,
    /// It has begun, then.
    Begun(Instant),
    /// It is over, as was told.
    Over(HostStatus),
}

impl HostedCall {
    fn new(digest: Digest) -> Self {
        Self {
            digest,
            approval: watch::Sender::new(None),
            shown: watch::Sender::new(None),
            resolved: watch::Sender::new(None),
            outcome: watch::Sender::new(None),
            told: watch::Sender::new(false),
            withdrawn: watch::Sender::new(false),
            mode: Mutex::default(),
            refused: Mutex::default(),
            run: Mutex::new(Run::Untold),
        }
    }

    /// Whether it waits, or runs as far as it was told.
    fn is_under_way(&self) -> bool {
        !self.is_settled() || matches!(*lock_mutex(&self.run), Run::Begun(at) if at.elapsed() < LONGEST_RUN)
    }

    pub(super) fn is_settled(&self) -> bool {
        self.outcome.borrow().is_some()
    }

    /// The question, if somebody is asked.
    pub(super) fn approval(&self) -> Option<ApprovalId> {
        *self.approval.borrow()
    }

    /// Somebody is asked.
    pub(super) fn note_asked(&self, approval: ApprovalId) {
        self.approval.send_replace(Some(approval));
    }

    pub(super) fn was_shown(&self) -> bool {
        self.shown.borrow().is_some()
    }

    /// Waits until it is decided, or somebody is asked.
    pub(super) async fn decided_or_asked(&self) {
        let (mut approval, mut outcome) = (self.approval.subscribe(), self.outcome.subscribe());
        tokio::select! {
            _ = approval.wait_for(Option::is_some) => {}
            _ = outcome.wait_for(Option::is_some) => {}
        }
    }

    /// Waits until its card is another one than was `seen`.
    pub(super) async fn shown_otherwise(&self, seen: &str) {
        let mut shown = self.shown.subscribe();
        let other = |shown: &Option<Digest>| shown.as_ref().is_some_and(|shown| shown.as_str() != seen);
        drop(shown.wait_for(other).await);
    }

    /// Waits until nobody wants to know any more.
    pub(super) async fn withdrawn(&self) {
        let mut withdrawn = self.withdrawn.subscribe();
        drop(withdrawn.wait_for(|withdrawn| *withdrawn).await);
    }

    pub(super) fn withdraw(&self) {
        self.withdrawn.send_replace(true);
    }

    /// Waits until it is decided.
    pub(super) async fn decided(&self) -> HostOutcome {
        let mut outcome = self.outcome.subscribe();
        let decided = outcome.wait_for(Option::is_some).await;
        // Its sender is held as long as this is.
        decided
            .map(|outcome| outcome.clone())
            .ok()
            .flatten()
            .unwrap_or_else(|| outcome_of(String::new(), HostVerdict::Cancelled))
    }

    /// Waits until whoever listens was told what became of it.
    pub(super) async fn told(&self) {
        let mut told = self.told.subscribe();
        drop(told.wait_for(|told| *told).await);
    }

    pub(super) fn note_told(&self) {
        self.told.send_replace(true);
    }

    /// It is decided, in `mode`.
    pub(super) fn decide(&self, mut outcome: HostOutcome, mode: Mode) {
        if outcome.outcome == HostVerdict::Allowed {
            *lock_mutex(&self.refused) = None;
        }
        *lock_mutex(&self.mode) = Some(mode);
        outcome.why.truncate(MOST_FINDINGS);
        self.outcome.send_replace(Some(outcome));
    }

    /// How the question was settled. That is told right after its verdict, if it was shown; `certain`: it was.
    pub(super) async fn resolution(&self, certain: bool) -> Option<ApprovalResolved> {
        let mut told = self.resolved.subscribe();
        if !certain && self.shown.borrow().is_none() {
            return told.borrow_and_update().clone();
        }
        let told = tokio::time::timeout(Duration::from_secs(1), told.wait_for(Option::is_some)).await;
        told.ok()?.ok()?.clone()
    }

    /// Keeps of `call` what it would touch, without what fills memory.
    pub(super) fn keep_refused(&self, call: &Call) {
        *lock_mutex(&self.refused) = Some(without_texts(call));
    }

    /// The call, where it was not allowed: once.
    pub(super) fn take_refused(&self) -> Option<Call> {
        lock_mutex(&self.refused).take()
    }

    /// What became of it, and whether that is told for the first time.
    ///
    /// # Errors
    /// If it waits still, or has ended otherwise.
    pub(super) fn report(&self, status: HostStatus) -> Result<(HostVerdict, bool), RpcError> {
        let verdict = self.outcome.borrow().as_ref().map(|outcome| outcome.outcome);
        let verdict = verdict.ok_or_else(|| {
            RpcError::of_call("waits", "this call waits for an answer: it can't have begun")
        })?;
        let mut run = lock_mutex(&self.run);
        let news = match (*run, status) {
            // The same again: whoever told it has not heard that it came.
            (Run::Begun(_), HostStatus::Started) => false,
            (Run::Over(told), status) if told == status => false,
            (Run::Over(_), _) => {
                let text = "this call was reported to have ended already, and otherwise: that stays";
                return Err(RpcError::of_call("ended", text));
            }
            (_, HostStatus::Started) => {
                *run = Run::Begun(Instant::now());
                true
            }
            _ => {
                *run = Run::Over(status);
                true
            }
        };
        Ok((verdict, news))
    }

    /// Whether it may be asked about again: as the same question.
    fn check_again(&self, digest: &Digest, mode: Mode) -> Result<(), RpcError> {
        if self.digest != *digest {
            let text = "this `callId` was asked for another call: a new call has a new id";
            return Err(RpcError::of_call("used_id", text));
        }
        if *lock_mutex(&self.run) != Run::Untold {
            let text = "this call has begun, or has ended: a new call has a new `callId`";
            return Err(RpcError::of_call("ended", text));
        }
        if lock_mutex(&self.mode).is_some_and(|then| then < mode) {
            let text = "this call was decided in a looser mode: ask anew, with a new `callId`";
            return Err(RpcError::of_call("ended", text));
        }
        Ok(())
    }
}

impl Calls {
    /// The call that is known by this id already, or a new one.
    ///
    /// # Errors
    /// If the id was used for another call, or the session is closed.
    pub(super) fn begin(&self, id: &str, digest: Digest, mode: Mode) -> Result<Begun, RpcError> {
        let mut known = lock_mutex(&self.0);
        if known.closed {
            return Err(RpcError::of_session("closed", "the session is closed"));
        }
        if let Some(call) = known.by_id.get(id) {
            call.check_again(&digest, mode)?;
            return Ok(Begun::Known(Arc::clone(call)));
        }
        let begun = Arc::new(HostedCall::new(digest));
        known.by_id.insert(id.to_owned(), Arc::clone(&begun));
        Ok(Begun::New(begun))
    }

    /// Its id is free: it was none.
    pub(super) fn forget(&self, id: &str) {
        lock_mutex(&self.0).by_id.remove(id);
    }

    /// Whether something waits.
    pub(super) fn any_waits(&self) -> bool {
        lock_mutex(&self.0).by_id.values().any(|call| !call.is_settled())
    }

    /// Whether something waits, or runs as far as it was told.
    pub(super) fn any_under_way(&self) -> bool {
        lock_mutex(&self.0).by_id.values().any(|call| call.is_under_way())
    }

    /// The ids and questions that wait, oldest first.
    pub(super) fn waiting(&self) -> Vec<(String, ApprovalId)> {
        let known = lock_mutex(&self.0);
        let open = known.by_id.iter().filter(|(_, call)| !call.is_settled());
        let mut waiting: Vec<_> =
            open.filter_map(|(id, call)| Some((id.clone(), call.approval()?))).collect();
        drop(known);
        waiting.sort_by_key(|(_, approval)| *approval);
        waiting
    }

    /// A card is shown, or has changed.
    pub(super) fn note_shown(&self, id: &str, digest: &Digest) {
        if let Some(call) = lock_mutex(&self.0).by_id.get(id) {
            call.shown.send_replace(Some(digest.clone()));
        }
    }

    /// The card of this call is settled.
    pub(super) fn note_resolved(&self, id: &str, resolved: &ApprovalResolved) {
        if let Some(call) = lock_mutex(&self.0).by_id.get(id) {
            call.resolved.send_replace(Some(resolved.clone()));
        }
    }

    /// # Errors
    /// If no call of this id is known.
    pub(super) fn find(&self, id: &str) -> Result<Arc<HostedCall>, RpcError> {
        let found = lock_mutex(&self.0).by_id.get(id).cloned();
        let text = "no call of this `callId` was asked in this session, or it was long ago";
        found.ok_or_else(|| RpcError::of_call("unknown_call", text))
    }

    /// It is decided: those that were long ago are forgotten.
    pub(super) fn settle(&self, id: &str, asked: bool) {
        let mut known = lock_mutex(&self.0);
        let Known { by_id, settled, .. } = &mut *known;
        let (Some(settled), Some(most)) =
            (settled.get_mut(usize::from(asked)), MOST_SETTLED.get(usize::from(asked)))
        else {
            return;
        };
        settled.push_back(id.to_owned());
        if settled.len() > *most
            && let Some(oldest) = settled.pop_front()
        {
            by_id.remove(&oldest);
        }
    }

    /// All of them. With `closing`, no other comes any more.
    pub(super) fn all(&self, closing: bool) -> Vec<Arc<HostedCall>> {
        let mut known = lock_mutex(&self.0);
        known.closed |= closing;
        known.by_id.values().cloned().collect()
    }
}

/// What a refused call would touch, without what fills memory.
fn without_texts(call: &Call) -> Call {
    let mut kept = Call {
        tool_call_id: call.tool_call_id.clone(),
        roots: call.roots.clone(),
        kind: call.kind.clone(),
        name: call.name.clone(),
        accesses: call.accesses.iter().take(MOST_KEPT).cloned().collect(),
        ..Call::new(call.door, call.agent.clone(), call.session.clone(), call.cwd.clone())
    };
    for access in &mut kept.accesses {
        let text = access.object();
        let has_arguments = matches!(access, Access::Mcp(_));
        if has_arguments || text.len() > MOST_KEPT_BYTES {
            let name = text.chars().take(MOST_KEPT_BYTES / 4).collect();
            let category = if has_arguments { Category::External } else { Category::Execute };
            *access = Access::Tool { name, category };
        }
    }
    kept
}

/// An outcome of which nothing more is known.
pub(super) fn outcome_of(call_id: String, outcome: HostVerdict) -> HostOutcome {
    HostOutcome {
        call_id,
        outcome,
        approval_id: None,
        by: None,
        reason: None,
        granted: Vec::new(),
        why: Vec::new(),
        card: None,
    }
}
