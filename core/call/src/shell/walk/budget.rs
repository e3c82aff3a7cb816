//! How much of a line is walked: what is beyond that is refused, so that no line takes long.

use crate::effort;
use crate::shell::bounds;
use crate::shell::line_error::{LineError, Result};

/// As many texts of one line are walked though they may be no lines, and as much of them.
const MOST_GUESSES: usize = 128;
const MOST_GUESSED: usize = 64 * 1024;

/// As often the bodies of loops are walked for one value each, all loops of a line together: one loop within another would
/// multiply that.
const MOST_ROUNDS: usize = 256;

/// Steps for a command, besides those for its words.
const COMMAND: usize = 1_000;

/// What a walk has spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WalkBudget {
    commands: usize,
    /// What opens in words.
    weight: usize,
    depth: usize,
    /// Texts that were walked as lines though they may be none, and their length.
    guesses: usize,
    guessed: usize,
    /// Bodies of loops that were walked for one value.
    rounds: usize,
}

impl WalkBudget {
    /// One more command.
    pub(super) fn spend_command(&mut self) -> Result<()> {
        check_steps(COMMAND)?;
        self.commands += 1;
        check_limit(self.commands, bounds::MOST_COMMANDS, "the line holds too many commands")
    }

    /// What opens in a word.
    pub(super) fn spend_word(&mut self, weight: usize) -> Result<()> {
        self.weight += weight;
        check_limit(self.weight, bounds::MOST_IN_WORDS, "the line holds too many expansions")
    }

    /// One level further in.
    pub(super) fn enter_level(&mut self) -> Result<()> {
        check_limit(self.depth + 1, bounds::DEEPEST, "the line is nested too deep")?;
        self.depth += 1;
        Ok(())
    }

    /// One level out again.
    pub(super) fn leave_level(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// One more text that may be a line; whether it may be walked.
    pub(super) fn spend_guess(&mut self, text: &str) -> bool {
        self.guesses += 1;
        self.guessed += text.len();
        self.guesses <= MOST_GUESSES && self.guessed <= MOST_GUESSED
    }

    /// One more value of a loop; whether its body may be walked with that alone.
    pub(super) fn spend_round(&mut self) -> bool {
        self.rounds += 1;
        self.rounds <= MOST_ROUNDS
    }

    /// What was spent since `before` was spent on a trial: the line has the rest for itself. Guesses and rounds are counted
    /// all the same, since each of them may lead to more.
    pub(super) fn refund_trial(&mut self, before: Self) {
        (self.commands, self.weight) = (before.commands, before.weight);
    }
}

/// Takes steps of the decision's (D2.40).
pub(super) fn check_steps(steps: usize) -> Result<()> {
    if effort::spend(steps) { Ok(()) } else { Err(LineError::too_much()) }
}

fn check_limit(spent: usize, most: usize, reason: &str) -> Result<()> {
    if spent > most { Err(LineError::new(reason)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_entered_can_be_entered_again_once_it_was_left() {
        let mut budget = WalkBudget::default();
        for _ in 0..bounds::DEEPEST {
            budget.enter_level().unwrap();
        }
        assert!(budget.enter_level().is_err());
        budget.leave_level();
        assert_eq!(budget.enter_level(), Ok(()));
    }

    #[test]
    fn a_trial_costs_the_line_its_guesses_and_nothing_else() {
        let mut budget = WalkBudget::default();
        budget.spend_command().unwrap();
        budget.spend_word(3).unwrap();
        let before = budget;
        assert!(budget.spend_guess("ls"));
        budget.spend_command().unwrap();
        budget.spend_word(5).unwrap();
        budget.refund_trial(before);
        assert_eq!(budget, WalkBudget { guesses: 1, guessed: 2, ..before });
    }

    #[test]
    fn too_many_guesses_and_too_long_ones_are_not_walked() {
        let mut many = WalkBudget::default();
        assert_eq!((0..MOST_GUESSES + 1).filter(|_| many.spend_guess("")).count(), MOST_GUESSES);
        assert!(!WalkBudget::default().spend_guess(&"x".repeat(MOST_GUESSED + 1)));
    }

    #[test]
    fn there_is_an_end_to_commands_and_to_words() {
        let mut budget = WalkBudget::default();
        for _ in 0..bounds::MOST_COMMANDS {
            budget.spend_command().unwrap();
        }
        assert!(budget.spend_command().is_err());
        assert!(budget.spend_word(bounds::MOST_IN_WORDS + 1).is_err());
    }
}
