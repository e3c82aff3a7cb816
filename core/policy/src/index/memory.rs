//! The tables of an index in memory.

use rustc_hash::FxHashMap;

use super::keys::{Keys, Table};

/// All tables, each at its number.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    tables: Vec<Names>,
}

/// By name, and those that have none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) named: FxHashMap<Box<str>, Vec<u32>>,
    pub(crate) others: Vec<u32>,
    pub(crate) deepest: usize,
    /// The names in their order, and in that of their ends: each written backwards.
    forwards: Vec<Box<str>>,
    backwards: Vec<Box<str>>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { tables: vec![Names::default(); Table::COUNT] }
    }
}

impl Memory {
    pub(super) fn add(&mut self, table: Table, at: u32, name: Option<&str>) {
        let Some(names) = self.tables.get_mut(table as usize) else { return };
        match name {
            Some(name) => match names.named.get_mut(name) {
                Some(list) => list.push(at),
                None => {
                    names.named.insert(name.into(), vec![at]);
                }
            },
            None => names.others.push(at),
        }
    }

    /// As [`Self::add`], of a name that is a place: names between `/`.
    pub(super) fn add_place(&mut self, table: Table, at: u32, place: &str) {
        self.add(table, at, Some(place));
        if let Some(names) = self.tables.get_mut(table as usize) {
            names.deepest = names.deepest.max(place.matches('/').count() + 1);
        }
    }

    /// Puts names in order, where they are looked for by how they begin or end.
    pub(super) fn sort(&mut self) {
        use Table::{
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

    pub(crate) fn table(&self, table: Table) -> Option<&Names> {
        self.tables.get(table as usize)
    }
}

impl Keys for Memory {
    fn look(&self, table: Table, name: &str, found: &mut Vec<u32>) {
        if let Some(list) = self.table(table).and_then(|names| names.named.get(name)) {
            found.extend(list);
        }
    }

    fn from(&self, table: Table, head: &str, found: &mut Vec<u32>) {
        let Some(names) = self.table(table) else { return };
        if head.is_empty() {
            return found.extend(names.named.values().flatten());
        }
        for name in from(&names.forwards, head) {
            self.look(table, name, found);
        }
    }

    fn between(&self, table: Table, head: &str, tail: &str, found: &mut Vec<u32>) {
        let Some(names) = self.table(table) else { return };
        if head.is_empty() && !tail.is_empty() {
            let end: String = tail.chars().rev().collect();
            for name in from(&names.backwards, &end) {
                self.look(table, &name.chars().rev().collect::<String>(), found);
            }
            return;
        }
        for name in from(&names.forwards, head) {
            if name.ends_with(tail) {
                self.look(table, name, found);
            }
        }
    }

    fn others(&self, table: Table, found: &mut Vec<u32>) {
        if let Some(names) = self.table(table) {
            found.extend(&names.others);
        }
    }

    fn is_empty(&self, table: Table) -> bool {
        self.table(table).is_none_or(|names| names.named.is_empty() && names.others.is_empty())
    }

    fn deepest(&self, table: Table) -> usize {
        self.table(table).map_or(0, |names| names.deepest)
    }
}

/// Those of sorted texts that begin like this.
fn from<'a>(sorted: &'a [Box<str>], head: &'a str) -> impl Iterator<Item = &'a str> {
    let first = sorted.partition_point(|text| **text < *head);
    sorted.iter().skip(first).map(|text| &**text).take_while(move |text| text.starts_with(head))
}
