//! The queue of what waits, as a state machine: events in, outputs out, no I/O, one owner.

use std::collections::{HashMap, VecDeque};

use jiff::Timestamp;

use super::{AnswerError, ApprovalId, ApprovalResolved, ApprovalResponse, Card, Outcome, State};
use mayi_call::SessionId;

/// As many approvals of one session may wait (decisions, section 6).
pub const MOST_WAITING: usize = 64;

/// As many settled approvals are remembered, to tell a late answer what happened.
const REMEMBERED: usize = 1024;

/// What happens to the queue.
#[derive(Debug)]
pub enum Event {
    /// A call waits for an answer.
    Ask(Box<Card>),
    /// A waiting call has changed, or is judged by another policy: the new card, with the old id.
    Update(Box<Card>),
    /// A surface answers.
    Answer {
        /// The answer.
        response: ApprovalResponse,
        /// Which surface.
        by: String,
    },
    /// Something else than an answer ends it: a policy, a grant, the agent, a time limit.
    Settle {
        /// Which one.
        id: ApprovalId,
        /// How it ends: never `Pending`.
        state: State,
        /// What ended it.
        by: String,
        /// Why.
        reason: Option<String>,
    },
}

/// What follows.
#[derive(Debug)]
pub enum Output {
    /// Surfaces show this card.
    Show(Box<Card>),
    /// Surfaces show this card in place of the one with its id.
    Updated(Box<Card>),
    /// Surfaces settle this card; an answer comes along where a person gave one.
    Settled(ApprovalResolved, Option<Box<ApprovalResponse>>),
    /// Too many wait: the call is denied.
    Full,
    /// The answer is refused; the approval is as it was.
    Refused(AnswerError),
}

/// Everything that waits, in the order it was asked.
#[derive(Debug, Default)]
pub struct Queue {
    waiting: Vec<Card>,
    settled: HashMap<ApprovalId, (State, String)>,
    order: VecDeque<ApprovalId>,
}

impl Queue {
    /// Takes one event.
    pub fn handle(&mut self, event: Event, now: Timestamp) -> Output {
        match event {
            Event::Ask(card) => {
                if !self.room(&card.session_id) {
                    return Output::Full;
                }
                self.waiting.push((*card).clone());
                Output::Show(card)
            }
            Event::Update(card) => {
                match self.waiting.iter_mut().find(|other| other.approval_id == card.approval_id) {
                    Some(place) => {
                        *place = (*card).clone();
                        Output::Updated(card)
                    }
                    None => Output::Refused(self.gone(card.approval_id)),
                }
            }
            Event::Answer { response, by } => self.answer(response, by, now),
            Event::Settle { id, state, by, reason } => match self.take(id) {
                Some(_) => Output::Settled(self.settle(id, state, by, reason, now), None),
                None => Output::Refused(self.gone(id)),
            },
        }
    }

    /// Whether one more of this session may wait.
    #[must_use]
    pub fn has_room(&self, session: &SessionId) -> bool {
        self.room(&session.0)
    }

    fn room(&self, session: &str) -> bool {
        self.waiting.iter().filter(|other| other.session_id == session).count() < MOST_WAITING
    }

    /// What waits, oldest first.
    #[must_use]
    pub fn waiting(&self) -> &[Card] {
        &self.waiting
    }

    /// What an answer would make of its approval, or why it is refused.
    ///
    /// # Errors
    /// If the approval is settled or unknown, has changed since it was shown, or offers no such
    /// option.
    pub fn check(&self, response: &ApprovalResponse) -> Result<State, AnswerError> {
        let id = response.approval_id;
        let card = self.waiting.iter().find(|card| card.approval_id == id).ok_or_else(|| self.gone(id))?;
        if card.digest != response.digest {
            return Err(AnswerError::Changed);
        }
        match &response.response {
            Outcome::Cancelled => Ok(State::Cancelled),
            Outcome::Selected { option_id } => {
                let option = card.options.iter().find(|option| option.option_id == *option_id);
                let option = option.ok_or_else(|| AnswerError::Option(option_id.clone()))?;
                Ok(if option.kind.starts_with("allow") { State::Approved } else { State::Denied })
            }
        }
    }

    fn answer(&mut self, response: ApprovalResponse, by: String, now: Timestamp) -> Output {
        match self.check(&response) {
            Ok(state) => {
                self.take(response.approval_id);
                let reason = response.reason.clone();
                let id = response.approval_id;
                Output::Settled(self.settle(id, state, by, reason, now), Some(Box::new(response)))
            }
            Err(error) => Output::Refused(error),
        }
    }

    fn take(&mut self, id: ApprovalId) -> Option<Card> {
        let at = self.waiting.iter().position(|card| card.approval_id == id)?;
        Some(self.waiting.remove(at))
    }

    fn settle(
        &mut self,
        id: ApprovalId,
        state: State,
        by: String,
        reason: Option<String>,
        now: Timestamp,
    ) -> ApprovalResolved {
        if self.order.len() >= REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.settled.remove(&oldest);
        }
        self.order.push_back(id);
        self.settled.insert(id, (state, by.clone()));
        ApprovalResolved::new(id, state, by, now, reason)
    }

    fn gone(&self, id: ApprovalId) -> AnswerError {
        match self.settled.get(&id) {
            Some((state, by)) => AnswerError::Settled { by: by.clone(), state: *state },
            None => AnswerError::Unknown,
        }
    }
}
