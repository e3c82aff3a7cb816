//! Whether a pattern could be about a path of which only parts are known.

use std::path::{Path, PathBuf};

use super::super::glob::TextPart as Known;
use super::{AncestorMatch, Anchor, PathPart, PatternForm, known_end};
use crate::fold::fold_text;
use mayi_call::effort;
use mayi_call::shell::OpenPath;

/// How much speaks for it. Ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Likelihood {
    /// It can't be.
    No,
    /// Nothing speaks against it, since next to nothing is known.
    Perhaps,
    /// No more than that, but it is a place that the pattern names, and more is known than the folder that the names are in.
    Placed,
    /// What is known fits.
    Yes,
}

/// As many steps are taken: then it could.
const MOST_STEPS: usize = 1 << 18;

/// Steps of a decision for each form, besides those for comparing: what is known of the path is made ready for it.
const FORM: usize = 20;

/// Number of bytes of what is known that are made ready in one step of a decision: into characters, and into names.
const COPIED: usize = 8;

/// Number of characters that are compared in one step of a decision.
const CHARACTERS: usize = 32;

/// One step of the text that a form matches.
enum MatchStep<'a> {
    Part(&'a PathPart),
    /// Between two names.
    Slash,
}

/// Whether, and how much, `form` could be about `path`.
pub(super) fn could_match_open(
    form: &PatternForm,
    path: &OpenPath,
    roots: &[PathBuf],
    above: AncestorMatch,
) -> Likelihood {
    let known: usize = path.pieces.iter().flatten().map(String::len).sum();
    if !effort::spend(FORM + known / COPIED) {
        return Likelihood::No;
    }
    let text = known_text(path);
    let bases: Vec<Vec<PathPart>> = match form.anchor {
        Anchor::Absolute | Anchor::Anywhere => vec![Vec::new()],
        Anchor::Root(up) => {
            roots.iter().filter_map(|root| Some(folded_names(root.ancestors().nth(up)?))).collect()
        }
    };
    let meets = |text: &[Known]| {
        bases.iter().any(|base| {
            let parts: Vec<&PathPart> = base.iter().chain(&form.folded).collect();
            can_both_match(&parts, text, above)
        })
    };
    if !meets(&text) {
        let leaves = risen_text(path).is_some_and(|text| meets(&text));
        return if leaves { Likelihood::Perhaps } else { Likelihood::No };
    }
    // A star alone could be any file of its folder, and an expansion any path at all: unless something of
    // a name is known, or what is known around it is about the same place.
    let begins = matches!(text.first(), Some(Known::Char('/')));
    let speaks = (begins && !path.slashes && has_partial_name(&text))
        || (begins && in_place(form, &text, roots))
        || last_name(&text).is_some_and(|name| ends_with(form, &name))
        || known_end::fits_known_end(form, &text);
    match speaks {
        true => Likelihood::Yes,
        false if is_placed(form, path, roots, above) => Likelihood::Placed,
        false => Likelihood::Perhaps,
    }
}

/// Whether a glob could give a name of a place that the form begins with, which at any depth is taken to be at each root. A star
/// alone at the end gives whatever a folder holds, and means none of it.
fn is_placed(form: &PatternForm, path: &OpenPath, roots: &[PathBuf], above: AncestorMatch) -> bool {
    let gaps = path.pieces.iter().filter(|piece| piece.is_none()).count();
    let all_of_it = || match path.pieces.as_slice() {
        [Some(folder), None, rest @ ..] => {
            folder.ends_with('/') && rest.iter().flatten().all(|end| end.trim_matches('/').is_empty())
        }
        _ => false,
    };
    // What an expansion gives may be anywhere, and names at any depth are no place.
    let begins = matches!(path.pieces.first(), Some(Some(first)) if first.starts_with('/'));
    if !begins || path.slashes || gaps == 1 && all_of_it() {
        return false;
    }
    match form.anchor {
        Anchor::Absolute | Anchor::Root(_) => form.prefix_names().next().is_some(),
        Anchor::Anywhere => form.parts_at_root().is_some_and(|parts| {
            roots.iter().any(|root| {
                let base = folded_names(root);
                let parts: Vec<&PathPart> = base.iter().chain(parts).collect();
                can_both_match(&parts, &known_text(path), above)
            })
        }),
    }
}

/// The text of a path whose unknown part goes up again, as `../secret` in `sub/$A` does: only what stands behind it is left.
fn risen_text(path: &OpenPath) -> Option<Vec<Known>> {
    let last = path.pieces.iter().rposition(Option::is_none).filter(|_| !path.stays_below)?;
    let behind = path.pieces.get(last + 1..).unwrap_or_default().iter().flatten();
    let known = behind.flat_map(|piece| fold_text(piece).chars().map(Known::Char).collect::<Vec<_>>());
    Some(std::iter::once(Known::Gap { slashes: true }).chain(known).collect())
}

/// Whether a path whose unknown parts can't go up could lie below `place`, which is written in lower case, or go by it; with
/// `itself`, whether it could be that place.
pub(crate) fn could_stay_at(path: &OpenPath, place: &str, itself: bool) -> bool {
    if !path.stays_below {
        return false;
    }
    let names = folded_names(Path::new(place));
    let parts: Vec<&PathPart> = names.iter().collect();
    let could_be = |text: &[Known]| can_both_match(&parts, text, AncestorMatch::No);
    let mut text = Vec::new();
    for piece in &path.pieces {
        let Some(piece) = piece else {
            text.push(Known::Gap { slashes: path.slashes });
            continue;
        };
        for (at, name) in piece.split('/').enumerate() {
            // Where a glob gives a link, what is behind that is a touch of its own.
            if at > 0 && name == ".." {
                if could_be(&text) {
                    return true;
                }
                text.truncate(parent_length(&text));
                continue;
            }
            text.extend((at > 0).then_some(Known::Char('/')));
            text.extend(fold_text(name).chars().map(Known::Char));
        }
    }
    while text.last() == Some(&Known::Char('/')) {
        text.pop();
    }
    could_be(&text) && (itself || could_be(text.get(..parent_length(&text)).unwrap_or_default()))
}

/// How long the text is without its last name.
fn parent_length(text: &[Known]) -> usize {
    text.iter().rposition(|part| *part == Known::Char('/')).unwrap_or_default()
}

/// Whether something is known of a name of which not all is.
fn has_partial_name(text: &[Known]) -> bool {
    let open = |name: &&[Known]| name.iter().any(|part| matches!(part, Known::Gap { .. }));
    text.split(|part| *part == Known::Char('/')).filter(open).any(|name| name.len() > 1)
}

/// Whether the known beginning of a path leads into the place that a form is about: to the folder that
/// holds it, or further.
fn in_place(form: &PatternForm, text: &[Known], roots: &[PathBuf]) -> bool {
    let head: String =
        text.iter().map_while(|part| if let Known::Char(c) = part { Some(*c) } else { None }).collect();
    let (folders, begun) = head.rsplit_once('/').unwrap_or_default();
    let folders: Vec<&str> = folders.split('/').filter(|name| !name.is_empty()).collect();
    let place: Vec<&str> = match form.anchor {
        Anchor::Anywhere => super::leading_names(form.folded.get(1..).unwrap_or_default()),
        _ => form.prefix_names().collect(),
    };
    let Some((last, parents)) = place.split_last() else { return false };
    let leads = |folders: &[&str]| {
        let in_it = match folders.get(parents.len()) {
            Some(name) => name == last,
            None => !parents.is_empty() || (!begun.is_empty() && last.starts_with(begun)),
        };
        folders.starts_with(parents) && in_it
    };
    // What of it lies in each root.
    let inside: Vec<&[&str]> = roots
        .iter()
        .filter_map(|root| {
            let root = folded_names(root);
            let own = super::leading_names(&root);
            folders.starts_with(&own).then(|| folders.get(own.len()..))?
        })
        .collect();
    match form.anchor {
        // A folder of the session is no hint at any place in it.
        Anchor::Absolute => {
            let is_root = begun.is_empty() && inside.iter().any(|rest| rest.is_empty());
            !is_root && leads(&folders)
        }
        Anchor::Root(_) => inside.iter().any(|rest| leads(rest)),
        Anchor::Anywhere => (0..=folders.len()).any(|from| leads(folders.get(from..).unwrap_or_default())),
    }
}

/// The path's text, folded; what is behind an unknown part and goes up again makes all unknown.
fn known_text(path: &OpenPath) -> Vec<Known> {
    let gap = Known::Gap { slashes: path.slashes };
    let mut text = Vec::new();
    let mut after_gap = false;
    for piece in &path.pieces {
        match piece {
            None => {
                after_gap = true;
                if text.last() != Some(&gap) {
                    text.push(gap);
                }
            }
            Some(piece) => {
                if after_gap && piece.split('/').any(|name| name == "..") {
                    return vec![Known::Gap { slashes: true }];
                }
                text.extend(fold_text(piece).chars().map(Known::Char));
            }
        }
    }
    if !matches!(text.first(), Some(Known::Char('/') | Known::Gap { slashes: true })) {
        // It is not known where it starts.
        text.splice(0..0, [Known::Gap { slashes: true }, Known::Char('/')]);
    }
    text
}

fn folded_names(path: &Path) -> Vec<PathPart> {
    let names = path.components().filter_map(|component| match component {
        std::path::Component::Normal(name) => {
            Some(PathPart::Name(fold_text(&name.to_string_lossy()).into_owned()))
        }
        _ => None,
    });
    names.collect()
}

/// The last name, if it is known.
fn last_name(text: &[Known]) -> Option<String> {
    let slash = text.iter().rposition(|part| *part == Known::Char('/'))?;
    let name: Option<String> = text
        .get(slash + 1..)?
        .iter()
        .map(|part| if let Known::Char(c) = part { Some(*c) } else { None })
        .collect();
    name.filter(|name| !name.is_empty())
}

fn ends_with(form: &PatternForm, name: &str) -> bool {
    match form.folded.last() {
        Some(PathPart::Name(own)) => own == name,
        Some(PathPart::Glob(glob)) => !glob.is_any() && glob.matches(name),
        _ => false,
    }
}

/// Whether some path is both: one that the parts match (or that lies below such a one; or, with
/// `above`, above one), and one that `text` may stand for.
fn can_both_match(parts: &[&PathPart], text: &[Known], above: AncestorMatch) -> bool {
    let steps: Vec<MatchStep<'_>> =
        parts.iter().flat_map(|part| [MatchStep::Slash, MatchStep::Part(part)]).collect();
    let width = text.len() + 1;
    let most = steps.len().saturating_mul(width).saturating_mul(4);
    if most > MOST_STEPS || !effort::spend(most / CHARACTERS) {
        return true;
    }
    let mut now = vec![false; width];
    mark_position(&mut now, 0);
    for (at, step) in steps.iter().enumerate() {
        if above.is_any() && now.last() == Some(&true) {
            // One step for each name, and one for the slash before it.
            let rest = parts.get(at / 2..).unwrap_or_default();
            if !above.passes_hidden()
                || !rest.iter().any(|part| super::has_hidden_name(std::slice::from_ref(*part)))
            {
                return true;
            }
        }
        skip_gaps(&mut now, text);
        let next = match step {
            MatchStep::Slash => {
                // `/**` may stand for nothing, with the slash before it.
                let deep = matches!(steps.get(at + 1), Some(MatchStep::Part(PathPart::Deep)));
                if deep { now.clone() } else { match_char(&now, text, |c| c == '/') }
            }
            MatchStep::Part(PathPart::Deep) => {
                // Nothing, or a slash and anything, up to where the next name's slash comes.
                let begun = match_char(&now, text, |c| c == '/');
                let mut next = now.clone();
                if let Some(from) = begun.iter().position(|set| *set) {
                    next.iter_mut().skip(from).for_each(|place| *place = true);
                }
                next
            }
            MatchStep::Part(PathPart::Name(name)) => {
                let mut row = now.clone();
                if name.starts_with('.') {
                    not_by_globs(&mut row, text);
                }
                for own in name.chars() {
                    row = match_char(&row, text, |c| c == own);
                    skip_gaps(&mut row, text);
                }
                row
            }
            MatchStep::Part(PathPart::Glob(glob)) => match_name(glob, &now, text),
        };
        now = next;
        if !now.contains(&true) {
            return false;
        }
    }
    skip_gaps(&mut now, text);
    // The end, or something below.
    now.last() == Some(&true)
        || now
            .iter()
            .zip(text)
            .any(|(set, part)| *set && matches!(part, Known::Char('/') | Known::Gap { slashes: true }))
}

/// A glob at the beginning of a name stands for no name that begins with a dot.
fn not_by_globs(row: &mut [bool], text: &[Known]) {
    for (at, part) in text.iter().enumerate() {
        let begins = at.checked_sub(1).and_then(|before| text.get(before)) == Some(&Known::Char('/'));
        if begins && *part == (Known::Gap { slashes: false }) {
            row.iter_mut().skip(at).take(2).for_each(|place| *place = false);
        }
    }
}

/// A gap may stand for nothing.
fn skip_gaps(row: &mut [bool], text: &[Known]) {
    for (at, part) in text.iter().enumerate() {
        if matches!(part, Known::Gap { .. }) && row.get(at) == Some(&true) {
            mark_position(row, at + 1);
        }
    }
}

/// One character.
fn match_char(row: &[bool], text: &[Known], is: impl Fn(char) -> bool) -> Vec<bool> {
    let mut next = vec![false; row.len()];
    for (at, part) in text.iter().enumerate() {
        if row.get(at) != Some(&true) {
            continue;
        }
        match part {
            Known::Char(c) if is(*c) => mark_position(&mut next, at + 1),
            Known::Gap { slashes } if *slashes || !is('/') => {
                mark_position(&mut next, at);
                mark_position(&mut next, at + 1);
            }
            _ => {}
        }
    }
    next
}

/// One name that a glob matches: from each place, to each place where it could end.
fn match_name(glob: &super::Glob, row: &[bool], text: &[Known]) -> Vec<bool> {
    let mut next = vec![false; row.len()];
    for from in (0..text.len()).filter(|at| row.get(*at) == Some(&true)) {
        let rest = text.get(from..).unwrap_or_default();
        let end = rest.iter().position(|part| *part == Known::Char('/')).unwrap_or(rest.len());
        for to in 0..=end {
            let name = rest.get(..to).unwrap_or_default();
            // A name ends before a slash, at the end, or within a gap that holds one.
            let ends = to == rest.len()
                || rest.get(to) == Some(&Known::Char('/'))
                || matches!(name.last(), Some(Known::Gap { slashes: true }));
            if to > 0 && ends && glob.could_match(name) {
                mark_position(&mut next, from + to);
                if matches!(name.last(), Some(Known::Gap { slashes: true })) {
                    // The gap goes on behind the name.
                    mark_position(&mut next, from + to - 1);
                }
            }
        }
    }
    next
}

fn mark_position(row: &mut [bool], at: usize) {
    super::mark_position(row, at);
}
