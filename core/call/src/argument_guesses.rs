//! Texts among arguments of tools that may be lines, and lines that are not understood: what they could run and touch, which is
//! asked about at most (D1.18).

use serde_json::Value;

use super::shell::{
    OpenPath, OpenWord, Reach, Touch, TouchedPath, Use, Word, is_command_line, line_accesses,
    names_a_program, shell_accesses,
};
use super::{Access, LineLookups, ShellAccess, Surroundings};

/// As many lines and commands are read for the guesses of one call, and as many words of lines that are not understood.
const MOST_READ: usize = 2048;
const MOST_WORDS: usize = 1024;
/// The longest line that is understood, and as many commands in one; more of one that is not are not told apart.
const LONGEST_LINE: usize = 10_000;
const MOST_COMMANDS: usize = 200;
const MOST_PARTS: usize = 500;

/// What may still be read.
#[derive(Debug)]
pub(super) struct Guesses {
    reads: usize,
    words: usize,
}

impl Default for Guesses {
    fn default() -> Self {
        Self { reads: MOST_READ, words: MOST_WORDS }
    }
}

impl Guesses {
    /// What a text runs if it is a line; or its lines by themselves, if it is none as a whole: a shell has run those before the
    /// one that it does not understand.
    pub(super) fn of_text(&mut self, text: &str, at: &Surroundings<'_>) -> Vec<Access> {
        let text = &text.replace("\\\n", "");
        let lines =
            text.lines().map(str::trim).filter(|line| !line.starts_with('#') && names_a_program(line));
        let lines: Vec<&str> = lines.collect();
        if lines.is_empty() {
            return Vec::new();
        }
        if !self.spend(lines.len() + text.len() / 1024) {
            return vec![any_command(false)];
        }
        let read = |line: &str| Some(line_accesses(line, at)).filter(|read| is_command_line(read));
        if let Some(found) = read(text) {
            self.spend(found.len());
            return found;
        }
        let mut found = Vec::new();
        for line in lines {
            if !self.spend(1 + line.len() / 256) {
                found.push(any_command(false));
                break;
            }
            if line.len() <= LONGEST_LINE {
                found.extend(read(line).into_iter().flatten());
                continue;
            }
            found.extend(line_accesses(line, at));
            if parts_of(line) > MOST_PARTS {
                found.push(any_command(false));
            }
        }
        found
    }

    /// What a line that is not understood may touch: what its words name, and where it is too much to be looked at, anything.
    pub(super) fn of_unread(&mut self, line: &str, read: &[Access], at: &Surroundings<'_>) -> Vec<Access> {
        let mut unread = shell_accesses(read).filter(|shell| !shell.understood).peekable();
        if unread.peek().is_none() {
            return Vec::new();
        }
        if line.len() > LONGEST_LINE || parts_of(line) >= MOST_COMMANDS {
            return vec![any_command(true)];
        }
        let mut words: Vec<&String> = unread.flat_map(|shell| &shell.candidates).flatten().collect();
        words.sort_unstable();
        words.dedup();
        let Some(left) = self.words.checked_sub(words.len()) else { return vec![any_command(true)] };
        self.words = left;
        let words = Value::from_iter(words.into_iter().cloned());
        let mut touches = Touch::of_arguments(&words, at.cwd, at.home, &LineLookups::default());
        touches.iter_mut().for_each(|touch| touch.reach = Reach::Mentioned);
        // No command of its own: those that it may run are looked for in the line.
        let said = ShellAccess { line: line.to_owned(), understood: true, touches, ..ShellAccess::default() };
        vec![Access::Shell(said)]
    }

    fn spend(&mut self, reads: usize) -> bool {
        let left = self.reads.checked_sub(reads);
        self.reads = left.unwrap_or_default();
        left.is_some()
    }
}

/// How many commands a line may have, about.
fn parts_of(line: &str) -> usize {
    line.matches(['\n', ';', '|', '&']).count()
}

/// A command of which nothing is known. `paths`: nor what it touches.
pub(super) fn any_command(paths: bool) -> Access {
    let line = "more commands than can be told apart".to_owned();
    let any = OpenWord { text: "…".to_owned(), pieces: vec![None], ..OpenWord::default() };
    let path = OpenPath {
        given: line.clone(),
        pieces: vec![None],
        slashes: true,
        stays_below: false,
        looked_up: false,
    };
    let touch = Touch { path: TouchedPath::Open(path), how: Use::Either, reach: Reach::Mentioned };
    Access::Shell(ShellAccess {
        words: vec![Word::Open(any)],
        line,
        understood: true,
        touches: paths.then_some(touch).into_iter().collect(),
        ..ShellAccess::default()
    })
}
