//! The table by itself, and what is known about commands.

mod any;
mod arity;
mod caveats;
#[cfg(target_os = "linux")]
mod endings;
#[cfg(target_os = "linux")]
mod getopt;
mod more;
mod numbers;
mod readers;
mod swallowed;
mod table;
mod touches;
mod wrappers;

use std::path::Path;

use super::{Command, CommandFacts, InnerCommand, analyze_command};
use crate::shell::{CaveatSubject, OpenWord, Word, split_words};

/// Words of a plain line; one that holds `$X` or an unquoted-looking `*` at its edge is open.
pub(super) fn words(line: &str) -> Vec<Word> {
    let open = |text: String| -> Word {
        if let Some(at) = text.find("$X") {
            let (before, after) = (&text[..at], &text[at + 2..]);
            let known = |part: &str| (!part.is_empty()).then(|| Some(part.to_owned()));
            let pieces = known(before).into_iter().chain([None]).chain(known(after)).collect();
            return Word::Open(OpenWord { text, pieces, ..OpenWord::default() });
        }
        if text.starts_with("*.") || text == "*" || text.ends_with("/*") {
            let at = text.find('*').unwrap();
            let known = |part: &str| (!part.is_empty()).then(|| Some(part.to_owned()));
            let pieces = known(&text[..at]).into_iter().chain([None]).chain(known(&text[at + 1..])).collect();
            return Word::Open(OpenWord { text, pieces, splits: true, glob: true, ..OpenWord::default() });
        }
        Word::Literal(text)
    };
    split_words(line).unwrap().into_iter().map(open).collect()
}

pub(super) fn look(line: &str) -> CommandFacts {
    look_in(line, Path::new("/"), false)
}

/// Without the addresses that it reaches: those need an allow of their own, and have tests with the rules.
pub(super) fn look_in(line: &str, cwd: &Path, fed: bool) -> CommandFacts {
    let mut known = analyze_command(&Command {
        words: &words(line),
        cwd: Some(cwd),
        looked: &crate::LineLookups::default(),
        repositories: &crate::shell::program::RepositoryLooks::default(),
        fed,
        piped: false,
        made: false,
        git_names: crate::shell::program::GitNames::AsTheyAre,
    });
    known.caveats.retain(|caveat| !matches!(caveat.named, CaveatSubject::Address { .. }));
    known
}

/// The places that a plain caveat names.
pub(super) fn named(known: &CommandFacts) -> Vec<Vec<usize>> {
    let mut named: Vec<Vec<usize>> = known
        .caveats
        .iter()
        .map(|caveat| match &caveat.named {
            CaveatSubject::Words(places) => places.clone(),
            _ => Vec::new(),
        })
        .collect();
    named.sort();
    named
}

/// The rows that do not hold, all at once.
pub(super) fn hold<T>(rows: impl IntoIterator<Item = T>, wrong: impl Fn(T) -> Option<String>) {
    let wrong: Vec<String> = rows.into_iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

/// What it runs, as text.
pub(super) fn inner(known: &CommandFacts) -> Vec<String> {
    known
        .inner
        .iter()
        .map(|inner| match inner {
            InnerCommand::Words(words) => words.iter().map(Word::text).collect::<Vec<_>>().join(" "),
            InnerCommand::Line(word) => format!("line: {}", word.literal().unwrap_or("?")),
        })
        .collect()
}
