//! What only all of a part tells, or all of the line: whether the commands in it do nothing but read.

use brush_parser::ast::CompoundList;

use super::Walker;
use super::shell_state::Variable;
use crate::Access;
use crate::shell::builtins;
use crate::shell::{Caveat, CaveatSubject, ShellAccess, Touch, TouchedPath, Use, Word};

/// As many values of a loop are looked at, each by itself.
const MAX_ROUNDS: usize = 16;

impl Walker<'_> {
    /// Walks the body of a loop once for each value of its variable, if all that it does then is to read: so it matters
    /// neither how often it runs nor in which order. Otherwise all is as before.
    pub(super) fn only_reads_each(&mut self, name: &str, values: &[Word], body: &CompoundList) -> bool {
        let plain = |value: &Word| match value {
            // An empty one is no word at all, without quotes.
            Word::Literal(text) => !text.is_empty(),
            Word::Open(open) => open.glob || open.search.is_some(),
        };
        if values.is_empty() || values.len() > MAX_ROUNDS || !values.iter().all(plain) {
            return false;
        }
        let (found, before, budget) = (self.out.len(), self.place.clone(), self.budget);
        let (said, sets, kept) = (self.out.said.len(), self.out.sets, self.out.kept);
        let reads = values.iter().all(|value| {
            if !self.budget.spend_round() {
                return false;
            }
            let there = before.loop_body(Some(Variable { name: name.to_owned(), value: value.clone() }));
            let (left, walked) = self.walk_with_state(there, |walker| walker.walk_list(body));
            let stays = !left.has_moved() && left.has_changed_nothing_since(&before);
            walked.is_ok() && stays && !self.out.sets && self.out.accesses_since(found).iter().all(only_reads)
        });
        if !reads {
            self.out.take_since(found);
            self.out.said.truncate(said);
            (self.out.sets, self.out.kept) = (sets, kept);
            self.place = before;
            self.budget.refund_trial(budget);
        }
        reads
    }

    /// What the body of a loop touches with each value of its variable: a name among them may be a link, which nothing of
    /// what all values have in common tells.
    pub(super) fn touches_of_each(&mut self, name: &str, values: &[Word], body: &CompoundList) -> Vec<Touch> {
        let mut found = Vec::new();
        // A number leads nowhere.
        let number =
            |value: &&Word| value.literal().is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit()));
        for value in values.iter().filter(|value| !number(value)) {
            if !self.budget.spend_round() {
                self.note_caveat(true, "loops over more values than can be looked at".to_owned());
                return found;
            }
            let there = self.place.loop_body(Some(Variable { name: name.to_owned(), value: value.clone() }));
            let (noted, known) = (std::mem::take(&mut self.noted), self.out.len());
            let (moved, unpacked, said) = (self.out.moved.len(), self.out.unpacked, self.out.said.len());
            let (sets, kept) = (self.out.sets, self.out.kept);
            let brought = self.out.brought.clone();
            let trial = self
                .walk_trial(known, |walker| walker.walk_with_state(there, |walker| walker.walk_list(body)));
            self.noted = noted;
            self.out.moved.truncate(moved);
            self.out.said.truncate(said);
            (self.out.unpacked, self.out.sets, self.out.kept) = (unpacked, sets, kept);
            self.out.brought = brought;
            for access in trial.found {
                match access {
                    Access::Shell(shell) => found.extend(shell.touches),
                    Access::Write(kind, path) => found.push(Touch::known_path(path, Use::Write(kind))),
                    _ => {}
                }
            }
        }
        let mut seen = std::collections::HashSet::new();
        found.retain(|touch| {
            let TouchedPath::Known(path) = &touch.path else { return false };
            path.lexical != path.resolved && seen.insert((path.resolved.clone(), touch.how))
        });
        found
    }

    /// A variable that means nothing to anybody changes nothing where all else only reads.
    pub(super) fn settle_assignments(&mut self) {
        let only_sets = |access: &Access| matches!(access, Access::Shell(shell) if only_sets(shell));
        if !self.out.accesses.iter().all(|access| only_sets(access) || only_reads(access)) {
            return;
        }
        // Reading variables for nothing may be for whoever comes later.
        let used = self.out.accesses.iter().any(only_reads);
        // What a program makes of a variable that is handed on to it is not known: it may name a file, or what it runs.
        let handed_on = self.out.accesses.iter().any(runs_program);
        for access in self.out.accesses.iter_mut().filter(|access| only_sets(access)) {
            if let Access::Shell(shell) = access
                && (used || !only_reads_variables(shell))
                && !(handed_on && only_exports(shell) && !shell.caveats.is_empty())
            {
                shell.caveats.clear();
                shell.reader = true;
            }
        }
    }

    /// Whether something else than a look was taken before the command at hand.
    pub(super) fn could_have_made_files(&self) -> bool {
        // What stands further on in a loop, or beside a job, may have run before.
        self.place.files().is_out_of_order()
            || self.out.accesses.iter().any(|access| match access {
                Access::Shell(shell) => !shell.reader && !only_sets(shell),
                Access::Write(..) => true,
                _ => false,
            })
    }

    /// What runs beside something that makes names may find these too: then nothing was looked up for certain.
    pub(super) fn settle_quiet(&mut self) {
        if !self.place.files().is_concurrent() || self.out.accesses.iter().all(only_reads) {
            return;
        }
        for access in &mut self.out.accesses {
            let Access::Shell(shell) = access else { continue };
            for touch in &mut shell.touches {
                if let TouchedPath::Open(path) = &mut touch.path
                    && std::mem::take(&mut path.looked_up)
                {
                    (shell.reader, shell.shown) = (false, false);
                }
            }
        }
    }
}

/// Whether it does no more than to set variables of which nothing more is known.
pub(super) fn only_sets(shell: &ShellAccess) -> bool {
    let named = |caveat: &Caveat| !caveat.always && matches!(caveat.named, CaveatSubject::Assignment(_));
    let sets = shell.words.is_empty() && !shell.assignments.is_empty();
    sets && shell.caveats.iter().all(named) || only_exports(shell) || only_reads_variables(shell)
}

/// Whether something else than the shell itself gets to see what is exported.
fn runs_program(access: &Access) -> bool {
    let own = |word: &Word| word.literal().is_some_and(builtins::is_own_command);
    matches!(access, Access::Shell(shell)
        if !shell.outer.is_empty() || shell.words.first().is_some_and(|word| !own(word)))
}

/// Whether it does no more than to hand variables on to what comes later: `export X=y`.
fn only_exports(shell: &ShellAccess) -> bool {
    let Some((name, rest)) = shell.words.split_first() else { return false };
    let value = |word: &Word| word.literal().is_some_and(|word| !word.starts_with('-') && word.contains('='));
    name.literal() == Some("export")
        && !rest.is_empty()
        && rest.iter().all(value)
        && shell.assignments.is_empty()
        && shell.caveats.iter().all(|caveat| !caveat.always)
}

/// Whether it does no more than to read variables: `read -r x`.
fn only_reads_variables(shell: &ShellAccess) -> bool {
    shell.words.first().and_then(Word::literal) == Some("read")
        && shell.words.iter().all(|word| word.literal().is_some())
        && shell.assignments.is_empty()
        && shell
            .caveats
            .iter()
            .all(|caveat| !caveat.always && matches!(caveat.named, CaveatSubject::Words(_)))
}

/// Whether an access only reads.
pub(super) fn only_reads(access: &Access) -> bool {
    match access {
        Access::Shell(shell) => shell.reader && shell.caveats.is_empty(),
        Access::Read(_) => true,
        _ => false,
    }
}
