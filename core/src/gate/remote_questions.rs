//! Questions of the user's other processes, through the store: for surfaces that show them beside their own.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::mpsc;

use super::queue::MOST_SHOWN;
use super::{QuestionEvent, Questions, asking_pids, cancel_abandoned, is_started_by};
use crate::approval::{AnswerError, ApprovalId, ApprovalResolved, ApprovalResponse, Card, State};
use crate::call::{Digest, SessionId};
use crate::record::Kind;
use crate::record::entry_details::{self, Answered};
use crate::store::{
    ApprovalQuery, Change, Conflict, EntryQuery, OfferId, OwnerId, Store, StoreError, StoredApproval,
};
use crate::writer::EntryWriter;

/// How often the store is looked at.
const EVERY: Duration = Duration::from_millis(100);

/// So long the process that asks has to take an answer.
const PATIENCE: Duration = Duration::from_secs(15);

/// So long after a question is settled its process may take to say by which answer.
const GRACE: Duration = Duration::from_secs(2);

/// Says of an owner of questions whether its questions are left out.
type OwnerFilter = Arc<dyn Fn(OwnerId) -> bool + Send + Sync>;

/// Questions of other processes.
#[derive(Clone)]
pub struct RemoteQuestions {
    store: Arc<dyn Store>,
    writer: Arc<EntryWriter>,
    left_out: Option<OwnerFilter>,
    /// Who answers is a person at the terminal of this process.
    at_terminal: bool,
}

impl RemoteQuestions {
    /// Those that are kept in `store`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, writer: Arc<EntryWriter>) -> Self {
        Self { store, writer, left_out: None, at_terminal: false }
    }

    /// Leaves out the questions of the owners that `owners` names: those of gates of this process, whose surfaces
    /// hear of them directly. It is asked at each look, so that gates may come and go.
    #[must_use]
    pub fn without_owners(mut self, owners: OwnerFilter) -> Self {
        self.left_out = Some(owners);
        self
    }

    /// Who answers is a person at this process's own terminal: at each answer it is looked whether an agent has started it
    /// (D6.8). A harness begins to be known as one when its first hook asks.
    #[must_use]
    pub fn at_terminal(mut self) -> Self {
        self.at_terminal = true;
        self
    }

    /// A question as it is kept, whoever asked it. One that is settled is there for a month, with its card if that is not a
    /// long one. `None`: there is none with this id.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn find_approval(&self, id: ApprovalId) -> Result<Option<StoredApproval>, StoreError> {
        let query = ApprovalQuery { id: Some(id), ..ApprovalQuery::default() };
        Ok(self.store.query_approvals(&query)?.into_iter().next())
    }

    /// What was granted with the answer: its entry in the record says it.
    fn granted_by_answer(&self, id: ApprovalId, state: State) -> Vec<String> {
        if state != State::Approved {
            return Vec::new();
        }
        let query = EntryQuery {
            approval: Some(id),
            kinds: vec![Kind::Answered],
            limit: Some(1),
            ..EntryQuery::default()
        };
        let entries = self.store.query_entries(&query).unwrap_or_default();
        let answered =
            entries.first().and_then(|recorded| entry_details::read::<Answered>(&recorded.entry).ok());
        answered.map(|answered| answered.granted).unwrap_or_default()
    }

    fn pending_approvals(&self) -> Result<Vec<StoredApproval>, StoreError> {
        Ok(self.pending_in_view()?.0)
    }

    /// What is shown, and how many more wait in line.
    fn pending_in_view(&self) -> Result<(Vec<StoredApproval>, usize), StoreError> {
        let mut all =
            self.store.query_approvals(&ApprovalQuery { pending: true, ..ApprovalQuery::default() })?;
        if let Some(except) = &self.left_out {
            all.retain(|approval| !except(approval.owner));
        }
        Ok(in_view(all))
    }

    fn approval_if_readable(&self, id: ApprovalId) -> Option<StoredApproval> {
        self.find_approval(id).ok().flatten()
    }

    /// What the process that asks makes of an offered answer.
    fn await_reply(&self, offer: OfferId, id: ApprovalId) -> Result<(), AnswerError> {
        let begun = Instant::now();
        let mut settled = None;
        loop {
            match self.store.offer_reply(offer) {
                Ok(Some(Ok(()))) => return Ok(()),
                Ok(Some(Err(refused))) => return Err(AnswerError::Remember(refused)),
                Ok(None) => {}
                Err(error) => return Err(AnswerError::Store(error.to_string())),
            }
            // Settled by something else, or its process is gone. One that has taken the answer says so right
            // after it has settled the question.
            let _ = cancel_abandoned(&*self.store, &self.writer);
            match self.approval_if_readable(id).filter(|approval| approval.state != State::Pending) {
                Some(approval) if settled.is_some_and(|since: Instant| since.elapsed() > GRACE) => {
                    let by = approval.by.unwrap_or_default();
                    return Err(AnswerError::Settled { by, state: approval.state });
                }
                Some(_) => settled = settled.or_else(|| Some(Instant::now())),
                None => {}
            }
            if begun.elapsed() > PATIENCE {
                let withdrawn = Change::Reply { id: offer, refused: Some("withdrawn".to_owned()) };
                match self.store.commit(vec![withdrawn]) {
                    Ok(()) => return Err(AnswerError::Unheard),
                    // Taken in the last moment.
                    Err(StoreError::Conflict(_)) => continue,
                    Err(error) => return Err(AnswerError::Store(error.to_string())),
                }
            }
            std::thread::sleep(EVERY / 4);
        }
    }
}

/// Those of `pending` that are shown, oldest first, and how many wait in line behind them: of one session there are so many
/// at once, the oldest (D6.5).
#[must_use]
pub fn in_view(mut pending: Vec<StoredApproval>) -> (Vec<StoredApproval>, usize) {
    pending.sort_by_key(|approval| approval.id);
    let all = pending.len();
    let mut seen: HashMap<(OwnerId, SessionId), usize> = HashMap::new();
    pending.retain(|approval| {
        let count = seen.entry((approval.owner, approval.session.clone())).or_default();
        *count += 1;
        *count <= MOST_SHOWN
    });
    let line = all - pending.len();
    (pending, line)
}

/// The card of a kept question, if this version of mayi can read it.
#[must_use]
pub fn parse_stored_card(approval: &StoredApproval) -> Option<Card> {
    serde_json::from_value(approval.card.clone()).ok()
}

impl Questions for RemoteQuestions {
    fn waiting_cards(&self) -> Vec<Card> {
        // What a process that is gone has left is no question: not even for the moment until the watch sees it.
        if let Err(error) = cancel_abandoned(&*self.store, &self.writer) {
            tracing::warn!(%error, "what ended processes have left could not be settled");
        }
        self.pending_approvals().unwrap_or_default().iter().filter_map(parse_stored_card).collect()
    }

    fn count_queued(&self) -> usize {
        self.pending_in_view().map(|(_, line)| line).unwrap_or_default()
    }

    fn answer(&self, response: ApprovalResponse, by: &str) -> Result<(), AnswerError> {
        if self.at_terminal {
            let asking = asking_pids(&*self.store).map_err(|error| AnswerError::Store(error.to_string()))?;
            if is_started_by(&asking, std::process::id()) {
                let why = "an agent can't answer for the person: this was started by one; use a terminal outside of that";
                return Err(AnswerError::Remember(why.to_owned()));
            }
        }
        let (id, offer) = (response.approval_id, OfferId::new());
        let change = Change::Offer {
            id: offer,
            response: Box::new(response),
            by: by.to_owned(),
            at: Timestamp::now(),
        };
        match self.store.commit(vec![change]) {
            Ok(()) => self.await_reply(offer, id),
            Err(StoreError::Conflict(Conflict::Settled { state, by, .. })) => {
                Err(AnswerError::Settled { by, state })
            }
            Err(StoreError::Conflict(Conflict::Changed(_))) => Err(AnswerError::Changed),
            Err(StoreError::Conflict(_)) => Err(AnswerError::Unknown),
            Err(error) => Err(AnswerError::Store(error.to_string())),
        }
    }

    fn subscribe_questions(&self) -> mpsc::UnboundedReceiver<QuestionEvent> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let remote = self.clone();
        tokio::task::spawn_blocking(move || {
            StoreWatch { remote, seen_digests: HashMap::new(), line: 0, stamp: None }.run(&sender)
        });
        receiver
    }

    /// They are other processes' questions: they go on waiting.
    fn on_interrupt(&self, _: Option<&str>) {}
}

/// Tells of what changes in the store.
struct StoreWatch {
    remote: RemoteQuestions,
    seen_digests: HashMap<ApprovalId, Digest>,
    line: usize,
    stamp: Option<u64>,
}

impl StoreWatch {
    fn run(mut self, to: &mpsc::UnboundedSender<QuestionEvent>) {
        while !to.is_closed() {
            let _ = cancel_abandoned(&*self.remote.store, &self.remote.writer);
            let stamp = self.remote.store.change_stamp().ok();
            if (stamp.is_none() || stamp != self.stamp) && self.poll_store(to).is_some() {
                self.stamp = stamp;
            }
            std::thread::sleep(EVERY);
        }
    }

    fn poll_store(&mut self, to: &mpsc::UnboundedSender<QuestionEvent>) -> Option<()> {
        let (pending, line) = self.remote.pending_in_view().ok()?;
        for approval in &pending {
            let Some(card) = parse_stored_card(approval) else { continue };
            match self.seen_digests.insert(approval.id, approval.digest.clone()) {
                None => to.send(QuestionEvent::Asked(Box::new(card))).ok()?,
                Some(digest) if digest != approval.digest => {
                    to.send(QuestionEvent::Updated(Box::new(card))).ok()?;
                }
                Some(_) => {}
            }
        }
        let gone: Vec<ApprovalId> = self
            .seen_digests
            .keys()
            .filter(|id| !pending.iter().any(|other| other.id == **id))
            .copied()
            .collect();
        for id in gone {
            self.seen_digests.remove(&id);
            let (state, by, reason) = match self.remote.approval_if_readable(id) {
                Some(approval) => (approval.state, approval.by.unwrap_or_default(), approval.reason),
                None => (State::Cancelled, "mayi".to_owned(), None),
            };
            let mut resolved = ApprovalResolved::new(id, state, by, Timestamp::now(), reason);
            resolved.granted_permissions = self.remote.granted_by_answer(id, state);
            to.send(QuestionEvent::Resolved(resolved)).ok()?;
        }
        if std::mem::replace(&mut self.line, line) != line {
            to.send(QuestionEvent::InLine(line)).ok()?;
        }
        Some(())
    }
}
