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
use super::fold::fold;
use super::pattern::path::Above;
use super::pattern::{Matcher, Seen, SeenTouch, Written};
pub(crate) use keys::{Keys, Table};
use mayi_call::shell::{TouchedPath, Use};
use mayi_call::{Access, McpAccess, UrlAccess, WriteKind, is_this_machine};
pub(crate) use memory::Memory;

/// Candidates for an access, by the places that the patterns were given in.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    memory: Memory,
}

impl Index {
    /// An index of these patterns.
    pub(super) fn new<'a>(patterns: impl Iterator<Item = &'a Pattern>) -> Self {
        let mut memory = Memory::default();
        for (at, pattern) in (0_u32..).zip(patterns) {
            add(&mut memory, at, pattern.matcher());
        }
        memory.sort();
        Self { memory }
    }

    /// The patterns that could be about an access, in their order.
    pub(super) fn about(&self, seen: &Seen<'_>) -> Vec<u32> {
        about(&self.memory, seen)
    }

    /// The patterns that could be about a path that is touched.
    pub(super) fn about_touch(&self, touch: &SeenTouch<'_>) -> Vec<u32> {
        about_touch(&self.memory, touch)
    }

    /// Its tables.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }
}

fn add(memory: &mut Memory, at: u32, matcher: &Matcher) {
    match matcher {
        Matcher::Everything => memory.add(Table::Everything, at, None),
        Matcher::Read(pattern) => paths::READ.add(memory, at, pattern.forms()),
        Matcher::Write(_, pattern) => paths::WRITE.add(memory, at, pattern.forms()),
        Matcher::Shell(pattern) => commands::add(memory, at, pattern),
        Matcher::Fetch(pattern) => memory.add(Table::Fetch, at, pattern.host()),
        Matcher::Mcp(pattern) => match (pattern.server.literal(true), pattern.tool.literal(true)) {
            (Some(server), Some(tool)) => memory.add(Table::Mcp, at, Some(&format!("{server}/{tool}"))),
            (Some(server), None) => memory.add(Table::Mcp, at, Some(&server)),
            _ => memory.add(Table::Mcp, at, None),
        },
        Matcher::Tool(globs) => memory.add(Table::Tool, at, globs.literal(true).as_deref()),
        Matcher::Mode(globs) => memory.add(Table::Mode, at, globs.literal(true).as_deref()),
    }
}

/// Those in `keys` that could be about an access, in their order.
pub(crate) fn about(keys: &impl Keys, seen: &Seen<'_>) -> Vec<u32> {
    let mut found = Vec::new();
    match seen.access {
        Access::Read(_) => {
            if let Some(path) = seen.path() {
                paths::READ.about(keys, path, Above::No, &mut found);
            }
        }
        Access::Write(kind, of) => {
            if let Some(path) = seen.path() {
                paths::WRITE.about(keys, path, above(*kind, of.folder), &mut found);
            }
        }
        Access::Shell(_) => {
            if let Some(shell) = seen.shell() {
                commands::about(keys, shell, &mut found);
            }
        }
        Access::Fetch(url) => address(keys, url, &mut found),
        Access::Mcp(mcp) => tools(keys, mcp, &mut found),
        Access::Tool { name, .. } => {
            keys.look(Table::Tool, &fold(name), &mut found);
            keys.others(Table::Tool, &mut found);
        }
        Access::Mode { id } => {
            keys.look(Table::Mode, &fold(id), &mut found);
            keys.others(Table::Mode, &mut found);
        }
    }
    keys.others(Table::Everything, &mut found);
    in_order(found)
}

/// Those in `keys` that could be about a path that is touched.
pub(crate) fn about_touch(keys: &impl Keys, touch: &SeenTouch<'_>) -> Vec<u32> {
    let mut found = Vec::new();
    // As far as it counts for patterns that somebody wrote: the others count for less.
    let above = touch.above(Written::ByHand);
    let tables = match touch.touch.how {
        Use::Read => [Some(paths::READ), None],
        Use::Write(_) => [None, Some(paths::WRITE)],
        Use::Either => [Some(paths::READ), Some(paths::WRITE)],
    };
    for table in tables.into_iter().flatten() {
        match (&touch.path, &touch.touch.path) {
            (Some(path), _) => table.about(keys, path, above, &mut found),
            (None, TouchedPath::Open(open)) => table.could(keys, open, touch.roots, above, &mut found),
            (None, TouchedPath::Known(_)) => {}
        }
    }
    in_order(found)
}

fn address(keys: &impl Keys, url: &UrlAccess, found: &mut Vec<u32>) {
    keys.others(Table::Fetch, found);
    // This machine has more names than the patterns know.
    let local = || std::iter::once(&url.host).chain(&url.other_host).any(|host| is_this_machine(host));
    if url.unsound || url.open && url.host.is_empty() || local() {
        return keys.all(Table::Fetch, found);
    }
    for host in std::iter::once(&url.host).chain(&url.other_host) {
        let mut host = host.as_str();
        keys.look(Table::Fetch, host, found);
        while let Some((_, above)) = host.split_once('.') {
            keys.look(Table::Fetch, above, found);
            host = above;
        }
    }
}

fn tools(keys: &impl Keys, mcp: &McpAccess, found: &mut Vec<u32>) {
    keys.others(Table::Mcp, found);
    if mcp.readings.is_empty() {
        return keys.all(Table::Mcp, found);
    }
    for (server, tool) in &mcp.readings {
        let server = fold(server);
        keys.look(Table::Mcp, &server, found);
        keys.look(Table::Mcp, &format!("{server}/{}", fold(tool)), found);
    }
}

/// How a folder that is changed counts: as patterns have it.
fn above(kind: WriteKind, folder: bool) -> Above {
    super::pattern::above_write(kind, folder)
}

pub(crate) fn in_order(mut found: Vec<u32>) -> Vec<u32> {
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests;
