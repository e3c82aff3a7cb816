//! What a line that is not understood might run: too much rather than too little, for denials.

use super::refused::Refused;
use super::{Caveat, Named, ShellAccess};

/// As much of a line is looked into.
const LONGEST: usize = 64 * 1024;
/// As many commands are kept.
const MOST: usize = 512;

/// Words that stand before a command without being one.
const BEFORE: &[&str] = &[
    "!", "{", "(", "if", "then", "else", "elif", "while", "until", "do", "time", "builtin", "command",
    "exec", "nohup", "coproc", "function",
];

/// A line that is not understood, and why.
pub(super) fn opaque(line: &str, refused: Refused) -> ShellAccess {
    ShellAccess {
        line: line.to_owned(),
        candidates: of(line),
        caveats: vec![Caveat { reason: refused.reason(), always: true, named: Named::Nothing }],
        ..ShellAccess::default()
    }
}

/// The commands that `line` might run: its parts between operators, with quotes and without regard to
/// them.
pub(super) fn of(line: &str) -> Vec<Vec<String>> {
    let mut end = LONGEST.min(line.len());
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let line = line.get(..end).unwrap_or_default().replace("\\\n", "");
    let mut found: Vec<Vec<String>> = Vec::new();
    let operators: &[char] =
        &['|', '&', ';', '(', ')', '`', '\n', '\r', '{', '}', '\u{85}', '\u{2028}', '\u{2029}'];
    let quotes: &[char] = &['"', '\''];
    let parts = line.split(operators).chain(line.split(|c| operators.contains(&c) || quotes.contains(&c)));
    for part in parts {
        let words = part.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect::<Vec<_>>();
        let mut words = words.as_slice();
        loop {
            if words.is_empty() || found.len() >= MOST {
                break;
            }
            if found.last().is_none_or(|last| last != words) {
                found.push(words.to_vec());
            }
            // What stands behind keywords and assignments.
            match words {
                [first, rest @ ..] if BEFORE.contains(&first.as_str()) || first.contains('=') => words = rest,
                _ => break,
            }
        }
    }
    found
}

/// A word without its quotes, and without what makes an expansion of it.
fn bare(word: &str) -> String {
    word.trim_start_matches(['<', '>']).chars().filter(|c| !matches!(c, '"' | '\'' | '\\' | '$')).collect()
}
