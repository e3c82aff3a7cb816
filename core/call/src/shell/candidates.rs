//! What a line that is not understood might run: too much rather than too little, for denials.

use super::line_error::LineError;
use super::{Caveat, CaveatSubject, ShellAccess};

/// As much of a line is looked into.
const LONGEST: usize = 64 * 1024;
/// As many commands are kept.
const MOST: usize = 512;

/// As many words of one are kept.
const LONGEST_COMMAND: usize = 256;

/// Words that stand before a command without being one.
const BEFORE: &[&str] = &[
    "!", "{", "(", "if", "then", "else", "elif", "while", "until", "do", "time", "builtin", "command",
    "exec", "nohup", "coproc", "function",
];

/// A line that is not understood, and why.
pub(super) fn opaque_command(line: &str, refused: LineError) -> ShellAccess {
    ShellAccess {
        line: line.to_owned(),
        candidates: candidate_commands(line),
        caveats: vec![Caveat { reason: refused.reason(), always: true, named: CaveatSubject::Nothing }],
        ..ShellAccess::default()
    }
}

/// The commands that `line` might run: its parts between operators, with quotes and without regard to
/// them.
pub(super) fn candidate_commands(line: &str) -> Vec<Vec<String>> {
    let mut end = LONGEST.min(line.len());
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let line = visible_text(line.get(..end).unwrap_or_default()).replace("\\\n", "");
    let mut found: Vec<Vec<String>> = Vec::new();
    let operators: &[char] =
        &['|', '&', ';', '(', ')', '`', '\n', '\r', '{', '}', '\u{85}', '\u{2028}', '\u{2029}'];
    let quotes: &[char] = &['"', '\''];
    let parts = line.split(operators).chain(line.split(|c| operators.contains(&c) || quotes.contains(&c)));
    for part in parts.take(4 * MOST) {
        let words = part.split_whitespace().take(LONGEST_COMMAND).map(bare_word);
        let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
        // What stands behind keywords and assignments, too.
        let behind = words.iter().position(|word| !BEFORE.contains(&word.as_str()) && !word.contains('='));
        let behind = behind.filter(|at| *at > 0).and_then(|at| words.get(at..)).map(<[String]>::to_vec);
        for words in [Some(words), behind].into_iter().flatten() {
            if !words.is_empty() && found.len() < MOST && found.last() != Some(&words) {
                found.push(words);
            }
        }
    }
    found
}

/// The text without sequences that only move a terminal's cursor or colour it, and without characters that
/// nobody sees: what is left is what a person would read.
fn visible_text(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' if chars.as_str().starts_with('[') => {
                let _ = chars.by_ref().skip(1).find(|c| ('@'..='~').contains(c));
            }
            '\n' | '\t' | '\r' | '\u{85}' => out.push(c),
            '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}' => {}
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// A word without its quotes, and without what makes an expansion of it.
fn bare_word(word: &str) -> String {
    word.trim_start_matches(['<', '>']).chars().filter(|c| !matches!(c, '"' | '\'' | '\\' | '$')).collect()
}
