//! Patterns for commands: words, or a regular expression.
//!
//! An allow compares what is certain: bytes, words that are known. A denial compares what could be:
//! names folded, the command's base name, wrappers, words of which only parts are known.

mod command_forms;
mod expansions;
mod option_sets;
mod parse;
mod possible_match;

use std::sync::OnceLock;

use regex::Regex;

use super::glob::Glob;
use mayi_call::shell::{Caveat, CaveatSubject, Word};
use mayi_call::{ShellAccess, effort};

use self::option_sets::OptionSetPattern;
pub(crate) use command_forms::{CommandForms, SecondWord};
pub use parse::regexes_compiled;
pub(super) use parse::{LARGEST_REGEX, regex_source};

/// A host that nobody means.
const OTHER_HOST: &str = "another-host.invalid";

/// How much slower a regular expression is that counts repeats, and how long the source is of one that is as slow again; number of
/// bytes that it looks at in one step of a decision.
const REPEATS: usize = 50;
const SMALL: usize = 64;
const BYTES: usize = 16;

/// Matched against the words of one simple command.
#[derive(Clone, Debug)]
pub(crate) enum ShellPattern {
    /// Word by word.
    Words(SimpleCommandPattern),
    /// `/.../` over the canonical text.
    Regex {
        /// As it is: for ask and deny.
        loose: Regex,
        /// Anchored at both ends, for allow and `unless`: compiled when it is needed.
        anchored: OnceLock<Option<Regex>>,
        /// What stands between the slashes.
        source: String,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct SimpleCommandPattern {
    /// `NAME=value` before the command.
    assignments: Vec<AssignmentPattern>,
    /// One for each word.
    words: Vec<WordPattern>,
    /// A last word `*`: any remaining words, also none.
    rest: bool,
    /// The last word ends in `*`: to deny and ask, any remaining words too.
    glued: bool,
    /// It was written as more than one command: compared with the words of whole lines, and only to
    /// deny or ask.
    operators: bool,
    /// The same without the order of its options, worked out when it is needed.
    as_set: OnceLock<Option<Box<OptionSetPattern>>>,
}

#[derive(Clone, Debug)]
struct AssignmentPattern {
    name: String,
    value: WordPattern,
}

#[derive(Clone, Debug)]
enum WordPattern {
    Literal(LiteralWord),
    Glob {
        exact: Glob,
        folded: Glob,
        plain: Glob,
        /// It goes up by itself.
        climbs: bool,
        /// `**`: to deny and ask, any number of words, also none.
        several: bool,
    },
    /// `*`
    Any,
}

/// A text, and how it compares where spelling does not count; left out where that is the same.
#[derive(Clone, Debug)]
struct LiteralWord {
    exact: Box<str>,
    folded: Option<Box<str>>,
    plain: Option<Box<str>>,
}

impl LiteralWord {
    fn folded(&self) -> &str {
        self.folded.as_deref().unwrap_or(&self.exact)
    }

    fn plain(&self) -> &str {
        self.plain.as_deref().unwrap_or(&self.exact)
    }
}

impl WordPattern {
    /// Whether it is certain that this is the word that is meant.
    fn certainly_matches(&self, word: &Word) -> bool {
        match (self, word) {
            (Self::Literal(text), Word::Literal(word)) => *text.exact == **word,
            // What a star stands for goes to no other place.
            (Self::Glob { exact, climbs, .. }, Word::Literal(word)) => {
                (*climbs || !word.split('/').any(|part| part == "..")) && exact.matches(word)
            }
            (Self::Any, Word::Literal(_)) => true,
            // One word, whatever it is; more than one would move the others.
            (Self::Any, Word::Open(open)) => !open.splits,
            _ => false,
        }
    }

    fn is_any(&self) -> bool {
        matches!(self, Self::Any)
    }

    fn is_several(&self) -> bool {
        matches!(self, Self::Glob { several: true, .. })
    }
}

impl ShellPattern {
    /// Whether it names exactly one thing to do.
    pub(super) fn is_exact(&self) -> bool {
        match self {
            Self::Words(of) => {
                let literal = |word: &WordPattern| matches!(word, WordPattern::Literal(_));
                !of.rest && of.words.iter().chain(of.assignments.iter().map(|of| &of.value)).all(literal)
            }
            Self::Regex { .. } => false,
        }
    }

    /// Whether it can't match as an allow, since it was written as more than one command.
    pub(super) fn has_operators(&self) -> bool {
        matches!(self, Self::Words(of) if of.operators)
    }

    /// Whether its last word ends in `*`: to an allow, that star stays within the word.
    pub(super) fn has_glued_star(&self) -> bool {
        matches!(self, Self::Words(of) if of.glued)
    }

    /// Its words, if each of them is known and no further ones may follow.
    pub(super) fn literal_words(&self) -> Option<Vec<&str>> {
        let Self::Words(of) = self else { return None };
        if of.rest || of.operators || !of.assignments.is_empty() {
            return None;
        }
        let literal = of.words.iter().map(|word| match word {
            WordPattern::Literal(text) => Some(&*text.exact),
            _ => None,
        });
        literal.collect()
    }

    /// Its first word, if that is known.
    pub(super) fn literal_program(&self) -> Option<&str> {
        match self {
            Self::Words(of) if !of.operators => match of.words.first()? {
                WordPattern::Literal(text) => Some(&text.exact),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it is certain that the command is meant.
    pub(super) fn certainly_matches(&self, shell: &ShellAccess) -> bool {
        if !shell.understood {
            return false;
        }
        match self {
            Self::Words(of) => of.certainly_matches(shell),
            Self::Regex { anchored, source, .. } => {
                is_fully_literal(shell)
                    && anchored
                        .get_or_init(|| parse::compile_regex(&format!("^(?:{source})$")).ok())
                        .as_ref()
                        .is_some_and(|regex| regex.is_match(&shell.text()))
            }
        }
    }

    /// As an allow, but a last `*` covers no words that are or could be options (D3.7).
    pub(super) fn excepts(&self, shell: &ShellAccess) -> bool {
        self.certainly_matches(shell)
            && match self {
                Self::Words(of) if of.rest => shell
                    .words
                    .iter()
                    .skip(of.words.len())
                    .all(|word| word.literal().is_some_and(|word| !word.starts_with('-'))),
                _ => true,
            }
    }

    /// Whether an allow that matches `shell` names what `caveat` is about: the option, or the
    /// assignment. What only the last `*` covers is not named.
    pub(super) fn names_caveat(&self, shell: &ShellAccess, caveat: &Caveat) -> bool {
        if caveat.always {
            return false;
        }
        if let CaveatSubject::Address { at, url } = &caveat.named {
            return self.names_address(shell, *at, &url.host);
        }
        let Self::Words(of) = self else { return matches!(caveat.named, CaveatSubject::Beside { .. }) };
        match &caveat.named {
            CaveatSubject::Nothing | CaveatSubject::Address { .. } => false,
            CaveatSubject::Beside { first, at } => {
                let open = |at: &usize| of.words.get(*at).is_none_or(WordPattern::is_any);
                open(first) || !open(at)
            }
            CaveatSubject::Words(places) => {
                // An option by its name; its value may be any.
                places.first().and_then(|at| of.words.get(*at)).is_some_and(|word| !word.is_any())
                    && places.iter().all(|at| *at < of.words.len())
            }
            CaveatSubject::Assignment(at) => {
                of.matched_assignments(shell).is_some_and(|places| places.contains(at))
            }
        }
    }

    /// Whether an allow that matches `shell` says where it goes by the word at `at`: with another host there, it does not match.
    fn names_address(&self, shell: &ShellAccess, at: usize, host: &str) -> bool {
        if let Self::Words(of) = self
            && matches!(of.words.get(at), Some(WordPattern::Literal(_)))
        {
            return true;
        }
        let text = shell.words.get(at).and_then(Word::literal).unwrap_or_default();
        let begins = text.find("://").map_or(0, |at| at + 3);
        let (before, rest) = text.split_at(begins);
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if host.is_empty() || !authority.contains(host) {
            return false;
        }
        let mut other = shell.clone();
        if let Some(word) = other.words.get_mut(at) {
            *word = Word::Literal([before, &authority.replace(host, OTHER_HOST), path].concat());
        }
        !self.certainly_matches(&other)
    }

    /// Whether this could be about the command, a wrapper of it, or what a line that was not understood
    /// may run.
    pub(super) fn could_match(&self, seen: &CommandForms<'_>) -> bool {
        match self {
            Self::Regex { loose, source, .. } => {
                // Only what says how a text begins needs to see each beginning.
                let begins = source.contains('^') || source.contains("\\A");
                // One that counts repeats is as large as that many of what is repeated.
                let step = if source.contains('{') { REPEATS } else { 1 + source.len() / SMALL };
                let finds = |text: &String| effort::spend(text.len() * step / BYTES) && loose.is_match(text);
                seen.regex_texts().iter().any(finds) || (begins && seen.tail_texts().iter().any(finds))
            }
            Self::Words(of) => {
                (of.operators && seen.line_form().is_some_and(|line| of.could_match(line, &[])))
                    || (!seen.shell.understood && of.words.is_empty() && of.rest && of.assignments.is_empty())
                    || seen.forms().iter().any(|form| of.could_match(form, seen.shell.all_assignments()))
                    || of.could_match_as_set(seen)
            }
        }
    }

    /// The command's name that everything it concerns has, folded.
    pub(crate) fn first_folded(&self) -> Option<&str> {
        match self {
            Self::Words(SimpleCommandPattern { words, operators: false, .. }) => match words.first()? {
                WordPattern::Literal(text) => Some(text.folded()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The word behind that name that everything it concerns has, folded.
    pub(crate) fn second_folded(&self) -> Option<&str> {
        match self {
            Self::Words(SimpleCommandPattern { words, operators: false, .. }) => match words.get(1)? {
                // An option may stand at any place.
                WordPattern::Literal(text) if text.exact.starts_with('-') => None,
                WordPattern::Literal(text) => Some(text.folded()),
                _ => None,
            },
            _ => None,
        }
    }
}

impl SimpleCommandPattern {
    /// Whether a command could be meant whose options are written otherwise.
    fn could_match_as_set(&self, seen: &CommandForms<'_>) -> bool {
        let Some(WordPattern::Literal(name)) = self.words.first() else { return false };
        let set = self.as_set.get_or_init(|| OptionSetPattern::new(self).map(Box::new));
        set.as_ref().is_some_and(|set| set.could_match(seen, name.folded()))
    }

    fn certainly_matches(&self, shell: &ShellAccess) -> bool {
        let count =
            shell.words.len() == self.words.len() || (self.rest && shell.words.len() > self.words.len());
        !self.operators
            && count
            && self.words.iter().zip(&shell.words).all(|(word, of)| word.certainly_matches(of))
            && self.matched_assignments(shell).is_some()
    }

    /// The places of the assignments that it names, if it is about assignments of this command: all of
    /// its own, in their order.
    fn matched_assignments(&self, shell: &ShellAccess) -> Option<Vec<usize>> {
        let mut places = Vec::new();
        let mut rest = shell.assignments.iter().enumerate();
        for own in &self.assignments {
            let (at, _) =
                rest.find(|(_, of)| of.name == own.name && own.value.certainly_matches_value(&of.value))?;
            places.push(at);
        }
        Some(places)
    }
}

impl WordPattern {
    /// As [`Self::certainly_matches`], for a value: it never becomes several words.
    fn certainly_matches_value(&self, value: &Word) -> bool {
        self.is_any() || self.certainly_matches(value)
    }
}

/// Whether every word and every value is known.
fn is_fully_literal(shell: &ShellAccess) -> bool {
    shell
        .words
        .iter()
        .chain(shell.assignments.iter().map(|of| &of.value))
        .all(|word| word.literal().is_some())
}
