//! Questions of the user's other processes, through the store: for surfaces that show them beside their own.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc;

#[cfg(unix)]
use super::answering::{Request, ask_owner};
use super::queue::MOST_SHOWN;
use super::{QuestionEvent, Questions, cancel_abandoned};
use crate::approval::{AnswerError, ApprovalId, ApprovalResolved, ApprovalResponse, Card, State};
use crate::call::{Digest, SessionId};
use crate::record::Kind;
use crate::record::entry_details::{self, Answered};
use crate::store::{ApprovalQuery, EntryQuery, OwnerId, Store, StoreError, StoredApproval};
use crate::writer::EntryWriter;

/// How often the store is looked at.
const EVERY: Duration = Duration::from_millis(100);

/// How long the process that asks may take to say what became of an answer. It is longer than the store may be locked.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(15);

/// Says of an owner of questions whether its questions are left out.
type OwnerFilter = Arc<dyn Fn(OwnerId) -> bool + Send + Sync>;

/// Questions of other processes.
#[derive(Clone)]
pub struct RemoteQuestions {
    store: Arc<dyn Store>,
    writer: Arc<EntryWriter>,
    left_out: Option<OwnerFilter>,
}

impl RemoteQuestions {
    /// Those that are kept in `store`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, writer: Arc<EntryWriter>) -> Self {
        Self { store, writer, left_out: None }
    }

    /// Leaves out the questions of the owners that `owners` names: those of gates of this process, whose surfaces
    /// hear of them directly. It is asked at each look, so that gates may come and go.
    #[must_use]
    pub fn without_owners(mut self, owners: OwnerFilter) -> Self {
        self.left_out = Some(owners);
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

    /// Has the process that asks take an answer, which looks at this one.
    fn send(&self, response: ApprovalResponse, by: &str) -> Result<(), AnswerError> {
        let failed = |error: StoreError| AnswerError::Store(error.to_string());
        cancel_abandoned(&*self.store, &self.writer).map_err(failed)?;
        let id = response.approval_id;
        let asked = self.find_approval(id).map_err(failed)?.ok_or(AnswerError::Unknown)?;
        check_waits(&asked)?;
        if asked.digest != response.digest {
            return Err(AnswerError::Changed);
        }
        if let Some(reply) = send_answer(&self.store.answer_socket(asked.owner), response, by) {
            return reply;
        }
        // Its process is gone, or was stopped; or the question has ended otherwise meanwhile.
        cancel_abandoned(&*self.store, &self.writer).map_err(failed)?;
        self.find_approval(id).map_err(failed)?.as_ref().map_or(Ok(()), check_waits)?;
        Err(AnswerError::Unheard)
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

/// What an answer is told of a question that waits no more.
fn check_waits(asked: &StoredApproval) -> Result<(), AnswerError> {
    let by = || asked.by.clone().unwrap_or_default();
    if asked.state == State::Pending {
        Ok(())
    } else {
        Err(AnswerError::Settled { by: by(), state: asked.state })
    }
}

/// What the process that listens there says to an answer. `None`: nothing.
#[cfg(unix)]
fn send_answer(socket: &Path, response: ApprovalResponse, by: &str) -> Option<Result<(), AnswerError>> {
    let request = Request::Answer { response: Box::new(response), by: by.to_owned() };
    ask_owner(socket, &request, PATIENCE).ok().flatten()
}

/// No process takes answers from others here.
#[cfg(not(unix))]
fn send_answer(_: &Path, _: ApprovalResponse, _: &str) -> Option<Result<(), AnswerError>> {
    None
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
        self.send(response, by)
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
