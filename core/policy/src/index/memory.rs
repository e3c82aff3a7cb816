//! The tables of an index in memory.

use rustc_hash::FxHashMap;

use super::keys::{IndexTable, KeyLookup};

/// All tables, each at its number.
#[derive(Clone, Debug)]
pub(crate) struct MemoryTables {
    tables: Vec<NameTable>,
}

/// By name, and those that have none.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTable {
    pub(crate) named: FxHashMap<Box<str>, Vec<u32>>,
    pub(crate) others: Vec<u32>,
    pub(crate) deepest: usize,
    /// A bit for each length that a name has: most of what is looked for is of no such length, and need not be hashed.
    lengths: u64,
    /// The names in their order, and in that of their ends: each written backwards.
    forwards: Vec<Box<str>>,
    backwards: Vec<Box<str>>,
}

impl Default for MemoryTables {
    fn default() -> Self {
        Self { tables: vec![NameTable::default(); IndexTable::COUNT] }
    }
}

impl MemoryTables {
    pub(super) fn add_key(&mut self, table: IndexTable, at: u32, name: Option<&str>) {
        let Some(names) = self.tables.get_mut(table as usize) else { return };
        match name {
            Some(name) => match names.named.get_mut(name) {
                Some(list) => list.push(at),
                None => {
                    names.lengths |= length_bit(name);
                    names.named.insert(name.into(), vec![at]);
                }
            },
            None => names.others.push(at),
        }
    }

    /// As [`Self::add_key`], of a name that is a place: names between `/`.
    pub(super) fn add_place(&mut self, table: IndexTable, at: u32, place: &str) {
        self.add_key(table, at, Some(place));
        if let Some(names) = self.tables.get_mut(table as usize) {
            names.deepest = names.deepest.max(place.matches('/').count() + 1);
        }
    }

    /// Puts names in order, where they are looked for by how they begin or end.
    pub(super) fn sort_names(&mut self) {
        use IndexTable::{
            Pair, ReadAbsolute, ReadNamed, ReadPlaced, ReadRooted, WriteAbsolute, WriteNamed, WritePlaced,
            WriteRooted,
        };
        let places = [ReadAbsolute, ReadRooted, ReadPlaced, WriteAbsolute, WriteRooted, WritePlaced, Pair];
        for (tables, ends) in [(places.as_slice(), false), (&[ReadNamed, WriteNamed], true)] {
            for table in tables {
                let Some(names) = self.tables.get_mut(*table as usize) else { continue };
                names.forwards = names.named.keys().cloned().collect();
                names.forwards.sort_unstable();
                if ends {
                    names.backwards = names.named.keys().map(|name| name.chars().rev().collect()).collect();
                    names.backwards.sort_unstable();
                }
            }
        }
    }

    pub(crate) fn table(&self, table: IndexTable) -> Option<&NameTable> {
        self.tables.get(table as usize)
    }
}

impl KeyLookup for MemoryTables {
    fn find_named(&self, table: IndexTable, name: &str, found: &mut Vec<u32>) {
        let Some(names) = self.table(table).filter(|names| names.lengths & length_bit(name) != 0) else {
            return;
        };
        if let Some(list) = names.named.get(name) {
            found.extend(list);
        }
    }

    fn find_from(&self, table: IndexTable, head: &str, found: &mut Vec<u32>) {
        let Some(names) = self.table(table) else { return };
        if head.is_empty() {
            return found.extend(names.named.values().flatten());
        }
        for name in names_from(&names.forwards, head) {
            self.find_named(table, name, found);
        }
    }

    fn find_between(&self, table: IndexTable, head: &str, tail: &str, found: &mut Vec<u32>) {
        let Some(names) = self.table(table) else { return };
        if head.is_empty() && !tail.is_empty() {
            let end: String = tail.chars().rev().collect();
            for name in names_from(&names.backwards, &end) {
                self.find_named(table, &name.chars().rev().collect::<String>(), found);
            }
            return;
        }
        for name in names_from(&names.forwards, head) {
            if name.ends_with(tail) {
                self.find_named(table, name, found);
            }
        }
    }

    fn find_unnamed(&self, table: IndexTable, found: &mut Vec<u32>) {
        if let Some(names) = self.table(table) {
            found.extend(&names.others);
        }
    }

    fn is_empty(&self, table: IndexTable) -> bool {
        self.table(table).is_none_or(|names| names.named.is_empty() && names.others.is_empty())
    }

    fn max_depth(&self, table: IndexTable) -> usize {
        self.table(table).map_or(0, |names| names.deepest)
    }
}

/// Those of sorted texts that begin like this.
fn names_from<'a>(sorted: &'a [Box<str>], head: &'a str) -> impl Iterator<Item = &'a str> {
    let first = sorted.partition_point(|text| **text < *head);
    sorted.iter().skip(first).map(|text| &**text).take_while(move |text| text.starts_with(head))
}

/// The bit of a name's length in bytes; the last one is that of all longer names.
fn length_bit(name: &str) -> u64 {
    1 << name.len().min(63)
}
