//! What zsh, and in part any POSIX shell, does of itself where bash does nothing, or finds no command (zshbuiltins(1), zshmisc(1)).

use super::names::add_evaluation_caveat;
use super::{Builtin, formats};
use crate::shell::Word;
use crate::shell::expand::evaluation_risk;

/// Words before a command, and commands that define, load or evaluate one: to bash, most are no commands at all.
const COMMANDS: &[&str] = &[
    "-",
    "repeat",
    "noglob",
    "nocorrect",
    "foreach",
    "emulate",
    "autoload",
    "zmodload",
    "sched",
    "functions",
    "setopt",
    "unsetopt",
    "zcompile",
    "zle",
    "zstyle",
    "zargs",
    "disable",
    "integer",
    "float",
    "private",
];

/// Commands whose operands are numbers, and so arithmetic to zsh.
const NUMBERS: &[&str] = &["exit", "return", "break", "continue", "shift", "logout", "bye", "getln"];

/// What zsh makes of `words`, the command `name` first.
pub(super) fn check_zsh_builtin(name: &str, words: &[Word], of: &mut Builtin) {
    if COMMANDS.contains(&name) {
        of.add_always_caveat(format!("zsh runs or loads what stands behind {name}"));
    }
    let places: Vec<usize> = match name {
        "test" | "[" => words
            .iter()
            .enumerate()
            .filter(|(_, word)| word.literal() == Some("-t"))
            .map(|(place, _)| place + 1)
            .collect(),
        "printf" => numeric_operands(words),
        "print" if words.iter().any(may_hold_format_option) => (1..words.len()).collect(),
        _ if NUMBERS.contains(&name) => (1..words.len()).collect(),
        _ => Vec::new(),
    };
    for place in places {
        if let Some(word) = words.get(place).filter(|word| !is_plain_option(name, word)) {
            add_evaluation_caveat(word, place, evaluation_risk(word), of);
        }
    }
}

/// What a POSIX shell makes of numbers before they are any: mksh evaluates that of `shift`, and the others only where they
/// hold what is no number in any shell.
pub(super) fn check_posix_numbers(name: &str, words: &[Word], of: &mut Builtin) {
    if !NUMBERS.contains(&name) {
        return;
    }
    let evaluated =
        |word: &Word| name == "shift" || word.literal().is_some_and(|text| text.contains(['[', '$', '`']));
    for (place, word) in words.iter().enumerate().skip(1).filter(|(_, word)| evaluated(word)) {
        add_evaluation_caveat(word, place, evaluation_risk(word), of);
    }
}

/// `print -f FORMAT`
fn may_hold_format_option(word: &Word) -> bool {
    word.known_prefix().starts_with('-') && word.known_prefix().contains('f')
}

/// Whether it is an option of `print`, and no number.
fn is_plain_option(name: &str, word: &Word) -> bool {
    let letters = |text: &str| text.strip_prefix('-').is_some_and(|rest| !rest.contains(['[', '$', '`']));
    name == "print" && word.literal().is_some_and(letters)
}

/// The places of the words that `printf` takes for numbers: all, where its format is not known.
fn numeric_operands(words: &[Word]) -> Vec<usize> {
    let mut at = 1;
    while words.get(at).and_then(Word::literal) == Some("-v") {
        at += 2;
    }
    at += usize::from(words.get(at).and_then(Word::literal) == Some("--"));
    let Some(format) = words.get(at) else { return Vec::new() };
    let operands = at + 1..words.len();
    let Some(numeric) = format.literal().and_then(formats::numeric_conversions) else {
        return operands.collect();
    };
    // The format is used again until no operand is left.
    operands.filter(|place| numeric.get((place - at - 1) % numeric.len().max(1)) == Some(&true)).collect()
}
