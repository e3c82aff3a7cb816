//! Names of files that commands print, as far as their words tell: `ls -d .git/ho*`, `find . -name hooks`, `git rev-parse
//! --git-dir`. In a text, what is not known of one is written as [`GAP`].

use std::path::Path;

use super::Walker;
use crate::shell::expand::Pieces;
use crate::shell::{Word, program};

/// What stands for text that is not known.
pub(super) const GAP: &str = "${_}";

/// As many names are told apart.
const MOST: usize = 16;

/// A text as pieces.
pub(super) fn pieces_of_text(text: &str) -> Pieces {
    let mut pieces: Pieces = Vec::new();
    for (at, part) in text.split(GAP).enumerate() {
        if at > 0 && pieces.last() != Some(&None) {
            pieces.push(None);
        }
        if !part.is_empty() {
            pieces.push(Some(part.to_owned()));
        }
    }
    pieces
}

/// The words of pieces, with blanks between them.
pub(super) fn split_pieces(pieces: &Pieces) -> Vec<Pieces> {
    let mut words: Vec<Pieces> = vec![Vec::new()];
    for piece in pieces {
        let Some(text) = piece else {
            words.last_mut().into_iter().for_each(|word| word.push(None));
            continue;
        };
        for (at, part) in text.split(char::is_whitespace).enumerate() {
            if at > 0 {
                words.push(Vec::new());
            }
            if !part.is_empty() {
                words.last_mut().into_iter().for_each(|word| word.push(Some(part.to_owned())));
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

impl Walker<'_> {
    /// The names that a command of these words prints, each by itself; none if it is nothing that prints names.
    pub(super) fn printed_names(&self, words: &[Word]) -> Vec<String> {
        let Some((name, rest)) = words.split_first() else { return Vec::new() };
        let operands = || rest.iter().map(known_text).filter(|text| !text.starts_with('-'));
        let mut names: Vec<String> = match name.literal().map(program::name_of).unwrap_or_default() {
            "ls" | "realpath" | "readlink" => operands().collect(),
            "find" => found_names(rest),
            "pwd" => self.known_cwd().into_iter().collect(),
            "dirname" => operands()
                .map(|text| {
                    text.rsplit_once('/').map_or_else(|| ".".to_owned(), |(above, _)| above.to_owned())
                })
                .collect(),
            "basename" => operands()
                .take(1)
                .filter_map(|text| text.trim_end_matches('/').rsplit('/').next().map(str::to_owned))
                .collect(),
            "git" => self.git_places(rest),
            _ => Vec::new(),
        };
        names.retain(|name| !name.is_empty() && name != GAP);
        names.truncate(MOST);
        names
    }

    /// What `git rev-parse` says of where a repository is.
    fn git_places(&self, words: &[Word]) -> Vec<String> {
        let texts: Vec<&str> = words.iter().filter_map(Word::literal).collect();
        let Some(at) = texts.iter().position(|text| *text == "rev-parse") else { return Vec::new() };
        let (options, asked) = texts.split_at(at);
        let mut below: Vec<String> = Vec::new();
        let mut tops = false;
        let mut rest = words.iter().skip_while(|word| word.literal() != Some("rev-parse")).skip(1);
        while let Some(word) = rest.next() {
            match word.literal() {
                Some("--git-dir" | "--git-common-dir" | "--absolute-git-dir") => {
                    below.push(".git".to_owned())
                }
                Some("--git-path") => {
                    below.extend(rest.next().map(|path| format!(".git/{}", known_text(path))))
                }
                Some("--resolve-git-dir") => below.extend(rest.next().map(known_text)),
                Some("--show-toplevel") => tops = true,
                _ => {}
            }
        }
        if asked.contains(&"--show-cdup") {
            below.push(".".to_owned());
        }
        let folders: Vec<&str> = options
            .windows(2)
            .filter(|pair| pair.first() == Some(&"-C"))
            .filter_map(|pair| pair.last().copied())
            .collect();
        let elsewhere = options.iter().filter_map(|option| option.strip_prefix("--git-dir="));
        let mut found: Vec<String> = below.clone();
        for folder in &folders {
            found.extend(below.iter().map(|name| format!("{folder}/{name}")));
        }
        if !below.is_empty() {
            found.extend(elsewhere.map(str::to_owned));
        }
        let top = self.place.folder.known_path().and_then(repository_above);
        if let Some(top) = top.and_then(Path::to_str) {
            let here = self.place.folder.known_path().is_some_and(|here| here == Path::new(top));
            found.extend(below.iter().filter(|_| !here).map(|name| format!("{top}/{name}")));
            found.extend(tops.then(|| top.to_owned()));
        }
        if program::looks_above(words) {
            let folder = self.place.folder.known_path();
            let above = folder.into_iter().flat_map(Path::ancestors).filter(|folder| program::is_top(folder));
            found.extend(above.filter_map(Path::to_str).map(str::to_owned));
        }
        found
    }
}

/// The folder at or above `folder` in which a repository is.
fn repository_above(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| program::is_top(folder))
}

/// The names that `find` prints: below each folder, with the last name that it asks for.
fn found_names(words: &[Word]) -> Vec<String> {
    let begins = |word: &&Word| {
        let text = word.known_prefix();
        text.starts_with(['-', '(', '!']) && !matches!(text, "-L" | "-H" | "-P")
    };
    let (folders, told) = words.split_at(words.iter().take_while(|word| !begins(word)).count());
    let mut folders: Vec<String> =
        folders.iter().map(known_text).filter(|folder| !folder.starts_with('-')).collect();
    if folders.is_empty() {
        folders.push(".".to_owned());
    }
    let (mut names, mut paths) = (Vec::new(), Vec::new());
    let prunes = told.iter().any(|word| word.literal() == Some("-prune"));
    let mut not = false;
    let mut told = told.iter().peekable();
    while let Some(word) = told.next() {
        let test = word.literal().unwrap_or_default();
        if matches!(test, "-name" | "-iname" | "-path" | "-ipath" | "-wholename") {
            let value = told.next().map(known_text).unwrap_or_default();
            let value = value.replace(['*', '?'], GAP);
            let pruned = told.peek().is_some_and(|next| next.literal() == Some("-prune"));
            match test.ends_with("name") && !test.ends_with("wholename") {
                _ if not || pruned => {}
                true => names.push(value),
                false if !prunes => paths.push(value),
                false => {}
            }
        }
        not = matches!(test, "!" | "-not");
    }
    let mut found = paths;
    for folder in &folders {
        let folder = folder.trim_end_matches('/');
        for name in &names {
            found.extend([format!("{folder}/{name}"), format!("{folder}/{GAP}/{name}")]);
        }
        if names.is_empty() && found.is_empty() {
            found.extend([folder.to_owned(), format!("{folder}/{GAP}")]);
        }
    }
    found
}

/// A word as it will be; what is not known of it stays something that is not known.
pub(super) fn known_text(word: &Word) -> String {
    match word {
        Word::Literal(text) => text.clone(),
        Word::Open(open) => open.pieces.iter().map(|piece| piece.as_deref().unwrap_or(GAP)).collect(),
    }
}
