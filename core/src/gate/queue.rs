//! What waits for an answer, and how what waited has ended. A question is in here whole, with its card and its call, or it
//! is not.

use std::collections::btree_map::{BTreeMap, Entry, OccupiedEntry};
use std::collections::{HashMap, VecDeque};

use tokio::sync::oneshot;

use super::{JudgedCall, Verdict};
use crate::approval::{
    AgentOption, AnswerError, ApprovalId, ApprovalResolved, ApprovalResponse, Card, Outcome, State,
};
use crate::call::SessionId;

/// As many approvals of one session are shown at once (D6.5).
pub(super) const MOST_SHOWN: usize = 64;

/// As many more of it wait in line, unseen and counted: past that they are denied.
const MOST_IN_LINE: usize = 500;

/// As many settled approvals are remembered, to tell a late answer what happened.
const REMEMBERED: usize = 1024;

/// A call that waits for an answer.
pub(super) struct Question {
    /// As it is shown.
    pub(super) card: Card,
    pub(super) judged: JudgedCall,
    /// What the agent offers.
    pub(super) options: Vec<AgentOption>,
    /// Where the verdict is awaited.
    pub(super) reply: oneshot::Sender<Verdict>,
    /// It is not in line any more.
    pub(super) shown: bool,
}

/// Everything that waits.
#[derive(Default)]
pub(super) struct Queue {
    /// Ids sort by the time at which they were made: oldest first.
    waiting: BTreeMap<ApprovalId, Question>,
    settled: SettledQuestions,
    /// As many in line were told of last.
    last_announced: usize,
}

impl Queue {
    /// Whether one more of this session may wait.
    pub(super) fn has_room(&self, session: &SessionId) -> bool {
        self.questions_of(session).count() < MOST_SHOWN + MOST_IN_LINE
    }

    /// Puts a question in. Returns whether it is shown at once, or waits in line behind others of its session.
    pub(super) fn enqueue(&mut self, mut question: Question) -> bool {
        question.shown = self.shows_more(&question.judged.call.session);
        let shown = question.shown;
        self.waiting.insert(question.card.approval_id, question);
        shown
    }

    /// The next of `session` that waits in line, now that there is room for it.
    pub(super) fn show_next(&mut self, session: &SessionId) -> Option<&Card> {
        if !self.shows_more(session) {
            return None;
        }
        let of = |question: &&mut Question| !question.shown && question.judged.call.session == *session;
        let next = self.waiting.values_mut().find(of)?;
        next.shown = true;
        Some(&next.card)
    }

    /// How many wait, and how many of these in line.
    pub(super) fn waiting_counts(&self) -> (usize, usize) {
        (self.waiting.len(), self.waiting.values().filter(|question| !question.shown).count())
    }

    /// How many wait in line, if that is another number than was told last.
    pub(super) fn changed_line_count(&mut self) -> Option<usize> {
        let (_, line) = self.waiting_counts();
        (std::mem::replace(&mut self.last_announced, line) != line).then_some(line)
    }

    fn questions_of(&self, session: &SessionId) -> impl Iterator<Item = &Question> {
        self.waiting.values().filter(move |question| question.judged.call.session == *session)
    }

    fn shows_more(&self, session: &SessionId) -> bool {
        self.questions_of(session).filter(|question| question.shown).count() < MOST_SHOWN
    }

    /// The question that waits under this id.
    ///
    /// # Errors
    /// If there is none, or none any more.
    pub(super) fn find(&mut self, id: ApprovalId) -> Result<QueuedQuestion<'_>, AnswerError> {
        match self.waiting.entry(id) {
            Entry::Occupied(place) => Ok(QueuedQuestion { entry: place, settled: &mut self.settled }),
            Entry::Vacant(_) => Err(self.settled.settled_error(id)),
        }
    }

    /// What is shown of it, oldest first.
    pub(super) fn shown_cards(&self) -> impl Iterator<Item = &Card> {
        self.waiting.values().filter(|question| question.shown).map(|question| &question.card)
    }

    pub(super) fn approval_ids(&self) -> Vec<ApprovalId> {
        self.waiting.keys().copied().collect()
    }

    /// What waits in line, the last first.
    pub(super) fn ids_in_line(&self) -> Vec<ApprovalId> {
        let line = self.waiting.iter().rev().filter(|(_, question)| !question.shown);
        line.map(|(id, _)| *id).collect()
    }

    /// What waits in one of these sessions.
    pub(super) fn ids_of(&self, sessions: &[SessionId]) -> Vec<ApprovalId> {
        let of = self.waiting.iter().filter(|(_, question)| sessions.contains(&question.judged.call.session));
        of.map(|(id, _)| *id).collect()
    }
}

/// A question in its place.
pub(super) struct QueuedQuestion<'q> {
    entry: OccupiedEntry<'q, ApprovalId, Question>,
    settled: &'q mut SettledQuestions,
}

impl QueuedQuestion<'_> {
    pub(super) fn question(&self) -> &Question {
        self.entry.get()
    }

    pub(super) fn question_mut(&mut self) -> &mut Question {
        self.entry.get_mut()
    }

    /// What an answer would make of it, or why it is refused.
    ///
    /// # Errors
    /// If it has changed since it was shown, or offers no such option.
    pub(super) fn check_answer(&self, response: &ApprovalResponse) -> Result<State, AnswerError> {
        let card = &self.question().card;
        if card.digest != response.digest {
            return Err(AnswerError::Changed);
        }
        match &response.response {
            Outcome::Cancelled => Ok(State::Cancelled),
            Outcome::Selected { option_id } => {
                let option = card.options.iter().find(|option| option.option_id == *option_id);
                let option = option.ok_or_else(|| AnswerError::Option(option_id.clone()))?;
                Ok(if option.kind.allows() { State::Approved } else { State::Denied })
            }
        }
    }

    /// It has ended so, and waits no more.
    pub(super) fn settle(self, resolved: &ApprovalResolved) -> Question {
        self.settled.remember(resolved);
        self.entry.remove()
    }
}

/// How questions have ended, the latest of them.
#[derive(Default)]
struct SettledQuestions {
    outcomes: HashMap<ApprovalId, (State, String)>,
    order: VecDeque<ApprovalId>,
}

impl SettledQuestions {
    fn remember(&mut self, resolved: &ApprovalResolved) {
        if self.order.len() >= REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.outcomes.remove(&oldest);
        }
        self.order.push_back(resolved.approval_id);
        self.outcomes.insert(resolved.approval_id, (resolved.state, resolved.by.clone()));
    }

    fn settled_error(&self, id: ApprovalId) -> AnswerError {
        match self.outcomes.get(&id) {
            Some((state, by)) => AnswerError::Settled { by: by.clone(), state: *state },
            None => AnswerError::Unknown,
        }
    }
}
