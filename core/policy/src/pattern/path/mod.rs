//! Path globs in the style of gitignore.

mod above;
mod known_end;
mod open;
mod parse;
mod slashes;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::glob::Glob;
use crate::fold::fold_text;
use mayi_call::shell::OpenPath;
use mayi_call::{PathAccess, display_path, effort, lies_in};

pub(crate) use above::AncestorMatch;
pub(crate) use open::{Likelihood, could_stay_at};
pub(crate) use slashes::{SlashedText, slash_places};

/// A path glob. Without `/` it matches at any depth; `./` anchors at the roots, as does a `/` in
/// the middle; `/` and `~/` are absolute.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    /// As written, each alternative by itself, and with the links of its literal part followed.
    forms: Vec<PatternForm>,
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
pub(crate) struct PatternForm {
    pub(crate) anchor: Anchor,
    /// Where the links of the literal part lead: for an allow only within the roots.
    followed: bool,
    exact: Vec<PathPart>,
    pub(crate) folded: Vec<PathPart>,
}

/// What one name of a path has to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PathPart {
    /// This name.
    Name(String),
    /// A name that matches.
    Glob(Glob),
    /// `**`: any number of names, also none.
    Deep,
}

/// How a pattern fits a path. Ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// Not at all.
    #[default]
    No,
    /// The path lies above what it is about.
    Above,
    /// The path is the folder of which everything below is meant: `secret`, for `secret/**`.
    Folder,
    /// It is about the path, or about something that the path lies in.
    Whole,
}

/// A path in the forms that patterns look at, worked out once for all of them.
#[derive(Debug)]
pub(crate) struct PathForms<'a> {
    pub(crate) roots: &'a [PathBuf],
    certain: bool,
    forms: Vec<PathForm<'a>>,
}

/// One form of a path.
#[derive(Debug)]
pub(crate) struct PathForm<'a> {
    /// None if it is no text.
    exact: Option<&'a str>,
    pub(crate) folded: Cow<'a, str>,
    /// Where the slashes of the folded text are.
    slashes: Vec<usize>,
    /// For each root that it lies in, where its part of the texts begins.
    inside: Vec<(usize, usize)>,
    /// It lies above one of the roots.
    pub(crate) above_root: bool,
}

impl<'a> PathForms<'a> {
    pub(crate) fn new(access: &'a PathAccess, roots: &'a [PathBuf]) -> Self {
        let forms = access.forms().map(|path| PathForm::new(path, roots)).collect();
        Self { roots, certain: access.unresolved.is_none(), forms }
    }

    pub(crate) fn forms(&self) -> &[PathForm<'a>] {
        &self.forms
    }
}

impl<'a> PathForm<'a> {
    fn new(path: &'a Path, roots: &[PathBuf]) -> Self {
        let exact = path.to_str();
        let folded = match exact {
            Some(text) => fold_text(text),
            None => Cow::Owned(fold_text(&path.to_string_lossy()).into_owned()),
        };
        let inside = roots.iter().filter_map(|root| {
            let root = display_path(root);
            let of_exact = exact.and_then(|text| Some(text.len() - below_text(text, &root, 0)?.len()));
            let of_folded = folded.len() - below_text(&folded, &fold_text(&root), 0)?.len();
            Some((of_exact.unwrap_or(usize::MAX), of_folded))
        });
        let inside = inside.collect();
        let slashes = slash_places(&folded);
        Self { exact, folded, slashes, inside, above_root: above_root(path, roots) }
    }

    /// The path as it is seen from each root that it lies in.
    pub(crate) fn in_roots(&self) -> impl Iterator<Item = &str> {
        self.inside.iter().filter_map(|(_, from)| self.folded.get(*from..))
    }

    /// The folded path with its slashes.
    pub(crate) fn slashed(&self) -> SlashedText<'_> {
        SlashedText::new(&self.folded, &self.slashes)
    }

    /// The same, as it is seen from each root that it lies in.
    pub(crate) fn slashed_in_roots(&self) -> impl Iterator<Item = SlashedText<'_>> {
        self.inside.iter().map(|(_, from)| self.slashed().from(*from))
    }

    fn exactly_in_roots(&self) -> impl Iterator<Item = &str> {
        self.inside.iter().filter_map(|(from, _)| self.exact?.get(*from..))
    }
}

/// Steps of a decision for walking a path along a form, for each name where `**` has several ways, and the number of parts that are
/// looked at in one step.
const WALK: usize = 1;
const NAME: usize = 2;
const PARTS: usize = 8;

/// What came of walking a path along a form.
#[derive(Clone, Copy, Debug, Default)]
struct PathWalk {
    /// It matches.
    full: bool,
    /// It lies below what matches.
    below: bool,
    /// Something below it could match.
    above: bool,
    /// Everything below it matches.
    folder: bool,
    /// Something could, without a hidden name on the way.
    shown: bool,
    /// So it could, and some of what it has to have is there.
    begun: bool,
}

impl PathWalk {
    /// Whether a path that lies above what `parts` are about lies no deeper than the names with which they begin, or, at any depth,
    /// ends with the first of what they have to have.
    fn begins(self, parts: &[PathPart], path: &str) -> bool {
        match parts.first() {
            Some(PathPart::Deep) => self.begun || self.folder,
            _ => {
                let depth = path.split('/').filter(|name| !name.is_empty()).count();
                (1..=leading_names(parts).len()).contains(&depth.max(1))
            }
        }
    }
}

impl PathPattern {
    pub(crate) fn forms(&self) -> &[PatternForm] {
        &self.forms
    }

    /// Where each form begins that is as it was written: from the top, or so many folders above each root, and the names from
    /// there on. Of these, links are followed.
    pub(super) fn path_prefixes(&self) -> impl Iterator<Item = (Option<usize>, Vec<&str>)> {
        self.forms.iter().filter(|form| !form.followed).filter_map(|form| match form.anchor {
            Anchor::Absolute => Some((None, leading_names(&form.exact))),
            Anchor::Root(up) => Some((Some(up), leading_names(&form.exact))),
            Anchor::Anywhere => None,
        })
    }

    /// Every form of the path must match: the pattern is certainly about it.
    pub(super) fn certainly_matches(&self, seen: &PathForms<'_>) -> bool {
        seen.certain
            && seen
                .forms
                .iter()
                .all(|of| self.forms.iter().any(|form| form.certainly_matches(of, seen.roots)))
    }

    /// Whether the path is one of the session's folders itself, of which everything below is allowed.
    pub(super) fn certainly_matches_in_root(&self, seen: &PathForms<'_>) -> bool {
        let below = |form: &PatternForm| {
            matches!(form.anchor, Anchor::Root(0) | Anchor::Anywhere) && walk_path(&form.exact, "").folder
        };
        seen.certain
            && self.forms.iter().any(below)
            && seen.forms.iter().all(|of| of.exactly_in_roots().any(str::is_empty))
    }

    /// How it fits the path: any form of it matches, or lies below what matches, or above it as far as
    /// `above` says.
    pub(super) fn fit(&self, seen: &PathForms<'_>, above: AncestorMatch) -> Fit {
        let forms = seen.forms.iter().flat_map(|of| self.forms.iter().map(move |form| (of, form)));
        forms.map(|(of, form)| form.fit(of, seen.roots, above)).max().unwrap_or_default()
    }

    /// Whether one at any depth fits, in part, the path itself, or something that really lies below it: of
    /// each, its name from the path on.
    pub(super) fn fits_below(&self, seen: &PathForms<'_>, held: &[String]) -> bool {
        let forms = self.forms.iter().filter(|form| form.anchor == Anchor::Anywhere);
        forms.into_iter().any(|form| {
            seen.forms.iter().any(|of| {
                let begun = |path: &str| {
                    let walked = walk_path(&form.folded, path);
                    walked.full || walked.begun
                };
                begun(&of.folded)
                    || held.iter().any(|name| begun(&format!("{}/{}", of.folded, fold_text(name))))
            })
        })
    }

    /// Whether it could be about a path of which only parts are known.
    pub(super) fn could_match_open(
        &self,
        path: &OpenPath,
        roots: &[PathBuf],
        above: AncestorMatch,
    ) -> Likelihood {
        self.forms
            .iter()
            .map(|form| open::could_match_open(form, path, roots, above))
            .max()
            .unwrap_or(Likelihood::No)
    }
}

impl PatternForm {
    fn certainly_matches(&self, of: &PathForm<'_>, roots: &[PathBuf]) -> bool {
        let full = |names: &str| walk_path(&self.exact, names).full;
        match self.anchor {
            Anchor::Absolute => {
                (!self.followed || of.exactly_in_roots().next().is_some()) && of.exact.is_some_and(full)
            }
            // An allow without a place is about the session's folders.
            Anchor::Root(0) | Anchor::Anywhere => of.exactly_in_roots().any(full),
            Anchor::Root(up) => of.exact.is_some_and(|text| {
                roots.iter().filter_map(|root| below_text(text, root.to_str()?, up)).any(full)
            }),
        }
    }

    fn fit(&self, of: &PathForm<'_>, roots: &[PathBuf], above: AncestorMatch) -> Fit {
        let hit = |parts: &[PathPart], names: &str, above: AncestorMatch| {
            let walked = walk_path(parts, names);
            let lies_above = if above.passes_hidden() { walked.shown } else { walked.above };
            match walked.full || walked.below {
                true => Fit::Whole,
                false
                    if lies_above
                        && (self.counts_above(parts, above)
                            || above.is_begun() && walked.begins(parts, names)) =>
                {
                    if walked.folder {
                        Fit::Folder
                    } else {
                        Fit::Above
                    }
                }
                false => Fit::No,
            }
        };
        let best = |fits: &mut dyn Iterator<Item = Fit>| fits.max().unwrap_or_default();
        let in_root = |parts: &[PathPart], rest: &str| {
            let root_itself = above == AncestorMatch::PlaceBelowRoot && rest.is_empty();
            hit(parts, rest, if root_itself { AncestorMatch::No } else { above })
        };
        match self.anchor {
            Anchor::Absolute => hit(&self.folded, &of.folded, above),
            Anchor::Root(up) => {
                let inside = if up == 0 {
                    best(&mut of.in_roots().map(|rest| in_root(&self.folded, rest)))
                } else {
                    let from =
                        |root: &PathBuf| below_text(&of.folded, &fold_text(&root.to_string_lossy()), up);
                    best(&mut roots.iter().filter_map(from).map(|rest| in_root(&self.folded, rest)))
                };
                // A folder above a root lies above everything in it.
                let passed_by = above.passes_hidden() && has_hidden_name(&self.folded);
                let above = of.above_root && !passed_by && self.counts_above(&self.folded, above);
                inside.max(if above { Fit::Above } else { Fit::No })
            }
            // A denial without a place is about every place; its place is taken to be at each root.
            Anchor::Anywhere => {
                let anywhere = if above.is_any() { above } else { AncestorMatch::No };
                let placed = || self.parts_at_root().filter(|_| above != AncestorMatch::No);
                let fit = hit(&self.folded, &of.folded, anywhere);
                match placed().filter(|_| fit != Fit::Whole) {
                    Some(parts) => fit.max(best(&mut of.in_roots().map(|rest| in_root(parts, rest)))),
                    None => fit,
                }
            }
        }
    }

    /// The parts of `**/.git/hooks/**` as they stand at a root.
    pub(crate) fn parts_at_root(&self) -> Option<&[PathPart]> {
        match self.folded.as_slice() {
            [PathPart::Deep, rest @ ..] if matches!(rest, [PathPart::Name(_), _, ..]) => Some(rest),
            _ => None,
        }
    }

    /// Whether a path that lies above what `parts` are about counts.
    fn counts_above(&self, parts: &[PathPart], above: AncestorMatch) -> bool {
        match above {
            AncestorMatch::No => false,
            AncestorMatch::Any | AncestorMatch::AnyShown => true,
            // Only names, and at the end what is below the last of them.
            AncestorMatch::Place
            | AncestorMatch::PlaceBelowRoot
            | AncestorMatch::PlaceShown
            | AncestorMatch::BegunShown
            | AncestorMatch::Begun => {
                let fixed = match parts {
                    [fixed @ .., PathPart::Deep, PathPart::Glob(last)] if last.is_any() => fixed,
                    all => all,
                };
                matches!(fixed.first(), Some(PathPart::Name(_))) && !fixed.contains(&PathPart::Deep)
            }
        }
    }

    /// The names at its beginning that are literal.
    pub(crate) fn prefix_names(&self) -> impl Iterator<Item = &str> {
        self.folded
            .iter()
            .map_while(|part| if let PathPart::Name(name) = part { Some(name.as_str()) } else { None })
    }
}

/// Whether `path` is a folder above one of the roots.
fn above_root(path: &Path, roots: &[PathBuf]) -> bool {
    let len = path.as_os_str().len();
    roots.iter().any(|root| root.as_os_str().len() > len && lies_in(root, path))
}

/// `path` as it is seen from the folder so many levels above `root`.
pub(crate) fn below_text<'a>(path: &'a str, root: &str, up: usize) -> Option<&'a str> {
    let root = root.trim_end_matches('/');
    let base =
        if up == 0 { root } else { Path::new(root).ancestors().nth(up)?.to_str()?.trim_end_matches('/') };
    let rest = path.strip_prefix(base)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Walks the names of a path along the parts of a form.
fn walk_path(parts: &[PathPart], path: &str) -> PathWalk {
    if !effort::spend(WALK) {
        return PathWalk::default();
    }
    let mut names = path.split('/').filter(|name| !name.is_empty());
    let (fixed, deep) = match parts {
        [fixed @ .., PathPart::Deep, PathPart::Glob(last)] if last.is_any() => (fixed, true),
        all => (all, false),
    };
    if fixed.contains(&PathPart::Deep) {
        return walk_deep(parts, names);
    }
    // There is one way only.
    for (at, part) in fixed.iter().enumerate() {
        match names.next() {
            None => {
                let shown = !has_hidden_name(fixed.get(at..).unwrap_or_default());
                return PathWalk { above: true, shown, ..PathWalk::default() };
            }
            Some(name) if part.matches_name(name) => {}
            Some(_) => return PathWalk::default(),
        }
    }
    let more = names.next().is_some();
    let folder = !more && deep;
    PathWalk { full: more == deep, below: more, above: folder, folder, shown: folder, begun: false }
}

/// The same along parts with `**` among them: after each name, all the places where one could be.
fn walk_deep<'a>(parts: &[PathPart], names: impl Iterator<Item = &'a str>) -> PathWalk {
    let len = parts.len();
    let mut now = vec![false; len + 1];
    let mut next = now.clone();
    let close = |row: &mut Vec<bool>| {
        for (at, part) in parts.iter().enumerate() {
            if *part == PathPart::Deep && row.get(at) == Some(&true) {
                mark_position(row, at + 1);
            }
        }
    };
    mark_position(&mut now, 0);
    close(&mut now);
    let mut walked = PathWalk::default();
    for name in names {
        if !effort::spend(NAME + len / PARTS) {
            return PathWalk::default();
        }
        walked.below |= now.last() == Some(&true);
        next.fill(false);
        for (at, part) in parts.iter().enumerate().filter(|(at, _)| now.get(*at) == Some(&true)) {
            if *part == PathPart::Deep {
                mark_position(&mut next, at);
            } else if part.matches_name(name) {
                mark_position(&mut next, at + 1);
            }
        }
        close(&mut next);
        std::mem::swap(&mut now, &mut next);
        if !now.contains(&true) {
            return walked;
        }
    }
    walked.full = now.last() == Some(&true);
    let ends_deep = matches!(parts, [.., PathPart::Deep, PathPart::Glob(last)] if last.is_any());
    walked.folder = ends_deep && !walked.full && len.checked_sub(2).and_then(|at| now.get(at)) == Some(&true);
    walked.above = now.iter().take(len).any(|alive| *alive);
    let alive = (0..len).filter(|at| now.get(*at) == Some(&true));
    walked.shown = alive.into_iter().any(|at| !has_hidden_name(parts.get(at..).unwrap_or_default()));
    walked.begun = now.iter().take(len).skip(2).any(|alive| *alive);
    walked
}

/// Whether a name that they have to have is hidden.
pub(super) fn has_hidden_name(parts: &[PathPart]) -> bool {
    parts.iter().any(|part| match part {
        PathPart::Name(name) => name.starts_with('.'),
        PathPart::Glob(glob) => glob.is_hidden(),
        PathPart::Deep => false,
    })
}

/// The names that parts begin with.
pub(crate) fn leading_names(parts: &[PathPart]) -> Vec<&str> {
    parts
        .iter()
        .map_while(|part| if let PathPart::Name(name) = part { Some(name.as_str()) } else { None })
        .collect()
}

fn mark_position(row: &mut [bool], at: usize) {
    if let Some(place) = row.get_mut(at) {
        *place = true;
    }
}

impl PathPart {
    fn matches_name(&self, name: &str) -> bool {
        match self {
            Self::Name(own) => own == name,
            Self::Glob(glob) => glob.matches(name),
            Self::Deep => true,
        }
    }
}

#[cfg(test)]
mod tests;
