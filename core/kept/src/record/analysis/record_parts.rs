//! A long record, a part at a time: memory is bounded, and what belongs to a call stays together.

use std::collections::{HashMap, HashSet};

use super::call_story::call_stories;
use crate::approval::ApprovalId;
use crate::record::{CallId, Recorded};

/// As many entries are held at once.
const MOST: usize = 8192;

/// Collects entries, oldest first, and gives them back in parts: all of a call's entries in one of them.
///
/// Calls that wait for their answer are held back, and so are those that something was heard of lately; of a
/// call that waits for thousands of entries, what comes later is in another part.
#[derive(Debug)]
pub struct RecordParts {
    buffered: Vec<Recorded>,
    most: usize,
}

impl Default for RecordParts {
    fn default() -> Self {
        Self { buffered: Vec::new(), most: MOST }
    }
}

impl RecordParts {
    /// The next entry. From time to time a part is complete.
    pub fn push(&mut self, recorded: Recorded) -> Option<Vec<Recorded>> {
        self.buffered.push(recorded);
        (self.buffered.len() >= self.most).then(|| self.take_part())
    }

    /// What is left: the last part.
    #[must_use]
    pub fn finish(self) -> Vec<Recorded> {
        self.buffered
    }

    fn take_part(&mut self) -> Vec<Recorded> {
        let calls = CallsByApproval::from_entries(&self.buffered);
        let lately = self.buffered.iter().skip(self.most / 2).filter_map(|recorded| calls.call_of(recorded));
        let waiting = call_stories(&self.buffered)
            .into_iter()
            .filter(|story| story.asked.is_some() && story.ended.is_none())
            .map(|story| story.id);
        let open: HashSet<CallId> = lately.chain(waiting).collect();
        let is_open = |recorded: &Recorded| calls.call_of(recorded).is_some_and(|call| open.contains(&call));
        let (held, part): (Vec<Recorded>, Vec<Recorded>) =
            std::mem::take(&mut self.buffered).into_iter().partition(is_open);
        if held.len() > self.most / 4 * 3 {
            // So much waits that there would be no end to it.
            return part.into_iter().chain(held).collect();
        }
        self.buffered = held;
        part
    }
}

/// Which call an entry is about: some name the question alone.
struct CallsByApproval(HashMap<ApprovalId, CallId>);

impl CallsByApproval {
    fn from_entries(entries: &[Recorded]) -> Self {
        let asked = entries.iter().filter_map(|of| Some((of.entry.approval?, of.entry.call?)));
        Self(asked.collect())
    }

    fn call_of(&self, recorded: &Recorded) -> Option<CallId> {
        let entry = &recorded.entry;
        entry.call.or_else(|| self.0.get(&entry.approval?).copied())
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::RecordParts;
    use crate::record::analysis::{ReplayBuilder, StatsBuilder, compute_stats, replay_entries};
    use crate::record::testing::{Person, TestSession, policy_with_rules, shell_call};
    use crate::record::{Kind, Recorded};
    use mayi_policy::Effect;

    fn split_parts(entries: &[Recorded], most: usize) -> Vec<Vec<Recorded>> {
        let mut parts = RecordParts { most, ..RecordParts::default() };
        let mut all: Vec<_> = entries.iter().filter_map(|entry| parts.push(entry.clone())).collect();
        all.push(parts.finish());
        all
    }

    /// Stats and replay read "a part at a time": what comes of it is what comes of all at once.
    #[test]
    fn given_a_record_in_parts_then_its_figures_are_those_of_the_whole() {
        let mut session = TestSession::new(policy_with_rules(&[(Effect::Deny, "shell(rm *)")]));
        for at in 0..60 {
            let person = [Person::Yes, Person::No, Person::Nobody][at % 3];
            session.record_call(&shell_call(["make a", "rm x", "ls src", "git push"][at % 4]), person);
        }
        let other = policy_with_rules(&[(Effect::Allow, "shell(make *)")]);
        // A question that is answered late.
        let mut entries = session.entries;
        let late = entries.iter().position(|of| of.entry.kind == Kind::Answered).unwrap();
        let answer = entries.remove(late);
        entries.push(answer);
        for most in [16, 40, 1000] {
            let (mut figures, mut replaying) = (StatsBuilder::new(TimeZone::UTC), ReplayBuilder::default());
            let parts = split_parts(&entries, most);
            assert!(most == 1000 || parts.len() > 3);
            for part in &parts {
                figures.add_entries(part);
                replaying.add_entries(part, &other);
            }
            assert_eq!(figures.finish(), compute_stats(&entries, &TimeZone::UTC));
            let (whole, again) = (replay_entries(&entries, &other), replaying.finish());
            assert_eq!((whole.calls, whole.same), (again.calls, again.same));
            let counts = |of: &crate::record::analysis::ReplayReport| {
                of.differences.iter().map(|of| of.count).sum::<usize>()
            };
            assert_eq!(counts(&whole), counts(&again));
        }
    }

    #[test]
    fn given_more_that_waits_than_is_held_then_there_is_an_end_to_it() {
        let mut session = TestSession::new(policy_with_rules(&[]));
        for _ in 0..50 {
            session.record_call(&shell_call("make"), Person::Yes);
        }
        session.entries.retain(|of| of.entry.kind != Kind::Answered);
        let parts = split_parts(&session.entries, 16);
        assert!(parts.iter().all(|part| part.len() <= 16));
        assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), session.entries.len());
    }
}
