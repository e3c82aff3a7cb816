//! Searches that print names of files: `find . -name '*.rs'`, `rg -l x`.

use std::path::PathBuf;
use std::sync::Arc;

use super::Word;
use super::program::name_of;
use crate::{Budget, PathAccess, names_below};

/// What `find` may be told without printing anything else than names; those that take a value.
const TESTS: &[&str] = &[
    "!",
    "(",
    ")",
    ",",
    "-a",
    "-and",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-mount",
    "-not",
    "-o",
    "-or",
    "-print",
    "-print0",
    "-prune",
    "-readable",
    "-true",
    "-writable",
    "-xdev",
];
const TESTS_WITH_VALUES: &[&str] = &[
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-iname",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-path",
    "-perm",
    "-regex",
    "-regextype",
    "-size",
    "-type",
    "-user",
    "-wholename",
];

/// A search that prints names of files, or a part of what it prints: each name lies below one of its folders.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    pub(super) folders: Vec<Folder>,
    /// A zero byte stands behind each name, and not the end of a line.
    pub(super) zero: bool,
}

/// A folder that is searched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Folder {
    /// What the names begin with, as they are printed: its own name, or nothing.
    pub(super) prefix: String,
    pub(super) path: PathBuf,
    /// What the last name of each is: known text, and `None` for what is not known.
    name: Option<Vec<Option<String>>>,
}

impl Folder {
    /// What it can print now. None if there is too much to look at.
    pub(super) fn now(&self, budget: &mut Budget) -> Option<Vec<PathBuf>> {
        names_below(&self.path, self.name.as_deref(), budget)
    }
}

impl Search {
    /// What a command of these words prints, which reads below `folders`, as they are written and where they lie.
    pub(super) fn of(words: &[Word], folders: &[(&str, &PathAccess)]) -> Option<Self> {
        let words: Vec<&str> = words.iter().map(Word::literal).collect::<Option<_>>()?;
        let (name, rest) = words.split_first()?;
        let has = |names: &[&str]| rest.iter().any(|word| names.contains(word));
        let letters = |letter: char| {
            let bundle =
                |word: &&&str| word.starts_with('-') && !word.starts_with("--") && word.contains(letter);
            rest.iter().any(|word| bundle(&word))
        };
        let (pattern, zero, shown) = match name_of(name) {
            "find" => {
                let expression = expression(rest)?;
                (simple_name(expression), expression.contains(&"-print0"), true)
            }
            "rg" if has(&["-l", "--files-with-matches", "--files"]) => {
                (None, letters('0') || has(&["--null"]), false)
            }
            "grep" | "egrep" | "fgrep" if letters('l') || has(&["--files-with-matches"]) => {
                (None, letters('Z') || has(&["--null"]), false)
            }
            _ => return None,
        };
        if !shown && has(&["--path-separator", "--hyperlink-format", "--color=always", "--colour=always"]) {
            return None;
        }
        let below = |(given, path): &(&str, &PathAccess)| {
            let named = shown || rest.contains(given);
            let slash = if given.ends_with('/') { "" } else { "/" };
            let prefix = if named { format!("{given}{slash}") } else { String::new() };
            Folder { prefix, path: path.resolved.clone(), name: pattern.clone() }
        };
        Some(Self { folders: folders.iter().map(below).collect(), zero })
    }

    /// What a command of these words passes on of it.
    pub(super) fn through(of: &Arc<Self>, words: &[Word]) -> Option<Arc<Self>> {
        let words: Vec<&str> = words.iter().map(Word::literal).collect::<Option<_>>()?;
        let (name, rest) = words.split_first()?;
        let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let lines = |text: &str| text.strip_prefix('-').is_some_and(number);
        let all = |options: &[&str], of: &[&str]| options.iter().all(|option| of.contains(option));
        let whole = match (name_of(name), rest) {
            ("head" | "tail", []) => true,
            ("head" | "tail", [count]) => lines(count),
            ("head" | "tail", ["-n", count]) => number(count.trim_start_matches('+')),
            ("sort", options) => all(options, &["-u", "-r", "-f", "-V"]),
            ("uniq", rest) => rest.is_empty(),
            ("grep" | "egrep" | "fgrep", [options @ .., pattern]) => {
                all(options, &["-v", "-i", "-E", "-F", "-w", "-x", "-vE", "-Ev", "-iv", "-vi"])
                    && !pattern.starts_with('-')
            }
            _ => false,
        };
        (whole && !of.zero).then(|| Arc::clone(of))
    }
}

/// What `find` is told behind the folders that it searches; none if it may print anything else than names.
fn expression<'w>(words: &'w [&'w str]) -> Option<&'w [&'w str]> {
    let begins = |word: &&&str| word.starts_with('-') || TESTS.contains(*word);
    let folders = words.iter().take_while(|word| !begins(word)).count();
    let expression = words.get(folders..)?;
    let mut rest = expression.iter();
    while let Some(word) = rest.next() {
        if TESTS_WITH_VALUES.contains(word) {
            rest.next()?;
        } else if !TESTS.contains(word) {
            return None;
        }
    }
    Some(expression)
}

/// What `-name` says, where it has to hold.
fn simple_name(expression: &[&str]) -> Option<Vec<Option<String>>> {
    if expression.iter().any(|word| matches!(*word, "!" | "-not" | "-o" | "-or" | "," | "(")) {
        return None;
    }
    let at = expression.iter().position(|word| *word == "-name")?;
    let pattern = expression.get(at + 1).filter(|pattern| !pattern.contains(['[', '\\', '/']))?;
    let mut pieces = Vec::new();
    for (index, known) in pattern.split(['*', '?']).enumerate() {
        if index > 0 {
            pieces.push(None);
        }
        if !known.is_empty() {
            pieces.push(Some(known.to_owned()));
        }
    }
    Some(pieces)
}
