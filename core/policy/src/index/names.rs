//! Patterns by one name that everything they match has.

use rustc_hash::FxHashMap;

/// By name, and those that have none.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    named: FxHashMap<Box<str>, Vec<u32>>,
    others: Vec<u32>,
    /// The names in their order, and in that of their ends: each written backwards.
    forwards: Vec<Box<str>>,
    backwards: Vec<Box<str>>,
}

impl Names {
    pub(super) fn add(&mut self, at: u32, name: Option<&str>) {
        match name {
            Some(name) => match self.named.get_mut(name) {
                Some(list) => list.push(at),
                None => {
                    self.named.insert(name.into(), vec![at]);
                }
            },
            None => self.others.push(at),
        }
    }

    /// Those of this name.
    pub(super) fn look(&self, name: &str, found: &mut Vec<u32>) {
        if let Some(list) = self.named.get(name) {
            found.extend(list);
        }
    }

    /// Puts the names in order, for [`Self::between`].
    pub(super) fn sort(&mut self) {
        self.forwards = self.named.keys().cloned().collect();
        self.backwards = self.named.keys().map(|name| name.chars().rev().collect()).collect();
        self.forwards.sort_unstable();
        self.backwards.sort_unstable();
    }

    /// Those of names that begin and end like this.
    pub(super) fn between(&self, head: &str, tail: &str, found: &mut Vec<u32>) {
        if head.is_empty() && !tail.is_empty() {
            let end: String = tail.chars().rev().collect();
            for name in from(&self.backwards, &end) {
                self.look(&name.chars().rev().collect::<String>(), found);
            }
            return;
        }
        for name in from(&self.forwards, head) {
            if name.ends_with(tail) {
                self.look(name, found);
            }
        }
    }

    /// Those of any name.
    pub(super) fn all(&self, found: &mut Vec<u32>) {
        found.extend(self.named.values().flatten());
    }

    /// Those without a name.
    pub(super) fn others(&self) -> &[u32] {
        &self.others
    }
}

/// Those of sorted texts that begin like this.
fn from<'a>(sorted: &'a [Box<str>], head: &'a str) -> impl Iterator<Item = &'a str> {
    let first = sorted.partition_point(|text| **text < *head);
    sorted.iter().skip(first).map(|text| &**text).take_while(move |text| text.starts_with(head))
}
