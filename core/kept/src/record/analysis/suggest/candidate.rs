//! Rules that could be proposed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::outcomes::{AccessText, PastAnswers, PastApproval};
use crate::approval::{command_families, suggest_patterns};
use mayi_call::{Access, Call, Selector, WriteKind, shell};
use mayi_policy::Pattern;
use mayi_policy::pattern::PatternBases;

/// Patterns that would be allowed together.
pub(super) struct Candidate {
    pub(super) patterns: Vec<Pattern>,
    /// How far it reaches: less is narrower.
    pub(super) reach: u8,
    /// The calls that were said yes to and of which it allows all that is asked about, by their places.
    pub(super) covers: BTreeSet<usize>,
}

/// What runs what it is given, besides interpreters, shells and wrappers: nothing is proposed.
const RUNS_OTHERS: &[&str] =
    &["awk", "bunx", "find", "gawk", "mawk", "npx", "pipx", "psql", "scp", "sed", "socat", "uvx", "vim"];

/// A folder is proposed for so many different files.
const FEWEST_FILES: usize = 3;

impl Candidate {
    fn new(texts: &[String], reach: u8, heard: &PastAnswers) -> Option<Self> {
        let places = PatternBases::default();
        let patterns =
            texts.iter().map(|text| Pattern::parse(text, &places).ok()).collect::<Option<Vec<_>>>()?;
        let mut candidate = Self { patterns, reach, covers: BTreeSet::new() };
        let begins: Vec<&str> = candidate.patterns.iter().map(fixed_prefix).collect();
        let covered = |of: &PastApproval| {
            of.asked.iter().all(|(at, written)| {
                let mut patterns = begins.iter().zip(&candidate.patterns);
                patterns.any(|(begins, pattern)| {
                    may_allow(begins, written)
                        && of
                            .call
                            .accesses
                            .get(*at)
                            .is_some_and(|it| pattern.certainly_matches(it, &of.call.roots))
                })
            })
        };
        let covers = heard.approved.iter().enumerate().filter(|(_, of)| covered(of));
        let covers = covers.map(|(at, _)| at).collect();
        candidate.covers = covers;
        Some(candidate)
    }

    fn allows(&self, access: &Access, call: &Call) -> bool {
        self.patterns.iter().any(|pattern| pattern.certainly_matches(access, &call.roots))
    }

    /// The files that it allows among those that people said yes to.
    fn count_files(&self, heard: &PastAnswers) -> usize {
        let all = self
            .covers
            .iter()
            .filter_map(|at| heard.approved.get(*at))
            .flat_map(PastApproval::asked_accesses);
        let files = all.filter_map(|access| match access {
            Access::Read(path) | Access::Write(_, path) => Some(&path.lexical),
            _ => None,
        });
        files.collect::<BTreeSet<_>>().len()
    }
}

/// How all begins that a pattern allows.
fn fixed_prefix(pattern: &Pattern) -> &str {
    let argument = pattern.as_str().split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    argument.unwrap_or_default().trim_end_matches(['*', ' '])
}

/// No pattern that is suggested allows a command or a path with another beginning.
fn may_allow(begins: &str, written: &AccessText) -> bool {
    match written {
        AccessText::Command(text) => text.starts_with(begins),
        // A wildcard in a name is escaped: then the name is looked at in full.
        AccessText::Path(path) => begins.contains('\\') || path.starts_with(begins),
        AccessText::Other => true,
    }
}

/// All that may be proposed: nothing that was ever denied, nothing that runs whatever it is given, and no
/// folder for the sake of one file.
pub(super) fn find_candidates(heard: &PastAnswers) -> Vec<Candidate> {
    let mut texts: BTreeMap<Vec<String>, u8> = BTreeMap::new();
    for approved in &heard.approved {
        if approved.asked_accesses().any(is_risky) {
            continue;
        }
        for (level, suggestion) in
            suggest_patterns(&approved.call, &approved.new_decision).into_iter().enumerate()
        {
            texts.entry(suggestion.patterns).or_insert(u8::try_from(level).unwrap_or(u8::MAX));
        }
        if let Some(pattern) = repeated_pattern(approved) {
            texts.entry(vec![pattern]).or_insert(2);
        }
        for (up, folder) in folder_patterns(approved).into_iter().enumerate() {
            texts.entry(vec![folder]).or_insert(u8::try_from(up + 1).unwrap_or(u8::MAX));
        }
    }
    let compiled = texts.into_iter().filter_map(|(texts, reach)| Candidate::new(&texts, reach, heard));
    compiled.filter(|candidate| is_narrow(candidate, heard) && !was_denied(candidate, heard)).collect()
}

/// Interpreters, shells, and what runs commands as somebody else or somewhere else: nothing is proposed.
fn is_risky(access: &Access) -> bool {
    let Access::Shell(command) = access else { return false };
    let program = command.words.first().and_then(|word| word.literal());
    let program = program.map(|word| word.rsplit('/').next().unwrap_or(word));
    let runs_others = |word: &str| shell::runs_others(word) || RUNS_OTHERS.contains(&word);
    let is_own =
        || command.literal_words().is_some_and(|words| command_families::repeated_pattern(&words).is_some());
    !command.understood || program.is_none_or(runs_others) && !is_own()
}

/// What is proposed with any further words, where a call is asked about for one command alone.
fn repeated_pattern(approved: &PastApproval) -> Option<String> {
    let mut asked = approved.asked_accesses();
    match (asked.next(), asked.next()) {
        (Some(Access::Shell(command)), None) => command_families::repeated_pattern(&command.literal_words()?),
        _ => None,
    }
}

/// The folders above a file, within the session's own folders and not these themselves: narrowest first.
fn folder_patterns(approved: &PastApproval) -> Vec<String> {
    let mut asked = approved.asked_accesses();
    let (Some(access), None) = (asked.next(), asked.next()) else { return Vec::new() };
    let (selector, path) = match access {
        Access::Read(path) => (Selector::Read, path),
        Access::Write(kind, path) if *kind != WriteKind::Delete => (Selector::Write(WriteKind::Write), path),
        _ => return Vec::new(),
    };
    let roots = &approved.call.roots;
    let inside = |folder: &&Path| roots.iter().any(|root| folder.starts_with(root) && *folder != root);
    let above = path.lexical.ancestors().skip(1).take_while(inside);
    above.filter_map(|folder| Some(Pattern::exact_path(selector, folder, true).ok()?.to_string())).collect()
}

fn is_narrow(candidate: &Candidate, heard: &PastAnswers) -> bool {
    let folder = |pattern: &Pattern| {
        let text = pattern.as_str();
        text.ends_with("/**)") && !text.starts_with("shell(")
    };
    let root = |pattern: &Pattern| {
        let folder = pattern.as_str().split_once('(').and_then(|(_, rest)| rest.strip_suffix("/**)"));
        folder.is_some_and(|folder| {
            let own = |root: &std::path::PathBuf| root.starts_with(Path::new(folder));
            folder.is_empty() || heard.approved.iter().any(|of| of.call.roots.iter().any(own))
        })
    };
    let wide = candidate.patterns.iter().any(folder);
    !wide || (!candidate.patterns.iter().any(root) && candidate.count_files(heard) >= FEWEST_FILES)
}

/// Whether it allows anything that was said no to, or may have been.
fn was_denied(candidate: &Candidate, heard: &PastAnswers) -> bool {
    let denied = heard.denied.iter();
    denied
        .into_iter()
        .any(|denied| denied.denied_accesses().any(|access| candidate.allows(access, &denied.call)))
        || candidate.patterns.iter().any(|pattern| heard.may_have_denied(pattern.as_str()))
}
