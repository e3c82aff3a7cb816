//! What finds the patterns that could be about an access, without looking at the others: deciding does
//! not get slower with the rules that don't match.
//!
//! A pattern is kept under something that everything it matches has: the name of a command, a folder,
//! a file's name or ending, a host, a server and a tool. What has nothing of the kind is looked at each
//! time. The index only finds candidates; the patterns themselves have the last word. Its keys are
//! folded, since what is the same byte by byte is also the same folded.

mod commands;
mod keys;
mod memory;
mod paths;

use super::Pattern;
use super::aliases::tool_names;
use super::fold::fold_text;
use super::pattern::glob::Globs;
use super::pattern::path::AncestorMatch;
use super::pattern::{AccessForms, Matcher, PatternAuthor, TouchForms};
pub(crate) use keys::{IndexTable, KeyLookup};
use mayi_call::shell::{TouchedPath, Use};
use mayi_call::{Access, McpAccess, UrlAccess, WriteKind, effort, is_this_machine};

/// How many candidates are found and put in order in a step.
const SORTED: usize = 2;
pub(crate) use memory::MemoryTables;

/// Candidates for an access, by the places that the patterns were given in.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    memory: MemoryTables,
}

impl Index {
    /// An index of these patterns.
    pub(super) fn new<'a>(patterns: impl Iterator<Item = &'a Pattern>) -> Self {
        let mut memory = MemoryTables::default();
        for (at, pattern) in (0_u32..).zip(patterns) {
            add_matcher(&mut memory, at, pattern.matcher());
        }
        memory.sort_names();
        Self { memory }
    }

    /// The patterns that could be about an access, in their order.
    pub(super) fn candidates_for(&self, seen: &AccessForms<'_>) -> Vec<u32> {
        find_candidates(&self.memory, seen)
    }

    /// The patterns that could be about a path that is touched.
    pub(super) fn about_touch(&self, touch: &TouchForms<'_>) -> Vec<u32> {
        about_touch(&self.memory, touch)
    }

    /// Its tables.
    pub(crate) fn memory(&self) -> &MemoryTables {
        &self.memory
    }
}

fn add_matcher(memory: &mut MemoryTables, at: u32, matcher: &Matcher) {
    match matcher {
        Matcher::Everything => memory.add_key(IndexTable::Everything, at, None),
        Matcher::Read(pattern) => paths::READ.add_forms(memory, at, pattern.forms()),
        Matcher::Write(_, pattern) => paths::WRITE.add_forms(memory, at, pattern.forms()),
        Matcher::Shell(pattern) => commands::add_pattern(memory, at, pattern),
        Matcher::Fetch(pattern) => memory.add_key(IndexTable::Fetch, at, pattern.host()),
        Matcher::Mcp(pattern) => {
            let written = pattern.written.iter().map(|name| (&name.server, &name.tool));
            let mut keys: Vec<Option<String>> =
                std::iter::once((&pattern.server, &pattern.tool)).chain(written).map(name_key).collect();
            keys.sort_unstable();
            keys.dedup();
            for key in keys {
                memory.add_key(IndexTable::Mcp, at, key.as_deref());
            }
        }
        Matcher::Tool(globs) => memory.add_key(IndexTable::Tool, at, globs.only_literal(true).as_deref()),
        Matcher::Mode(globs) => memory.add_key(IndexTable::Mode, at, globs.only_literal(true).as_deref()),
    }
}

/// The name of a tool, or of the server alone where the tool has none, or of neither.
fn name_key((server, tool): (&Globs, &Globs)) -> Option<String> {
    let server = server.only_literal(true)?;
    Some(match tool.only_literal(true) {
        Some(tool) => format!("{server}/{tool}"),
        None => server,
    })
}

/// Those in `keys` that could be about an access, in their order.
pub(crate) fn find_candidates(keys: &impl KeyLookup, seen: &AccessForms<'_>) -> Vec<u32> {
    let mut found = Vec::new();
    match seen.access {
        Access::Read(_) => {
            if let Some(path) = seen.path() {
                paths::READ.find_candidates(keys, path, AncestorMatch::No, &mut found);
            }
        }
        Access::Write(kind, of) => {
            if let Some(path) = seen.path() {
                paths::WRITE.find_candidates(keys, path, ancestor_match(*kind, of.folder), &mut found);
            }
        }
        Access::Shell(_) => {
            if let Some(shell) = seen.shell() {
                commands::find_candidates(keys, shell, &mut found);
            }
        }
        Access::Fetch(url) => find_for_url(keys, url, &mut found),
        Access::Mcp(mcp) => find_for_mcp(keys, mcp, &mut found),
        Access::Tool { name, .. } => {
            for name in tool_names(name) {
                keys.find_named(IndexTable::Tool, &fold_text(name), &mut found);
            }
            keys.find_unnamed(IndexTable::Tool, &mut found);
        }
        Access::Mode { id } => {
            keys.find_named(IndexTable::Mode, &fold_text(id), &mut found);
            keys.find_unnamed(IndexTable::Mode, &mut found);
        }
    }
    keys.find_unnamed(IndexTable::Everything, &mut found);
    sorted_unique(found)
}

/// Those in `keys` that could be about a path that is touched.
pub(crate) fn about_touch(keys: &impl KeyLookup, touch: &TouchForms<'_>) -> Vec<u32> {
    let mut found = Vec::new();
    // As far as it counts for patterns that somebody wrote: the others count for less.
    let above = touch.ancestor_match(PatternAuthor::ByHand);
    let tables = match touch.touch.how {
        Use::Read => [Some(paths::READ), None],
        Use::Write(_) => [None, Some(paths::WRITE)],
        Use::Either => [Some(paths::READ), Some(paths::WRITE)],
    };
    for table in tables.into_iter().flatten() {
        match (&touch.path, &touch.touch.path) {
            (Some(path), _) => table.find_candidates(keys, path, above, &mut found),
            (None, TouchedPath::Open(open)) => {
                table.find_open_candidates(keys, open, touch.roots, above, &mut found)
            }
            (None, TouchedPath::Known(_)) => {}
        }
    }
    sorted_unique(found)
}

fn find_for_url(keys: &impl KeyLookup, url: &UrlAccess, found: &mut Vec<u32>) {
    keys.find_unnamed(IndexTable::Fetch, found);
    // This machine has more names than the patterns know.
    let local = || std::iter::once(&url.host).chain(&url.other_host).any(|host| is_this_machine(host));
    if url.unsound || url.open && url.host.is_empty() || local() {
        return keys.find_all(IndexTable::Fetch, found);
    }
    for host in std::iter::once(&url.host).chain(&url.other_host) {
        let mut host = host.as_str();
        keys.find_named(IndexTable::Fetch, host, found);
        while let Some((_, above)) = host.split_once('.') {
            keys.find_named(IndexTable::Fetch, above, found);
            host = above;
        }
    }
}

fn find_for_mcp(keys: &impl KeyLookup, mcp: &McpAccess, found: &mut Vec<u32>) {
    keys.find_unnamed(IndexTable::Mcp, found);
    if mcp.readings.is_empty() {
        return keys.find_all(IndexTable::Mcp, found);
    }
    for (server, tool) in &mcp.readings {
        let server = fold_text(server);
        keys.find_named(IndexTable::Mcp, &server, found);
        keys.find_named(IndexTable::Mcp, &format!("{server}/{}", fold_text(tool)), found);
    }
}

/// How a folder that is changed counts: as patterns have it.
fn ancestor_match(kind: WriteKind, folder: bool) -> AncestorMatch {
    super::pattern::above_write(kind, folder)
}

pub(crate) fn sorted_unique(mut found: Vec<u32>) -> Vec<u32> {
    effort::spend(found.len() / SORTED);
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests;
