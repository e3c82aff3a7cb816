//! Shell lines: every simple command in them becomes an access, with what could not be understood
//! about it (D2.1).
//!
//! [`line_accesses`] and [`argv_accesses`] are the way in. What they return is about the commands themselves
//! ([`ShellAccess`]), about the files that redirections and operands certainly write
//! ([`super::Access::Write`]) or read ([`super::Access::Read`]), and about paths and addresses that
//! words merely could mean ([`Touch`], [`ShellAccess::urls`]): those count for deny, ask and
//! protection, and never have to be allowed by themselves.

mod bounds;
mod builtins;
mod candidates;
mod dialect;
mod expand;
mod file_search;
mod gap_content;
mod heredocs;
mod judged_words;
mod line;
mod line_error;
mod parse;
mod program;
mod scripts;
mod touch;
mod transport;
mod variables;
mod walk;
mod windows_shells;
mod word;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Access, UrlAccess};

pub use dialect::{Dialect, UnknownDialect};
pub use file_search::Search;
pub use gap_content::GapContent;
pub use judged_words::judged_words;
pub use line::{argv_accesses, line_accesses, word_list_accesses};
pub use program::{
    GivenOption, OptionSet, index_paths, is_known_reader, is_plain, is_sub_command, needs_operands,
    option_set, patched_names, program_names, runs_others,
};
pub(crate) use program::{ShownNames, lines_started_by_code};
pub use scripts::Script;
pub use touch::{OpenPath, Reach, Touch, TouchedPath, Use};
pub use word::{OpenWord, Word, join_word_texts, join_words, quote_word, split_words};

/// What a line is read in.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The folder that it runs in: absolute.
    pub cwd: &'a Path,
    /// The session's folders, links resolved.
    pub roots: &'a [PathBuf],
    /// The home folder, for `~` and `$HOME`; without one, both are not known.
    pub home: Option<&'a Path>,
    /// Variables that the request sets for it: judged as assignments.
    pub env: &'a BTreeMap<String, String>,
    /// The shell that reads it.
    pub dialect: Dialect,
}

static NO_VARIABLES: BTreeMap<String, String> = BTreeMap::new();

impl<'a> Surroundings<'a> {
    /// A folder among `roots`, without a home folder and without variables, for a shell that is
    /// not known.
    #[must_use]
    pub fn new(cwd: &'a Path, roots: &'a [PathBuf]) -> Self {
        Self { cwd, roots, home: None, env: &NO_VARIABLES, dialect: Dialect::Unknown }
    }
}

/// Something that could not be understood, or that could change what runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Caveat {
    /// One line, lower case.
    pub reason: String,
    /// Asked about whatever the mode: only an answer to exactly this call discharges it.
    #[serde(default)]
    pub always: bool,
    /// What a pattern has to name, so that it allows this too; never for one with `always`.
    #[serde(default)]
    pub named: CaveatSubject,
}

/// The part of a command that a caveat is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaveatSubject {
    /// Nothing that a pattern could name.
    #[default]
    Nothing,
    /// These words, by their places in [`ShellAccess::words`]: an option and its value, say.
    Words(Vec<usize>),
    /// The word at `at`, beside another of its kind at `first`: a pattern that leaves open what stands
    /// there names both, and one that names the first has to name the other.
    Beside {
        /// The place of the first.
        first: usize,
        /// The place of the other.
        at: usize,
    },
    /// The assignment at this place in [`ShellAccess::assignments`].
    Assignment(usize),
    /// The word at `at` has it reach this address: a pattern that no other address in its place would match names it, and
    /// so does an allow of the address.
    Address {
        /// The place of the word.
        at: usize,
        /// The address.
        url: Box<UrlAccess>,
    },
}

/// `NAME=value` before a command.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Assignment {
    /// The name, with its index if it is an element of an array, and `+` if it appends.
    pub name: String,
    /// The value.
    pub value: Word,
}

/// One simple command, or a line that was not understood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct ShellAccess {
    /// The words of the command: quotes removed, `~`, `$HOME`, `$PWD` and braces expanded, wrappers
    /// that only change how (`time`, `timeout`, `nice`, ...) taken away. Empty if the line was not
    /// understood, or if there are only assignments.
    pub words: Vec<Word>,
    /// What is assigned before it; inert variables with literal values are left out.
    pub assignments: Vec<Assignment>,
    /// All that is assigned before it, where that is more than [`Self::assignments`]: looked at by deny and ask.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<Assignment>,
    /// The command with the wrappers that [`Self::words`] is without, and the shell that carries its whole line: looked at by
    /// deny and ask.
    pub outer: Vec<Vec<Word>>,
    /// The same command spelled otherwise, without the options before a sub-command, say: looked at by
    /// rules that deny or ask.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spellings: Vec<Vec<Word>>,
    /// Words behind a program that is not known: a command may begin with any of them, for deny and ask.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tails: Vec<Vec<Word>>,
    /// Commands that a text in another language may start, and may not: where a rule denies or asks about one, it is asked about,
    /// and never denied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guesses: Vec<Vec<Word>>,
    /// The line that it stands in, as it was written.
    pub line: String,
    /// Whether the line was understood. If not, no allow matches.
    pub understood: bool,
    /// Of a line that was not understood: what it might run, for deny and ask.
    pub candidates: Vec<Vec<String>>,
    /// Why it is asked about, whatever else speaks for it.
    pub caveats: Vec<Caveat>,
    /// Paths that its words are or could be.
    pub touches: Vec<Touch>,
    /// Addresses among its words: for deny and ask.
    pub urls: Vec<UrlAccess>,
    /// It fits the table of readers entirely: of category read where the policy says so, with its
    /// touches as reads.
    pub reader: bool,
    /// What it prints reaches the agent and nobody else: no file, no variable, and no program that could keep it or send
    /// it on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shown: bool,
    /// Files in the session's folders that it runs: remembered answers count while they hold the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<Script>,
}

impl ShellAccess {
    /// A command of these literal words, without any knowledge of the program.
    #[must_use]
    pub fn from_literal_words(words: Vec<String>) -> Self {
        Self {
            line: join_words(&words),
            words: words.into_iter().map(Word::Literal).collect(),
            understood: true,
            ..Self::default()
        }
    }

    /// The canonical text: assignments and words, quoted as a shell needs them; or the line as it was
    /// written.
    #[must_use]
    pub fn text(&self) -> String {
        if !self.understood {
            return self.line.clone();
        }
        self.text_behind(&self.assignments)
    }

    fn text_behind(&self, assignments: &[Assignment]) -> String {
        if assignments.is_empty() {
            return join_word_texts(&self.words);
        }
        let assignments = assignments.iter().map(|of| format!("{}={}", of.name, of.value.text()));
        assignments.chain(self.words.iter().map(Word::text)).collect::<Vec<_>>().join(" ")
    }

    /// All that is assigned before it, as deny and ask see it.
    #[must_use]
    pub fn all_assignments(&self) -> &[Assignment] {
        if self.written.is_empty() { &self.assignments } else { &self.written }
    }

    /// As [`Self::text`] has it, with all that is assigned, where that is more.
    #[must_use]
    pub fn text_as_written(&self) -> Option<String> {
        (self.understood && !self.written.is_empty()).then(|| self.text_behind(&self.written))
    }

    /// The words, if every one of them is literal and nothing is assigned.
    #[must_use]
    pub fn literal_words(&self) -> Option<Vec<String>> {
        let plain = self.understood && self.assignments.is_empty();
        plain.then(|| self.words.iter().map(|word| word.literal().map(str::to_owned)).collect())?
    }
}

/// What a text that may be in any language could begin a line with, and hardly means as a command.
const WORDS_OF_CODE: &[&str] = &[
    "class", "const", "def", "export", "from", "function", "import", "let", "print", "return", "select",
    "set", "type", "use", "var",
];

/// Whether a text of which nobody knows that it is a line reads as one: it starts a program that is known, or one by its path.
pub(crate) fn is_command_line(read: &[Access]) -> bool {
    shell_accesses(read).any(|shell| {
        let Some(name) = shell.words.first().and_then(Word::literal) else { return false };
        let by_path = name.starts_with(['/', '.', '~']) && name.contains('/');
        let known = program::is_known(name) && !WORDS_OF_CODE.contains(&name);
        // `test = 1`
        let operator = |word: &Word| {
            word.literal().is_some_and(|text| text.contains('=') && !text.contains(char::is_alphanumeric))
        };
        let named = known || by_path && name.contains(char::is_alphanumeric);
        shell.understood && named && !shell.words.get(1).is_some_and(operator)
    })
}

/// Whether any word of a line, whatever else it is, is the name of a program that is known, or of one by its path. What is not
/// written as it is read may be one.
pub(crate) fn names_a_program(line: &str) -> bool {
    let ends = |c: char| c.is_whitespace() || "|&;(){}<>`=,!@".contains(c);
    line.contains("$'")
        || line.split(ends).filter(|word| !word.is_empty()).any(|word| {
            let bare: String = word.chars().filter(|c| !matches!(c, '"' | '\'' | '\\')).collect();
            bare.contains('/') || program::is_known(&bare) && !WORDS_OF_CODE.contains(&bare.as_str())
        })
}

/// The shell accesses among `accesses`.
pub fn shell_accesses(accesses: &[Access]) -> impl Iterator<Item = &ShellAccess> {
    accesses.iter().filter_map(|access| match access {
        Access::Shell(shell) => Some(shell),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
