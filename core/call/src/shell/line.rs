//! The way in: a line for a shell, or words that are started without one.

use super::expand::WordContext;
use super::line_error::{LineError, Result};
use super::parse::Grammar;
use super::walk::Walker;
use super::{Surroundings, Word, bounds, candidates, parse, transport, windows_shells};
use crate::{Access, effort};

/// The stack of the thread that deep lines are read on.
const STACK: usize = 64 * 1024 * 1024;

/// A program that is started with exactly these words, no shell in between (`terminal/create`).
/// One literal line behind a harness's own `sh -c` is read as that line.
#[must_use]
pub fn argv_accesses(words: &[String], at: &Surroundings<'_>) -> Vec<Access> {
    effort::bounded(|| bounded_argv_accesses(words, at))
}

fn bounded_argv_accesses(words: &[String], at: &Surroundings<'_>) -> Vec<Access> {
    if let Some((inner, dialect)) = transport::inner_shell_line(words) {
        let at = Surroundings { dialect, ..*at };
        // Not what carries it: that is how the harness starts every line, and nothing that anybody wrote (D2.5).
        return read_or_opaque(inner, &at, inner_line);
    }
    let line = super::join_words(words);
    if let Err(refused) = check_system() {
        return vec![opaque_access(&line, at, refused)];
    }
    if line.len() > bounds::LONGEST * 4 {
        return vec![opaque_access(&line, at, LineError::new("too many words"))];
    }
    let words: Vec<_> = words.iter().cloned().map(Word::Literal).collect();
    on_stack(words.iter().any(|word| word.literal().is_some_and(bounds::needs_deep_stack)), || {
        Walker::new(&line, at).walk_argv(words.clone())
    })
    .unwrap_or_else(|refused| vec![opaque_access(&line, at, refused)])
}

/// Words that an agent is told to run, of which nobody knows whether it gives them to a shell: as [`argv_accesses`], and where
/// one of them is an operator of shells, as the line that they are then, too (D1.4).
#[must_use]
pub fn word_list_accesses(words: &[String], at: &Surroundings<'_>) -> Vec<Access> {
    let mut accesses = argv_accesses(words, at);
    let operator = |word: &String| {
        word.contains([';', '&', '|', '<', '>', '\n'])
            && word.bytes().all(|b| b"0123456789;&|<>\n".contains(&b))
    };
    if words.iter().any(operator) {
        let line = line_accesses(&words.join(" "), at);
        accesses.extend(line.into_iter().filter(|access| !accesses.contains(access)).collect::<Vec<_>>());
    }
    accesses
}

/// A line for a shell.
#[must_use]
pub fn line_accesses(line: &str, at: &Surroundings<'_>) -> Vec<Access> {
    effort::bounded(|| read_or_opaque(line, at, outer_line))
}

fn read_or_opaque(
    line: &str,
    at: &Surroundings<'_>,
    read: fn(&str, &Surroundings<'_>) -> Result<Vec<Access>>,
) -> Vec<Access> {
    check_system()
        .and_then(|()| bounds::check_line(line))
        .and_then(|()| on_stack(bounds::needs_deep_stack(line), || read(line, at)))
        .unwrap_or_else(|refused| vec![opaque_access(line, at, refused)])
}

/// Elsewhere than on Unix it may be PowerShell or `cmd` that runs a line, for which it says something else; and the words that a
/// program is started with become one line, which each program takes apart as it likes.
fn check_system() -> Result<()> {
    if cfg!(unix) {
        Ok(())
    } else {
        Err(LineError::new("lines for shells of this system are not understood yet"))
    }
}

fn outer_line(line: &str, at: &Surroundings<'_>) -> Result<Vec<Access>> {
    let program = parse::parse_program(line, Grammar::Bash)?;
    if let Some(raws) = transport::three_words(&program) {
        let mut scratch = Walker::new(line, at);
        let words =
            raws.map(|raw| scratch.expand_word(raw, WordContext::Command).ok()?.literal().map(str::to_owned));
        let words: Vec<String> = words.into_iter().flatten().collect();
        if let Some((inner, dialect)) = transport::inner_shell_line(&words) {
            bounds::check_line(inner)?;
            let found = inner_line(inner, &Surroundings { dialect, ..*at })?;
            return Ok(transport::carried_by(&words, found));
        }
    }
    Walker::new(line, at).walk_all_readings(&program)
}

fn inner_line(line: &str, at: &Surroundings<'_>) -> Result<Vec<Access>> {
    Walker::new(line, at).walk_all_readings(&parse::parse_program(line, Grammar::Bash)?)
}

fn opaque_access(line: &str, at: &Surroundings<'_>, refused: LineError) -> Access {
    let refused = windows_shells::foreign_line_reason(line).map_or(refused, LineError::new);
    let mut access = candidates::opaque_command(line, refused);
    access.caveats.extend(super::walk::env_caveats(at));
    Access::Shell(access)
}

/// Runs `read` with a stack that is deep enough for what the bounds let through.
fn on_stack<T: Send>(deep: bool, read: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    if !deep {
        return read();
    }
    let left = effort::hand_over();
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("shell-line".to_owned()).stack_size(STACK);
        let handle = thread
            .spawn_scoped(scope, || left.carry_on(read))
            .map_err(|_| LineError::new("no thread to read the line on"))?;
        let (read, left) = handle.join().ok().unzip();
        effort::HandedOver::take_back(left);
        read.unwrap_or_else(|| Err(LineError::new("the line could not be read")))
    })
}
