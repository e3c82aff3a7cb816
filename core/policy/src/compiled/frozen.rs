//! The index and the rules in their blocks.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::record::RuleRecord;
use super::{BlockContents, BlockSource};
use crate::index::{IndexTable, KeyLookup};
use crate::pattern::PatternBases;
use crate::{Origin, Rule};

/// Blocks, each read when it is first needed.
#[derive(Debug)]
pub(super) struct LazyBlocks {
    contents: BlockContents,
    blocks: Box<dyn BlockSource>,
    read: Vec<OnceLock<Option<Vec<u8>>>>,
    /// One could not be had, or is not what it should be.
    failed: AtomicBool,
}

/// What stands behind the number of a table in a key: nothing has a name there, or the name follows.
pub(super) const WITHOUT_NAME: u8 = 0;
pub(super) const NAMED: u8 = 1;

/// The key of a name in a table.
pub(super) fn table_key(table: IndexTable, kind: u8, name: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(2 + name.len());
    key.extend([table as u8, kind]);
    key.extend(name.as_bytes());
    key
}

/// An entry of a block of keys: the key, and its rules.
struct KeyEntry<'b> {
    key: &'b [u8],
    rest: &'b [u8],
    count: u32,
}

impl<'b> KeyEntry<'b> {
    /// The entry that `bytes` begin with, and where its rules begin.
    fn read(bytes: &'b [u8]) -> Option<Self> {
        let (key, rest) = postcard::take_from_bytes::<&[u8]>(bytes).ok()?;
        let (count, rest) = postcard::take_from_bytes::<u32>(rest).ok()?;
        Some(Self { key, rest, count })
    }

    /// Gives its rules to `found`, and returns what is behind them.
    fn take_rules(&self, mut found: Option<&mut Vec<u32>>) -> Option<&'b [u8]> {
        let mut rest = self.rest;
        for _ in 0..self.count {
            let (rule, behind) = postcard::take_from_bytes::<u32>(rest).ok()?;
            rest = behind;
            if let Some(found) = &mut found {
                found.push(rule);
            }
        }
        Some(rest)
    }
}

impl LazyBlocks {
    pub(super) fn new(contents: BlockContents, blocks: Box<dyn BlockSource>) -> Self {
        let count = contents.keys.len() + contents.records.len();
        let read = std::iter::repeat_with(OnceLock::new).take(count).collect();
        Self { contents, blocks, read, failed: AtomicBool::new(false) }
    }

    pub(super) fn contents(&self) -> &BlockContents {
        &self.contents
    }

    /// Whether what was found may not be all.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    pub(super) fn read_all_rules(&self) -> Option<Vec<Rule>> {
        self.blocks.read_all_rules()
    }

    /// A rule, as it is compiled at `places`.
    pub(super) fn read_rule(&self, number: u32, origin: &Origin, places: &PatternBases) -> Option<Rule> {
        let rule = self.read_record(number).and_then(|record| record.into_rule(origin, places));
        if rule.is_none() {
            self.mark_failed();
        }
        rule
    }

    fn read_record(&self, number: u32) -> Option<RuleRecord<'_>> {
        let block = self.contents.records.partition_point(|first| *first <= number).checked_sub(1)?;
        let first = *self.contents.records.get(block)?;
        let mut rest = self.block(self.contents.keys.len() + block)?;
        for _ in first..number {
            (_, rest) = postcard::take_from_bytes::<&[u8]>(rest).ok()?;
        }
        let (bytes, _) = postcard::take_from_bytes::<&[u8]>(rest).ok()?;
        postcard::from_bytes(bytes).ok()
    }

    fn block(&self, number: usize) -> Option<&[u8]> {
        self.read.get(number)?.get_or_init(|| self.blocks.read_block(number)).as_deref()
    }

    /// How many blocks were read, and how many there are.
    #[cfg(test)]
    pub(super) fn blocks_read(&self) -> (usize, usize) {
        (self.read.iter().filter(|block| block.get().is_some()).count(), self.read.len())
    }

    fn mark_failed(&self) {
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Goes through the entries from `key` on, in their order, as long as `take` says so. It gets the key of each and a place for
    /// its rules, if they are wanted.
    fn scan_entries<'f>(
        &'f self,
        key: &[u8],
        mut take: impl FnMut(&'f [u8]) -> ScanAction,
        found: &mut Vec<u32>,
    ) {
        if self.try_scan_entries(key, &mut take, found).is_none() {
            self.mark_failed();
        }
    }

    fn try_scan_entries<'f>(
        &'f self,
        key: &[u8],
        take: &mut impl FnMut(&'f [u8]) -> ScanAction,
        found: &mut Vec<u32>,
    ) -> Option<()> {
        let keys = &self.contents.keys;
        // A key may only stand in the last block that does not begin behind it.
        let first = keys.partition_point(|first| first.as_slice() <= key).saturating_sub(1);
        for number in first..keys.len() {
            let mut rest = self.block(number)?;
            while !rest.is_empty() {
                let entry = KeyEntry::read(rest)?;
                let go = if entry.key < key { ScanAction::Past } else { take(entry.key) };
                rest = match go {
                    ScanAction::Past => entry.take_rules(None)?,
                    ScanAction::Take => entry.take_rules(Some(found))?,
                    ScanAction::Stop => return Some(()),
                };
            }
        }
        Some(())
    }

    /// The first name of a table that is `from` or behind it.
    pub(super) fn next(&self, table: IndexTable, from: &str) -> Option<&str> {
        let mut first = None;
        let take = |key| {
            first = Some(key);
            ScanAction::Stop
        };
        self.scan_entries(&self::table_key(table, NAMED, from), take, &mut Vec::new());
        match first? {
            [of, NAMED, name @ ..] if *of == table as u8 => std::str::from_utf8(name).ok(),
            _ => None,
        }
    }
}

/// What becomes of an entry.
#[derive(Clone, Copy)]
enum ScanAction {
    /// It is not meant.
    Past,
    /// Its rules are.
    Take,
    /// Neither it nor what follows.
    Stop,
}

impl KeyLookup for LazyBlocks {
    fn find_named(&self, table: IndexTable, name: &str, found: &mut Vec<u32>) {
        if self.is_empty(table) {
            return;
        }
        let wanted = table_key(table, NAMED, name);
        self.scan_entries(
            &wanted,
            |key| if key == wanted { ScanAction::Take } else { ScanAction::Stop },
            found,
        );
    }

    fn find_from(&self, table: IndexTable, head: &str, found: &mut Vec<u32>) {
        self.find_between(table, head, "", found);
    }

    fn find_between(&self, table: IndexTable, head: &str, tail: &str, found: &mut Vec<u32>) {
        if self.is_empty(table) {
            return;
        }
        let wanted = table_key(table, NAMED, head);
        let take = |key: &[u8]| match key.starts_with(&wanted) {
            // Head and tail may be the same part of a name.
            true if key.get(2..).is_some_and(|name| name.ends_with(tail.as_bytes())) => ScanAction::Take,
            true => ScanAction::Past,
            false => ScanAction::Stop,
        };
        self.scan_entries(&wanted, take, found);
    }

    fn find_unnamed(&self, table: IndexTable, found: &mut Vec<u32>) {
        if self.is_empty(table) {
            return;
        }
        let wanted = table_key(table, WITHOUT_NAME, "");
        self.scan_entries(
            &wanted,
            |key| if key == wanted { ScanAction::Take } else { ScanAction::Stop },
            found,
        );
    }

    fn is_empty(&self, table: IndexTable) -> bool {
        self.contents.tables.get(table as usize).copied().flatten().is_none()
    }

    fn max_depth(&self, table: IndexTable) -> usize {
        let deepest = self.contents.tables.get(table as usize).copied().flatten();
        deepest.and_then(|deepest| usize::try_from(deepest).ok()).unwrap_or(0)
    }
}
