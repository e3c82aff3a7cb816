//! Commands that would destroy the machine's or the user's files.

use std::collections::HashSet;
use std::path::Path;

use super::table::{DISK_PROGRAMS, DISKS, SYSTEM};
use crate::fold::fold_text;
use mayi_call::shell::{OpenPath, OpenWord, Reach, Touch, TouchedPath, Use, Word};
use mayi_call::{ShellAccess, WriteKind, lies_in};

/// How certain it is. Ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Destruction {
    No,
    /// A word that is not known could make it one.
    Perhaps,
    Certainly,
}

/// What `shell` would destroy.
pub(super) fn find_destruction(shell: &ShellAccess, home: Option<&Path>) -> Destruction {
    if is_fork_bomb(&shell.line) {
        return Destruction::Certainly;
    }
    let forms = std::iter::once(&shell.words).chain(&shell.outer).map(|words| words_destruction(words, home));
    let candidates = shell.candidates.iter().flat_map(|candidate| {
        let words: Vec<Word> = candidate.iter().cloned().map(Word::Literal).collect();
        (0..words.len()).map(move |from| words_destruction(words.get(from..).unwrap_or_default(), home))
    });
    // The first of each name has the operands and options of the later ones, too.
    let tails = shell.tails.iter().flat_map(|words| {
        let mut seen = HashSet::new();
        let first = words.iter().enumerate().filter(move |(_, word)| {
            word.literal().is_some_and(|name| seen.insert(name.rsplit('/').next().unwrap_or(name)))
        });
        first.filter_map(move |(from, _)| Some(words_destruction(words.get(from..)?, home)))
    });
    let touches = shell.touches.iter().map(|touch| touch_destruction(touch, home));
    forms.chain(candidates).chain(tails).chain(touches).max().unwrap_or(Destruction::No)
}

/// A folder that a command empties, or changes with everything in it.
fn touch_destruction(touch: &Touch, home: Option<&Path>) -> Destruction {
    let Use::Write(kind) = touch.how else { return Destruction::No };
    match &touch.path {
        TouchedPath::Known(path) => {
            let whole =
                touch.reach == Reach::All && path.forms().any(|form| is_vital_folder(form, home, kind));
            if whole || path.forms().any(is_disk) { Destruction::Certainly } else { Destruction::No }
        }
        TouchedPath::Open(open) if touch.reach == Reach::All => open_path_destruction(open, home, kind),
        TouchedPath::Open(_) => Destruction::No,
    }
}

/// `/etc/*` is `/etc`; what begins with something unknown could be `/`.
fn open_path_destruction(open: &OpenPath, home: Option<&Path>, kind: WriteKind) -> Destruction {
    let known = open.pieces.first().and_then(Option::as_deref);
    match (known, open.slashes) {
        (None, true) => Destruction::Perhaps,
        // What is not known may go up again: `sub/$A`.
        (Some(_), true) if !open.stays_below && could_end_vital(open, home, kind) => Destruction::Perhaps,
        (Some(folder), slashes) if folder.starts_with('/') => {
            let whole = open.pieces.len() == 2 && folder.ends_with('/');
            match Path::new(folder) {
                at if whole && !slashes && is_vital_folder(at, home, kind) => Destruction::Certainly,
                at if whole && slashes && is_vital_folder(at, home, kind) => Destruction::Perhaps,
                _ => Destruction::No,
            }
        }
        _ => Destruction::No,
    }
}

/// Whether what stands behind the last unknown part could be the end of such a folder.
fn could_end_vital(open: &OpenPath, home: Option<&Path>, kind: WriteKind) -> bool {
    let behind = match open.pieces.last() {
        Some(Some(text)) => text.trim_end_matches(['/', '.']),
        _ => "",
    };
    let ends = |path: &Path| path.to_str().is_none_or(|text| text.ends_with(behind));
    let homes = home.into_iter().flat_map(Path::ancestors);
    behind.contains("..")
        || SYSTEM.iter().map(Path::new).chain(homes).any(|at| is_vital_folder(at, home, kind) && ends(at))
}

/// A folder without which the machine does not work, or with all of the user's files.
fn is_vital_folder(path: &Path, home: Option<&Path>, kind: WriteKind) -> bool {
    let system = SYSTEM.iter().any(|at| path == Path::new(at));
    // Another owner or mode for the home folder is no end of it.
    let gone = !matches!(kind, WriteKind::Edit | WriteKind::Create);
    system || (gone && home.is_some_and(|home| home.starts_with(path)))
}

/// Whether a path names a disk.
pub(super) fn is_disk(path: &Path) -> bool {
    lies_in(path, Path::new("/dev"))
        && path.strip_prefix("/dev").ok().and_then(|rest| rest.components().next()).is_some_and(|name| {
            let name = name.as_os_str().to_string_lossy();
            DISKS.iter().any(|disk| name.starts_with(disk))
        })
}

fn words_destruction(words: &[Word], home: Option<&Path>) -> Destruction {
    let Some((first, rest)) = words.split_first() else { return Destruction::No };
    let Some(first) = first.literal() else { return Destruction::No };
    let folded = fold_text(first);
    let name = folded.rsplit('/').next().unwrap_or(&folded);
    let has = |short: &[char], long: &str| rest.iter().any(|word| matches_option(word, short, long));
    match name {
        "rm" | "srm" | "unlink" | "rmdir" => {
            let all = has(&[], "--no-preserve-root");
            let deep = name == "srm" || has(&['r', 'R'], "--recursive");
            let worst = worst_operand(rest, home, WriteKind::Delete, deep);
            if all { Destruction::Certainly } else { worst }
        }
        "chmod" | "chown" | "chgrp" | "chattr" if has(&['R'], "--recursive") => {
            worst_operand(rest, home, WriteKind::Edit, true)
        }
        "mv" => worst_operand(rest.split_last().map_or(rest, |(_, rest)| rest), home, WriteKind::Move, false),
        "find" if has(&[], "-delete") => worst_operand(rest, home, WriteKind::Delete, true),
        _ if name == "mkfs" || name.starts_with("mkfs.") || DISK_PROGRAMS.contains(&name) => {
            let writes = name != "dd" || rest.iter().any(|word| word.known_prefix().starts_with("of="));
            if writes { worst_disk_operand(name, rest) } else { Destruction::No }
        }
        _ => Destruction::No,
    }
}

/// Whether a word is an option, or short options with one of these among them.
fn matches_option(word: &Word, short: &[char], long: &str) -> bool {
    let Some(word) = word.literal() else { return false };
    if word.starts_with("--") {
        // Shortened, as GNU's programs take it.
        return word.len() > 3 && long.starts_with(word);
    }
    word == long || word.strip_prefix('-').is_some_and(|letters| letters.contains(short))
}

/// The worst of the operands: `rm` of a folder needs `-r`, but not of the root.
fn worst_operand(words: &[Word], home: Option<&Path>, kind: WriteKind, deep: bool) -> Destruction {
    let worst = |word: &Word| match word {
        Word::Literal(text) => {
            let path = normalize_path(text, home);
            let whole = text.ends_with("/*") || text == "*";
            let folder = if whole { normalize_path(text.trim_end_matches('*'), home) } else { path };
            match folder {
                Some(path) if path == Path::new("/") => Destruction::Certainly,
                Some(path) if (deep || kind == WriteKind::Move) && is_vital_folder(&path, home, kind) => {
                    Destruction::Certainly
                }
                _ => Destruction::No,
            }
        }
        Word::Open(open) if deep => open_word_destruction(open, home, kind),
        Word::Open(_) => Destruction::No,
    };
    words.iter().map(worst).max().unwrap_or(Destruction::No)
}

fn open_word_destruction(open: &OpenWord, home: Option<&Path>, kind: WriteKind) -> Destruction {
    let path = OpenPath {
        given: open.text.clone(),
        pieces: open.pieces.clone(),
        slashes: !open.glob,
        stays_below: open.stays_below(),
        looked_up: false,
    };
    // A glob alone is about the folder that it stands in.
    if open.glob && open.pieces.first().is_none_or(Option::is_none) {
        return Destruction::No;
    }
    open_path_destruction(&path, home, kind)
}

/// An absolute path, or one below the home folder, without `.` and `..`.
fn normalize_path(text: &str, home: Option<&Path>) -> Option<std::path::PathBuf> {
    let home_relative = ["~", "$HOME", "${HOME}"]
        .iter()
        .find_map(|at| text.strip_prefix(at).filter(|rest| rest.is_empty() || rest.starts_with('/')));
    let whole = match home_relative {
        Some(rest) => home?.join(rest.trim_start_matches('/')),
        None if text.starts_with('/') => text.into(),
        None => return None,
    };
    Some(mayi_call::PathAccess::without_lookup(Path::new("/"), whole.to_str()?).lexical)
}

fn worst_disk_operand(name: &str, words: &[Word]) -> Destruction {
    let worst = |word: &Word| {
        let known = word.known_prefix();
        let known = if name == "dd" { known.strip_prefix("of=") } else { Some(known) };
        match (known, word) {
            (Some(path), _) if normalize_path(path, None).is_some_and(|path| is_disk(&path)) => {
                Destruction::Certainly
            }
            (Some("" | "/" | "/dev/"), Word::Open(_)) => Destruction::Perhaps,
            _ => Destruction::No,
        }
    };
    words.iter().map(worst).max().unwrap_or(Destruction::No)
}

/// A function that starts itself twice and does not wait: `:(){ :|:& };:`.
fn is_fork_bomb(line: &str) -> bool {
    if !(line.contains("()") || line.contains("( )") || line.contains("function")) || !line.contains('|') {
        return false;
    }
    let text: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    text.match_indices("(){").any(|(at, open)| {
        let before = text.get(..at).unwrap_or_default();
        let name_from = before.rfind([';', '&', '|', '{', '}', '(', ')']).map_or(0, |at| at + 1);
        let name = before.get(name_from..).unwrap_or_default();
        let name = name.strip_prefix("function").filter(|rest| !rest.is_empty()).unwrap_or(name);
        let body = text.get(at + open.len()..).unwrap_or_default();
        let body = body.split('}').next().unwrap_or_default();
        !name.is_empty() && body.contains(&format!("{name}|{name}&"))
    })
}

#[cfg(test)]
mod tests {
    use super::is_fork_bomb;

    /// D4.6: deny: catastrophic commands (..., a fork bomb).
    #[test]
    fn given_a_function_that_starts_itself_twice_then_it_is_a_fork_bomb() {
        for line in [
            ":(){ :|:& };:",
            ":() { : | : & }; :",
            "bomb() {\n bomb | bomb &\n}\nbomb",
            "function f() { f|f& }; f",
        ] {
            assert!(is_fork_bomb(line), "{line}");
        }
        for line in ["f() { a | b & }; f", "x() { x1 | x2; }", "echo ':(){' '|'"] {
            assert!(!is_fork_bomb(line), "{line}");
        }
    }
}
