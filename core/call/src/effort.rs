//! What one decision may take, whatever the line, the arguments and the rules are (D2.40).
//!
//! It is counted in steps and not in time, so that the same call is decided the same on every machine, however busy that is.
//! A step stands for some fifty nanoseconds, or for some bytes that are copied. Who works on a decision says so once, by
//! [`bounded`]; what is done within has one budget, through all lines, homes, readings and trials, and says by [`spend`] what it
//! takes. Once it is spent, nothing is looked at any more, and what was left out is asked about, always.

use std::cell::Cell;

/// Maximum number of steps for reading a request, and again for judging it.
pub const MOST: u64 = 1_000_000;

thread_local! {
    /// What is left of the budget of the decision that this thread works on; none: of its own.
    static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Puts back what was there, also where the work panics.
struct Restore(Option<u64>);

impl Drop for Restore {
    fn drop(&mut self) {
        LEFT.set(self.0);
    }
}

/// Does `work` as one decision, or as a part of the one that is under way: then with what is left of it.
pub fn bounded<T>(work: impl FnOnce() -> T) -> T {
    if LEFT.get().is_some() {
        return work();
    }
    let _restore = Restore(None);
    LEFT.set(Some(MOST));
    work()
}

/// Does `work` as a decision of its own, whatever else is under way: what it finds depends on nothing before it.
pub fn bounded_alone<T>(work: impl FnOnce() -> T) -> T {
    let _restore = Restore(LEFT.replace(Some(MOST)));
    work()
}

/// Takes steps from what is left; whether there were as many. Outside of a decision nothing is counted.
pub fn spend(steps: usize) -> bool {
    let Some(left) = LEFT.get() else { return true };
    let left = left.checked_sub(u64::try_from(steps).unwrap_or(u64::MAX));
    LEFT.set(Some(left.unwrap_or_default()));
    left.is_some_and(|left| left > 0)
}

/// Whether nothing is left.
#[must_use]
pub fn is_spent() -> bool {
    LEFT.get() == Some(0)
}

/// A part of a decision that another thread does while this one waits.
pub(crate) struct HandedOver(Option<u64>);

/// What is left, for the thread that goes on.
pub(crate) fn hand_over() -> HandedOver {
    HandedOver(LEFT.get())
}

impl HandedOver {
    /// Does `work` on the other thread, and hands back what it left.
    pub(crate) fn carry_on<T>(self, work: impl FnOnce() -> T) -> (T, Self) {
        let _restore = Restore(LEFT.replace(self.0));
        let done = work();
        (done, Self(LEFT.get()))
    }

    /// Takes it back. Where the other thread ended otherwise, nothing is left.
    pub(crate) fn take_back(left: Option<Self>) {
        let before = LEFT.get();
        LEFT.set(before.map(|_| left.and_then(|left| left.0).unwrap_or_default()));
    }
}

/// How many steps `work` takes.
#[must_use]
pub fn steps_of<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let _restore = Restore(LEFT.replace(Some(MOST)));
    let done = work();
    (done, MOST.saturating_sub(LEFT.get().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_decision_then_all_its_parts_have_one_budget() {
        bounded(|| {
            assert!(spend(10));
            let most = usize::try_from(MOST).unwrap();
            bounded(|| assert!(!spend(most)));
            assert!(is_spent() && !spend(1));
        });
        assert!(!is_spent(), "the next one has its own");
        bounded(|| assert!(spend(1)));
    }

    #[test]
    fn given_a_part_on_another_thread_then_it_takes_from_the_same_budget() {
        let ((), steps) = steps_of(|| {
            let left = hand_over();
            let (_, left) = std::thread::spawn(move || left.carry_on(|| spend(70))).join().unwrap();
            HandedOver::take_back(Some(left));
            spend(7);
        });
        assert_eq!(steps, 77);
        bounded(|| {
            HandedOver::take_back(None);
            assert!(is_spent());
        });
    }

    #[test]
    fn given_work_that_panics_then_the_next_decision_has_its_own_budget() {
        let panicked = std::panic::catch_unwind(|| bounded(|| panic!("on purpose")));
        assert!(panicked.is_err() && LEFT.get().is_none());
    }
}
