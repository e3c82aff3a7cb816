//! Texts inside of the line that are walked as lines: what is substituted, and what commands run in a shell.

use std::sync::Arc;

use brush_parser::ast::{Command, Program, SeparatorOperator, SubshellCommand};

use super::Walker;
use super::folder::CurrentFolder;
use crate::Access;
use crate::shell::line_error::{LineError, Result};
use crate::shell::parse::Grammar;
use crate::shell::{Dialect, GapContent, Search, bounds, candidates, parse, variables};

impl Walker<'_> {
    /// Walks what is inside of `$(...)` or backquotes.
    pub(in crate::shell) fn walk_substitution(
        &mut self,
        text: &str,
    ) -> Result<(Option<Arc<Search>>, GapContent, Vec<String>)> {
        // A POSIX shell that can't read what is substituted reads no further, and runs none of it.
        let posix = self.is_posix();
        let stops = |refused: LineError| if posix { refused.and_stops() } else { refused };
        let program = parse::parse_substitution(text, self.place.reading.grammar).map_err(stops)?;
        let there = self.place.command_substitution(text).with_offered_texts(&self.noted.offered);
        let (printed, (left, walked)) = self.capture_output(|walker| {
            walker.walk_with_own_notes(|walker| {
                walker.walk_with_state(there, |walker| {
                    walker.walk_nested(|walker| walker.walk_program(&program))
                })
            })
        });
        self.out.said.extend_from_slice(&printed);
        self.place.after_subshell(left);
        self.noted.ate = true;
        // Of several commands each prints something, and where a shell traces what it runs, that may go there too.
        let one = is_one_pipeline(&program) && !self.may_trace();
        let held = if one { std::mem::take(&mut self.out.held) } else { GapContent::Anything };
        let search = self.out.search.take().filter(|_| one);
        // A number is no name that anything printed before it.
        let printed = if held == GapContent::Number { Vec::new() } else { printed };
        walked.map(|()| (search, held.max(GapContent::Printed), printed))
    }

    /// Whether the line has a shell say what it runs: `set -x`, `set -o verbose`.
    fn may_trace(&self) -> bool {
        let text = variables::strip_quotes(self.line);
        let named = ["xtrace", "verbose", "XTRACEFD", "SHELLOPTS"].iter().any(|name| text.contains(name));
        let mut sets =
            text.match_indices("set").map(|(at, set)| text.get(at + set.len()..).unwrap_or_default());
        named
            || sets.any(|behind| {
                let mut options = behind.split_whitespace().take_while(|word| word.starts_with(['-', '+']));
                behind.starts_with(char::is_whitespace) && options.any(|word| word.contains(['x', 'v']))
            })
    }

    /// Walks what is inside of `<(...)` or `>(...)`.
    pub(super) fn walk_process_substitution(&mut self, inner: &SubshellCommand) -> Result<()> {
        self.mark_concurrent();
        let there = self.place.process_substitution().with_offered_texts(&self.noted.offered);
        let (printed, (left, walked)) = self.capture_output(|walker| {
            walker.walk_with_own_notes(|walker| {
                walker.walk_with_state(there, |walker| walker.walk_list(&inner.list))
            })
        });
        self.place.after_subshell(left);
        self.noted.offered.extend(printed);
        self.noted.ate = true;
        walked
    }

    /// Walks a literal line that a command would run in a shell of `dialect`, with what it finds.
    pub(super) fn inner_line(&mut self, text: &str, dialect: Dialect) -> Result<()> {
        bounds::check_line(text)?;
        let program = parse::parse_program(text, Grammar::Bash)?;
        let there = self.place.nested_line(text, dialect, is_one_command(&program));
        let (left, walked) = self.walk_with_own_notes(|walker| {
            walker
                .walk_with_state(there, |walker| walker.walk_nested(|walker| walker.walk_readings(&program)))
        });
        self.place.after_line(left);
        walked
    }

    /// A line that a command runs: where it is not understood, that is an access of its own.
    pub(super) fn walk_separate_line(&mut self, line: &str, dialect: Dialect) {
        if let Err(refused) = self.inner_line(line, dialect) {
            self.place.enter_folder(CurrentFolder::Unknown);
            self.out.push(Access::Shell(candidates::opaque_command(line, refused)));
        }
    }

    /// A line that a command runs in a shell of its own; `later`: it is kept, and the shell may have moved by then.
    pub(super) fn walk_line_in_other_shell(&mut self, line: &str, dialect: Dialect, later: bool) {
        let mut there = self.place.clone();
        if later {
            there.folder = CurrentFolder::Unknown;
        }
        let (left, ()) = self.walk_with_state(there, |walker| walker.walk_separate_line(line, dialect));
        self.place.after_other_shell(left);
    }
}

/// Whether there is one command in it, and no other that could read its input.
fn is_one_command(program: &Program) -> bool {
    let [list] = program.complete_commands.as_slice() else { return false };
    let [item] = list.0.as_slice() else { return false };
    let and_or = &item.0;
    let plain = |command: &Command| matches!(command, Command::Simple(_));
    and_or.additional.is_empty() && and_or.first.seq.first().is_some_and(plain)
}

/// Whether this is one pipeline of simple commands.
fn is_one_pipeline(program: &Program) -> bool {
    let [list] = program.complete_commands.as_slice() else { return false };
    let [item] = list.0.as_slice() else { return false };
    let plain = |command: &Command| matches!(command, Command::Simple(_));
    matches!(item.1, SeparatorOperator::Sequence)
        && item.0.additional.is_empty()
        && item.0.first.seq.iter().all(plain)
}
