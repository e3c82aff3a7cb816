//! The ways in which shells could read one line: as bash does, and as a POSIX shell without bash's additions.
//!
//! Each reading is walked. What the second one runs, reads or writes besides is added to what the first one
//! found, for denials and protection, and is asked about (D2.6). To run less is no difference.

use std::rc::Rc;

use brush_parser::ast::Program;

use super::files::LineFiles;
use super::folder::CurrentFolder;
use super::read_only::only_reads;
use super::{TrialWalk, Walker};
use crate::Access;
use crate::shell::dialect::{Difference, dialect_difference};
use crate::shell::line_error::{LineError, Result};
use crate::shell::parse::Grammar;
use crate::shell::{Caveat, CaveatSubject, ShellAccess, Touch, Use, Word, parse};

/// As often a line is cut where a POSIX shell would stop reading.
const MOST_CUTS: usize = 16;

impl Walker<'_> {
    /// Walks the text at hand in each way that shells of its dialect could read it. `program` is what bash reads.
    pub(super) fn walk_readings(&mut self, program: &Program) -> Result<()> {
        let from = self.out.len();
        let before = self.place.folder.clone();
        let text = Rc::clone(&self.place.reading.text);
        let difference =
            if self.dialect().may_be_posix() { dialect_difference(&text) } else { Difference::Nothing };
        if difference == Difference::Nothing {
            return self.walk_program(program);
        }
        let (files, sets) = (self.place.shared_files(), self.out.sets);
        let brought = (self.out.unpacked, self.out.brought.clone());
        self.walk_program(program)?;
        let sets = std::mem::replace(&mut self.out.sets, sets);
        // Each shell reads the text alone: what it brings to places in one reading is not there before the other.
        let brought = self.out.replace_brought(brought);
        let (posix, walked) = self.posix_reading(&text, from, (before, files));
        self.out.sets |= sets;
        self.out.join_brought(brought);
        match walked {
            // It runs none of that.
            Err(refused) if refused.stops_shell() => {}
            Err(refused) => {
                let reason = format!("a POSIX shell may read the line otherwise: {}", refused.reason());
                self.note_posix_difference(from, &reason);
            }
            Ok(()) => {}
        }
        self.add_reading(from, posix, difference);
        Ok(())
    }

    /// What a POSIX shell does that reads `text` from this folder on and with these files, beside what bash does, which was
    /// found since `from`.
    fn posix_reading(
        &mut self,
        text: &str,
        from: usize,
        (folder, files): (CurrentFolder, Rc<LineFiles>),
    ) -> (Vec<Access>, Result<()>) {
        let (program, whole) = match first_commands(text) {
            Ok(Some(first)) => first,
            Ok(None) => return (Vec::new(), Ok(())),
            Err(refused) => return (Vec::new(), Err(refused)),
        };
        let there = self.place.read_as_posix(folder, files);
        let TrialWalk { left, found, walked } = self.walk_trial(from, |walker| {
            walker.walk_with_own_notes(|walker| {
                walker.walk_with_state(there, |walker| walker.walk_program(&program))
            })
        });
        self.place.after_posix(left, whole && walked.is_ok());
        (found, walked)
    }

    /// Adds what a POSIX shell does besides what was found since `from`.
    fn add_reading(&mut self, from: usize, posix: Vec<Access>, difference: Difference) {
        let found = self.out.accesses_since(from);
        let alike = difference == Difference::Words && found.len() == posix.len();
        let new: Vec<(usize, Access)> = posix
            .into_iter()
            .enumerate()
            .filter(|(_, access)| !found.contains(access))
            .map(|(at, access)| (from + at, access))
            .collect();
        let pair = |at: usize, access: &Access| {
            alike && self.out.accesses.get(at).is_some_and(|found| same_command(found, access))
        };
        let (pairs, others): (Vec<_>, Vec<_>) = new.into_iter().partition(|(at, access)| pair(*at, access));
        // Each reading by itself would be let through.
        let harmless = difference == Difference::Words
            && self.out.accesses_since(from).iter().all(only_reads)
            && others.iter().chain(&pairs).all(|(_, access)| only_reads(access));
        if !others.is_empty() && !harmless {
            let does: Vec<_> = others.iter().map(|(_, access)| describe_access(access)).collect();
            let reason = format!("a POSIX shell reads this line otherwise: it would {}", does.join(", "));
            self.note_posix_difference(from, &reason);
        }
        let pairs = pairs.into_iter().map(|(at, access)| (Some(at), access));
        for (at, access) in pairs.chain(others.into_iter().map(|(_, access)| (None, access))) {
            if let Some(shell) = self.shell_at(from, at) {
                merge_access(access, shell);
            }
        }
    }

    /// The access that another reading is noted at: the one at `at`, or the first command since `from`.
    pub(super) fn any_shell_access(&mut self) -> Option<&mut ShellAccess> {
        self.shell_at(0, None)
    }

    fn shell_at(&mut self, from: usize, at: Option<usize>) -> Option<&mut ShellAccess> {
        let is_shell = |access: &Access| matches!(access, Access::Shell(_));
        let found = &self.out.accesses;
        let at = at
            .filter(|at| found.get(*at).is_some_and(is_shell))
            .or_else(|| found.iter().skip(from).position(is_shell).map(|place| from + place));
        let at = at.unwrap_or_else(|| {
            let (line, understood) = (self.line.to_owned(), true);
            self.out.push(Access::Shell(ShellAccess { line, understood, ..ShellAccess::default() }));
            self.out.len() - 1
        });
        self.out.shell_access_mut(at)
    }

    fn note_posix_difference(&mut self, from: usize, reason: &str) {
        if let Some(shell) = self.shell_at(from, None) {
            shell.reader = false;
            shell.caveats.push(Caveat {
                reason: reason.to_owned(),
                always: true,
                named: CaveatSubject::Nothing,
            });
        }
    }
}

/// What a POSIX shell comes to run: it reads one complete command after the other, and stops at the first that it
/// can't read. None if that is the first one; with it, whether that is all of it.
fn first_commands(text: &str) -> Result<Option<(Program, bool)>> {
    let mut rest = text;
    for _ in 0..MOST_CUTS {
        // Up to here both read the same.
        if dialect_difference(rest) == Difference::Nothing {
            return Ok(None);
        }
        if let Ok(program) = parse::parse_program(rest, Grammar::Posix) {
            return Ok(Some((program, rest.len() == text.len())));
        }
        let Some((before, _)) = rest.rsplit_once('\n') else { return Ok(None) };
        rest = before;
    }
    Err(LineError::new("where it would stop could not be found"))
}

/// Whether two accesses are the same command with other words.
fn same_command(one: &Access, other: &Access) -> bool {
    match (one, other) {
        (Access::Shell(one), Access::Shell(other)) => one.words.first() == other.words.first(),
        _ => false,
    }
}

/// What an access does, in words.
fn describe_access(access: &Access) -> String {
    match access {
        Access::Shell(shell) if shell.words.is_empty() => "set variables".to_owned(),
        Access::Shell(shell) => {
            format!("run {}", shell.words.iter().map(Word::text).collect::<Vec<_>>().join(" "))
        }
        Access::Read(path) => format!("read {}", path.given),
        Access::Write(_, path) => format!("write {}", path.given),
        _ => "do something else".to_owned(),
    }
}

/// Takes what another reading does into `shell`: denials, asks and protection look at it there.
fn merge_access(access: Access, shell: &mut ShellAccess) {
    match access {
        Access::Shell(other) => {
            let ShellAccess {
                words,
                outer,
                spellings,
                tails,
                guesses,
                caveats,
                touches,
                urls,
                reader,
                scripts,
                ..
            } = other;
            shell.reader &= reader;
            extend_unique(&mut shell.outer, std::iter::once(words).chain(outer));
            extend_unique(&mut shell.spellings, spellings);
            extend_unique(&mut shell.tails, tails);
            extend_unique(&mut shell.guesses, guesses);
            extend_unique(&mut shell.touches, touches);
            extend_unique(&mut shell.urls, urls);
            extend_unique(&mut shell.scripts, scripts);
            // Places of words are those of the other reading.
            let unnamed = caveats.into_iter().filter(|caveat| !shell.caveats.contains(caveat));
            let unnamed: Vec<_> =
                unnamed.map(|caveat| Caveat { named: CaveatSubject::Nothing, ..caveat }).collect();
            extend_unique(&mut shell.caveats, unnamed);
        }
        Access::Read(path) => {
            shell.reader = false;
            shell.touches.push(Touch::known_path(path, Use::Read));
        }
        Access::Write(kind, path) => {
            shell.reader = false;
            shell.touches.push(Touch::known_path(path, Use::Write(kind)));
        }
        _ => {}
    }
}

/// Adds what is not there yet.
fn extend_unique<T: PartialEq>(all: &mut Vec<T>, new: impl IntoIterator<Item = T>) {
    for one in new {
        if !all.contains(&one) {
            all.push(one);
        }
    }
}
