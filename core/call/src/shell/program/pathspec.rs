//! What git takes for a path: pathspecs among revisions, and paths within a revision.

use std::path::Path;

use super::analyzer::CommandAnalyzer;
use super::scan::Scan;
use super::{GitNames, git_objects, repository, worktree};
use crate::PathAccess;
use crate::shell::{OpenWord, Reach, TouchedPath, Use, Word};

/// As many files that a pathspec fits are told apart.
const MOST: usize = 64;

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathspecKind {
    /// It names the paths that are looked at.
    Path,
    /// A file or folder of a revision, which is all that it is about: `HEAD:src/a.rs`.
    Inner,
    /// A revision, or paths that are left out.
    Other,
}

/// Looks at the operand at `place`.
pub(super) fn analyze_git_operand(
    judge: &mut CommandAnalyzer<'_>,
    word: &Word,
    place: usize,
    how: Use,
    reach: Reach,
) -> PathspecKind {
    let Word::Literal(text) = word else {
        judge.places.add_word(word, how, reach);
        return PathspecKind::Other;
    };
    // A pattern in which a character may be said to stand for itself, also one that does so anyway.
    if text.contains('\\') {
        let bare = Word::from(text.replace('\\', "").as_str());
        analyze_git_operand(judge, &bare, place, how, reach);
    }
    let ends = |before: &[Word]| before.iter().any(|word| word.literal() == Some("--"));
    let behind = judge.words.get(..place).is_some_and(ends);
    if let Some(magic) = text.strip_prefix(':') {
        let spec = analyze_magic(judge, magic, how, reach);
        return match spec {
            _ if behind => spec,
            _ if is_message_search(text) => PathspecKind::Other,
            // `:0:x`, `:x`: a file of the index.
            PathspecKind::Path if !magic.starts_with(['(', '/', '!', '^']) => PathspecKind::Inner,
            spec => spec,
        };
    }
    if let Some((_, path)) = split_revision(text).filter(|_| !behind) {
        // `HEAD:src/a.rs`: from the top, unless it begins with a dot.
        judge.places.add_embedded_paths(text, Use::Either, reach);
        from_top(judge, path, Use::Either, reach);
        return PathspecKind::Inner;
    }
    let glob = is_glob(text);
    // What is no file must be a revision there.
    let before = judge.words.get(place + 1..).is_some_and(ends);
    let path = behind || !before && (glob || is_path(judge, text));
    let folder = literal_folder(text).filter(|_| glob && behind);
    if glob && behind && (folder.is_some() || is_alone(judge, place)) && narrow_to_tracked(judge, text, how) {
        let Some(folder) = folder else { return PathspecKind::Other };
        // What it fits lies below that, and all that does counts as where the folder is named.
        judge.places.add_path(folder, how, reach);
        return PathspecKind::Path;
    }
    match glob {
        true => judge.places.add_open_word(&glob_word(text), how, reach),
        // A revision that happens to be a rule's name.
        false => judge.places.add_path(text, how, if path { reach } else { Reach::Itself }),
    }
    judge.places.add_embedded_paths(text, Use::Either, reach);
    if path { PathspecKind::Path } else { PathspecKind::Other }
}

/// A revision and the path in it. Between braces, a colon is part of a date or of a text: `HEAD@{12:00}`, `HEAD^{/fix: x}`.
fn split_revision(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    let at = text.find(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ':' && depth == 0
    })?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The folder that all lies below that a pathspec with wildcards fits.
fn literal_folder(text: &str) -> Option<&str> {
    let known = text.get(..text.find(['*', '?', '[', '\\'])?)?;
    let (folder, _) = known.rsplit_once('/')?;
    let plain = |part: &str| !matches!(part, "" | "." | "..");
    (!text.contains("..") && folder.split('/').all(plain)).then_some(folder)
}

/// Whether a word may be the text of a file, by its name in git's store, or what is not known: paths leave nothing out of that.
pub(super) fn may_be_text(judge: &CommandAnalyzer<'_>, word: &Word) -> bool {
    word.literal().is_none_or(|text| match split_revision(text) {
        _ if is_message_search(text) => false,
        // `main..HEAD:x`: what stands before the dots, beside a file of a revision.
        Some((revision, _)) => {
            revision.split_once("..").is_some_and(|(from, _)| is_commit(judge, from) != Some(true))
        }
        None => is_commit(judge, text) != Some(true),
    })
}

/// Whether a word is a revision, where it is no path: not what is left out, and not the kind that `git cat-file` is told.
pub(super) fn is_revision(judge: &CommandAnalyzer<'_>, word: &Word) -> bool {
    word.literal().is_none_or(|text| match text {
        "blob" | "tree" | "commit" | "tag" => is_commit(judge, text).is_some(),
        _ => !text.starts_with(':') || is_message_search(text),
    })
}

/// What is no commit for certain where the command runs counts as none. Names that are given to nothing yet may be, but where
/// git itself takes them for something else.
fn is_commit(judge: &CommandAnalyzer<'_>, text: &str) -> Option<bool> {
    let names = judge.command.git_names;
    let found = match judge.command.cwd {
        Some(cwd) => git_objects::is_commit(cwd, text, names),
        None => Some(text == "HEAD" && names != GitNames::AllChanged),
    };
    let kind = || {
        let looks_in = judge.words.iter().any(|word| word.literal() == Some("cat-file"));
        looks_in && matches!(text, "blob" | "tree" | "commit" | "tag")
    };
    let changed = names >= GitNames::Changed || names == GitNames::Fetched && text.starts_with("FETCH_HEAD");
    let may_be = changed && !text.starts_with('-') && !is_path(judge, text) && !kind();
    found.or(may_be.then_some(false))
}

/// Whether what stands at `place` is all that is named behind `--`, and no path stands before that.
fn is_alone(judge: &CommandAnalyzer<'_>, place: usize) -> bool {
    let (before, rest) = judge.words.split_at(place.min(judge.words.len()));
    let ends = before.last().and_then(Word::literal) == Some("--");
    let path = |word: &Word| word.literal().is_none_or(|text| !text.starts_with('-') && is_path(judge, text));
    ends && rest.len() == 1 && !before.iter().skip(1).any(path)
}

/// A pathspec with wildcards shows less than none would: what is tracked now and fits it is a path by itself, and all the rest
/// counts as it does without it. None if that can't be told.
fn narrow_to_tracked(judge: &mut CommandAnalyzer<'_>, text: &str, how: Use) -> bool {
    let cwd = judge.command.cwd.filter(|_| !judge.command.made && how == Use::Read);
    let Some(files) = cwd.and_then(worktree::tracked_files) else { return false };
    let word = glob_word(text.rsplit('/').next().unwrap_or(text));
    let end = |piece: Option<&Option<String>>| piece.cloned().flatten().unwrap_or_default();
    let (start, stop) = (end(word.pieces.first()), end(word.pieces.last()));
    let fits = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&start) && name.ends_with(&stop)
    };
    let found: Vec<&str> = files.iter().filter(|path| fits(path)).filter_map(|path| path.to_str()).collect();
    if found.len() > MOST || text.contains("..") || text.starts_with(['/', '~']) {
        return false;
    }
    let before = judge.places.touches.len();
    judge.places.add_open_word(&glob_word(text), how, Reach::Itself);
    for touch in judge.places.touches.iter_mut().skip(before) {
        if let TouchedPath::Open(path) = &mut touch.path {
            path.looked_up = true;
        }
    }
    found.into_iter().for_each(|path| judge.places.add_path(path, how, Reach::Itself));
    true
}

/// `:/x`, `:(top)x`, `:!x`.
fn analyze_magic(judge: &mut CommandAnalyzer<'_>, magic: &str, how: Use, reach: Reach) -> PathspecKind {
    let (words, path) = match magic.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some(long) => long,
        None => magic.split_at(magic.find(|c| !matches!(c, '/' | '!' | '^' | ':')).unwrap_or(magic.len())),
    };
    if words.contains(['!', '^']) || words.contains("exclude") {
        return PathspecKind::Other;
    }
    match words.contains('/') || words.contains("top") {
        true if path.is_empty() => from_top(judge, ".", how, reach),
        true => from_top(judge, path, how, reach),
        // `:x` is a file of the index, and `:(glob)x` a path.
        false => {
            let path = path.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
            judge.places.add_path(path, how, reach);
            from_top(judge, path, how, reach);
        }
    }
    PathspecKind::Path
}

/// A path from the top of the repository.
fn from_top(judge: &mut CommandAnalyzer<'_>, path: &str, how: Use, reach: Reach) {
    let top = repository_top(judge);
    let path = Path::new(&top).join(path.trim_start_matches('/'));
    if let Some(path) = path.to_str() {
        match path.contains(['*', '?', '[']) {
            true => judge.places.add_open_word(&glob_word(path), how, reach),
            false => judge.places.add_path(path, how, reach),
        }
    }
}

/// Everything that the repository knows, or with `past` ever knew: which of it is shown is not known.
pub(super) fn add_whole_repository(judge: &mut CommandAnalyzer<'_>, how: Use, past: bool) {
    let top = repository_top(judge);
    judge.places.add_path(&top, how, if past { Reach::Past } else { Reach::Changed });
}

/// What changed below a path, hidden names among it, where what lies there is shown and was not noted `before`: which of it that is
/// is not known.
pub(super) fn add_changed(judge: &mut CommandAnalyzer<'_>, word: &Word, place: usize, before: usize) {
    if judge.places.touches.iter().skip(before).any(|touch| touch.reach == Reach::Shown) {
        analyze_git_operand(judge, word, place, Use::Read, Reach::Changed);
    }
}

/// Whether a word is a revision, or could be one: then what is shown may not be there now.
pub(super) fn names_revision(judge: &CommandAnalyzer<'_>, scan: &Scan<'_>) -> bool {
    let before_end = |place: &&usize| scan.ended.is_none_or(|end| **place < end);
    scan.operands.iter().filter(before_end).any(|place| match judge.words.get(*place) {
        _ if scan.ended.is_some() => true,
        Some(Word::Literal(text)) if text.starts_with(':') => is_message_search(text),
        Some(Word::Literal(text)) => !is_glob(text) && !is_path(judge, text),
        Some(Word::Open(open)) => !open.glob,
        None => true,
    })
}

/// Whether a word is the name of an object by its hash, or not known: it may be that of a file's text.
pub(super) fn names_object(judge: &CommandAnalyzer<'_>, scan: &Scan<'_>) -> bool {
    let before_end = |place: &&usize| scan.ended.is_none_or(|end| **place < end);
    let mut words = scan.operands.iter().filter(before_end).filter_map(|place| judge.words.get(*place));
    words.any(|word| word.literal().is_none_or(|text| is_commit(judge, text) == Some(false)))
}

/// `:/fix` is the last commit whose message says so, unless it stands behind `--`.
fn is_message_search(text: &str) -> bool {
    text.len() > 2 && text.starts_with(":/")
}

/// Whether paths are named: behind `--`, or, without one, such as are there.
pub(super) fn names_paths(judge: &CommandAnalyzer<'_>, scan: &Scan<'_>) -> bool {
    scan.operands.iter().any(|place| {
        let text = judge.words.get(*place).and_then(Word::literal);
        let known = |text| judge.command.cwd.is_none_or(|cwd| repository::may_know(cwd, text));
        match (scan.ended, text) {
            (Some(end), _) => *place > end,
            (None, Some(text)) if text.starts_with(':') => !is_message_search(text),
            (None, Some(text)) => is_path(judge, text) && !known(text),
            (None, None) => false,
        }
    })
}

fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Whether it is a path: one that is there, or written as no revision can be.
fn is_path(judge: &CommandAnalyzer<'_>, text: &str) -> bool {
    text.starts_with(['/', '.']) || judge.command.cwd.is_some_and(|cwd| PathAccess::is_at(cwd, text))
}

/// The top of the repository, or the folder at hand.
pub(super) fn repository_top(judge: &CommandAnalyzer<'_>) -> String {
    let top = judge.command.cwd.and_then(repository::work_tree_top);
    top.and_then(|top| top.to_str().map(str::to_owned)).unwrap_or_else(|| ".".to_owned())
}

/// A pathspec with wildcards: git's own, so they reach over slashes.
fn glob_word(text: &str) -> OpenWord {
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
    OpenWord { text: text.to_owned(), pieces, ..OpenWord::default() }
}
