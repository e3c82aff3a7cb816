//! Which rules have a link on the way of what they are about: where it leads has to be looked up each time (D1.14). The others are
//! as they were written, whatever else is on the disk.

use std::path::Path;

use super::CompiledRules;
use super::frozen::{LazyBlocks, NAMED, table_key};
use crate::Rule;
use crate::index::{IndexTable, KeyLookup, sorted_unique};

/// What stands between the names of a way: no name on a disk holds it, and it comes before all that a name holds, so that what
/// is below a name stands right behind it.
const BELOW: char = '\0';

/// What comes behind everything below a name.
const PAST: char = '\u{1}';

/// What is there under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A link.
    Link,
    /// A folder.
    Folder,
    /// Something else, or nothing, or nobody can tell: no link is below it.
    Nothing,
}

/// Entries of where the patterns of rules begin.
pub(super) fn prefix_entries(rules: &[Rule]) -> Vec<(Vec<u8>, Vec<u32>)> {
    let mut ways = std::collections::BTreeMap::<Vec<u8>, Vec<u32>>::new();
    for (number, rule) in (0_u32..).zip(rules) {
        let patterns = std::iter::once(&rule.pattern).chain(&rule.unless);
        for (up, names) in patterns.flat_map(|pattern| pattern.path_prefixes()) {
            let mut way = ascent_key(up);
            for name in names {
                way.push(BELOW);
                way.push_str(name);
            }
            ways.entry(table_key(IndexTable::Leads, NAMED, &way)).or_default().push(number);
        }
    }
    ways.into_iter().collect()
}

/// The way of what begins at the top, or so many folders above a root.
fn ascent_key(up: Option<usize>) -> String {
    up.map(|up| up.to_string()).unwrap_or_default()
}

impl CompiledRules {
    /// So many folders above each root begin patterns of it.
    fn ancestor_depths(&self) -> Vec<usize> {
        let mut ups = Vec::new();
        let mut at = "0".to_owned();
        while let Some(way) = self.frozen.next(IndexTable::Leads, &at) {
            let up = way.split(BELOW).next().unwrap_or_default();
            ups.extend(up.parse::<usize>().ok());
            at = format!("{up}{PAST}");
        }
        ups
    }

    /// The rules on whose way is a link, for a session with these roots. `is_linked` says of a folder whether it is another one
    /// than it is called, `there` what is at a place.
    pub fn linked_rules(
        &self,
        roots: &[std::path::PathBuf],
        is_linked: &dyn Fn(&Path) -> bool,
        there: &dyn Fn(&Path) -> EntryKind,
    ) -> Vec<u32> {
        let mut found = Vec::new();
        find_links_below(&self.frozen, "", Path::new("/"), there, &mut found);
        for up in self.ancestor_depths() {
            for base in roots.iter().filter_map(|root| root.ancestors().nth(up)) {
                let way = ascent_key(Some(up));
                if is_linked(base) {
                    add_all_rules(&self.frozen, &way, &mut found);
                } else {
                    find_links_below(&self.frozen, &way, base, there, &mut found);
                }
            }
        }
        sorted_unique(found)
    }
}

/// Looks for links below `folder`, on the ways that begin with `way`.
fn find_links_below(
    frozen: &LazyBlocks,
    way: &str,
    folder: &Path,
    there: &dyn Fn(&Path) -> EntryKind,
    found: &mut Vec<u32>,
) {
    let head = format!("{way}{BELOW}");
    let mut at = head.clone();
    while let Some(rest) = frozen.next(IndexTable::Leads, &at).and_then(|next| next.strip_prefix(&head)) {
        let name = rest.split(BELOW).next().unwrap_or_default();
        let way = format!("{head}{name}");
        let place = folder.join(name);
        match there(&place) {
            EntryKind::Link => add_all_rules(frozen, &way, found),
            EntryKind::Folder => find_links_below(frozen, &way, &place, there, found),
            EntryKind::Nothing => {}
        }
        at = format!("{way}{PAST}");
    }
}

/// All rules on a way, and below it.
fn add_all_rules(frozen: &LazyBlocks, way: &str, found: &mut Vec<u32>) {
    frozen.find_named(IndexTable::Leads, way, found);
    frozen.find_from(IndexTable::Leads, &format!("{way}{BELOW}"), found);
}
