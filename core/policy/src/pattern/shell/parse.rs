//! How patterns for commands are read.

use std::path::Path;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

use super::super::PatternError;
use super::super::glob::Glob;
use super::expansions::expand_home;
use super::{AssignmentPattern, LiteralWord, ShellPattern, SimpleCommandPattern, WordPattern};
use crate::fold::{fold_compatible, fold_text};

/// As large as one regular expression may become, in bytes: one that repeats a class of many
/// characters a hundred times is larger.
pub(in super::super) const LARGEST_REGEX: usize = 512 * 1024;

/// What stands between the slashes of `/.../`.
pub(in super::super) fn regex_source(text: &str) -> Option<&str> {
    text.trim().strip_prefix('/').and_then(|rest| rest.strip_suffix('/')).filter(|source| !source.is_empty())
}

/// Compiles a regular expression, and gives up where it becomes too large.
pub(super) fn compile_regex(source: &str) -> Result<Regex, regex::Error> {
    COMPILED.set(COMPILED.get() + 1);
    RegexBuilder::new(source).size_limit(LARGEST_REGEX).build()
}

thread_local! {
    /// How many regular expressions this thread has compiled.
    static COMPILED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// How many regular expressions this thread has compiled: what a hostile file costs can be counted so.
#[must_use]
pub fn regexes_compiled() -> usize {
    COMPILED.get()
}

impl ShellPattern {
    pub(in super::super) fn parse(text: &str, home: Option<&Path>) -> Result<Self, PatternError> {
        let text = text.trim();
        if let Some(source) = regex_source(text) {
            let loose = compile_regex(source).map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => PatternError::bad_argument(
                    format!("`/{}/` is too large a regular expression", text_excerpt(source)),
                    "write fewer repeats, or several patterns",
                ),
                error => {
                    let line = error.to_string().lines().last().unwrap_or_default().trim().to_owned();
                    PatternError::bad_argument(
                        format!("`/{}/` is not a regular expression", text_excerpt(source)),
                        line,
                    )
                }
            })?;
            return Ok(Self::Regex { loose, anchored: OnceLock::new(), source: source.to_owned() });
        }
        let text = &*expand_home(text, home)?;
        let mut words = shlex::split(text).filter(|words| !words.is_empty()).ok_or_else(|| {
            PatternError::bad_argument(
                format!("the quotes in `{text}` do not match"),
                "close them, as in a shell",
            )
        })?;
        let rest = words.last().is_some_and(|word| word == "*");
        if rest {
            words.pop();
        }
        let glued = !rest && words.last().is_some_and(|word| word.ends_with('*'));
        let operators = has_operators(text);
        let before = words.iter().take_while(|word| split_assignment(word).is_some()).count();
        // Only assignments: the pattern of a command that is called like that.
        let before = if before == words.len() && !rest { 0 } else { before };
        // The words of a whole line have theirs among them.
        let before = if operators { 0 } else { before };
        let assignments = words.drain(..before).filter_map(|word| {
            let (name, value) = split_assignment(&word)?;
            Some(AssignmentPattern { name: name.to_owned(), value: WordPattern::parse(value) })
        });
        let assignments = assignments.collect();
        let words = words.iter().map(|word| WordPattern::parse(word)).collect();
        Ok(Self::Words(SimpleCommandPattern {
            assignments,
            words,
            rest,
            glued,
            operators,
            as_set: <_>::default(),
        }))
    }

    /// Exactly these words, after these assignments: nothing in them is special.
    pub(in super::super) fn exact_command(assignments: &[(&str, &str)], words: &[&str]) -> Self {
        let literal = |text: &&str| WordPattern::Literal(LiteralWord::new(text));
        let assignments = assignments
            .iter()
            .map(|(name, value)| AssignmentPattern { name: (*name).to_owned(), value: literal(value) })
            .collect();
        let words = words.iter().map(literal).collect();
        Self::Words(SimpleCommandPattern {
            assignments,
            words,
            rest: false,
            glued: false,
            operators: false,
            as_set: <_>::default(),
        })
    }
}

/// As much of a text as a message needs.
fn text_excerpt(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

impl WordPattern {
    pub(super) fn parse(text: &str) -> Self {
        if text == "*" {
            return Self::Any;
        }
        if !text.contains('*') {
            return Self::Literal(LiteralWord::new(text));
        }
        let glob = Glob::parse_stars(text);
        let (folded, plain) = (glob.to_folded(), glob.to_compatible());
        let climbs = text.split('/').any(|part| part == "..");
        Self::Glob { exact: glob, folded, plain, climbs, several: text == "**" }
    }
}

impl LiteralWord {
    pub(super) fn new(text: &str) -> Self {
        let (folded, plain) = (fold_text(text), fold_compatible(text));
        Self {
            folded: (folded != text).then(|| folded.as_ref().into()),
            plain: (plain != text).then(|| plain.as_ref().into()),
            exact: text.into(),
        }
    }
}

/// The name and the value of `NAME=value`.
fn split_assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let mut bytes = name.bytes();
    let first = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    (first && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')).then_some((name, value))
}

/// Whether a shell would read more than one simple command in it: a word that is an operator, or
/// that ends in `;`, outside of quotes.
fn has_operators(text: &str) -> bool {
    let (mut quote, mut escaped) = (None, false);
    // Of the word at hand: whether it is all operators so far, and whether its last is a bare `;`.
    let (mut any, mut all, mut semicolon) = (false, true, false);
    for c in text.chars().chain([' ']) {
        if std::mem::take(&mut escaped) {
            (any, all, semicolon) = (true, false, false);
            continue;
        }
        match (quote, c) {
            (None, '\n') => return true,
            (None, ' ' | '\t') => {
                if any && (all || semicolon) {
                    return true;
                }
                (any, all, semicolon) = (false, true, false);
            }
            (None, '\'' | '"') => {
                quote = Some(c);
                (any, all, semicolon) = (true, false, false);
            }
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => escaped = true,
            (None, ';' | '|' | '&' | '<' | '>') => (any, semicolon) = (true, c == ';'),
            _ => (any, all, semicolon) = (true, false, false),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::has_operators;

    #[test]
    fn given_operators_then_they_are_told_from_words() {
        for text in ["git status && ls", "a; b", "a | b", "a > b", "a\nb", "a &"] {
            assert!(has_operators(text), "{text}");
        }
        for text in [
            "find . -exec rm {} \\;",
            "grep 'a;b|c&&d' x",
            "pip install a>=1",
            "echo ';'",
            "curl http://x?a=1&b=2",
        ] {
            assert!(!has_operators(text), "{text}");
        }
    }
}
