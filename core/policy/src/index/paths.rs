//! Path patterns by the folder that they are about, or by a name or an ending that their paths have.

use std::path::PathBuf;

use super::keys::{Keys, Table};
use super::memory::Memory;
use crate::fold::fold;
use crate::pattern::path::{Above, Anchor, Form, Part, Seen, below_text, names};
use mayi_call::shell::OpenPath;

/// The tables that patterns for paths are in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paths {
    /// By their place in the file system: `/srv/x` of `/srv/x/**`.
    absolute: Table,
    /// By their place in each root: `src` of `src/**`.
    rooted: Table,
    /// What `**/.git/hooks/**` is about in each root.
    placed: Table,
    /// At any depth, by a whole name: `.env`.
    named: Table,
    /// At any depth, by what stands behind a name's last dot: `pem`.
    ending: Table,
    /// At any depth: without names.
    anywhere: Table,
    /// Without any of these.
    others: Table,
    all: Table,
}

pub(super) const READ: Paths = Paths {
    absolute: Table::ReadAbsolute,
    rooted: Table::ReadRooted,
    placed: Table::ReadPlaced,
    named: Table::ReadNamed,
    ending: Table::ReadEnding,
    anywhere: Table::ReadAnywhere,
    others: Table::ReadOthers,
    all: Table::ReadAll,
};

pub(super) const WRITE: Paths = Paths {
    absolute: Table::WriteAbsolute,
    rooted: Table::WriteRooted,
    placed: Table::WritePlaced,
    named: Table::WriteNamed,
    ending: Table::WriteEnding,
    anywhere: Table::WriteAnywhere,
    others: Table::WriteOthers,
    all: Table::WriteAll,
};

/// Those of a folder, and of every folder above it.
fn up(keys: &impl Keys, table: Table, path: &str, found: &mut Vec<u32>) {
    if keys.is_empty(table) {
        return;
    }
    let ends = path.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0).take(keys.deepest(table));
    for end in ends {
        keys.look(table, path.get(..end).unwrap_or_default(), found);
    }
    keys.look(table, path, found);
}

/// Those of folders below it.
fn down(keys: &impl Keys, table: Table, path: &str, found: &mut Vec<u32>) {
    match path.trim_end_matches('/') {
        _ if keys.is_empty(table) => {}
        "" => keys.all(table, found),
        path => keys.from(table, &format!("{path}/"), found),
    }
}

impl Paths {
    pub(super) fn add(self, memory: &mut Memory, at: u32, forms: &[Form]) {
        memory.add(self.all, at, None);
        for form in forms {
            let place = form.place().collect::<Vec<_>>().join("/");
            match form.anchor {
                Anchor::Absolute if !place.is_empty() => {
                    memory.add_place(self.absolute, at, &format!("/{place}"));
                }
                Anchor::Root(0) if !place.is_empty() => memory.add_place(self.rooted, at, &place),
                Anchor::Anywhere => {
                    memory.add(self.anywhere, at, None);
                    let placed: Vec<&str> = form.placed().map(names).unwrap_or_default();
                    if !placed.is_empty() {
                        memory.add_place(self.placed, at, &placed.join("/"));
                    }
                    self.by_name(memory, at, form);
                }
                _ => memory.add(self.others, at, None),
            }
        }
    }

    fn by_name(self, memory: &mut Memory, at: u32, form: &Form) {
        let name =
            form.folded.iter().filter_map(|part| if let Part::Name(name) = part { Some(name) } else { None });
        let mut ending = form.folded.iter().filter_map(|part| {
            let Part::Glob(glob) = part else { return None };
            glob.ending()?.rsplit_once('.').map(|(_, ending)| ending.to_owned())
        });
        match (name.max_by_key(|name| name.len()), ending.next_back()) {
            (Some(name), _) => memory.add(self.named, at, Some(name)),
            (None, Some(ending)) => memory.add(self.ending, at, Some(&ending)),
            (None, None) => memory.add(self.others, at, None),
        }
    }

    /// The patterns that could be about a path, or about something below it as far as `above` says.
    pub(super) fn about(self, keys: &impl Keys, path: &Seen<'_>, above: Above, found: &mut Vec<u32>) {
        if keys.is_empty(self.all) {
            return;
        }
        for form in path.forms() {
            let text = form.folded.as_ref();
            up(keys, self.absolute, text, found);
            if !keys.is_empty(self.anywhere) {
                let names = text.split('/').filter(|name| !name.is_empty());
                names.for_each(|name| self.of_name(keys, name, found));
            }
            for rest in form.in_roots() {
                up(keys, self.rooted, rest, found);
                if above != Above::No {
                    down(keys, self.rooted, rest, found);
                    down(keys, self.placed, rest, found);
                    // The place itself, where what is below it is meant.
                    up(keys, self.placed, rest, found);
                }
            }
            if above != Above::No {
                down(keys, self.absolute, text, found);
                if form.above_root {
                    down(keys, self.rooted, "", found);
                }
            }
        }
        if above.is_any() {
            keys.others(self.anywhere, found);
        }
        keys.others(self.others, found);
    }

    /// The patterns that could be about a path of which only parts are known.
    pub(super) fn could(
        self,
        keys: &impl Keys,
        path: &OpenPath,
        roots: &[PathBuf],
        above: Above,
        found: &mut Vec<u32>,
    ) {
        let known = path.pieces.first().and_then(Option::as_deref).filter(|text| text.starts_with('/'));
        let up_again = path.pieces.iter().skip(1).flatten().any(|piece| piece.contains(".."));
        let Some(known) = known.filter(|_| !up_again) else {
            return keys.others(self.all, found);
        };
        // Up to the last slash, all of it is known.
        let folder = known.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = fold(folder);
        up(keys, self.absolute, &folder, found);
        down(keys, self.absolute, &folder, found);
        for rest in in_roots(&folder, roots) {
            up(keys, self.rooted, rest, found);
            down(keys, self.rooted, rest, found);
        }
        if roots.iter().any(|root| below_text(&fold(&root.to_string_lossy()), &folder, 0).is_some()) {
            down(keys, self.rooted, "", found);
        }
        self.anywhere(keys, path, above, found);
        keys.others(self.others, found);
    }

    /// Those at any depth: by the names that are known, in full or how they begin and end.
    fn anywhere(self, keys: &impl Keys, path: &OpenPath, above: Above, found: &mut Vec<u32>) {
        if path.slashes || above.is_any() {
            return keys.others(self.anywhere, found);
        }
        // A glob stands within one name: what it leaves open is between a head and a tail.
        let text: Vec<String> = path
            .pieces
            .iter()
            .map(|piece| piece.as_ref().map_or_else(|| "\0".to_owned(), |text| fold(text).into_owned()))
            .collect();
        for name in text.concat().split('/').filter(|name| !name.is_empty()) {
            match (name.split_once('\0'), name.rsplit_once('\0')) {
                (Some((head, _)), Some((_, tail))) => {
                    keys.between(self.named, head, tail, found);
                    match tail.rsplit_once('.') {
                        Some((_, ending)) => keys.look(self.ending, ending, found),
                        None => keys.all(self.ending, found),
                    }
                }
                _ => self.of_name(keys, name, found),
            }
        }
    }

    fn of_name(self, keys: &impl Keys, name: &str, found: &mut Vec<u32>) {
        keys.look(self.named, name, found);
        if let Some((_, ending)) = name.rsplit_once('.') {
            keys.look(self.ending, ending, found);
        }
    }
}

/// A path as it is seen from each root that it lies in.
fn in_roots<'a>(path: &'a str, roots: &[PathBuf]) -> impl Iterator<Item = &'a str> {
    roots.iter().filter_map(move |root| below_text(path, &fold(&root.to_string_lossy()), 0))
}
