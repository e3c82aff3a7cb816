//! The end of a walk: what only the whole line tells.

use super::walk_output::WalkResult;
use super::{Walker, assign, script};
use crate::Access;
use crate::shell::{Caveat, CaveatSubject, GapContent, ShellAccess, Word};

impl Walker<'_> {
    /// Everything found, with what only the whole line tells.
    pub(super) fn finish(mut self) -> Vec<Access> {
        self.add_rerun_caveat();
        self.settle_quiet();
        self.settle_assignments();
        let in_order = !self.place.files().is_out_of_order();
        script::drop_rewritten_digests(&mut self.out.accesses, in_order);
        self.read_what_is_listed();
        self.settle_shown();
        self.settle_evaluated_names();
        let WalkResult { mut accesses, tested, .. } = self.out;
        let functions = self.place.functions();
        for access in &mut accesses {
            let Access::Shell(shell) = access else { continue };
            let words = std::iter::once(&shell.words)
                .chain(&shell.outer)
                .filter_map(|words| words.first()?.literal());
            if let Some(name) =
                words.into_iter().find(|name| functions.iter().any(|function| function == name))
            {
                let reason = format!("the line makes {name} a function of its own");
                shell.caveats.push(Caveat { reason, always: true, named: CaveatSubject::Nothing });
            }
        }
        if accesses.is_empty() {
            let mut caveats: Vec<_> = assign::assignment_caveats(&self.env).collect();
            if self.line.trim().is_empty() {
                let reason = "no command is named".to_owned();
                caveats.push(Caveat { reason, always: true, named: CaveatSubject::Nothing });
            }
            accesses.push(Access::Shell(ShellAccess {
                assignments: self.env,
                line: self.line.to_owned(),
                understood: true,
                reader: caveats.is_empty(),
                caveats,
                ..ShellAccess::default()
            }));
        }
        // Looking at a file is no command: rules about the file count, and nothing else has to allow it.
        let first = accesses.iter_mut().find_map(|access| match access {
            Access::Shell(shell) => Some(shell),
            _ => None,
        });
        first.into_iter().for_each(|shell| shell.touches.extend(tested.iter().cloned()));
        for access in &mut accesses {
            if let Access::Shell(shell) = access {
                forget_searches(shell);
            }
        }
        accesses
    }
}

/// What a word's search is counts while the line is walked; what it gave is among the touches.
fn forget_searches(shell: &mut ShellAccess) {
    let others = shell.outer.iter_mut().chain(&mut shell.spellings).chain(&mut shell.tails).flatten();
    let values = shell.assignments.iter_mut().chain(&mut shell.written).map(|of| &mut of.value);
    for word in shell.words.iter_mut().chain(others).chain(values) {
        if let Word::Open(open) = word {
            (open.search, open.held) = (None, GapContent::default());
        }
    }
}
