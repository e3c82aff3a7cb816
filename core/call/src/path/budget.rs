//! How much may be looked up while one command is judged, and while one line is.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

/// As many names are looked at for one command.
const MOST_NAMES: usize = 20_000;
/// As many are for all commands of a line.
const MOST_NAMES_OF_LINE: usize = 5 * MOST_NAMES;
/// As many are gone through for all searches of a line, to see what they show: by their names alone.
const MOST_WALKED: usize = 200_000;
/// For as long, of the thread's own time: a decision must not depend on what else the machine does.
const LONGEST: Duration = Duration::from_millis(100);
/// The same for words that are looked up to spare somebody a question (D2.11).
const BRIEF: Duration = Duration::from_millis(20);
/// The same for one such search.
const WALK: Duration = Duration::from_millis(250);
/// A disk that is slow, or a folder on another machine, takes none of the thread's own time: by the clock it may be as many
/// times as long.
const BY_THE_CLOCK: u32 = 5;
/// The clocks are looked at after as many names.
const BETWEEN: usize = 256;

/// What may still be looked at.
#[derive(Debug)]
pub(crate) struct LookupBudget {
    pub(super) names: usize,
    /// How many were looked at for the line.
    of_line: Rc<Cell<usize>>,
    most_of_line: usize,
    longest: Duration,
    /// None where the system does not say what a thread took.
    own: Option<ThreadTime>,
    until: Instant,
}

impl LookupBudget {
    /// For one command of the line for which `of_line` names were looked at.
    pub(super) fn of_line(of_line: Rc<Cell<usize>>) -> Self {
        Self::with_limit(LONGEST, of_line)
    }

    /// The same for less.
    pub(super) fn brief_of_line(of_line: Rc<Cell<usize>>) -> Self {
        Self::with_limit(BRIEF, of_line)
    }

    /// For one search of the line whose searches went through `of_line` names.
    pub(super) fn walk_of_line(of_line: Rc<Cell<usize>>) -> Self {
        Self { names: MOST_WALKED, most_of_line: MOST_WALKED, ..Self::with_limit(WALK, of_line) }
    }

    #[cfg(test)]
    pub(super) fn new() -> Self {
        Self::of_line(Rc::default())
    }

    fn with_limit(longest: Duration, of_line: Rc<Cell<usize>>) -> Self {
        let own = ThreadTime::try_now().ok();
        let by_the_clock = if own.is_some() { longest * BY_THE_CLOCK } else { longest };
        let (names, most_of_line) = (MOST_NAMES, MOST_NAMES_OF_LINE);
        Self { names, of_line, most_of_line, longest, own, until: Instant::now() + by_the_clock }
    }

    /// Takes one name; none once there are too many, or it takes too long.
    pub(crate) fn spend_name(&mut self) -> Option<()> {
        self.names = self.names.checked_sub(1)?;
        if self.of_line.get() >= self.most_of_line {
            return None;
        }
        self.of_line.set(self.of_line.get() + 1);
        let late = self.names.is_multiple_of(BETWEEN) && self.is_late();
        (!late).then_some(())
    }

    fn is_late(&self) -> bool {
        let too_long = |own: ThreadTime| own.try_elapsed().is_ok_and(|took| took > self.longest);
        self.own.is_some_and(too_long) || Instant::now() > self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D2.11: 20,000 names at most.
    #[test]
    fn given_more_names_than_may_be_looked_at_then_there_is_an_end() {
        let mut budget = LookupBudget::new();
        let spent = std::iter::from_fn(|| budget.spend_name()).count();
        assert!(spent <= MOST_NAMES, "{spent}");
        assert_eq!(budget.spend_name(), None);
    }

    /// A line has hundreds of commands, and each could have as many names looked at.
    /// Attack 586.
    #[test]
    fn given_a_line_that_has_looked_at_many_names_then_there_is_an_end_for_all_its_commands() {
        let line = crate::LineLookups::default();
        let spent: usize = (0..100)
            .map(|_| {
                let mut budget = line.budget();
                std::iter::from_fn(|| budget.spend_name()).count()
            })
            .sum();
        assert!(spent <= MOST_NAMES_OF_LINE, "{spent}");
        assert_eq!(line.brief_budget().spend_name(), None);
        assert_eq!(crate::LineLookups::default().budget().spend_name(), Some(()));
    }

    #[test]
    fn given_a_thread_that_reckoned_for_too_long_then_there_is_an_end() {
        let mut budget = LookupBudget::with_limit(Duration::ZERO, Rc::default());
        let begin = ThreadTime::now();
        while begin.elapsed().is_zero() {}
        assert!((0..=BETWEEN).any(|_| budget.spend_name().is_none()));
    }

    /// A decision does not depend on what else the machine does.
    #[test]
    fn given_a_thread_that_had_to_wait_then_its_time_is_not_used_up() {
        let mut budget = LookupBudget::with_limit(Duration::from_secs(1), Rc::default());
        let asleep = Instant::now();
        while asleep.elapsed() < Duration::from_millis(1100) {
            std::thread::park_timeout(Duration::from_millis(100));
        }
        assert!((0..=BETWEEN).all(|_| budget.spend_name().is_some()));
    }
}
