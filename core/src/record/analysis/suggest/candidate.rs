//! Rules that could be proposed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::heard::{Approved, Heard};
use crate::approval::{runs_others, suggestions};
use crate::call::{Access, Call, WriteKind};
use crate::policy::Pattern;
use crate::policy::pattern::Places;

/// Patterns that would be allowed together.
pub(super) struct Candidate {
    pub(super) patterns: Vec<Pattern>,
    /// How far it reaches: less is narrower.
    pub(super) reach: u8,
}

/// A folder is proposed for so many different files.
const FEWEST_FILES: usize = 3;

impl Candidate {
    /// Whether it allows all that `approved` is asked about.
    pub(super) fn covers(&self, approved: &Approved) -> bool {
        let allows = |access: &Access| self.allows(access, &approved.call);
        approved.asked_accesses().all(allows)
    }

    fn allows(&self, access: &Access, call: &Call) -> bool {
        self.patterns.iter().any(|pattern| pattern.allows(access, &call.roots))
    }

    /// The files that it allows among those that people said yes to.
    fn files(&self, heard: &Heard) -> usize {
        let all =
            heard.approved.iter().flat_map(|of| of.asked_accesses().map(move |access| (access, &of.call)));
        let files =
            all.filter(|(access, call)| self.allows(access, call)).filter_map(|(access, _)| match access {
                Access::Read(path) | Access::Write(_, path) => Some(&path.lexical),
                _ => None,
            });
        files.collect::<BTreeSet<_>>().len()
    }
}

/// All that may be proposed: nothing that was ever denied, nothing that runs whatever it is given, and no
/// folder for the sake of one file.
pub(super) fn candidates(heard: &Heard) -> Vec<Candidate> {
    let mut texts: BTreeMap<Vec<String>, u8> = BTreeMap::new();
    for approved in &heard.approved {
        if approved.asked_accesses().any(is_risky) {
            continue;
        }
        for (level, suggestion) in suggestions(&approved.call, &approved.now).into_iter().enumerate() {
            texts.entry(suggestion.patterns).or_insert(u8::try_from(level).unwrap_or(u8::MAX));
        }
        for (up, folder) in folders(approved).into_iter().enumerate() {
            texts.entry(vec![folder]).or_insert(u8::try_from(up + 1).unwrap_or(u8::MAX));
        }
    }
    let compiled = texts.into_iter().filter_map(|(texts, reach)| {
        let places = Places::default();
        let patterns =
            texts.iter().map(|text| Pattern::parse(text, &places).ok()).collect::<Option<Vec<_>>>()?;
        Some(Candidate { patterns, reach })
    });
    compiled.filter(|candidate| is_narrow(candidate, heard) && !was_denied(candidate, heard)).collect()
}

/// Commands that run what they are given: nothing is proposed for them.
fn is_risky(access: &Access) -> bool {
    let Access::Shell(shell) = access else { return false };
    let program = shell.words.first().and_then(|word| word.literal());
    !shell.understood || program.is_none_or(|word| runs_others(word.rsplit('/').next().unwrap_or(word)))
}

/// The folders above a file, within the session's own folders and not these themselves: narrowest first.
fn folders(approved: &Approved) -> Vec<String> {
    let mut asked = approved.asked_accesses();
    let (Some(access), None) = (asked.next(), asked.next()) else { return Vec::new() };
    let (selector, path) = match access {
        Access::Read(path) => ("read", path),
        Access::Write(kind, path) if *kind != WriteKind::Delete => ("write", path),
        _ => return Vec::new(),
    };
    let roots = &approved.call.roots;
    let inside = |folder: &&Path| roots.iter().any(|root| folder.starts_with(root) && *folder != root);
    let above = path.lexical.ancestors().skip(1).take_while(inside);
    above.filter_map(|folder| Some(Pattern::exact_path(selector, folder, true).ok()?.to_string())).collect()
}

fn is_narrow(candidate: &Candidate, heard: &Heard) -> bool {
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
    let wide = candidate.patterns.iter().any(|pattern| folder(pattern));
    !wide || (!candidate.patterns.iter().any(root) && candidate.files(heard) >= FEWEST_FILES)
}

/// Whether it allows anything that was said no to, or may have been.
fn was_denied(candidate: &Candidate, heard: &Heard) -> bool {
    let denied = heard.denied.iter();
    denied.into_iter().any(|denied| denied.accesses().any(|access| candidate.allows(access, &denied.call)))
        || candidate.patterns.iter().any(|pattern| heard.may_have_denied(pattern.as_str()))
}
