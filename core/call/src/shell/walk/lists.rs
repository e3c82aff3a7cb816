//! Lists and pipelines: what follows on what, and in which folder.

use brush_parser::ast::{
    AndOr, AndOrList, AssignmentName, Command, CommandPrefixOrSuffixItem, CompoundList, Pipeline, Program,
    SeparatorOperator,
};

use super::Walker;
use super::folder::{CurrentFolder, is_cd, is_exit, is_plain};
use super::input::{ExactOutput, StandardInput};
use crate::Access;
use crate::shell::Dialect;
use crate::shell::line_error::Result;

/// Where the shell may be after a list: one state for each way that it can end.
struct ListOutcomes {
    /// After success.
    good: Option<CurrentFolder>,
    /// After failure.
    bad: Option<CurrentFolder>,
}

impl Walker<'_> {
    pub(super) fn walk_program(&mut self, program: &Program) -> Result<()> {
        self.place.set_certain_names(certainly_assigned_names(program));
        program.complete_commands.iter().try_for_each(|list| self.walk_list(list))
    }

    /// A list of lists, each with `;` or `&` behind it.
    pub(super) fn walk_list(&mut self, list: &CompoundList) -> Result<()> {
        self.walk_nested(|walker| {
            for item in &list.0 {
                match item.1 {
                    SeparatorOperator::Async => walker.walk_async_list(&item.0)?,
                    SeparatorOperator::Sequence => walker.walk_and_or(&item.0, false)?,
                }
            }
            Ok(())
        })
    }

    /// A list with `&` behind it. Shells run it beside themselves, so that it leaves them where they are; but zsh goes
    /// through all of it by itself, and puts only the last pipeline beside itself.
    fn walk_async_list(&mut self, list: &AndOrList) -> Result<()> {
        self.mark_out_of_order();
        if !self.may_be_zsh() {
            return self.walk_subshell(|walker| walker.walk_and_or(list, false));
        }
        let before = self.place.folder.clone();
        self.walk_and_or(list, true)?;
        if self.dialect() != Dialect::Zsh {
            self.place.merge_folder(before);
        }
        Ok(())
    }

    /// Pipelines with `&&` and `||` between them; `job`: the last one runs beside the shell.
    fn walk_and_or(&mut self, list: &AndOrList, job: bool) -> Result<()> {
        let mut left = list.additional.len();
        let mut ends = self.walk_list_pipeline(&list.first, job && left == 0)?;
        let mut fails = self.is_missing(&list.first);
        for next in &list.additional {
            left -= 1;
            // To a shell without `[[`, what is joined to it by `&&` never runs.
            if fails && matches!(next, AndOr::And(_)) {
                continue;
            }
            fails = matches!(next, AndOr::Or(pipeline) if self.is_missing(pipeline));
            ends = match next {
                AndOr::And(pipeline) => {
                    self.place.set_next_folder(ends.good);
                    let next = self.walk_list_pipeline(pipeline, job && left == 0)?;
                    ListOutcomes { good: next.good, bad: CurrentFolder::merge_optional(ends.bad, next.bad) }
                }
                AndOr::Or(pipeline) => {
                    self.place.set_next_folder(ends.bad);
                    let next = self.walk_list_pipeline(pipeline, job && left == 0)?;
                    ListOutcomes { good: CurrentFolder::merge_optional(ends.good, next.good), bad: next.bad }
                }
            };
        }
        self.place.set_next_folder(CurrentFolder::merge_optional(ends.good, ends.bad));
        Ok(())
    }

    /// One pipeline of a list; `beside`: zsh does not wait for it.
    fn walk_list_pipeline(&mut self, pipeline: &Pipeline, beside: bool) -> Result<ListOutcomes> {
        if !beside {
            return self.walk_pipeline(pipeline);
        }
        let (left, walked) =
            self.walk_with_state(self.place.clone(), |walker| walker.walk_pipeline(pipeline));
        // What `exec <FILE` opens there, zsh opens for itself.
        self.place.after_opening(left);
        walked.map(|_| ListOutcomes { good: Some(self.place.folder.clone()), bad: None })
    }

    /// Whether a pipeline is one command that the shell at hand does not have.
    fn is_missing(&self, pipeline: &Pipeline) -> bool {
        match pipeline.seq.as_slice() {
            [Command::Simple(simple)] if self.is_posix() && !pipeline.bang => {
                simple.prefix.is_none() && simple.word_or_name.as_ref().is_some_and(|name| name.value == "[[")
            }
            _ => false,
        }
    }

    fn walk_pipeline(&mut self, pipeline: &Pipeline) -> Result<ListOutcomes> {
        let before = self.place.folder.clone();
        let (out, made) = (self.out.len(), self.could_have_made_files());
        match pipeline.seq.as_slice() {
            [] => {}
            [command] => drop(self.walk_command(command, pipeline.timed.is_some())?),
            commands => {
                self.walk_piped_commands(commands, pipeline.timed.is_some())?;
                self.mark_shown_since(out);
            }
        }
        let after = self.place.folder.clone();
        let ends = if self.exits_shell(pipeline, out) {
            ListOutcomes { good: None, bad: None }
        } else if let (true, [Command::Simple(simple)]) = (after != before, pipeline.seq.as_slice()) {
            let plain = pipeline.timed.is_none() && is_plain(simple, self.dialect());
            let sure = !made && plain && after.is_there();
            // A `cd` that fails stays; `eval` and functions may go somewhere and fail then.
            let stayed = if is_cd(simple) { before } else { before.merged_with(after.clone()) };
            ListOutcomes { good: Some(after), bad: (!sure).then_some(stayed) }
        } else {
            ListOutcomes { good: Some(after.clone()), bad: Some(after) }
        };
        Ok(match pipeline.bang {
            // To zsh, `&!` is one sign, and nothing is turned around behind it.
            true if self.may_be_zsh() && self.current_text().contains("&!") => {
                let any = CurrentFolder::merge_optional(ends.good, ends.bad);
                ListOutcomes { good: any.clone(), bad: any }
            }
            true => ListOutcomes { good: ends.bad, bad: ends.good },
            false => ends,
        })
    }

    /// Commands with a pipe from each to the next, all at once: each in a place of its own.
    fn walk_piped_commands(&mut self, commands: &[Command], timed: bool) -> Result<()> {
        let (mut printed, mut wrote, mut search) = (Vec::new(), None, None);
        let itself = self.may_be_zsh() || self.line.contains("lastpipe");
        self.mark_concurrent();
        for (at, command) in commands.iter().enumerate() {
            // Of several commands nobody knows which one reads how much.
            let simple = matches!(command, Command::Simple(_));
            let exact = wrote.take().filter(|_| simple);
            let before = search.take().filter(|_| simple);
            let input =
                (at > 0).then(|| StandardInput::from_pipe(std::mem::take(&mut printed), exact, before));
            let there = self.place.pipe_side(input);
            let (said, (left, walked)) = self.capture_output(|walker| {
                walker.walk_with_state(there, |walker| walker.walk_command(command, at == 0 && timed))
            });
            printed = said;
            match at + 1 == commands.len() {
                // zsh runs the last one by itself, and so does bash with an option of it.
                true if itself => self.place.after_last_side(left),
                true => self.place.after_opening(left),
                // What `exec <FILE` opens in another one, zsh may have opened for itself.
                false if self.may_be_zsh() => self.place.after_opening(left),
                false => self.place.after_subshell(left),
            }
            wrote = walked?;
            // Of several commands each prints something.
            search = self.out.search.take().filter(|_| simple);
        }
        self.out.search = search;
        self.out.said.append(&mut printed);
        Ok(())
    }

    /// Whether a pipeline, the only one found since `out`, is one `exit` of this very shell, which nothing can keep from
    /// leaving. `break`, `continue` and `return` leave nothing outside of a loop or a function.
    fn exits_shell(&self, pipeline: &Pipeline, out: usize) -> bool {
        let [Command::Simple(simple)] = pipeline.seq.as_slice() else { return false };
        let plain = pipeline.timed.is_none() && !pipeline.bang && is_exit(simple);
        let alone = matches!(self.out.accesses_since(out), [Access::Shell(_)]);
        plain && alone && !self.is_function(Some("exit"))
    }

    /// One command, and what it writes to its output.
    pub(super) fn walk_command(&mut self, command: &Command, timed: bool) -> Result<ExactOutput> {
        self.walk_nested(|walker| {
            match command {
                Command::Simple(simple) => return walker.walk_simple_command(simple, timed),
                Command::Compound(compound, redirects) => {
                    walker.walk_redirected(redirects.as_ref(), |walker| walker.walk_compound(compound))?;
                }
                Command::Function(function) => walker.walk_function(function)?,
                Command::ExtendedTest(test, redirects) => {
                    walker.walk_redirected(redirects.as_ref(), |walker| {
                        walker.walk_test(&test.expr)?;
                        walker.push_keyword_notes("[[");
                        Ok(())
                    })?;
                }
            }
            Ok(None)
        })
    }
}

/// The variables that a text sets whatever else happens in it: at the beginning of a list, and not inside of anything.
fn certainly_assigned_names(program: &Program) -> Vec<String> {
    let mut names = Vec::new();
    for item in program.complete_commands.iter().flat_map(|list| &list.0) {
        let [Command::Simple(simple)] = item.0.first.seq.as_slice() else { continue };
        let sequential = matches!(item.1, SeparatorOperator::Sequence);
        if !sequential || item.0.first.bang {
            continue;
        }
        let parts = match &simple.word_or_name {
            None if simple.suffix.is_none() => simple.prefix.as_ref().map(|prefix| &prefix.0),
            Some(name) if name.value == "export" && simple.prefix.is_none() => {
                simple.suffix.as_ref().map(|suffix| &suffix.0)
            }
            _ => None,
        };
        for part in parts.into_iter().flatten() {
            if let CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) = part
                && let AssignmentName::VariableName(name) = &assignment.name
                && !assignment.append
            {
                names.push(name.clone());
            }
        }
    }
    names
}
