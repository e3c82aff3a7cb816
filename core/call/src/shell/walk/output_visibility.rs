//! Whether what a command prints reaches the agent and nobody else: a denied file that a search comes by is one thing on
//! the agent's screen, and another in a file, in a variable, or on its way to another program.

use super::Walker;
use crate::Access;

impl Walker<'_> {
    /// Everything found since `from` belongs together: where all of it only looks, its text ends where that of the whole
    /// does.
    pub(super) fn mark_shown_since(&mut self, from: usize) {
        let all = self.out.since_mut(from);
        if !self.place.held && all.iter().all(is_read_only) {
            set_shown(all, true);
        }
    }

    /// The same for the whole line, once it is walked.
    pub(super) fn settle_shown(&mut self) {
        let kept = self.out.kept || !self.place.functions().is_empty();
        let all = &mut self.out.accesses;
        if kept {
            set_shown(all, false);
        } else if all.iter().all(is_read_only) {
            set_shown(all, true);
        }
    }
}

fn is_read_only(access: &Access) -> bool {
    match access {
        Access::Shell(shell) => shell.reader,
        Access::Read(_) => true,
        _ => false,
    }
}

fn set_shown(accesses: &mut [Access], shown: bool) {
    for access in accesses {
        if let Access::Shell(shell) = access {
            shell.shown = shown && shell.reader;
        }
    }
}
