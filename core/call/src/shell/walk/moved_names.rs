//! Names that the line itself makes from others: `mv lk m; cat m/key` reads what lies below `lk` now.

use std::path::{Path, PathBuf};

use super::Walker;
use super::given_programs::base_name;
use crate::shell::program;
use crate::shell::{OpenPath, Reach, Touch, TouchedPath, Use, Word};
use crate::{PathAccess, WriteKind, links_below, relative_target};

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
            let from = self.looked.path_access(&folder, from);
            // What an earlier command has given that name.
            let earlier = self.stands_for(&from);
            for from in std::iter::once(from).chain(beside).chain(earlier) {
                for to in [to.lexical.clone(), to.lexical.join(base)] {
                    // A link says where it leads from where it stands.
                    let led =
                        relative_target(&from.lexical).and_then(|target| Some(to.parent()?.join(target)));
                    let led =
                        led.and_then(|path| Some(self.looked.path_access(&folder, path.to_str()?).lexical));
                    for from in std::iter::once(from.lexical.clone()).chain(led) {
                        if self.out.moved.len() < MOST && to != from {
                            self.out.moved.push(RenamedPath { to: to.clone(), from });
                        }
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

    /// The command under the names that the line made its program from: `cp /usr/bin/rm r; ./r x` is `rm x` as well.
    pub(super) fn commands_stood_for(&self, words: &[Word]) -> Vec<Vec<Word>> {
        let Some((first, rest)) = words.split_first() else { return Vec::new() };
        let Some(name) = first.literal().filter(|name| name.contains('/')) else { return Vec::new() };
        let folders =
            self.place.folder.candidates().iter().map(|folder| self.looked.path_access(folder, name));
        let others = self.path_from_here(name).into_iter().chain(folders);
        let others: Vec<PathAccess> = others.flat_map(|path| self.stands_for(&path)).collect();
        let mut found: Vec<Vec<Word>> = Vec::new();
        for other in others.iter().flat_map(PathAccess::forms) {
            // Under the same name it is looked up as it is.
            let other = other.to_str().filter(|other| base_name(other) != base_name(name));
            let words = other.map(|other| std::iter::once(Word::from(other)).chain(rest.iter().cloned()));
            if let Some(words) = words.map(Iterator::collect).filter(|words| !found.contains(words)) {
                found.push(words);
            }
        }
        found
    }

    /// The command as that of the program to which a link leads that is there under its name: for denials alone.
    pub(super) fn linked_command(&self, words: &[Word]) -> Option<Vec<Word>> {
        let (first, rest) = words.split_first()?;
        let name = first.literal().filter(|name| name.contains('/'))?;
        let path = self.path_from_here(name)?;
        let other = path.resolved.to_str().filter(|other| base_name(other) != base_name(name))?;
        Some(std::iter::once(Word::from(other)).chain(rest.iter().cloned()).collect())
    }

    /// The touches of those other paths; none if there is too much to look at.
    pub(super) fn moved_touches(
        &self,
        touches: &[Touch],
        writes: &[(WriteKind, String)],
    ) -> Option<Vec<Touch>> {
        let mut found = Vec::new();
        if self.out.moved.is_empty() {
            return Some(found);
        }
        let mut budget = self.looked.budget();
        for touch in touches {
            match &touch.path {
                TouchedPath::Known(path) => {
                    for path in self.stands_for(path) {
                        // The links below it are not there yet under the name at hand.
                        if touch.reach != Reach::Itself && path.folder {
                            let links = links_below(&path.resolved, true, &mut budget)?;
                            found.extend(self.link_touches(links, touch.how));
                        }
                        found.push(Touch { path: TouchedPath::Known(path), ..touch.clone() });
                    }
                }
                TouchedPath::Open(open) => {
                    for open in
                        self.out.moved.iter().filter_map(|moved| self.translate_open_path(open, moved))
                    {
                        found.extend(
                            self.link_touches(program::linked_matches(&open, &self.looked)?, touch.how),
                        );
                        found.push(Touch { path: TouchedPath::Open(open), ..touch.clone() });
                    }
                }
            }
        }
        for (kind, path) in writes {
            let paths = self.path_from_here(path).map(|path| self.stands_for(&path)).unwrap_or_default();
            found.extend(paths.into_iter().map(|path| Touch::known_path(path, Use::Write(*kind))));
        }
        Some(found)
    }

    /// Where links lead, used in this way.
    fn link_touches(&self, links: Vec<PathBuf>, how: Use) -> Vec<Touch> {
        let path = |link: &PathBuf| Some(self.looked.path_access(Path::new("/"), link.to_str()?));
        links.iter().filter_map(path).map(|path| Touch::known_path(path, how)).collect()
    }

    /// An open path that begins below a name that was made, as one below what the name stands for.
    fn translate_open_path(&self, open: &OpenPath, moved: &RenamedPath) -> Option<OpenPath> {
        let (first, rest) = open.pieces.split_first()?;
        let (folder, name) = first.as_deref()?.rsplit_once('/')?;
        // A name that is only begun may be the one that was made.
        let whole = match Path::new(folder).strip_prefix(&moved.to) {
            Ok(below) => {
                let folder =
                    self.looked.path_access(Path::new("/"), moved.from.join(below).to_str()?).resolved;
                format!("{}/{name}", folder.to_str()?.trim_end_matches('/'))
            }
            Err(_) => {
                let below = Path::new(first.as_deref()?).strip_prefix(&moved.to).ok()?;
                moved.from.join(below).to_str()?.to_owned()
            }
        };
        let pieces = std::iter::once(Some(whole)).chain(rest.iter().cloned()).collect();
        Some(OpenPath { pieces, looked_up: false, ..open.clone() })
    }
}
