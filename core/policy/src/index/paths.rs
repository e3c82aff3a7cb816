//! Path patterns by the folder that they are about, or by a name or an ending that their paths have.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::SORTED;
use super::keys::{IndexTable, KeyLookup};
use super::memory::MemoryTables;
use crate::fold::fold_text;
use crate::pattern::path::{
    AncestorMatch, Anchor, PathForms, PathPart, PatternForm, SlashedText, below_text, leading_names,
    slash_places,
};
use mayi_call::effort;
use mayi_call::shell::OpenPath;

/// The tables that patterns for paths are in.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathTables {
    /// By their place in the file system: `/srv/x` of `/srv/x/**`.
    absolute: IndexTable,
    /// By their place in each root: `src` of `src/**`.
    rooted: IndexTable,
    /// What `**/.git/hooks/**` is about in each root.
    placed: IndexTable,
    /// At any depth, by a whole name: `.env`.
    named: IndexTable,
    /// At any depth, by what stands behind a name's last dot: `pem`.
    ending: IndexTable,
    /// At any depth: without names.
    anywhere: IndexTable,
    /// Without any of these.
    others: IndexTable,
    all: IndexTable,
}

pub(super) const READ: PathTables = PathTables {
    absolute: IndexTable::ReadAbsolute,
    rooted: IndexTable::ReadRooted,
    placed: IndexTable::ReadPlaced,
    named: IndexTable::ReadNamed,
    ending: IndexTable::ReadEnding,
    anywhere: IndexTable::ReadAnywhere,
    others: IndexTable::ReadOthers,
    all: IndexTable::ReadAll,
};

pub(super) const WRITE: PathTables = PathTables {
    absolute: IndexTable::WriteAbsolute,
    rooted: IndexTable::WriteRooted,
    placed: IndexTable::WritePlaced,
    named: IndexTable::WriteNamed,
    ending: IndexTable::WriteEnding,
    anywhere: IndexTable::WriteAnywhere,
    others: IndexTable::WriteOthers,
    all: IndexTable::WriteAll,
};

/// Those of a folder, and of every folder above it.
fn find_ancestors(keys: &impl KeyLookup, table: IndexTable, path: SlashedText<'_>, found: &mut Vec<u32>) {
    if keys.is_empty(table) {
        return;
    }
    for folder in path.folders_above().take(keys.max_depth(table)) {
        keys.find_named(table, folder, found);
    }
    keys.find_named(table, path.text, found);
}

/// Those of folders below it.
fn find_descendants(keys: &impl KeyLookup, table: IndexTable, path: SlashedText<'_>, found: &mut Vec<u32>) {
    if keys.is_empty(table) {
        return;
    }
    let text = path.text.trim_end_matches('/');
    if text.is_empty() {
        return keys.find_all(table, found);
    }
    // Whatever lies below has more parts than the folder itself.
    if keys.max_depth(table) > path.slash_count_before(text.len()) + 1 {
        keys.find_from(table, &format!("{text}/"), found);
    }
}

impl PathTables {
    pub(super) fn add_forms(self, memory: &mut MemoryTables, at: u32, forms: &[PatternForm]) {
        memory.add_key(self.all, at, None);
        for form in forms {
            let place = form.prefix_names().collect::<Vec<_>>().join("/");
            match form.anchor {
                Anchor::Absolute if !place.is_empty() => {
                    memory.add_place(self.absolute, at, &format!("/{place}"));
                }
                Anchor::Root(0) if !place.is_empty() => memory.add_place(self.rooted, at, &place),
                Anchor::Anywhere => {
                    memory.add_key(self.anywhere, at, None);
                    let placed: Vec<&str> = form.parts_at_root().map(leading_names).unwrap_or_default();
                    if !placed.is_empty() {
                        memory.add_place(self.placed, at, &placed.join("/"));
                    }
                    self.add_by_name(memory, at, form);
                }
                _ => memory.add_key(self.others, at, None),
            }
        }
    }

    fn add_by_name(self, memory: &mut MemoryTables, at: u32, form: &PatternForm) {
        let name = form
            .folded
            .iter()
            .filter_map(|part| if let PathPart::Name(name) = part { Some(name) } else { None });
        let mut ending = form.folded.iter().filter_map(|part| {
            let PathPart::Glob(glob) = part else { return None };
            glob.literal_suffix()?.rsplit_once('.').map(|(_, ending)| ending.to_owned())
        });
        match (name.max_by_key(|name| name.len()), ending.next_back()) {
            (Some(name), _) => memory.add_key(self.named, at, Some(name)),
            (None, Some(ending)) => memory.add_key(self.ending, at, Some(&ending)),
            (None, None) => memory.add_key(self.others, at, None),
        }
    }

    /// The patterns that could be about a path, or about something below it as far as `above` says.
    pub(super) fn find_candidates(
        self,
        keys: &impl KeyLookup,
        path: &PathForms<'_>,
        above: AncestorMatch,
        found: &mut Vec<u32>,
    ) {
        if keys.is_empty(self.all) {
            return;
        }
        for form in path.forms() {
            let path = form.slashed();
            find_ancestors(keys, self.absolute, path, found);
            if !keys.is_empty(self.anywhere) {
                path.names().for_each(|name| self.find_by_name(keys, name, found));
            }
            for rest in form.slashed_in_roots() {
                find_ancestors(keys, self.rooted, rest, found);
                if above != AncestorMatch::No {
                    find_descendants(keys, self.rooted, rest, found);
                    find_descendants(keys, self.placed, rest, found);
                    // The place itself, where what is below it is meant.
                    find_ancestors(keys, self.placed, rest, found);
                }
            }
            if above != AncestorMatch::No {
                find_descendants(keys, self.absolute, path, found);
                if form.above_root {
                    keys.find_all(self.rooted, found);
                }
            }
        }
        if above.is_any() {
            keys.find_unnamed(self.anywhere, found);
        }
        keys.find_unnamed(self.others, found);
    }

    /// The patterns that could be about a path of which only parts are known.
    pub(super) fn find_open_candidates(
        self,
        keys: &impl KeyLookup,
        path: &OpenPath,
        roots: &[PathBuf],
        above: AncestorMatch,
        found: &mut Vec<u32>,
    ) {
        let known = path.pieces.first().and_then(Option::as_deref).filter(|text| text.starts_with('/'));
        // What is not known may go up again, and so may what stands behind it.
        let up_again =
            !path.stays_below || path.pieces.iter().skip(1).flatten().any(|piece| piece.contains(".."));
        let Some(known) = known.filter(|_| !up_again) else {
            return keys.find_unnamed(self.all, found);
        };
        // Up to the last slash, all of it is known.
        let folder = known.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = fold_text(folder);
        let slashes = slash_places(&folder);
        let known = SlashedText::new(&folder, &slashes);
        find_ancestors(keys, self.absolute, known, found);
        find_descendants(keys, self.absolute, known, found);
        for rest in in_roots(&folder, roots).map(|rest| known.from(folder.len() - rest.len())) {
            find_ancestors(keys, self.rooted, rest, found);
            find_descendants(keys, self.rooted, rest, found);
        }
        if roots.iter().any(|root| below_text(&fold_text(&root.to_string_lossy()), &folder, 0).is_some()) {
            keys.find_all(self.rooted, found);
        }
        self.find_unanchored(keys, path, above, found);
        keys.find_unnamed(self.others, found);
    }

    /// Those at any depth: by the names that are known, in full or how they begin and end.
    fn find_unanchored(
        self,
        keys: &impl KeyLookup,
        path: &OpenPath,
        above: AncestorMatch,
        found: &mut Vec<u32>,
    ) {
        if path.slashes || above.is_any() {
            return keys.find_unnamed(self.anywhere, found);
        }
        // A glob stands within one name: what it leaves open is between a head and a tail.
        let text: Vec<String> = path
            .pieces
            .iter()
            .map(|piece| piece.as_ref().map_or_else(|| "\0".to_owned(), |text| fold_text(text).into_owned()))
            .collect();
        let text = text.concat();
        // The same name again finds nothing else.
        let names: BTreeSet<&str> = text.split('/').filter(|name| !name.is_empty()).collect();
        let ends = |name: &str| Some((name.split_once('\0')?.0.len(), name.rsplit_once('\0')?.1.len()));
        if names.iter().any(|name| ends(name) == Some((0, 0))) {
            keys.find_all(self.named, found);
            return keys.find_all(self.ending, found);
        }
        for name in names {
            let before = found.len();
            match (name.split_once('\0'), name.rsplit_once('\0')) {
                (Some((head, _)), Some((_, tail))) => {
                    keys.find_between(self.named, head, tail, found);
                    match tail.rsplit_once('.') {
                        Some((_, ending)) => keys.find_named(self.ending, ending, found),
                        None => keys.find_all(self.ending, found),
                    }
                }
                _ => self.find_by_name(keys, name, found),
            }
            // What is not looked at any more is asked about (D2.40).
            if !effort::spend((found.len() - before) / SORTED) {
                return;
            }
        }
    }

    fn find_by_name(self, keys: &impl KeyLookup, name: &str, found: &mut Vec<u32>) {
        keys.find_named(self.named, name, found);
        // By bytes: names are short, and a search for one that is far away takes longer to begin.
        if let Some(dot) = name.bytes().rposition(|byte| byte == b'.') {
            keys.find_named(self.ending, name.get(dot + 1..).unwrap_or_default(), found);
        }
    }
}

/// A path as it is seen from each root that it lies in.
fn in_roots<'a>(path: &'a str, roots: &[PathBuf]) -> impl Iterator<Item = &'a str> {
    roots.iter().filter_map(move |root| below_text(path, &fold_text(&root.to_string_lossy()), 0))
}
