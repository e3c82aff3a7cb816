//! Path globs in the style of gitignore.

mod open;
mod parse;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::glob::Glob;
use crate::call::PathAccess;
use crate::call::shell::OpenPath;
use crate::policy::fold::fold;

pub(crate) use open::Could;

/// A path glob. Without `/` it matches at any depth; `./` anchors at the roots, as does a `/` in
/// the middle; `/` and `~/` are absolute.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    /// As written, each alternative by itself, and with the links of its literal part followed.
    forms: Vec<Form>,
}

/// Where a form starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// At the top of the file system.
    Absolute,
    /// At each root of the session, so many folders up.
    Root(usize),
    /// Anywhere.
    Anywhere,
}

/// One alternative of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Form {
    pub(crate) anchor: Anchor,
    /// Where the links of the literal part lead: for an allow only within the roots.
    followed: bool,
    exact: Vec<Part>,
    pub(crate) folded: Vec<Part>,
}

/// What one name of a path has to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    /// This name.
    Name(String),
    /// A name that matches.
    Glob(Glob),
    /// `**`: any number of names, also none.
    Deep,
}

/// How far a path that lies above what a pattern is about counts as being about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Above {
    /// Not at all: what is done there stays there.
    No,
    /// Where it is certain that the pattern's own place lies there.
    Place,
    /// The same, but not for the session's folders themselves.
    PlaceBelowRoot,
    /// Where anything that it matches could lie: the use goes through everything.
    Any,
}

/// A path in the forms that patterns look at, worked out once for all of them.
#[derive(Debug)]
pub(crate) struct Seen<'a> {
    forms: Vec<SeenForm<'a>>,
}

#[derive(Debug)]
pub(crate) struct SeenForm<'a> {
    pub(crate) path: &'a Path,
    pub(crate) folded: Cow<'a, str>,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(access: &'a PathAccess) -> Self {
        let forms = access.forms().map(|path| {
            let folded = match path.to_string_lossy() {
                Cow::Borrowed(text) => fold(text),
                Cow::Owned(text) => Cow::Owned(fold(&text).into_owned()),
            };
            SeenForm { path, folded }
        });
        Self { forms: forms.collect() }
    }

    pub(crate) fn forms(&self) -> &[SeenForm<'a>] {
        &self.forms
    }
}

/// What came of walking a path along a form.
#[derive(Clone, Copy, Debug, Default)]
struct Walked {
    /// It matches.
    full: bool,
    /// It lies below what matches.
    below: bool,
    /// Something below it could match.
    above: bool,
}

impl PathPattern {
    pub(crate) fn forms(&self) -> &[Form] {
        &self.forms
    }

    /// Every form of the path must match: the pattern is certainly about it.
    pub(super) fn allows(&self, path: &PathAccess, roots: &[PathBuf]) -> bool {
        path.unresolved.is_none()
            && path.forms().all(|of| {
                of.to_str().is_some_and(|text| self.forms.iter().any(|form| form.allows(of, text, roots)))
            })
    }

    /// Any form of the path matches, or lies below what matches, or above it as far as `above` says.
    pub(super) fn concerns(&self, seen: &Seen<'_>, roots: &[PathBuf], above: Above) -> bool {
        seen.forms.iter().any(|of| self.forms.iter().any(|form| form.concerns(of, roots, above)))
    }

    /// Whether it could be about a path of which only parts are known.
    pub(super) fn could(&self, path: &OpenPath, roots: &[PathBuf], above: Above) -> Could {
        self.forms.iter().map(|form| open::could(form, path, roots, above)).max().unwrap_or(Could::No)
    }
}

impl Form {
    fn allows(&self, path: &Path, text: &str, roots: &[PathBuf]) -> bool {
        let full = |names: &str| walk(&self.exact, names, |name, part| part == name).full;
        let in_roots = || roots.iter().any(|root| path.starts_with(root));
        match self.anchor {
            Anchor::Absolute => (!self.followed || in_roots()) && full(text),
            // An allow without a place is about the session's folders.
            Anchor::Root(_) | Anchor::Anywhere => {
                roots.iter().filter_map(|root| below(path, root, self.up())).any(|rest| full(&rest))
            }
        }
    }

    fn concerns(&self, of: &SeenForm<'_>, roots: &[PathBuf], above: Above) -> bool {
        let hit = |parts: &[Part], names: &str, above: Above| {
            let walked = walk(parts, names, |name, part| part == name);
            walked.full || walked.below || (walked.above && self.counts_above(parts, above))
        };
        let under_root = |parts: &[Part]| {
            roots.iter().any(|root| {
                // Roots are folded as the path is; where nothing was folded, it is a prefix of it.
                below_text(&of.folded, &fold(&root.to_string_lossy()), self.up()).is_some_and(|rest| {
                    let above = match above {
                        Above::PlaceBelowRoot if rest.is_empty() => Above::No,
                        other => other,
                    };
                    hit(parts, rest, above)
                })
            })
        };
        match self.anchor {
            Anchor::Absolute => hit(&self.folded, &of.folded, above),
            Anchor::Root(_) => {
                under_root(&self.folded)
                    // A folder above a root lies above everything in it.
                    || (self.counts_above(&self.folded, above) && above_root(of.path, roots))
            }
            // A denial without a place is about every place; its place is taken to be at each root.
            Anchor::Anywhere => {
                hit(&self.folded, &of.folded, if above == Above::Any { above } else { Above::No })
                    || (above != Above::No
                        && self.placed().is_some_and(|parts| !parts.is_empty() && under_root(parts)))
            }
        }
    }

    /// The parts of `**/.git/hooks/**` as they stand at a root.
    pub(crate) fn placed(&self) -> Option<&[Part]> {
        match self.folded.as_slice() {
            [Part::Deep, rest @ ..] if matches!(rest, [Part::Name(_), _, ..]) => Some(rest),
            _ => None,
        }
    }

    /// Whether a path that lies above what `parts` are about counts.
    fn counts_above(&self, parts: &[Part], above: Above) -> bool {
        match above {
            Above::No => false,
            Above::Any => true,
            // Only names, and at the end what is below the last of them.
            Above::Place | Above::PlaceBelowRoot => {
                let fixed = match parts {
                    [fixed @ .., Part::Deep, Part::Glob(last)] if last.is_any() => fixed,
                    all => all,
                };
                matches!(fixed.first(), Some(Part::Name(_))) && !fixed.contains(&Part::Deep)
            }
        }
    }

    fn up(&self) -> usize {
        if let Anchor::Root(up) = self.anchor { up } else { 0 }
    }

    /// The names at its beginning that are literal.
    pub(crate) fn place(&self) -> impl Iterator<Item = &str> {
        self.folded
            .iter()
            .map_while(|part| if let Part::Name(name) = part { Some(name.as_str()) } else { None })
    }
}

/// Whether `path` is a folder above one of the roots.
fn above_root(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| root.starts_with(path) && root != path)
}

/// `path` as it is seen from the folder so many levels above `root`.
fn below<'a>(path: &'a Path, root: &Path, up: usize) -> Option<Cow<'a, str>> {
    let base = root.ancestors().nth(up)?;
    path.strip_prefix(base).ok().map(Path::to_string_lossy)
}

pub(crate) fn below_text<'a>(path: &'a str, root: &str, up: usize) -> Option<&'a str> {
    let base = Path::new(root).ancestors().nth(up)?.to_str()?;
    let rest = path.strip_prefix(base)?;
    match rest.strip_prefix('/') {
        Some(rest) => Some(rest),
        None if rest.is_empty() || base.ends_with('/') => Some(rest),
        None => None,
    }
}

/// Walks the names of a path along the parts of a form.
fn walk(parts: &[Part], path: &str, same: impl Fn(&str, &str) -> bool) -> Walked {
    let names = path.split('/').filter(|name| !name.is_empty());
    let len = parts.len();
    // Without `**` there is one way only.
    if !parts.contains(&Part::Deep) {
        let mut used = 0;
        for name in names {
            match parts.get(used) {
                None => return Walked { below: true, ..Walked::default() },
                Some(part) if part.is(name, &same) => used += 1,
                Some(_) => return Walked::default(),
            }
        }
        return Walked { full: used == len, below: false, above: used < len };
    }
    let mut now = vec![false; len + 1];
    let mut next = now.clone();
    let close = |row: &mut Vec<bool>| {
        for at in 0..len {
            if row.get(at) == Some(&true) && parts.get(at) == Some(&Part::Deep) {
                put(row, at + 1);
            }
        }
    };
    put(&mut now, 0);
    close(&mut now);
    let mut walked = Walked::default();
    for name in names {
        walked.below |= now.last() == Some(&true);
        next.fill(false);
        for (at, part) in parts.iter().enumerate() {
            if now.get(at) != Some(&true) {
                continue;
            }
            if *part == Part::Deep {
                put(&mut next, at);
            } else if part.is(name, &same) {
                put(&mut next, at + 1);
            }
        }
        close(&mut next);
        std::mem::swap(&mut now, &mut next);
        if !now.contains(&true) {
            return walked;
        }
    }
    walked.full = now.last() == Some(&true);
    walked.above = now.iter().take(len).any(|alive| *alive);
    walked
}

fn put(row: &mut [bool], at: usize) {
    if let Some(place) = row.get_mut(at) {
        *place = true;
    }
}

impl Part {
    fn is(&self, name: &str, same: impl Fn(&str, &str) -> bool) -> bool {
        match self {
            Self::Name(own) => same(name, own),
            Self::Glob(glob) => glob.matches(name),
            Self::Deep => true,
        }
    }
}
