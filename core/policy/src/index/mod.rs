//! What finds the patterns that could be about an access, without looking at the others: deciding does
//! not get slower with the rules that don't match.
//!
//! A pattern is kept under something that everything it matches has: the name of a command, a folder,
//! a file's name or ending, a host, a server and a tool. What has nothing of the kind is looked at each
//! time. The index only finds candidates; the patterns themselves have the last word. Its keys are
//! folded, since what is the same byte by byte is also the same folded.

mod commands;
mod names;
mod paths;

use super::Pattern;
use super::fold::fold;
use super::pattern::path::Above;
use super::pattern::{Matcher, Seen, SeenTouch, Written};
use commands::Commands;
use mayi_call::shell::{TouchedPath, Use};
use mayi_call::{Access, McpAccess, UrlAccess, WriteKind, is_this_machine};
use names::Names;
use paths::Paths;

/// Candidates for an access, by the places that the patterns were given in.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    everything: Vec<u32>,
    read: Paths,
    write: Paths,
    shell: Commands,
    fetch: Names,
    mcp: Names,
    tool: Names,
    mode: Names,
}

impl Index {
    /// An index of these patterns.
    pub(super) fn new<'a>(patterns: impl Iterator<Item = &'a Pattern>) -> Self {
        let mut index = Self::default();
        for (at, pattern) in (0_u32..).zip(patterns) {
            index.add(at, pattern.matcher());
        }
        index.read.sort();
        index.write.sort();
        index
    }

    fn add(&mut self, at: u32, matcher: &Matcher) {
        match matcher {
            Matcher::Everything => self.everything.push(at),
            Matcher::Read(pattern) => self.read.add(at, pattern.forms()),
            Matcher::Write(_, pattern) => self.write.add(at, pattern.forms()),
            Matcher::Shell(pattern) => self.shell.add(at, pattern),
            Matcher::Fetch(pattern) => self.fetch.add(at, pattern.host()),
            Matcher::Mcp(pattern) => match (pattern.server.literal(true), pattern.tool.literal(true)) {
                (Some(server), Some(tool)) => self.mcp.add(at, Some(&format!("{server}/{tool}"))),
                (Some(server), None) => self.mcp.add(at, Some(&server)),
                _ => self.mcp.add(at, None),
            },
            Matcher::Tool(globs) => self.tool.add(at, globs.literal(true).as_deref()),
            Matcher::Mode(globs) => self.mode.add(at, globs.literal(true).as_deref()),
        }
    }

    /// The patterns that could be about an access, in their order.
    pub(super) fn about(&self, seen: &Seen<'_>) -> Vec<u32> {
        let mut found = Vec::new();
        match seen.access {
            Access::Read(_) => {
                if let Some(path) = seen.path() {
                    self.read.about(path, Above::No, &mut found);
                }
            }
            Access::Write(kind, of) => {
                if let Some(path) = seen.path() {
                    self.write.about(path, above(*kind, of.folder), &mut found);
                }
            }
            Access::Shell(_) => {
                if let Some(shell) = seen.shell() {
                    self.shell.about(shell, &mut found);
                }
            }
            Access::Fetch(url) => self.address(url, &mut found),
            Access::Mcp(mcp) => self.tools(mcp, &mut found),
            Access::Tool { name, .. } => self.tool.look(&fold(name), &mut found),
            Access::Mode { id } => self.mode.look(&fold(id), &mut found),
        }
        match seen.access {
            Access::Fetch(_) => found.extend(self.fetch.others()),
            Access::Mcp(_) => found.extend(self.mcp.others()),
            Access::Tool { .. } => found.extend(self.tool.others()),
            Access::Mode { .. } => found.extend(self.mode.others()),
            Access::Read(_) | Access::Write(..) | Access::Shell(_) => {}
        }
        found.extend(&self.everything);
        in_order(found)
    }

    /// The patterns that could be about a path that is touched.
    pub(super) fn about_touch(&self, touch: &SeenTouch<'_>) -> Vec<u32> {
        let mut found = Vec::new();
        // As far as it counts for patterns that somebody wrote: the others count for less.
        let above = touch.above(Written::ByHand);
        let tables = match touch.touch.how {
            Use::Read => [Some(&self.read), None],
            Use::Write(_) => [None, Some(&self.write)],
            Use::Either => [Some(&self.read), Some(&self.write)],
        };
        for table in tables.into_iter().flatten() {
            match (&touch.path, &touch.touch.path) {
                (Some(path), _) => table.about(path, above, &mut found),
                (None, TouchedPath::Open(open)) => table.could(open, touch.roots, above, &mut found),
                (None, TouchedPath::Known(_)) => {}
            }
        }
        in_order(found)
    }

    fn address(&self, url: &UrlAccess, found: &mut Vec<u32>) {
        // This machine has more names than the patterns know.
        let local = || std::iter::once(&url.host).chain(&url.other_host).any(|host| is_this_machine(host));
        if url.unsound || url.open && url.host.is_empty() || local() {
            return self.fetch.all(found);
        }
        for host in std::iter::once(&url.host).chain(&url.other_host) {
            let mut host = host.as_str();
            self.fetch.look(host, found);
            while let Some((_, above)) = host.split_once('.') {
                self.fetch.look(above, found);
                host = above;
            }
        }
    }

    fn tools(&self, mcp: &McpAccess, found: &mut Vec<u32>) {
        if mcp.readings.is_empty() {
            return self.mcp.all(found);
        }
        for (server, tool) in &mcp.readings {
            let server = fold(server);
            self.mcp.look(&server, found);
            self.mcp.look(&format!("{server}/{}", fold(tool)), found);
        }
    }
}

/// How a folder that is changed counts: as patterns have it.
fn above(kind: WriteKind, folder: bool) -> Above {
    super::pattern::above_write(kind, folder)
}

fn in_order(mut found: Vec<u32>) -> Vec<u32> {
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests;
