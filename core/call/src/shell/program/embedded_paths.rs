//! Paths that stand in a text which a program reads as a program: `sqlite3 :memory: '.read .env'`, `#include ".env"`.
//!
//! No grammar is followed. A part of the text that is, resolved, a path which a rule is about counts as named: for
//! rules that deny or ask, of that path alone.

use std::collections::HashSet;
use std::path::Path;

use serde::Deserialize;

use super::analyzer::CommandAnalyzer;
use super::form::CommandForm;
use super::given_programs::GivenProgram;
use crate::shell::{OpenPath, Reach, Touch, TouchedPath, Use};
use crate::{LineLookups, PathAccess};

/// As many parts of one text are looked up; if there are more, they could be any path.
const MOST: usize = 1000;
/// The longest name that is looked at.
const LONGEST: usize = 1024;

/// What the texts are that a program reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::shell) enum Language {
    /// It reads none, or nothing is known of them.
    #[default]
    None,
    /// Commands with words, also without quotes: `.read FILE`, `put FILE`.
    Commands,
    /// A program, where a path stands in quotes or brackets, or looks like one: `open(".env")`, `include(.env)`.
    Code,
    /// A program in which only what stands between quotes is a path: `.env` is a field to `jq`.
    Quoted,
}

/// The parts of `text` that could be paths in such a language.
fn path_candidates(text: &str, language: Language) -> Vec<&str> {
    let apart = |c: char| c.is_whitespace() || "\"'`()[]{}<>=,;|&!\\".contains(c);
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut from = 0;
    for (at, c) in text.char_indices().filter(|(_, c)| apart(*c)).chain([(text.len(), ' ')]) {
        let part = text.get(from..at).unwrap_or_default();
        let before = text.get(..from).and_then(|text| text.chars().next_back());
        let quote = |c: char| matches!(c, '"' | '\'' | '`');
        let quoted = before.is_some_and(quote) || quote(c);
        from = at + c.len_utf8();
        let like_one = part.starts_with('.') || part.contains('/');
        let counts = match language {
            Language::None => false,
            Language::Commands => true,
            Language::Code => quoted || like_one,
            Language::Quoted => quoted,
        };
        let number = part.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'/');
        if counts && !number && part.len() <= LONGEST && seen.insert(part) {
            found.push(part);
        }
    }
    // A name with blanks in it, as a whole.
    for quote in ['"', '\''] {
        let whole = text.split(quote).skip(1).step_by(2).filter(|part| part.len() <= LONGEST);
        found.extend(whole.filter(|part| part.contains(' ') && !part.contains('\n') && seen.insert(part)));
    }
    found
}

/// What the text names, seen from `cwd`.
pub(in crate::shell) fn paths_in_text(
    text: &str,
    language: Language,
    cwd: Option<&Path>,
    looked: &LineLookups,
) -> Vec<Touch> {
    let touch = |path| Touch { path, how: Use::Either, reach: Reach::Said };
    let open = |given: &str, pieces| {
        touch(TouchedPath::Open(OpenPath {
            given: given.to_owned(),
            pieces,
            slashes: true,
            stays_below: false,
            looked_up: false,
        }))
    };
    let parts = path_candidates(text, language);
    let more = (parts.len() > MOST).then(|| open("what a long text names", vec![None]));
    let known = |cwd, part: &str| touch(TouchedPath::Known(looked.path_access(cwd, part)));
    // A program that names a folder may go through all of it: what is said of everything in it counts.
    let folders = cwd.into_iter().flat_map(|cwd| {
        let is_folder = move |part: &&&str| looked.path_access(cwd, part).folder;
        parts
            .iter()
            .take(MOST)
            .filter(is_folder)
            .map(move |part| known(cwd, &format!("{}/*", part.trim_end_matches('/'))))
    });
    let folders: Vec<Touch> = folders.collect();
    let found = parts.into_iter().take(MOST).map(|part| match cwd {
        Some(cwd) => known(cwd, part),
        None if part.starts_with('/') => touch(TouchedPath::Known(PathAccess::new(Path::new("/"), part))),
        None => open(part, vec![None, Some(format!("/{}", part.trim_start_matches("./")))]),
    });
    found.chain(more).chain(folders).collect()
}

impl CommandAnalyzer<'_> {
    /// The paths that its texts name, and whether what it is fed is such a text.
    pub(super) fn add_paths_in_texts(&mut self, form: &CommandForm, from: usize) {
        if form.language == Language::None {
            return;
        }
        let own =
            self.words.iter().enumerate().skip(from).filter_map(|(at, word)| Some((at, word.literal()?)));
        let texts =
            own.filter(|(_, text)| text.contains(|c: char| c.is_whitespace() || "\"'()<".contains(c)));
        for (at, text) in texts {
            let named = paths_in_text(text, form.language, self.command.cwd, self.command.looked);
            self.places.touches.extend(named);
            if form.language == Language::Code {
                self.places.add_addresses_in_code(text);
                self.add_started_lines(text, from);
                // It may start what is given to it: `perl -e 'system @ARGV' rm x`.
                self.add_possible_commands(at + 1);
            }
        }
        let fed = form.language == Language::Commands
            || form.language == Language::Code
                && (form.program.is_none() || self.known.given.contains(&GivenProgram::Input));
        if fed {
            self.known.reads_text = form.language;
        }
    }
}
