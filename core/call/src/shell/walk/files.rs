//! Files that the line writes, fetches and runs, and what they hold by then.

use std::ops::Range;

use crate::PathAccess;
use crate::shell::OpenWord;
use crate::shell::scripts::Script;

/// As many files are told apart.
const MOST: usize = 64;

/// What is known of a program's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// All of it.
    Text(String),
    /// It is a file that is there, and an answer about the call is bound to what that holds.
    Bound,
    /// Nothing.
    Unknown,
}

/// A file that the line writes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Made {
    /// Where it is, if the folder is known.
    path: Option<PathAccess>,
    /// As it was written.
    name: String,
    content: Content,
}

/// Files that the line writes, fetches and runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    made: Vec<Made>,
    /// What was run, and how many files had been made before.
    run: Vec<(PathAccess, usize)>,
    /// Something was fetched or unpacked: files may be there that are not there yet.
    fetched: bool,
    /// The last parts of the addresses that were fetched.
    names: Vec<String>,
    /// There are too many of them to tell apart.
    many: bool,
    /// Parts of the line run more than once, later, or beside each other.
    out_of_order: bool,
}

impl Files {
    /// How many files were written by now.
    pub(super) fn made(&self) -> usize {
        self.made.len()
    }

    /// A file is written, with what is not known yet.
    pub(super) fn make(&mut self, path: Option<PathAccess>, name: String) {
        self.many |= self.made.len() >= MOST;
        if !self.many {
            self.made.push(Made { path, name, content: Content::Unknown });
        }
    }

    /// The files at these places hold just `text`, or that behind what they held before.
    pub(super) fn hold(&mut self, places: Range<usize>, text: &str, appended: bool) {
        let start = places.start.min(self.made.len());
        let (before, new) = self.made.split_at_mut(start);
        for made in new.iter_mut().take(places.len()) {
            let same = |other: &&Made| made.path.is_some() && other.path == made.path;
            made.content = match (appended, before.iter().rev().find(same).map(|other| &other.content)) {
                (false, _) => Content::Text(text.to_owned()),
                (true, Some(Content::Text(first))) => Content::Text(format!("{first}{text}")),
                (true, None) => Content::Bound,
                (true, Some(other)) => other.clone(),
            };
        }
    }

    /// Something is fetched, or told to be, from addresses that end in `names`.
    pub(super) fn fetch(&mut self, fetched: bool, names: impl Iterator<Item = String>) {
        self.fetched |= fetched;
        self.names.extend(names.take(MOST));
    }

    /// Whether files may be there that are not there yet.
    pub(super) fn fetched(&self) -> bool {
        self.fetched
    }

    /// A file is run; whether it can still be told which.
    pub(super) fn runs(&mut self, path: &PathAccess) -> bool {
        self.many |= self.run.len() >= MOST;
        if !self.many {
            self.run.push((path.clone(), self.made.len()));
        }
        !self.many
    }

    /// What a file holds that the line writes or brings; none for files that are simply there.
    pub(super) fn content(&self, path: &PathAccess, certain: bool) -> Option<Content> {
        let mut found = None;
        for made in self.made.iter().filter(|made| made.is(path)) {
            found = match (&found, &made.content) {
                (Some(Content::Unknown), Content::Bound) => found,
                (_, content) => Some(content.clone()),
            };
        }
        // Nothing is there, so the line brings it.
        let name = path.lexical.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let named = self.names.iter().any(|other| *other == name);
        let missing = || Script::look(path).is_none();
        if found.is_none() && (named || certain && self.fetched && missing()) {
            return Some(Content::Unknown);
        }
        found
    }

    /// Whether one was written at this place, or, where that is not known, under this very name.
    pub(super) fn wrote(&self, path: Option<&PathAccess>, name: &str) -> bool {
        self.made.iter().any(|made| path.map_or(made.name == name, |path| made.is(path)))
    }

    /// Whether one was written under this name in any folder.
    pub(super) fn made_by_name(&self, name: &str) -> bool {
        self.made.iter().any(|made| base(&made.name) == base(name))
    }

    /// Whether a word of which only a part is known could name one.
    pub(super) fn could_have_made(&self, open: &OpenWord) -> bool {
        self.made.iter().any(|made| made.could_be(open))
    }

    /// Parts of the line run again, later, or beside each other.
    pub(super) fn out_of_order(&mut self) {
        self.out_of_order = true;
    }

    /// Whether they do.
    pub(super) fn is_out_of_order(&self) -> bool {
        self.out_of_order
    }

    /// What is written after it was run, where that may run again.
    pub(super) fn rerun(&self) -> Option<&PathAccess> {
        let written = |(path, before): &&(PathAccess, usize)| {
            let later = self.made.get(*before..).unwrap_or_default();
            later.iter().any(|made| made.is(path))
        };
        let run = self.run.iter().find(written).filter(|_| self.out_of_order);
        run.map(|(path, _)| path)
    }
}

impl Made {
    /// Whether a word of which only a part is known could name it.
    fn could_be(&self, open: &OpenWord) -> bool {
        let known = |piece: Option<&Option<String>>| piece.cloned().flatten().unwrap_or_default();
        let (start, end) = (known(open.pieces.first()), known(open.pieces.last()));
        let own = base(&self.name);
        self.path.is_none() || own.starts_with(base(&start)) && own.ends_with(&end)
    }

    /// Whether it is the file, or, where nothing is known of it, a folder above.
    fn is(&self, path: &PathAccess) -> bool {
        let Some(own) = &self.path else {
            return path.lexical.file_name().is_some_and(|other| other.to_string_lossy() == base(&self.name));
        };
        own.forms().any(|own| {
            path.forms().any(|form| form == own || self.content == Content::Unknown && form.starts_with(own))
        })
    }
}

/// The last part of a name.
fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or_default()
}
