//! Whether what a command prints reaches the agent and nobody else: a denied file that a search comes by is one thing on
//! the agent's screen, and another in a file, in a variable, or on its way to another program.

use super::Walker;
use crate::Access;
use crate::shell::refused::Result;

impl Walker<'_> {
    /// Walks what does not print to the agent, as far as is known yet.
    pub(super) fn held_back<T>(&mut self, walk: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.held += 1;
        let walked = walk(self);
        self.held -= 1;
        walked
    }

    /// Everything found since `from` belongs together: where all of it only looks, its text ends where that of the whole
    /// does.
    pub(super) fn joined(&mut self, from: usize) {
        let all = self.out.get_mut(from..).unwrap_or_default();
        if self.held == 0 && all.iter().all(looks) {
            show(all, true);
        }
    }

    /// The same for the whole line, once it is walked.
    pub(super) fn settle_shown(&mut self) {
        if self.kept || !self.functions.is_empty() {
            show(&mut self.out, false);
        } else if self.out.iter().all(looks) {
            show(&mut self.out, true);
        }
    }
}

fn looks(access: &Access) -> bool {
    match access {
        Access::Shell(shell) => shell.reader,
        Access::Read(_) => true,
        _ => false,
    }
}

fn show(accesses: &mut [Access], shown: bool) {
    for access in accesses {
        if let Access::Shell(shell) = access {
            shell.shown = shown && shell.reader;
        }
    }
}
