//! Turns of a session with those of its sub-agents: what is under way, and what was cancelled or stopped (D6.22, S4.15).
//!
//! There is one state for all of them: whoever cancels a sub-agent cancels the turn that it works for.

use std::time::{Duration, Instant};

/// How long an agent may go on after it was stopped.
pub(crate) const ENDING: Duration = Duration::from_secs(10);

/// Where the turns of a family stand.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// As many prompts are under way.
    prompts: usize,
    /// The agent has said that it works (version 2).
    works: bool,
    /// So many prompts, the oldest, were cancelled and have not ended yet.
    cancelled: usize,
    /// It was cancelled while nothing was under way: that holds until the person prompts.
    holds: bool,
    /// When mayi stopped it, if it did.
    stopped: Option<Instant>,
    /// It was stopped so often.
    stops: u64,
}

/// What a stop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnStop {
    /// The first one of this turn: its number.
    First(u64),
    /// It was stopped before.
    Again,
    /// It was stopped so long ago that it has to end.
    TooLong,
}

impl Turns {
    /// As many prompts are under way.
    pub(crate) fn prompt_count(&self) -> usize {
        self.prompts
    }

    /// Whether one is under way, cancelled or not.
    pub(crate) fn is_working(&self) -> bool {
        self.prompts > 0 || self.works
    }

    /// The person has prompted: what was held is not any more.
    pub(crate) fn note_prompt(&mut self) {
        self.prompts += 1;
        self.holds = false;
        self.clear_stop();
    }

    /// The agent says that it works (version 2).
    pub(crate) fn note_working(&mut self) {
        self.works = true;
    }

    /// Whether nothing is allowed now.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled > 0 || self.holds
    }

    /// What is under way is cancelled; where nothing is, all is until the person prompts.
    pub(crate) fn cancel_turn(&mut self) {
        if self.is_working() {
            self.cancelled = self.prompts.max(1);
        } else {
            self.holds = true;
        }
    }

    /// The same on mayi's own account.
    pub(crate) fn stop(&mut self, now: Instant) -> TurnStop {
        match self.stopped {
            Some(since) if now.saturating_duration_since(since) >= ENDING => return TurnStop::TooLong,
            Some(_) => return TurnStop::Again,
            None => {}
        }
        self.cancel_turn();
        self.stopped = Some(now);
        self.stops += 1;
        TurnStop::First(self.stops)
    }

    /// Whether the turn goes on that was stopped as the stop of this number.
    pub(crate) fn runs_after_stop(&self, stop: u64) -> bool {
        self.stops == stop && self.stopped.is_some() && self.cancelled > 0
    }

    /// A prompt has ended. Whether that was the last one of those that were cancelled.
    pub(crate) fn end_prompt(&mut self) -> bool {
        let cancelled = self.cancelled > 0;
        self.prompts = self.prompts.saturating_sub(1);
        self.cancelled = self.cancelled.saturating_sub(1).min(self.prompts);
        self.clear_stop();
        cancelled && self.cancelled == 0
    }

    /// A session's work is over, and `taken` prompts with it (version 2); `root`: it is the one that the editor opened. Whether it
    /// was cancelled.
    pub(crate) fn end_work(&mut self, taken: usize, root: bool) -> bool {
        let cancelled = self.cancelled > 0;
        self.prompts = self.prompts.saturating_sub(taken);
        if root {
            self.works = false;
            self.cancelled = 0;
        } else {
            self.cancelled = self.cancelled.min(self.prompts + usize::from(self.works));
        }
        self.clear_stop();
        cancelled && self.cancelled == 0
    }

    fn clear_stop(&mut self) {
        if !self.is_cancelled() {
            self.stopped = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D6.22, attack 493.
    #[test]
    fn given_a_cancel_outside_of_a_turn_then_it_holds_until_the_person_prompts() {
        let mut turns = Turns::default();
        turns.cancel_turn();
        assert!(turns.is_cancelled());
        turns.note_prompt();
        assert!(!turns.is_cancelled());
    }

    /// S4.15, attack 493: the second of two turns that overlap is stopped like the first.
    #[test]
    fn given_turns_that_overlap_then_each_can_be_stopped() {
        let (mut turns, now) = (Turns::default(), Instant::now());
        turns.note_prompt();
        assert_eq!(turns.stop(now), TurnStop::First(1));
        assert_eq!(turns.stop(now), TurnStop::Again);
        turns.note_prompt();
        assert!(turns.is_cancelled() && turns.runs_after_stop(1));
        assert!(turns.end_prompt());
        assert!(!turns.is_cancelled() && !turns.runs_after_stop(1));
        assert_eq!(turns.stop(now), TurnStop::First(2));
        assert!(turns.is_cancelled() && turns.runs_after_stop(2) && !turns.runs_after_stop(1));
    }

    /// S4.15.
    #[test]
    fn given_a_stop_that_is_long_ago_then_who_goes_on_has_to_end() {
        let (mut turns, now) = (Turns::default(), Instant::now());
        turns.stop(now);
        assert_eq!(turns.stop(now + ENDING), TurnStop::TooLong);
        turns.note_prompt();
        assert_eq!(turns.stop(now + ENDING), TurnStop::First(2));
    }
}
