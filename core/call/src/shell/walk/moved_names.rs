//! Names that the line itself makes from others: `mv lk m; cat m/key` reads what lies below `lk` now.

use std::path::{Path, PathBuf};

use super::Walker;
use crate::PathAccess;
use crate::shell::{OpenPath, Touch, TouchedPath, Word};

/// As many of them are followed.
const MOST: usize = 32;

/// A name, and what it stands for from then on.
#[derive(Clone, Debug)]
pub(super) struct RenamedPath {
    to: PathBuf,
    from: PathBuf,
}

impl Walker<'_> {
    /// Keeps what `words` give another name.
    pub(super) fn keep_moved(&mut self, words: &[Word]) {
        let mut texts = words.iter().filter_map(Word::literal);
        let Some(name) = texts.next().and_then(|name| name.rsplit('/').next()) else { return };
        let copies = matches!(name, "ln" | "mv" | "cp" | "rsync" | "install" | "link" | "symlink");
        let git = name == "git" && texts.by_ref().any(|word| word == "mv");
        if !copies && !git {
            return;
        }
        let Some(folder) = self.place.folder.known_path().map(Path::to_path_buf) else { return };
        let operands: Vec<&str> = texts.filter(|text| !text.starts_with('-')).collect();
        // `ln -s /x/y` makes `y` here.
        let (from, to) = match operands.as_slice() {
            [only] if name == "ln" => (vec![*only], "."),
            [from @ .., to] => (from.to_vec(), *to),
            [] => return,
        };
        let to = self.looked.path_access(&folder, to);
        for from in from {
            let base = Path::new(from.trim_end_matches('/')).file_name().unwrap_or_default();
            // The target of a link counts from where the link stands.
            let beside = to
                .lexical
                .parent()
                .filter(|_| name == "ln")
                .map(|parent| self.looked.path_access(parent, from));
            for from in std::iter::once(self.looked.path_access(&folder, from)).chain(beside) {
                for to in [to.lexical.clone(), to.lexical.join(base)] {
                    if self.out.moved.len() < MOST && to != from.lexical {
                        self.out.moved.push(RenamedPath { to, from: from.lexical.clone() });
                    }
                }
            }
        }
    }

    /// The other paths that `path` stands for by then.
    pub(super) fn stands_for(&self, path: &PathAccess) -> Vec<PathAccess> {
        let other = |moved: &RenamedPath| {
            let rest = path.lexical.strip_prefix(&moved.to).ok()?;
            Some(self.looked.path_access(&moved.from, rest.to_str()?))
        };
        self.out.moved.iter().filter_map(other).collect()
    }

    /// The touches of those other paths.
    pub(super) fn moved_touches(&self, touches: &[Touch]) -> Vec<Touch> {
        if self.out.moved.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for touch in touches {
            let paths = match &touch.path {
                TouchedPath::Known(path) => {
                    self.stands_for(path).into_iter().map(TouchedPath::Known).collect::<Vec<_>>()
                }
                TouchedPath::Open(open) => {
                    self.out.moved.iter().filter_map(|moved| translate_open_path(open, moved)).collect()
                }
            };
            found.extend(paths.into_iter().map(|path| Touch { path, ..touch.clone() }));
        }
        found
    }
}

/// An open path that begins below a name that was made, as one below what the name stands for.
fn translate_open_path(open: &OpenPath, moved: &RenamedPath) -> Option<TouchedPath> {
    let (first, rest) = open.pieces.split_first()?;
    let below = Path::new(first.as_deref()?).strip_prefix(&moved.to).ok()?;
    let slash = if first.as_deref()?.ends_with('/') { "/" } else { "" };
    let whole = format!("{}{slash}", moved.from.join(below).to_str()?);
    let pieces = std::iter::once(Some(whole)).chain(rest.iter().cloned()).collect();
    Some(TouchedPath::Open(OpenPath { pieces, looked_up: false, ..open.clone() }))
}
