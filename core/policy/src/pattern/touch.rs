//! Paths that a command or a tool could mean: for deny, ask and protection (D2.25).

use std::path::PathBuf;

use super::path::{self, Above, Could, Fit};
use super::{Matcher, Pattern, covers};
use crate::words;
use mayi_call::shell::{Reach, Touch, TouchedPath, Use};
use mayi_call::{Access, WriteKind};

/// A touch, with what patterns look at worked out once.
#[derive(Debug)]
pub(crate) struct SeenTouch<'a> {
    pub(crate) touch: &'a Touch,
    pub(crate) roots: &'a [PathBuf],
    pub(crate) path: Option<path::Seen<'a>>,
}

/// How a pattern is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touching {
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
pub(crate) enum Written {
    ByHand,
    BuiltIn,
}

impl<'a> SeenTouch<'a> {
    pub(crate) fn new(touch: &'a Touch, roots: &'a [PathBuf]) -> Self {
        let path = match &touch.path {
            TouchedPath::Known(path) => Some(path::Seen::new(path, roots)),
            TouchedPath::Open(_) => None,
        };
        Self { touch, roots, path }
    }

    /// The access that it would be, where the path is known.
    pub(crate) fn access(&self, write: Option<WriteKind>) -> Option<Access> {
        let TouchedPath::Known(path) = &self.touch.path else { return None };
        Some(match write {
            Some(kind) => Access::Write(kind, path.clone()),
            None => Access::Read(path.clone()),
        })
    }

    /// As findings write it.
    pub(crate) fn text(&self, write: Option<WriteKind>) -> String {
        let selector = write.map_or("read", WriteKind::as_str);
        match &self.touch.path {
            TouchedPath::Known(path) => format!("{selector}({})", path.resolved.display()),
            TouchedPath::Open(open) => format!("{selector}({})", words::plain(&open.given)),
        }
    }

    /// What lies in a folder that is read as it was once: by its name alone it may pass hidden names by.
    fn held(&self) -> Option<&[String]> {
        let TouchedPath::Known(path) = &self.touch.path else { return None };
        let read = self.touch.how == Use::Read && self.touch.reach == Reach::Shown;
        read.then_some(path.holds.as_slice())
    }

    pub(crate) fn is_folder(&self) -> bool {
        matches!(&self.touch.path, TouchedPath::Known(path) if path.folder)
    }

    /// How a folder above what a pattern is about counts.
    pub(crate) fn above(&self, written: Written) -> Above {
        use Written::{BuiltIn, ByHand};
        let reach = self.touch.reach;
        match (self.touch.how, written) {
            _ if reach == Reach::Said => Above::No,
            (Use::Read, _) if reach == Reach::Itself => Above::No,
            // What changed there is hardly ever what is built in.
            (Use::Read, BuiltIn) if matches!(reach, Reach::Changed | Reach::Past) => Above::No,
            // It may show, or change, whatever could lie there; what is built in is about far too much for that.
            (_, ByHand) if matches!(reach, Reach::Past | Reach::Somewhere) => Above::Any,
            (_, BuiltIn) if matches!(reach, Reach::Past | Reach::Somewhere) => Above::No,
            (Use::Read | Use::Either, ByHand) if reach == Reach::All => Above::Any,
            (Use::Read | Use::Either, ByHand) if reach == Reach::Shown => Above::AnyShown,
            (Use::Read, BuiltIn) if reach == Reach::Shown => Above::PlaceShown,
            (Use::Read, _) => Above::Place,
            (Use::Either, ByHand) => Above::Place,
            (Use::Either, BuiltIn) if reach == Reach::All => Above::Place,
            (Use::Either, BuiltIn) if reach == Reach::Shown => Above::PlaceShown,
            (Use::Either, BuiltIn) => Above::No,
            (Use::Write(_), ByHand) if reach == Reach::All => Above::Any,
            (Use::Write(_), BuiltIn) if reach == Reach::All => Above::Place,
            // A folder that is made, or gets another mode, changes nothing in it.
            (Use::Write(WriteKind::Create | WriteKind::Edit), _) => Above::No,
            (Use::Write(kind), Written::ByHand) => above_write(kind, self.is_folder()),
            (Use::Write(kind), Written::BuiltIn) => {
                above_write(kind, self.is_folder()).min(Above::PlaceBelowRoot)
            }
        }
    }
}

/// How a folder counts that is itself changed: moved or deleted, it takes along what is in it; copied
/// to, or replaced by a file or a link, it decides what is there.
pub(crate) fn above_write(kind: WriteKind, folder: bool) -> Above {
    match kind {
        WriteKind::Delete | WriteKind::Move if folder => Above::Any,
        WriteKind::Delete | WriteKind::Move => Above::Place,
        WriteKind::Write | WriteKind::Create | WriteKind::Edit => Above::PlaceBelowRoot,
    }
}

impl Pattern {
    /// Whether, and how, this could be about a path that is touched.
    pub(crate) fn touched(&self, seen: &SeenTouch<'_>, written: Written) -> Option<Touching> {
        if seen.touch.reach == Reach::Said && written == Written::BuiltIn {
            return None;
        }
        let how = seen.touch.how;
        let (write, pattern) = match &self.matcher {
            Matcher::Read(pattern) if matches!(how, Use::Read | Use::Either) => (None, pattern),
            Matcher::Write(kind, pattern) => match how {
                Use::Read => return None,
                Use::Either => (Some(*kind), pattern),
                Use::Write(of) if covers(*kind, of) || of == WriteKind::Write => (Some(of), pattern),
                Use::Write(_) => return None,
            },
            _ => return None,
        };
        let mut above = seen.above(written);
        if written == Written::BuiltIn && how == Use::Either && write.is_some() {
            above = Above::No;
        }
        let mut fit = Fit::Whole;
        let certainty = match (&seen.path, &seen.touch.path) {
            (Some(path), _) => {
                fit = pattern.fit(path, above);
                if fit == Fit::No
                    && written == Written::ByHand
                    && seen.held().is_some_and(|held| pattern.fits_below(path, held))
                {
                    fit = Fit::Above;
                }
                match fit {
                    Fit::No => return None,
                    // What changed below, or is shown or changed there, may be something else.
                    Fit::Above if seen.touch.reach.is_unsure() => Certainty::Perhaps,
                    Fit::Above | Fit::Folder | Fit::Whole => Certainty::Known,
                }
            }
            (None, TouchedPath::Open(open)) => match pattern.could(open, seen.roots, above) {
                Could::No => return None,
                // Whatever it gives is looked at by itself.
                Could::Perhaps if open.looked_up => return None,
                Could::Perhaps => Certainty::Perhaps,
                Could::Yes => Certainty::Known,
            },
            (None, TouchedPath::Known(_)) => return None,
        };
        Some(Touching { write, certainty, fit })
    }
}
