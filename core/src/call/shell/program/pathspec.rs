//! What git takes for a path: pathspecs among revisions, and paths within a revision.

use std::path::Path;

use super::judge::Judge;
use super::repository;
use crate::call::PathAccess;
use crate::call::shell::{OpenWord, Reach, Use, Word};

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spec {
    /// It names the paths that are looked at.
    Path,
    /// A revision, or paths that are left out.
    Other,
}

/// Looks at the operand at `place`.
pub(super) fn look(judge: &mut Judge<'_>, word: &Word, place: usize, how: Use, reach: Reach) -> Spec {
    let Word::Literal(text) = word else {
        judge.places.word(word, how, reach);
        return Spec::Other;
    };
    if let Some(magic) = text.strip_prefix(':') {
        return magical(judge, magic, how, reach);
    }
    let ends = |before: &[Word]| before.iter().any(|word| word.literal() == Some("--"));
    let behind = judge.words.get(..place).is_some_and(ends);
    if let Some((_, path)) = text.split_once(':').filter(|_| !behind) {
        // `HEAD:src/a.rs`: from the top, unless it begins with a dot.
        judge.places.held(text, Use::Either, reach);
        from_top(judge, path, Use::Either, reach);
        return Spec::Path;
    }
    let glob = text.contains(['*', '?', '[']);
    let there = || judge.command.cwd.is_some_and(|cwd| PathAccess::is_at(cwd, text));
    // What is no file must be a revision there.
    let path = behind || glob || there();
    match glob {
        true => judge.places.open(&open(text), how, reach),
        false => judge.places.path(text, how, reach),
    }
    judge.places.held(text, Use::Either, reach);
    if path { Spec::Path } else { Spec::Other }
}

/// `:/x`, `:(top)x`, `:!x`.
fn magical(judge: &mut Judge<'_>, magic: &str, how: Use, reach: Reach) -> Spec {
    let (words, path) = match magic.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some(long) => long,
        None => magic.split_at(magic.find(|c| !matches!(c, '/' | '!' | '^' | ':')).unwrap_or(magic.len())),
    };
    if words.contains(['!', '^']) || words.contains("exclude") {
        return Spec::Other;
    }
    match words.contains('/') || words.contains("top") {
        true if path.is_empty() => from_top(judge, ".", how, reach),
        true => from_top(judge, path, how, reach),
        // `:x` is a file of the index, and `:(glob)x` a path.
        false => {
            let path = path.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
            judge.places.path(path, how, reach);
            from_top(judge, path, how, reach);
        }
    }
    Spec::Path
}

/// A path from the top of the repository.
fn from_top(judge: &mut Judge<'_>, path: &str, how: Use, reach: Reach) {
    let top = top(judge);
    let path = Path::new(&top).join(path.trim_start_matches('/'));
    if let Some(path) = path.to_str() {
        match path.contains(['*', '?', '[']) {
            true => judge.places.open(&open(path), how, reach),
            false => judge.places.path(path, how, reach),
        }
    }
}

/// Everything that the repository knows: which of it is shown is not known.
pub(super) fn whole(judge: &mut Judge<'_>, how: Use) {
    let top = top(judge);
    judge.places.path(&top, how, Reach::Changed);
}

fn top(judge: &Judge<'_>) -> String {
    let top = judge.command.cwd.and_then(repository::top);
    top.and_then(|top| top.to_str().map(str::to_owned)).unwrap_or_else(|| ".".to_owned())
}

/// A pathspec with wildcards: git's own, so they reach over slashes.
fn open(text: &str) -> OpenWord {
    let mut pieces = Vec::new();
    for (at, part) in text.split(['*', '?', '[']).enumerate() {
        if at > 0 {
            pieces.push(None);
        }
        let known = part.rsplit_once(']').map_or(part, |(_, behind)| behind);
        if !known.is_empty() {
            pieces.push(Some(known.to_owned()));
        }
    }
    OpenWord { text: text.to_owned(), pieces, splits: false, glob: false, tame: false }
}
