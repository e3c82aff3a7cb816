//! Words that are lines, and lines as one word.

use super::started_lines::started_lines;
use crate::shell::{OpenWord, Word};

/// As many lines of one kind are looked for inside of a text.
const MOST: usize = 4;
/// As many lines of a program are looked at as lines.
const MOST_LINES: usize = 64;

/// A word as a line for a shell, and what it holds behind `=`.
pub(super) fn lines_of(word: &Word) -> impl Iterator<Item = String> {
    let text: String = match word {
        Word::Literal(text) => text.clone(),
        // What is not known stands for itself.
        Word::Open(open) => open.pieces.iter().map(|piece| piece.as_deref().unwrap_or("${_}")).collect(),
    };
    let behind = text.split_once('=').filter(|(name, _)| !name.contains(char::is_whitespace));
    let behind = behind.map(|(_, value)| value.to_owned());
    let bare = |line: String| line.trim_start_matches('!').trim().to_owned();
    behind.into_iter().chain([text]).map(bare).filter(|line| !line.is_empty())
}

/// Lines further inside of a text that an option has run or loaded: behind `!`, and between quotes.
pub(super) fn lines_in(word: &Word) -> Vec<String> {
    let text = word.literal().unwrap_or_default();
    let mut found: Vec<String> = text
        .match_indices('!')
        .take(MOST)
        .filter_map(|(at, _)| text.get(at + 1..))
        .map(str::to_owned)
        .collect();
    for quote in ['"', '\''] {
        let inside: Vec<&str> = text.split(quote).skip(1).step_by(2).take(MOST).collect();
        // `runner = ["rm", "x"]`
        found.extend(std::iter::once(inside.join(" ")).chain(inside.into_iter().map(str::to_owned)));
    }
    found.retain(|line| !line.trim().is_empty());
    found.dedup();
    found
}

/// Lines that a program in another language may run: what it says that it starts, what stands behind the name of a command of its
/// own (`.shell touch x`) or behind the target of a rule (`all:;touch x`), and its lines themselves.
pub(in crate::shell) fn lines_of_code(text: &str) -> Vec<String> {
    let mut lines = started_lines(text, !text.contains("${"));
    let mut found: Vec<&str> = Vec::new();
    for line in text.lines().take(MOST_LINES) {
        let line = line.trim();
        found.extend(
            line.split_once([' ', '\t']).filter(|(name, _)| name.starts_with('.')).map(|(_, rest)| rest),
        );
        found.extend(line.split_once(':').map(|(_, rest)| rest.trim_start_matches([';', '=', ' '])));
        found.push(line.trim_start_matches(['@', '-', '+', '!', '|']));
    }
    for line in found.into_iter().map(str::trim) {
        if line.contains(' ') && !lines.iter().any(|known| known == line) {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// The lines that a program in another language, or in one of a notebook's cells, plainly says that it starts:
/// `os.system("touch x")`, `!touch x`.
pub(crate) fn lines_started_by_code(text: &str) -> Vec<String> {
    let cell = text.trim_start().split_once('\n');
    let shell_cell = cell.filter(|(first, _)| {
        let magic = first.trim().trim_start_matches("%%").split_whitespace().next();
        first.starts_with("%%") && matches!(magic, Some("bash" | "sh" | "zsh" | "script" | "system"))
    });
    let mut lines = started_lines(text, !text.contains("${"));
    lines.extend(shell_cell.map(|(_, rest)| rest.to_owned()));
    let marked = text.lines().filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix('!').or_else(|| line.strip_prefix("%sx ")).or_else(|| line.strip_prefix("%system "))
    });
    lines.extend(marked.map(|line| line.trim_start_matches('!').trim().to_owned()));
    lines
}

/// Words as the one line that a program makes of them.
pub(super) fn join_as_word(words: &[Word]) -> Word {
    if let [one] = words {
        return one.clone();
    }
    let literal: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
    if let Some(texts) = literal {
        return Word::Literal(texts.join(" "));
    }
    let mut pieces: Vec<Option<String>> = Vec::new();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            pieces.push(Some(" ".to_owned()));
        }
        match word {
            Word::Literal(text) => pieces.push(Some(text.clone())),
            Word::Open(open) => pieces.extend(open.pieces.iter().cloned()),
        }
    }
    let text = crate::shell::join_word_texts(words);
    Word::Open(OpenWord { text, pieces, ..OpenWord::default() })
}
