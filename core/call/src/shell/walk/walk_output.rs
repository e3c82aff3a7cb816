//! What comes out of a walk. It only grows: what a part of the line does or says is found, wherever the shell is then.

use std::collections::HashSet;
use std::sync::Arc;

use super::brought_links::BroughtLinks;
use super::line_values::LineValues;
use super::moved_names::RenamedPath;
use crate::Access;
use crate::shell::{GapContent, Search, ShellAccess, Touch};

/// As many files are told apart that expressions look at.
const MOST_TESTED: usize = 256;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct WalkResult {
    /// What is run, read and written, in the order of the shell.
    pub(super) accesses: Vec<Access>,
    /// Files that `[[ ]]` looks at.
    pub(super) tested: Vec<Touch>,
    /// Names that the line makes from others.
    pub(super) moved: Vec<RenamedPath>,
    /// It makes more than are told apart.
    pub(super) moved_more: bool,
    /// A command before has unpacked or checked out files that no word names, links among them perhaps.
    pub(super) unpacked: bool,
    /// Where links may be by now that are not there yet.
    pub(super) brought: BroughtLinks,
    /// Variables that the line gives a text which nobody knows before, and those that a shell evaluates somewhere in it.
    pub(super) given: HashSet<String>,
    pub(super) evaluated: HashSet<String>,
    /// What variables are given, as far as it stands in the line.
    pub(super) values: LineValues,
    /// Texts that commands print.
    pub(super) said: Vec<String>,
    /// A command may set variables that the text around it does not name.
    pub(super) sets: bool,
    /// What the last command prints, if that are names that a search finds.
    pub(super) search: Option<Arc<Search>>,
    /// What it prints otherwise, at most.
    pub(super) held: GapContent,
    /// Something that the line prints ends in a file.
    pub(super) kept: bool,
}

impl WalkResult {
    /// Has this stand for what was unpacked and brought by now, and gives what stood there.
    pub(super) fn replace_brought(
        &mut self,
        (unpacked, brought): (bool, BroughtLinks),
    ) -> (bool, BroughtLinks) {
        (std::mem::replace(&mut self.unpacked, unpacked), std::mem::replace(&mut self.brought, brought))
    }

    /// Adds what was unpacked and brought in another reading of the same text.
    pub(super) fn join_brought(&mut self, (unpacked, brought): (bool, BroughtLinks)) {
        self.unpacked |= unpacked;
        self.brought.join(brought);
    }

    /// So many accesses by now.
    pub(super) fn len(&self) -> usize {
        self.accesses.len()
    }

    /// The accesses that were found since there were `from`.
    pub(super) fn accesses_since(&self, from: usize) -> &[Access] {
        self.accesses.get(from..).unwrap_or_default()
    }

    pub(super) fn since_mut(&mut self, from: usize) -> &mut [Access] {
        self.accesses.get_mut(from..).unwrap_or_default()
    }

    /// Takes those away.
    pub(super) fn take_since(&mut self, from: usize) -> Vec<Access> {
        match from {
            0 => std::mem::take(&mut self.accesses),
            _ => self.accesses.split_off(from.min(self.accesses.len())),
        }
    }

    pub(super) fn push(&mut self, access: Access) {
        self.accesses.push(access);
    }

    /// The command at a place.
    pub(super) fn shell_access_mut(&mut self, place: usize) -> Option<&mut ShellAccess> {
        match self.accesses.get_mut(place) {
            Some(Access::Shell(shell)) => Some(shell),
            _ => None,
        }
    }

    /// A file that an expression looks at.
    pub(super) fn add_lookup(&mut self, touch: Touch) {
        if self.tested.len() < MOST_TESTED && !self.tested.contains(&touch) {
            self.tested.push(touch);
        }
    }
}
