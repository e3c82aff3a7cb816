//! Texts inside of the line that are walked as lines: what is substituted, and what commands run in a shell.

use std::sync::Arc;

use brush_parser::ast::{Command, Program, SeparatorOperator, SubshellCommand};

use super::Walker;
use super::folder::Folder;
use crate::Access;
use crate::shell::parse::Grammar;
use crate::shell::refused::{Refused, Result};
use crate::shell::{Dialect, Held, Search, bounds, candidates, parse};

impl Walker<'_> {
    /// Walks what is inside of `$(...)` or backquotes.
    pub(in crate::shell) fn substitution(&mut self, text: &str) -> Result<(Option<Arc<Search>>, Held)> {
        // A POSIX shell that can't read what is substituted reads no further, and runs none of it.
        let posix = self.posix();
        let stops = |refused: Refused| if posix { refused.and_stops() } else { refused };
        let program = parse::substituted(text, self.place.reading.grammar).map_err(stops)?;
        let there = self.place.substitution(text).offered(&self.noted.offered);
        let (left, walked) = self
            .aside(|walker| walker.within(there, |walker| walker.deeper(|walker| walker.program(&program))));
        self.place.after_subshell(left);
        self.noted.ate = true;
        // Of several commands each prints something.
        let one = is_one_pipeline(&program);
        let held = if one { std::mem::take(&mut self.out.held) } else { Held::Anything };
        let search = self.out.search.take().filter(|_| one);
        walked.map(|()| (search, held.max(Held::Printed)))
    }

    /// Walks what is inside of `<(...)` or `>(...)`.
    pub(super) fn process(&mut self, inner: &SubshellCommand) -> Result<()> {
        self.beside();
        let there = self.place.process().offered(&self.noted.offered);
        let (printed, (left, walked)) = self
            .heard(|walker| walker.aside(|walker| walker.within(there, |walker| walker.list(&inner.list))));
        self.place.after_subshell(left);
        self.noted.offered.extend(printed);
        self.noted.ate = true;
        walked
    }

    /// Walks a literal line that a command would run in a shell of `dialect`, with what it finds.
    pub(super) fn inner_line(&mut self, text: &str, dialect: Dialect) -> Result<()> {
        bounds::check(text)?;
        let program = parse::program(text, Grammar::Bash)?;
        let there = self.place.line(text, dialect, is_one_command(&program));
        let (left, walked) = self
            .aside(|walker| walker.within(there, |walker| walker.deeper(|walker| walker.readings(&program))));
        self.place.after_line(left);
        walked
    }

    /// A line that a command runs: where it is not understood, that is an access of its own.
    pub(super) fn line_of_its_own(&mut self, line: &str, dialect: Dialect) {
        if let Err(refused) = self.inner_line(line, dialect) {
            self.place.goes_to(Folder::Unknown);
            self.out.push(Access::Shell(candidates::opaque(line, refused)));
        }
    }

    /// A line that a command runs in a shell of its own; `later`: it is kept, and the shell may have moved by then.
    pub(super) fn line_of_another(&mut self, line: &str, dialect: Dialect, later: bool) {
        let mut there = self.place.clone();
        if later {
            there.folder = Folder::Unknown;
        }
        let (left, ()) = self.within(there, |walker| walker.line_of_its_own(line, dialect));
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
