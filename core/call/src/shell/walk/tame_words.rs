//! Words of which no more is unknown than a number, or which commit is meant: what a command does with one tells what it does with
//! any.

use crate::shell::{GapContent, OpenWord, Word};

/// Sub-commands of git whose operands are revisions, or pathspecs.
const OF_COMMITS: &[&str] = &[
    "branch",
    "cat-file",
    "cherry",
    "describe",
    "diff",
    "diff-tree",
    "log",
    "ls-tree",
    "merge-base",
    "name-rev",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "whatchanged",
];
use crate::shell::program::{Command, CommandFacts};

/// Whether what is not known of a word is a number, or a commit where git takes one, and nothing that a search finds.
pub(super) fn is_tame(word: &Word, command: &Command<'_>, known: &CommandFacts) -> bool {
    let Word::Open(open) = word else { return false };
    let held = match open.held {
        GapContent::Number => true,
        // Anywhere else its letters are names, options, and commands of a script: `sed "s/a/b/$(git rev-parse HEAD)"`.
        GapContent::Commit => {
            let option =
                open.pieces.first().and_then(Option::as_deref).is_some_and(|text| text.starts_with('-'));
            !option && takes_commits(command.words.get(known.transparent..).unwrap_or_default())
        }
        GapContent::Anything | GapContent::Printed | GapContent::Name => false,
    };
    held && open.search.is_none() && open.assigned.is_none()
}

/// Whether a command's operands are revisions, or paths of which git opens what it tracks and no more.
fn takes_commits(words: &[Word]) -> bool {
    let [program, rest @ ..] = words else { return false };
    let mut texts = rest.iter().map(Word::literal);
    let sub = texts.by_ref().find(|text| text.is_none_or(|text| !text.starts_with('-'))).flatten();
    program.literal() == Some("git")
        && sub.is_some_and(|sub| OF_COMMITS.contains(&sub))
        && !texts.any(|text| text.is_some_and(|text| text.starts_with("--no-i")))
}

/// A word with a number in its gaps.
pub(super) fn with_zero(open: &OpenWord) -> String {
    open.pieces.iter().map(|piece| piece.as_deref().unwrap_or("0")).collect()
}

/// A number by itself, as it stands for any.
pub(super) fn bare_number(word: &Word) -> Option<String> {
    let Word::Open(open) = word else { return None };
    (open.held == GapContent::Number && open.pieces == [None]).then(|| with_zero(open))
}

/// A word whose gaps come to nothing.
pub(super) fn without_gaps(open: &OpenWord) -> Option<Word> {
    let filled: String = open.pieces.iter().flatten().map(String::as_str).collect();
    (!filled.is_empty() || !open.splits).then_some(Word::Literal(filled))
}
