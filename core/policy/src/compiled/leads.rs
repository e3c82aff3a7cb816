//! Which rules have a link on the way of what they are about: where it leads has to be looked up each time (D1.14). The others are
//! as they were written, whatever else is on the disk.

use std::path::Path;

use super::Compiled;
use super::frozen::{Frozen, NAMED, key};
use crate::Rule;
use crate::index::{Keys, Table, in_order};

/// What stands between the names of a way: no name on a disk holds it, and it comes before all that a name holds, so that what
/// is below a name stands right behind it.
const BELOW: char = '\0';

/// What comes behind everything below a name.
const PAST: char = '\u{1}';

/// What is there under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum There {
    /// A link.
    Link,
    /// A folder.
    Folder,
    /// Something else, or nothing, or nobody can tell: no link is below it.
    Nothing,
}

/// Entries of where the patterns of rules begin.
pub(super) fn entries(rules: &[Rule]) -> Vec<(Vec<u8>, Vec<u32>)> {
    let mut ways = std::collections::BTreeMap::<Vec<u8>, Vec<u32>>::new();
    for (number, rule) in (0_u32..).zip(rules) {
        let patterns = std::iter::once(&rule.pattern).chain(&rule.unless);
        for (up, names) in patterns.flat_map(|pattern| pattern.leads()) {
            let mut way = from(up);
            for name in names {
                way.push(BELOW);
                way.push_str(name);
            }
            ways.entry(key(Table::Leads, NAMED, &way)).or_default().push(number);
        }
    }
    ways.into_iter().collect()
}

/// The way of what begins at the top, or so many folders above a root.
fn from(up: Option<usize>) -> String {
    up.map(|up| up.to_string()).unwrap_or_default()
}

impl Compiled {
    /// So many folders above each root begin patterns of it.
    fn ups(&self) -> Vec<usize> {
        let mut ups = Vec::new();
        let mut at = "0".to_owned();
        while let Some(way) = self.frozen.next(Table::Leads, &at) {
            let up = way.split(BELOW).next().unwrap_or_default();
            ups.extend(up.parse::<usize>().ok());
            at = format!("{up}{PAST}");
        }
        ups
    }

    /// The rules on whose way is a link, for a session with these roots. `is_linked` says of a folder whether it is another one
    /// than it is called, `there` what is at a place.
    pub fn linked(
        &self,
        roots: &[std::path::PathBuf],
        is_linked: &dyn Fn(&Path) -> bool,
        there: &dyn Fn(&Path) -> There,
    ) -> Vec<u32> {
        let mut found = Vec::new();
        below(&self.frozen, "", Path::new("/"), there, &mut found);
        for up in self.ups() {
            for base in roots.iter().filter_map(|root| root.ancestors().nth(up)) {
                let way = from(Some(up));
                if is_linked(base) {
                    all(&self.frozen, &way, &mut found);
                } else {
                    below(&self.frozen, &way, base, there, &mut found);
                }
            }
        }
        in_order(found)
    }
}

/// Looks for links below `folder`, on the ways that begin with `way`.
fn below(frozen: &Frozen, way: &str, folder: &Path, there: &dyn Fn(&Path) -> There, found: &mut Vec<u32>) {
    let head = format!("{way}{BELOW}");
    let mut at = head.clone();
    while let Some(rest) = frozen.next(Table::Leads, &at).and_then(|next| next.strip_prefix(&head)) {
        let name = rest.split(BELOW).next().unwrap_or_default();
        let way = format!("{head}{name}");
        let place = folder.join(name);
        match there(&place) {
            There::Link => all(frozen, &way, found),
            There::Folder => below(frozen, &way, &place, there, found),
            There::Nothing => {}
        }
        at = format!("{way}{PAST}");
    }
}

/// All rules on a way, and below it.
fn all(frozen: &Frozen, way: &str, found: &mut Vec<u32>) {
    frozen.look(Table::Leads, way, found);
    frozen.from(Table::Leads, &format!("{way}{BELOW}"), found);
}
