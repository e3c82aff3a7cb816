//! How much of a line is walked: what is beyond that is refused, so that no line takes long.

use crate::shell::bounds;
use crate::shell::refused::{Refused, Result};

/// As many texts of one line are walked though they may be no lines, and as much of them.
const MOST_GUESSES: usize = 128;
const MOST_GUESSED: usize = 64 * 1024;

/// What a walk has spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Budget {
    commands: usize,
    /// What opens in words.
    weight: usize,
    depth: usize,
    /// Texts that were walked as lines though they may be none, and their length.
    guesses: usize,
    guessed: usize,
}

impl Budget {
    /// One more command.
    pub(super) fn command(&mut self) -> Result<()> {
        self.commands += 1;
        within(self.commands, bounds::MOST_COMMANDS, "the line holds too many commands")
    }

    /// What opens in a word.
    pub(super) fn word(&mut self, weight: usize) -> Result<()> {
        self.weight += weight;
        within(self.weight, bounds::MOST_IN_WORDS, "the line holds too many expansions")
    }

    /// One level further in.
    pub(super) fn goes_in(&mut self) -> Result<()> {
        within(self.depth + 1, bounds::DEEPEST, "the line is nested too deep")?;
        self.depth += 1;
        Ok(())
    }

    /// One level out again.
    pub(super) fn comes_out(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// One more text that may be a line; whether it may be walked.
    pub(super) fn guess(&mut self, text: &str) -> bool {
        self.guesses += 1;
        self.guessed += text.len();
        self.guesses <= MOST_GUESSES && self.guessed <= MOST_GUESSED
    }

    /// What was spent since `before` was spent on a trial: the line has the rest for itself. Guesses are counted all the
    /// same, since each of them may lead to more.
    pub(super) fn forgive(&mut self, before: Self) {
        (self.commands, self.weight) = (before.commands, before.weight);
    }
}

fn within(spent: usize, most: usize, reason: &str) -> Result<()> {
    if spent > most { Err(Refused::new(reason)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_entered_can_be_entered_again_once_it_was_left() {
        let mut budget = Budget::default();
        for _ in 0..bounds::DEEPEST {
            budget.goes_in().unwrap();
        }
        assert!(budget.goes_in().is_err());
        budget.comes_out();
        assert_eq!(budget.goes_in(), Ok(()));
    }

    #[test]
    fn a_trial_costs_the_line_its_guesses_and_nothing_else() {
        let mut budget = Budget::default();
        budget.command().unwrap();
        budget.word(3).unwrap();
        let before = budget;
        assert!(budget.guess("ls"));
        budget.command().unwrap();
        budget.word(5).unwrap();
        budget.forgive(before);
        assert_eq!(budget, Budget { guesses: 1, guessed: 2, ..before });
    }

    #[test]
    fn too_many_guesses_and_too_long_ones_are_not_walked() {
        let mut many = Budget::default();
        assert_eq!((0..MOST_GUESSES + 1).filter(|_| many.guess("")).count(), MOST_GUESSES);
        assert!(!Budget::default().guess(&"x".repeat(MOST_GUESSED + 1)));
    }

    #[test]
    fn there_is_an_end_to_commands_and_to_words() {
        let mut budget = Budget::default();
        for _ in 0..bounds::MOST_COMMANDS {
            budget.command().unwrap();
        }
        assert!(budget.command().is_err());
        assert!(budget.word(bounds::MOST_IN_WORDS + 1).is_err());
    }
}
