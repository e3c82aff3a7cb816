//! Searches that print names of files: `find . -name '*.rs'`, `rg -l x`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Word;
use super::program::{is_top, name_of, tracked_files};
use crate::{LookupBudget, PathAccess, names_below};

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
///
/// What only stands in a file (`cat list | xargs cat`) is no such thing: another text could be written into that file after
/// the decision and before the run, and writing a text is no access to what it names. In a folder, a name of something
/// protected comes to be by nothing but a link, or a move, and these are judged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    pub(super) folders: Vec<SearchedFolder>,
    /// A zero byte stands behind each name, and not the end of a line.
    pub(super) zero: bool,
}

/// What is printed of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ListedFiles {
    /// What lies below it.
    Below,
    /// What the index of its repository knows.
    Tracked,
}

/// A folder that is searched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SearchedFolder {
    /// What the names begin with, as they are printed: its own name, or nothing.
    pub(super) prefix: String,
    pub(super) path: PathBuf,
    /// What of it is printed.
    pub(super) printed: ListedFiles,
    /// What the last name of each is: known text, and `None` for what is not known.
    name: Option<Vec<Option<String>>>,
}

impl SearchedFolder {
    /// What it can print now. None if there is too much to look at.
    pub(super) fn list_paths(&self, budget: &mut LookupBudget) -> Option<Vec<PathBuf>> {
        match &self.printed {
            ListedFiles::Below => names_below(&self.path, self.name.as_deref(), budget),
            ListedFiles::Tracked => tracked_files(&self.path),
        }
    }
}

impl Search {
    /// What a command of these words prints, which reads below `folders`, as they are written and where they lie.
    pub(super) fn from_command(words: &[Word], folders: &[(&str, &PathAccess)]) -> Option<Self> {
        let words: Vec<&str> = words.iter().map(Word::literal).collect::<Option<_>>()?;
        let (name, rest) = words.split_first()?;
        let (pattern, zero, shown) = match name_of(name) {
            "find" => {
                let told = parse_find_expression(rest)?;
                (told.name, told.zero, true)
            }
            "rg" => (None, prints_zero_bytes(rest, &RG)?, false),
            "grep" | "egrep" | "fgrep" => (None, prints_zero_bytes(rest, &GREP)?, false),
            _ => return None,
        };
        let below = |(given, path): &(&str, &PathAccess)| {
            let named = shown || rest.contains(given);
            let slash = if given.ends_with('/') { "" } else { "/" };
            let prefix = if named { format!("{given}{slash}") } else { String::new() };
            SearchedFolder {
                prefix,
                path: path.resolved.clone(),
                printed: ListedFiles::Below,
                name: pattern.clone(),
            }
        };
        Some(Self { folders: folders.iter().map(below).collect(), zero })
    }

    /// What git prints, in `folder`, of the files that its index knows.
    pub(super) fn of_index(words: &[Word], folder: &Path) -> Option<Self> {
        let words: Vec<&str> = words.iter().map(Word::literal).collect::<Option<_>>()?;
        let ["git", rest @ ..] = words.as_slice() else { return None };
        let rest = rest.strip_prefix(&["--no-pager"]).unwrap_or(rest);
        let (command, rest) = rest.split_first()?;
        let (options, operands) = rest.split_at(rest.iter().take_while(|word| word.starts_with('-')).count());
        // A pathspec with a sign or two dots may lead elsewhere, and what it leaves out is no matter.
        let below = |word: &&str| !word.starts_with([':', '/', '-', '~']) && !word.contains("..");
        let among = |of: &[&str]| options.iter().all(|option| of.contains(option));
        let zero = options.contains(&"-z");
        let is = match *command {
            "ls-files" => {
                among(&["-c", "--cached", "-m", "--modified", "-z", "--"]) && operands.iter().all(below)
            }
            // From the top of the repository on, and from the index to the files alone.
            "diff" => {
                among(&["--name-only", "-z"]) && options.contains(&"--name-only") && operands.is_empty()
            }
            "grep" => {
                let names = ["-l", "--name-only", "--files-with-matches", "-li", "-il"];
                let behind = match operands {
                    [_] => &[],
                    [_, "--", behind @ ..] => behind,
                    _ => return None,
                };
                among(&[names.as_slice(), &["-i", "-E", "-F", "-w", "-z"]].concat())
                    && options.iter().any(|option| names.contains(option))
                    && behind.iter().all(below)
            }
            _ => false,
        };
        let top = *command != "diff" || is_top(folder);
        let path = folder.to_owned();
        let folder =
            SearchedFolder { prefix: String::new(), path, printed: ListedFiles::Tracked, name: None };
        (is && top).then(|| Self { folders: vec![folder], zero })
    }

    /// What a command of these words passes on of it.
    pub(super) fn filtered_by(of: &Arc<Self>, words: &[Word]) -> Option<Arc<Self>> {
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

/// What `find` is told behind the folders that it searches.
#[derive(Default)]
struct FindExpression {
    /// What the last name of each file has to be.
    name: Option<Vec<Option<String>>>,
    zero: bool,
}

/// What the words of `find` say; none if it may print anything else than names.
fn parse_find_expression(words: &[&str]) -> Option<FindExpression> {
    let begins = |word: &&&str| word.starts_with('-') || TESTS.contains(*word);
    let folders = words.iter().take_while(|word| !begins(word)).count();
    let (mut told, mut all, mut printed) = (FindExpression::default(), true, false);
    let mut rest = words.get(folders..)?.iter();
    while let Some(word) = rest.next() {
        all &= !matches!(*word, "!" | "-not" | "-o" | "-or" | "," | "(");
        told.zero |= *word == "-print0";
        // What stands behind that says nothing of what was printed.
        printed |= matches!(*word, "-print" | "-print0");
        if TESTS_WITH_VALUES.contains(word) {
            let value = rest.next()?;
            if *word == "-name" && told.name.is_none() && !printed {
                told.name = pattern_pieces(value);
            }
        } else if !TESTS.contains(word) {
            return None;
        }
    }
    told.name = told.name.filter(|_| all);
    Some(told)
}

/// A pattern of names as known text and gaps; none if it may be read otherwise.
fn pattern_pieces(pattern: &str) -> Option<Vec<Option<String>>> {
    if pattern.contains(['[', '\\', '/']) {
        return None;
    }
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

/// Options of a program that searches what files hold, with which it prints no more than their names.
struct ListingOptions {
    /// It prints names with one of these.
    names: &'static [&'static str],
    /// What else it may be told: letters, and whole words.
    letters: &'static str,
    words: &'static [&'static str],
    /// Those of its options that take the next word.
    valued: &'static [&'static str],
    zero: &'static [&'static str],
}

const RG: ListingOptions = ListingOptions {
    names: &["-l", "--files-with-matches", "--files"],
    letters: "liwFSsUux0.",
    words: &["--hidden", "--no-ignore", "--ignore-case", "--fixed-strings", "--word-regexp"],
    valued: &["-e", "-g", "--glob", "-t", "--type", "-T", "--type-not", "--max-depth"],
    zero: &["-0", "--null"],
};

const GREP: ListingOptions = ListingOptions {
    names: &["-l", "--files-with-matches"],
    letters: "lriwFEPhHsIxZ",
    words: &["--recursive", "--ignore-case", "--fixed-strings", "--extended-regexp", "--word-regexp"],
    valued: &["-e", "--include", "--exclude", "--exclude-dir"],
    zero: &["-Z", "--null"],
};

/// Whether a zero byte stands behind each name that it prints; none if it may print anything else.
fn prints_zero_bytes(words: &[&str], of: &ListingOptions) -> Option<bool> {
    let (mut names, mut zero) = (false, false);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if *word == "--" {
            break;
        }
        let Some(option) = word.strip_prefix('-').filter(|option| !option.is_empty()) else { continue };
        let letters = !option.starts_with('-');
        let has = |of: &[&str]| {
            let letter =
                |name: &str| name.len() == 2 && name.chars().nth(1).is_some_and(|c| option.contains(c));
            of.iter().any(|name| *name == *word || letters && letter(name))
        };
        let glued = |name: &str| word.split_once('=').is_some_and(|(long, _)| long == name);
        if of.valued.contains(word) {
            rest.next()?;
            continue;
        }
        let plain = letters && option.chars().all(|c| of.letters.contains(c));
        let known = plain || of.words.contains(word) || has(of.names) && !letters || has(of.zero) && !letters;
        if !known && !of.valued.iter().any(|name| glued(name)) {
            return None;
        }
        names |= has(of.names);
        zero |= has(of.zero);
    }
    names.then_some(zero)
}
