//! What happened, as people count it: the entries of one call together, where they are on the page.

use std::collections::HashMap;

use mayi_core::approval::ApprovalId;
use mayi_core::record::{CallId, Kind, Recorded};

/// One call as far as it is on the page, or one other thing.
#[derive(Debug)]
pub(super) struct EntryGroup {
    entries: Vec<Recorded>,
}

impl EntryGroup {
    /// Where it stands: the number of its first entry.
    pub(super) fn first_seq(&self) -> u64 {
        self.entries.iter().map(|recorded| recorded.seq).min().unwrap_or_default()
    }

    /// Its first entry of one of `kinds`.
    pub(super) fn first_of_kinds(&self, kinds: &[Kind]) -> Option<&Recorded> {
        let of = self.entries.iter().filter(|recorded| kinds.contains(&recorded.entry.kind));
        of.min_by_key(|recorded| recorded.seq)
    }

    /// Its first entry.
    pub(super) fn first_entry(&self) -> Option<&Recorded> {
        self.entries.iter().min_by_key(|recorded| recorded.seq)
    }

    /// Its entries, in no order.
    pub(super) fn entries(&self) -> &[Recorded] {
        &self.entries
    }

    /// Whether nothing of it can have been before its first entry.
    fn is_whole(&self) -> bool {
        self.entries.iter().any(|recorded| {
            matches!(
                recorded.entry.kind,
                Kind::Proposed | Kind::Unasked | Kind::Granted | Kind::Revoked | Kind::Config
            )
        })
    }
}

/// Joins entries as they are read, in either order.
#[derive(Debug, Default)]
pub(super) struct EntryGrouper {
    groups: Vec<EntryGroup>,
    calls: HashMap<CallId, usize>,
    approvals: HashMap<ApprovalId, usize>,
}

impl EntryGrouper {
    /// Another entry.
    pub(super) fn add(&mut self, recorded: Recorded) {
        let entry = &recorded.entry;
        // What is remembered of an answer is told by itself.
        let alone = matches!(entry.kind, Kind::Granted | Kind::Revoked | Kind::Config);
        let (call, approval) = if alone { (None, None) } else { (entry.call, entry.approval) };
        let place = call
            .and_then(|call| self.calls.get(&call))
            .or_else(|| approval.and_then(|approval| self.approvals.get(&approval)))
            .copied()
            .unwrap_or(self.groups.len());
        if let Some(call) = call {
            self.calls.insert(call, place);
        }
        if let Some(approval) = approval {
            self.approvals.insert(approval, place);
        }
        match self.groups.get_mut(place) {
            Some(happening) => happening.entries.push(recorded),
            None => self.groups.push(EntryGroup { entries: vec![recorded] }),
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// All of them, oldest first.
    pub(super) fn finish(self) -> Vec<EntryGroup> {
        let mut all = self.groups;
        all.sort_by_key(EntryGroup::first_seq);
        all
    }

    /// Those that no entry that is still to be read belongs to, oldest first; the others stay.
    pub(super) fn take_whole(&mut self) -> Vec<EntryGroup> {
        let (mut whole, open): (Vec<_>, Vec<_>) =
            std::mem::take(self).groups.into_iter().partition(EntryGroup::is_whole);
        if open.len() > whole.len() {
            // Entries that are filtered are never whole.
            whole.extend(open);
        } else {
            for recorded in open.into_iter().flat_map(|happening| happening.entries) {
                self.add(recorded);
            }
        }
        whole.sort_by_key(EntryGroup::first_seq);
        whole
    }
}
