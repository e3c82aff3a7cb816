//! Options of the shell, and lines that it keeps for later.

use super::Builtin;
use super::open_options::{add_elsewhere_caveat, check_open_options, could_be_option};
use crate::shell::Word;

/// Options that only change how the shell ends or what it says.
const QUIET: &[&str] =
    &["errexit", "nounset", "pipefail", "xtrace", "verbose", "noclobber", "noglob", "errtrace"];

/// Options by which fewer words are names of files. What makes names of more words (`dotglob`, `globstar`) is none of
/// them: a glob would reach what it is not judged by.
const GLOBS: &[&str] = &["nullglob", "failglob", "nocaseglob"];

/// Letters of the same.
const LETTERS: &[u8] = b"euxvoCfE";

/// Whether an option of a shell, by its name, changes neither what words are nor what they run: nothing is said about
/// it. Others may: the history, aliases, assignments behind a command, where `cd` goes.
pub(in crate::shell) fn is_harmless(name: &str) -> bool {
    QUIET.contains(&name) || GLOBS.contains(&name)
}

/// `set -euo pipefail`
pub(super) fn check_set(words: &[Word], of: &mut Builtin) {
    if words.len() == 1 {
        of.add_plain_caveat(&[0], "it shows every variable");
    }
    let mut places = 1..words.len();
    while let Some(place) = places.next() {
        let Some(word) = words.get(place) else { break };
        if could_be_option(word) {
            of.add_plain_caveat(&[place], "it sets the parameters of the shell");
            add_elsewhere_caveat(word, of);
            continue;
        }
        let text = word.literal().unwrap_or_default();
        let letters = text.strip_prefix(['-', '+']).unwrap_or_default();
        if text == "--" || text == "-" || letters.is_empty() {
            of.add_plain_caveat(&[place], "it sets the parameters of the shell");
            break;
        }
        let mut known = letters.bytes().all(|b| LETTERS.contains(&b));
        if letters.contains('o') {
            let named = places.next().and_then(|place| words.get(place)).and_then(Word::literal);
            known &= named.is_some_and(|name| QUIET.contains(&name));
        }
        if !known {
            of.add_always_caveat("it changes an option of the shell");
        }
    }
}

/// `shopt -s nullglob`
pub(super) fn check_shopt(words: &[Word], of: &mut Builtin) {
    let changes =
        words.iter().skip(1).any(|word| matches!(word.literal(), Some("-s" | "-u" | "-so" | "-uo")));
    let known = |word: &Word| word.literal().is_some_and(|text| text.starts_with('-') || is_harmless(text));
    if changes && !words.iter().skip(1).all(known) {
        of.add_always_caveat("it changes an option of the shell");
    }
    check_open_options(words, of);
}

/// `trap LINE SIGNAL`
pub(super) fn check_trap(words: &[Word], of: &mut Builtin) {
    let Some(first) = words.get(1) else { return };
    let (line, shown) = match first.literal() {
        Some("-p" | "-l" | "-P") => (None, true),
        Some("--") => (words.get(2), false),
        _ => (Some(first), false),
    };
    if shown {
        return;
    }
    of.add_always_caveat("trap keeps a line for later");
    if let Some(line) = line.filter(|line| !matches!(line.literal(), Some("-" | ""))) {
        of.keep_line(line);
    }
}
