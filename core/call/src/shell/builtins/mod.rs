//! What the shell itself does: commands that set variables, change options, or evaluate their words.

mod formats;
mod names;
mod open_options;
mod options;
mod zsh;

pub(super) use options::is_harmless;

use super::{Caveat, CaveatSubject, Dialect, Word};
use names::NameOptions;

/// Commands of the shell that do nothing to it, and nothing to files.
const HARMLESS: &[&str] = &[
    "true",
    "false",
    ":",
    "echo",
    "printf",
    "test",
    "[",
    "pwd",
    "wait",
    "exit",
    "return",
    "break",
    "continue",
    "shift",
    "type",
    "times",
    "umask",
    "jobs",
    "dirs",
    "help",
    "caller",
    "cd",
    "pushd",
    "popd",
    "let",
    "read",
    "mapfile",
    "readarray",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "unset",
    "getopts",
    "set",
    "shopt",
    "alias",
    "unalias",
    "trap",
    "hash",
    "enable",
    "history",
    "bind",
    "complete",
    "compopt",
    "compgen",
    "sleep",
];

/// What a command is to the shell that runs it.
#[derive(Default)]
pub(super) struct Builtin {
    /// It does not matter in which folder it runs.
    pub(super) harmless: bool,
    /// It changes nothing that lasts, and its words are no paths.
    pub(super) quiet: bool,
    pub(super) caveats: Vec<Caveat>,
    /// Texts that the shell evaluates as numbers.
    pub(super) evaluated: Vec<String>,
    /// Lines that the shell keeps, and runs later.
    pub(super) lines: Vec<String>,
    /// Which shell it is.
    dialect: Dialect,
}

/// Whether the shell does this by itself, and starts no program for it.
pub(super) fn is_own_command(name: &str) -> bool {
    HARMLESS.contains(&name) && name != "sleep"
}

/// Whether a command gives lines to the shell that runs it.
pub(super) fn keeps_lines(name: &str) -> bool {
    matches!(name, "eval" | "trap" | "mapfile" | "readarray" | "compgen" | "complete" | "alias" | "bind")
}

/// Of these, commands that leave no trace beyond the line, whatever their words.
const QUIET: &[&str] = &[
    "true", "false", ":", "exit", "return", "break", "continue", "shift", "wait", "set", "let", "getopts",
    "jobs", "times",
];

impl Builtin {
    /// Asked about whatever the mode.
    fn add_always_caveat(&mut self, reason: impl Into<String>) {
        self.caveats.push(Caveat { reason: reason.into(), always: true, named: CaveatSubject::Nothing });
    }

    /// Asked about, unless a pattern names these words.
    fn add_plain_caveat(&mut self, places: &[usize], reason: impl Into<String>) {
        self.caveats.push(Caveat {
            reason: reason.into(),
            always: false,
            named: CaveatSubject::Words(places.to_vec()),
        });
    }

    /// A line that runs at another time.
    fn keep_line(&mut self, word: &Word) {
        match word.literal() {
            Some(line) => self.lines.push(line.to_owned()),
            None => self.add_always_caveat(format!("it keeps a line that is not literal: {}", word.text())),
        }
    }
}

/// Looks a command up among the shell's own.
pub(super) fn look_up_builtin(words: &[Word], dialect: Dialect) -> Builtin {
    let mut of = Builtin { dialect, ..Builtin::default() };
    let Some(name) = words.first().and_then(Word::literal) else { return of };
    of.harmless = HARMLESS.contains(&name);
    match name {
        "test" | "[" => names::check_test(words, &mut of),
        "printf" => names::check_printf(words, &mut of),
        "read" => names::check_set_names(words, &NameOptions::for_read(), &mut of),
        "mapfile" | "readarray" => names::check_mapfile(words, &mut of),
        "declare" | "typeset" | "local" | "export" | "readonly" => names::check_declare(words, &mut of),
        "unset" => names::check_unset(words, &mut of),
        "wait" => names::check_wait(words, &mut of),
        "getopts" => names::check_getopts(words, &mut of),
        "let" => names::check_let(words, &mut of),
        "set" => options::check_set(words, &mut of),
        "shopt" => options::check_shopt(words, &mut of),
        "jobs" => open_options::check_open_options(words, &mut of),
        "trap" => options::check_trap(words, &mut of),
        "alias" if words.len() > 1 => of.add_always_caveat("an alias changes what later words run"),
        "unalias" | "enable" | "bind" | "complete" | "compopt" | "fc" if words.len() > 1 => {
            of.add_always_caveat(format!("{name} changes what later words run"));
        }
        "compgen" if words.iter().any(|word| matches!(word.known_prefix(), "-C" | "-F" | "-W")) => {
            of.add_always_caveat("compgen runs what it is given");
        }
        "compgen" => open_options::check_open_options(words, &mut of),
        "hash" if words.len() > 1 => of.add_always_caveat("hash changes what later words run"),
        "history" if words.iter().skip(1).any(|word| !word.literal().is_some_and(is_number)) => {
            of.add_always_caveat("history writes commands of its own");
        }
        "fc" => of.add_always_caveat("fc runs earlier commands"),
        "exec" if words.len() == 1 => of.harmless = true,
        _ => {}
    }
    if dialect == Dialect::Unknown && name.starts_with('^') {
        of.add_always_caveat("a shell that is typed into repeats the line before");
    }
    if dialect.may_be_zsh() {
        zsh::check_zsh_builtin(name, words, &mut of);
    } else if dialect.may_be_posix() {
        zsh::check_posix_numbers(name, words, &mut of);
    }
    let known = |word: &Word| matches!(word, Word::Literal(_)) || matches!(name, "exit" | "return");
    of.quiet = of.caveats.is_empty() && QUIET.contains(&name) && words.iter().all(known);
    of
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}
