//! Paths that a command or a tool could mean: for deny, ask and protection (D2.25).

use std::path::PathBuf;

use super::path::{self, AncestorMatch, Fit, Likelihood};
use super::{COMPARISON, Matcher, Pattern, write_kind_covers};
use crate::words;
use mayi_call::shell::{Reach, Touch, TouchedPath, Use};
use mayi_call::{Access, WriteKind, effort};

/// A touch, with what patterns look at worked out once.
#[derive(Debug)]
pub(crate) struct TouchForms<'a> {
    pub(crate) touch: &'a Touch,
    pub(crate) roots: &'a [PathBuf],
    pub(crate) path: Option<path::PathForms<'a>>,
}

/// How a pattern is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TouchMatch {
    /// As a change of this kind; none: as a read.
    pub(crate) write: Option<WriteKind>,
    pub(crate) certainty: Certainty,
    pub(crate) fit: Fit,
}

/// How much speaks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// It is the path, as far as it is known.
    Known,
    /// It could be any path.
    Perhaps,
}

/// Whose pattern it is: what somebody wrote about a place counts for folders above it too; what is
/// built in is about so many places that only what certainly reaches them does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatternAuthor {
    ByHand,
    BuiltIn,
    /// Written by hand, to count as what is built in does.
    Named,
}

impl<'a> TouchForms<'a> {
    pub(crate) fn new(touch: &'a Touch, roots: &'a [PathBuf]) -> Self {
        let path = match &touch.path {
            TouchedPath::Known(path) => Some(path::PathForms::new(path, roots)),
            TouchedPath::Open(_) => None,
        };
        Self { touch, roots, path }
    }

    /// The access that it would be, where the path is known.
    pub(crate) fn as_access(&self, write: Option<WriteKind>) -> Option<Access> {
        let TouchedPath::Known(path) = &self.touch.path else { return None };
        Some(match write {
            Some(kind) => Access::Write(kind, path.clone()),
            None => Access::Read(path.clone()),
        })
    }

    /// As findings write it.
    pub(crate) fn finding_text(&self, write: Option<WriteKind>) -> String {
        let selector = write.map_or("read", WriteKind::as_str);
        match &self.touch.path {
            TouchedPath::Known(path) => format!("{selector}({})", path.resolved.display()),
            TouchedPath::Open(open) => format!("{selector}({})", words::placeholders_as_stars(&open.given)),
        }
    }

    /// What lies in a folder that is read as it was once: by its name alone it may pass hidden names by.
    fn shown_contents(&self) -> Option<&[String]> {
        let TouchedPath::Known(path) = &self.touch.path else { return None };
        let read = self.touch.how == Use::Read && self.touch.reach == Reach::Shown;
        read.then_some(path.holds.as_slice())
    }

    /// What lies in a folder that is gone through, as far as its name tells something; what hidden names are passed by is left out.
    fn searched_contents(&self) -> Vec<String> {
        let TouchedPath::Known(path) = &self.touch.path else { return Vec::new() };
        let hidden = |name: &&String| name.split('/').any(|part| part.starts_with('.'));
        match (self.touch.how, self.touch.reach) {
            (Use::Read, Reach::All) => path.holds.clone(),
            (Use::Read, Reach::Shown) => path.holds.iter().filter(|name| !hidden(name)).cloned().collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn is_folder(&self) -> bool {
        matches!(&self.touch.path, TouchedPath::Known(path) if path.folder)
    }

    /// How a folder above what a pattern is about counts.
    pub(crate) fn ancestor_match(&self, written: PatternAuthor) -> AncestorMatch {
        use PatternAuthor::{BuiltIn, ByHand, Named};
        let reach = self.touch.reach;
        match (self.touch.how, written) {
            _ if reach == Reach::Said => AncestorMatch::No,
            // What may be made there by then is told by what somebody wrote; what is built in is about far too much for that.
            (_, ByHand) if reach == Reach::Unmade => AncestorMatch::Begun,
            (_, ByHand) if reach == Reach::UnmadeShown => AncestorMatch::BegunShown,
            (Use::Read, _) if matches!(reach, Reach::Itself | Reach::Unmade | Reach::UnmadeShown) => {
                AncestorMatch::No
            }
            // What changed there is hardly ever what is built in.
            (Use::Read, BuiltIn | Named) if matches!(reach, Reach::Changed | Reach::Past) => {
                AncestorMatch::No
            }
            // It may show, or change, whatever could lie there; what is built in is about far too much for that, but for
            // folders that are there for just this (`cd .git && unzip a`).
            (_, ByHand) if matches!(reach, Reach::Past | Reach::Somewhere) => AncestorMatch::Any,
            (Use::Write(_), BuiltIn | Named) if reach == Reach::Somewhere => AncestorMatch::PlaceBelowRoot,
            (_, BuiltIn | Named) if matches!(reach, Reach::Past | Reach::Somewhere) => AncestorMatch::No,
            (Use::Read | Use::Either, ByHand) if reach == Reach::All => AncestorMatch::Any,
            (Use::Read | Use::Either, ByHand) if reach == Reach::Shown => AncestorMatch::AnyShown,
            (Use::Read, BuiltIn | Named) if reach == Reach::Shown => AncestorMatch::PlaceShown,
            (Use::Read, _) => AncestorMatch::Place,
            (Use::Either, ByHand) => AncestorMatch::Place,
            (Use::Either, BuiltIn | Named) if reach == Reach::All => AncestorMatch::Place,
            (Use::Either, BuiltIn | Named) if reach == Reach::Shown => AncestorMatch::PlaceShown,
            (Use::Either, BuiltIn | Named) => AncestorMatch::No,
            (Use::Write(_), ByHand) if reach == Reach::All => AncestorMatch::Any,
            (Use::Write(_), BuiltIn | Named) if reach == Reach::All => AncestorMatch::Place,
            // A folder that is made, or gets another mode, changes nothing in it.
            (Use::Write(WriteKind::Create | WriteKind::Edit), _) => AncestorMatch::No,
            (Use::Write(kind), ByHand) => above_write(kind, self.is_folder()),
            (Use::Write(kind), BuiltIn | Named) => {
                above_write(kind, self.is_folder()).min(AncestorMatch::PlaceBelowRoot)
            }
        }
    }
}

/// How a folder counts that is itself changed: moved or deleted, it takes along what is in it; copied
/// to, or replaced by a file or a link, it decides what is there.
pub(crate) fn above_write(kind: WriteKind, folder: bool) -> AncestorMatch {
    match kind {
        WriteKind::Delete | WriteKind::Move if folder => AncestorMatch::Any,
        WriteKind::Delete | WriteKind::Move => AncestorMatch::Place,
        WriteKind::Write | WriteKind::Create | WriteKind::Edit => AncestorMatch::PlaceBelowRoot,
    }
}

impl Pattern {
    /// Whether, and how, this could be about a path that is touched.
    pub(crate) fn match_touch(&self, seen: &TouchForms<'_>, written: PatternAuthor) -> Option<TouchMatch> {
        if !effort::spend(COMPARISON) {
            return None;
        }
        let (reach, built_in) = (seen.touch.reach, written != PatternAuthor::ByHand);
        if reach == Reach::Said && built_in {
            return None;
        }
        // What is built in is about so much that a text would often name some of it: where keys lie counts, and no more.
        if reach == Reach::Mentioned && built_in && !matches!(self.matcher, Matcher::Read(_)) {
            return None;
        }
        let how = seen.touch.how;
        let (write, pattern) = match &self.matcher {
            Matcher::Read(pattern) if matches!(how, Use::Read | Use::Either) => (None, pattern),
            Matcher::Write(kind, pattern) => match how {
                Use::Read => return None,
                Use::Either => (Some(*kind), pattern),
                Use::Write(of) if write_kind_covers(*kind, of) || of == WriteKind::Write => {
                    (Some(of), pattern)
                }
                Use::Write(_) => return None,
            },
            _ => return None,
        };
        let mut above = seen.ancestor_match(written);
        if built_in && how == Use::Either && write.is_some() {
            above = AncestorMatch::No;
        }
        let mut fit = Fit::Whole;
        let certainty = match (&seen.path, &seen.touch.path) {
            (Some(path), _) => {
                fit = pattern.fit(path, above);
                let held = match written {
                    _ if fit != Fit::No => None,
                    PatternAuthor::ByHand => seen.shown_contents().map(<[String]>::to_vec),
                    PatternAuthor::BuiltIn => None,
                    PatternAuthor::Named => Some(seen.searched_contents()),
                };
                if held.is_some_and(|held| pattern.fits_below(path, &held)) {
                    fit = Fit::Above;
                }
                match fit {
                    Fit::No => return None,
                    // What changed below, or is shown or changed there, may be something else.
                    Fit::Above if seen.touch.reach.is_unsure() => Certainty::Perhaps,
                    Fit::Above | Fit::Folder | Fit::Whole => Certainty::Known,
                }
            }
            (None, TouchedPath::Open(open)) => match pattern.could_match_open(open, seen.roots, above) {
                Likelihood::No => return None,
                // Whatever it gives now is looked at by itself; what somebody wrote names a place, which may be filled by then.
                Likelihood::Perhaps if open.looked_up => return None,
                Likelihood::Placed if open.looked_up && built_in => return None,
                Likelihood::Yes if open.looked_up && written == PatternAuthor::Named => return None,
                Likelihood::Perhaps | Likelihood::Placed => Certainty::Perhaps,
                Likelihood::Yes => Certainty::Known,
            },
            (None, TouchedPath::Known(_)) => return None,
        };
        if reach == Reach::Mentioned && built_in && certainty == Certainty::Perhaps {
            return None;
        }
        let certainty = if reach == Reach::Mentioned && !built_in { Certainty::Perhaps } else { certainty };
        Some(TouchMatch { write, certainty, fit })
    }
}
