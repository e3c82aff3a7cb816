//! Goes through entries in their order, and says what is wrong with them.

use super::chain::{self, Cell, Link};
use super::key::{Key, Mac};
use super::report::{HeadState, RecordFault, RecordFinding, RecordPlace};

/// An entry as it is stored: every column with its name, in the table's order.
pub type Row<'a> = &'a [(&'a str, Cell<'a>)];

/// At most so many broken entries are looked at again, to find out which were exchanged for each other.
const LOOKED_AT_AGAIN: usize = 64;
/// At most so often a broken entry's right number is searched for among its neighbours.
const SEARCHES: u32 = 2_000;
/// So far away it is searched for.
const NEIGHBOURS: u64 = 8;

/// Goes through entries in their order. After one that is broken it goes on with what that one says of itself,
/// so that one wrong entry is one finding.
#[derive(Debug)]
pub struct ChainChecker {
    key: Key,
    place: RecordPlace,
    /// The entry before: as it is stored.
    previous: Link,
    /// Whether that one can be believed.
    believed: bool,
    /// The newest entry that is as it was written, by the number it was written with.
    sound: Link,
    /// How far the numbers of the entries before were moved.
    moved: Option<(u64, u64)>,
    /// The head, and whether its entry was met.
    head: Option<Link>,
    head_met: bool,
    /// The last two entries that began a commit.
    commits: [u64; 2],
    entries: u64,
    first: Option<u64>,
    searches: u32,
    broken: Vec<BrokenEntry>,
    findings: Vec<RecordFinding>,
}

/// A broken entry, kept to look at it again.
#[derive(Debug)]
struct BrokenEntry {
    seq: u64,
    finding: usize,
    columns: Vec<(String, OwnedCell)>,
    mac: Mac,
}

#[derive(Debug)]
enum OwnedCell {
    Null,
    Integer(i64),
    Real(u64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

impl ChainChecker {
    /// Begins after `before`. The entries up to `head` were there once, if it is known.
    #[must_use]
    pub fn new(key: Key, place: RecordPlace, previous: Link, head: Option<Link>) -> Self {
        Self {
            key,
            place,
            previous,
            believed: true,
            sound: previous,
            moved: None,
            head,
            head_met: head.is_some_and(|head| head == previous || head.seq < previous.seq),
            commits: [0; 2],
            entries: 0,
            first: None,
            searches: SEARCHES,
            broken: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// Where it stands: the number and the MAC of the entry before, as it is stored.
    #[must_use]
    pub fn position(&self) -> Link {
        self.previous
    }

    /// How many entries there were, and the number of the first.
    #[must_use]
    pub fn entry_counts(&self) -> (u64, Option<u64>) {
        (self.entries, self.first)
    }

    /// The entries from here to `to` can't be read; 0: all that there are.
    pub fn skip_unreadable(&mut self, to: u64, reason: String) {
        let from = self.previous.seq.saturating_add(1);
        let end = if to == 0 { self.head.map_or(from, |head| head.seq) } else { to };
        let to = end.max(from);
        self.add_finding(from, to, RecordFault::Unreadable { reason });
        self.previous = Link { seq: to, mac: Mac::NONE };
        self.believed = false;
    }

    /// The next entry.
    pub fn check_row(&mut self, row: Row<'_>) {
        self.entries += 1;
        let expected = self.previous.seq.saturating_add(1);
        if matches!(find_cell(row, chain::SEQ), Some(Cell::Integer(..0))) {
            self.add_finding(0, 0, RecordFault::Added);
            return;
        }
        let Some(seq) = find_number(row, chain::SEQ) else {
            self.add_finding(expected, expected, RecordFault::Changed);
            self.previous = Link { seq: expected, mac: mac_of(row, chain::MAC).unwrap_or(Mac::NONE) };
            self.believed = false;
            return;
        };
        self.first.get_or_insert(seq);
        if seq < expected {
            self.add_finding(seq, seq, RecordFault::Added);
            return;
        }
        let stored = mac_of(row, chain::MAC);
        let valid = stored.is_some_and(|stored| chain::seal_entry(&self.key, row.iter().copied()) == stored);
        let gap = seq > expected;
        if valid {
            let mac = stored.unwrap_or(Mac::NONE);
            if gap {
                self.add_finding(expected, seq - 1, RecordFault::Missing);
            } else if self.believed && mac_of(row, chain::PREV) != Some(self.previous.mac) {
                self.add_finding(self.previous.seq, self.previous.seq, RecordFault::Replaced);
            }
            if find_number(row, chain::PART) == Some(0) {
                self.commits = [self.commits[1], seq];
            }
            self.believed = true;
            self.moved = None;
            self.sound = Link { seq, mac };
            self.head_met |= self.head == Some(self.sound);
            self.previous = self.sound;
            return;
        }
        self.report_wrong_mac(row, seq, expected, stored);
    }

    /// An entry whose MAC is not its own.
    fn report_wrong_mac(&mut self, row: Row<'_>, seq: u64, expected: u64, stored: Option<Mac>) {
        let mac = stored.unwrap_or(Mac::NONE);
        if seq > expected {
            self.add_finding(expected, seq - 1, RecordFault::Missing);
        }
        if let Some(written) = stored.and_then(|stored| self.written_as(row, seq, stored)) {
            self.report_shifted(seq, written);
            self.sound = Link { seq: written, mac };
            self.head_met |= self.head == Some(self.sound);
            self.moved = Some((seq, written));
        } else {
            let beyond = self.head.is_some_and(|head| seq > head.seq);
            self.add_finding(seq, seq, if beyond { RecordFault::Added } else { RecordFault::Changed });
            if self.broken.len() < LOOKED_AT_AGAIN {
                let columns = row
                    .iter()
                    .map(|(name, cell)| ((*name).to_owned(), OwnedCell::from_cell(*cell)))
                    .collect();
                self.broken.push(BrokenEntry { seq, finding: self.findings.len() - 1, columns, mac });
            }
        }
        self.previous = Link { seq, mac };
        self.believed = false;
    }

    /// The number that an entry at `seq` was written with, if it is near.
    fn written_as(&mut self, row: Row<'_>, seq: u64, stored: Mac) -> Option<u64> {
        let holds = |key: &Key, written: u64| seal_as(key, row, written) == Some(stored);
        if let Some((at, written)) = self.moved {
            let same = written.checked_add(seq.checked_sub(at)?)?;
            if holds(&self.key, same) {
                return Some(same);
            }
        }
        if mac_of(row, chain::PREV) == Some(self.sound.mac) {
            let next = self.sound.seq.checked_add(1)?;
            if holds(&self.key, next) {
                return Some(next);
            }
        }
        self.searches = self.searches.checked_sub(1)?;
        let near = (1..=NEIGHBOURS).flat_map(|by| [seq.checked_sub(by), seq.checked_add(by)]);
        near.flatten().find(|written| holds(&self.key, *written))
    }

    /// The entry at `seq` was written as `written`: told once for all that were moved alike.
    fn report_shifted(&mut self, seq: u64, written: u64) {
        let place = self.place.clone();
        if let Some(RecordFinding { from, to, place: there, what: RecordFault::OutOfPlace { belongs } }) =
            self.findings.last_mut()
            && *there == place
            && to.checked_add(1) == Some(seq)
            && belongs.checked_add(seq - *from) == Some(written)
        {
            *to = seq;
            return;
        }
        self.findings.push(RecordFinding {
            from: seq,
            to: seq,
            place,
            what: RecordFault::OutOfPlace { belongs: written },
        });
    }

    /// Tells of something; what is next to the like is told of together with it.
    fn add_finding(&mut self, from: u64, to: u64, what: RecordFault) {
        // A broken entry that is looked at again later has a finding of its own until then.
        let joined = self.broken.len() >= LOOKED_AT_AGAIN
            || !matches!(what, RecordFault::Changed | RecordFault::Added);
        if joined
            && let Some(last) = self.findings.last_mut()
            && last.what == what
            && last.to.checked_add(1) == Some(from)
        {
            last.to = to;
            return;
        }
        self.findings.push(RecordFinding { from, to, place: self.place.clone(), what });
    }

    /// The end: what is wrong, and how the head stands to the entries.
    #[must_use]
    pub fn finish(mut self) -> (Vec<RecordFinding>, HeadState) {
        let state = self.compare_head();
        self.match_exchanged();
        let mut joined: Vec<RecordFinding> = Vec::with_capacity(self.findings.len());
        for finding in self.findings {
            match joined.last_mut() {
                Some(last)
                    if last.what == finding.what
                        && last.place == finding.place
                        && matches!(finding.what, RecordFault::Changed | RecordFault::Added)
                        && last.to.checked_add(1) == Some(finding.from) =>
                {
                    last.to = finding.to;
                }
                _ => joined.push(finding),
            }
        }
        joined.sort_by_key(|finding| finding.from);
        (joined, state)
    }

    fn compare_head(&mut self) -> HeadState {
        let Some(head) = self.head else { return HeadState::Wrong };
        let last = self.previous.seq;
        if head.seq > last && self.sound != head {
            self.add_finding(last.saturating_add(1), head.seq, RecordFault::EndRemoved);
            return HeadState::Wrong;
        }
        if head == self.previous || self.sound == head {
            return if head.seq == 0 { HeadState::None } else { HeadState::Current };
        }
        let entries = last.saturating_sub(head.seq);
        let told = |seq: u64, findings: &[RecordFinding]| {
            findings.iter().any(|finding| (finding.from..=finding.to).contains(&seq))
        };
        if !self.head_met && !told(head.seq, &self.findings) {
            self.add_finding(head.seq, head.seq, RecordFault::Replaced);
            return HeadState::Wrong;
        }
        // Only what was committed last may have come after the head.
        let [_, begun] = self.commits;
        if entries > 0 && begun == head.seq.saturating_add(1) {
            return HeadState::Behind { entries };
        }
        if entries > 0 && !told(head.seq.saturating_add(1), &self.findings) {
            self.add_finding(head.seq.saturating_add(1), last, RecordFault::HeadOlder);
        }
        HeadState::Wrong
    }

    /// Finds out which of the broken entries were exchanged for each other.
    fn match_exchanged(&mut self) {
        let numbers: Vec<u64> = self.broken.iter().map(|broken| broken.seq).collect();
        for broken in &self.broken {
            let row: Vec<(&str, Cell<'_>)> =
                broken.columns.iter().map(|(name, cell)| (name.as_str(), cell.as_cell())).collect();
            let written = numbers
                .iter()
                .copied()
                .filter(|number| *number != broken.seq)
                .find(|number| seal_as(&self.key, &row, *number) == Some(broken.mac));
            if let (Some(belongs), Some(finding)) = (written, self.findings.get_mut(broken.finding)) {
                finding.what = RecordFault::OutOfPlace { belongs };
            }
        }
    }
}

/// The MAC of `row` if its number were `seq`.
fn seal_as(key: &Key, row: Row<'_>, seq: u64) -> Option<Mac> {
    let seq = i64::try_from(seq).ok()?;
    let as_written = |(name, cell): &(&'_ str, Cell<'_>)| *name == chain::SEQ && *cell != Cell::Null;
    let columns = row.iter().map(|column| match as_written(column) {
        true => (column.0, Cell::Integer(seq)),
        false => *column,
    });
    Some(chain::seal_entry(key, columns))
}

fn find_cell<'a>(row: Row<'a>, name: &str) -> Option<Cell<'a>> {
    row.iter().find(|(column, _)| *column == name).map(|(_, cell)| *cell)
}

fn find_number(row: Row<'_>, name: &str) -> Option<u64> {
    match find_cell(row, name)? {
        Cell::Integer(number) => u64::try_from(number).ok(),
        _ => None,
    }
}

fn mac_of(row: Row<'_>, name: &str) -> Option<Mac> {
    match find_cell(row, name)? {
        Cell::Blob(bytes) => Mac::from_bytes(bytes),
        _ => None,
    }
}

impl OwnedCell {
    fn from_cell(cell: Cell<'_>) -> Self {
        match cell {
            Cell::Null => Self::Null,
            Cell::Integer(number) => Self::Integer(number),
            Cell::Real(bits) => Self::Real(bits),
            Cell::Text(bytes) => Self::Text(bytes.to_vec()),
            Cell::Blob(bytes) => Self::Blob(bytes.to_vec()),
        }
    }

    fn as_cell(&self) -> Cell<'_> {
        match self {
            Self::Null => Cell::Null,
            Self::Integer(number) => Cell::Integer(*number),
            Self::Real(bits) => Cell::Real(*bits),
            Self::Text(bytes) => Cell::Text(bytes),
            Self::Blob(bytes) => Cell::Blob(bytes),
        }
    }
}
