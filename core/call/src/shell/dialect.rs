//! Which shell reads a line. The same text can be one command to bash, two to dash, and a program to zsh.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The shell that a line is written for (D2.6).
///
/// A door that does not know it leaves it [`Dialect::Unknown`]: the line is judged as each of the shells
/// would read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// bash.
    Bash,
    /// Any POSIX shell: `/bin/sh` is dash on one system and bash on the next.
    Sh,
    /// zsh.
    Zsh,
    /// Not known: any of them.
    #[default]
    Unknown,
}

impl Dialect {
    /// The names that people write: `"bash".parse()`.
    pub const NAMES: &'static [&'static str] = &["bash", "sh", "zsh", "unknown"];

    /// The dialect of a shell by the last part of its path.
    pub(super) fn of_program(name: &str) -> Self {
        match name {
            "bash" => Self::Bash,
            "sh" | "dash" | "ash" => Self::Sh,
            "zsh" => Self::Zsh,
            _ => Self::Unknown,
        }
    }

    /// Whether a POSIX shell without bash's extensions may read the line.
    pub(super) fn may_be_posix(self) -> bool {
        matches!(self, Self::Sh | Self::Unknown)
    }

    /// Whether zsh may read the line.
    pub(super) fn may_be_zsh(self) -> bool {
        matches!(self, Self::Zsh | Self::Unknown)
    }
}

/// No shell is called so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("write bash, sh, zsh or unknown")]
pub struct UnknownDialect;

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        match name {
            "bash" => Ok(Self::Bash),
            "sh" => Ok(Self::Sh),
            "zsh" => Ok(Self::Zsh),
            "unknown" => Ok(Self::Unknown),
            _ => Err(UnknownDialect),
        }
    }
}

/// Signs by which a line may be other commands to a POSIX shell than to bash.
const COMMANDS: &[&str] = &["&>", "[[", "((", "$[", "<<<", "<(", ">(", "|&", ";&", "=("];
/// Signs by which its commands are the same, and their words may be others.
const WORDS: &[&str] = &["$'", "$\"", "~+", "~-", "=~"];

/// In what bash and a POSIX shell could read a line in two ways. Ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Difference {
    /// In nothing.
    Nothing,
    /// In the words of its commands.
    Words,
    /// In which commands there are.
    Commands,
}

/// How bash and a POSIX shell could read `line` in two ways.
pub(super) fn dialect_difference(line: &str) -> Difference {
    if holds_sign(line, COMMANDS) || line.contains(['<', '>']) && long_descriptor(line) {
        Difference::Commands
    } else if holds_sign(line, WORDS) || line.contains('{') && has_brace_expansion(line) {
        Difference::Words
    } else {
        Difference::Nothing
    }
}

/// Whether one of `signs` is in `line`; each of them begins with punctuation. An automaton for so few takes longer to make than most
/// lines to be looked through, and a process of one call makes it anew.
fn holds_sign(line: &str, signs: &[&str]) -> bool {
    let line = line.as_bytes();
    line.iter().enumerate().any(|(at, byte)| {
        let begins = |rest: &[u8]| signs.iter().any(|sign| rest.starts_with(sign.as_bytes()));
        byte.is_ascii_punctuation() && line.get(at..).is_some_and(begins)
    })
}

/// Whether a brace opens that is neither a group's, which stands alone, nor that of `${NAME}`.
fn has_brace_expansion(line: &str) -> bool {
    line.match_indices('{').any(|(at, _)| {
        let (before, behind) = (line.get(..at).unwrap_or_default(), line.get(at + 1..).unwrap_or_default());
        !before.ends_with('$') && !behind.starts_with(char::is_whitespace) && behind.contains([',', '.'])
    })
}

/// `12>file`: to some shells the number is a word, for they know descriptors of one digit only.
fn long_descriptor(line: &str) -> bool {
    line.as_bytes().windows(3).any(|three| match three {
        [a, b, c] => a.is_ascii_digit() && b.is_ascii_digit() && matches!(c, b'<' | b'>'),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_any_three_characters_then_the_signs_that_they_hold_are_found() {
        let letters: Vec<char> = "&>[($<|;=~'\"+-a\u{e9}".chars().collect();
        for signs in [COMMANDS, WORDS] {
            assert!(signs.iter().all(|sign| sign.starts_with(|c: char| c.is_ascii_punctuation())));
            for first in &letters {
                for second in &letters {
                    for third in &letters {
                        let line: String = [first, second, third].into_iter().collect();
                        let held = signs.iter().any(|sign| line.contains(sign));
                        assert_eq!(holds_sign(&line, signs), held, "{line}");
                    }
                }
            }
        }
    }
}
