//! What zsh, and in part any POSIX shell, does of itself where bash does nothing, or finds no command (zshbuiltins(1), zshmisc(1)).

use super::names::{add_evaluation_caveat, check_read_name};
use super::open_options::{add_elsewhere_caveat, could_be_option};
use super::{Builtin, formats};
use crate::shell::expand::evaluation_risk;
use crate::shell::variables::{self, VariableKind};
use crate::shell::{Dialect, Word};

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
    "bindkey",
    "pushln",
    "r",
    "zf_chgrp",
    "zf_chmod",
    "zf_chown",
    "zf_ln",
    "zf_mkdir",
    "zf_mv",
    "zf_rm",
    "zf_rmdir",
    "zf_sync",
];

/// Commands that give their values to the parameters that they are told, those of zsh's modules too. Among the words of most a
/// name may stand anywhere, and some set one that nobody names: none of them is known by its options.
const SETTERS: &[&str] = &[
    "compadd",
    "comparguments",
    "compcall",
    "compctl",
    "compdescribe",
    "compfiles",
    "compgroups",
    "compquote",
    "compset",
    "comptags",
    "comptry",
    "compvalues",
    "getln",
    "nameref",
    "pcre_compile",
    "pcre_match",
    "strftime",
    "syserror",
    "sysopen",
    "sysread",
    "sysseek",
    "syswrite",
    "vared",
    "zcurses",
    "zdelattr",
    "zformat",
    "zftp",
    "zgdbmpath",
    "zgetattr",
    "zlistattr",
    "zparseopts",
    "zpty",
    "zregexparse",
    "zselect",
    "zsetattr",
    "zsocket",
    "zstat",
    "zsystem",
    "ztcp",
    "ztie",
    "zuntie",
];

/// Letters of options of `print` that take a value.
const PRINT_VALUES: &str = "CfuvxX";

/// Commands whose operands are numbers, and so arithmetic to zsh.
const NUMBERS: &[&str] = &["exit", "return", "break", "continue", "shift", "logout", "bye", "getln"];

/// What zsh makes of `words`, the command `name` first.
pub(super) fn check_zsh_builtin(name: &str, words: &[Word], of: &mut Builtin) {
    if COMMANDS.contains(&name) {
        of.add_always_caveat(format!("zsh runs or loads what stands behind {name}"));
    }
    if SETTERS.contains(&name) {
        of.add_always_caveat(format!("zsh may set a variable by {name}"));
    }
    match name {
        "print" => check_print(words, of),
        // With a module, `-A` and `-H` name what is set.
        "stat" if words.iter().skip(1).any(|word| has_letter(word, &['A', 'H'])) => {
            of.add_always_caveat("zsh may set a variable by stat");
        }
        _ => {}
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

/// Whether it is an option with one of these letters.
fn has_letter(word: &Word, letters: &[char]) -> bool {
    word.known_prefix().strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(letters))
}

/// `print -v NAME WORD ...`; `-z`, `-s` and `-S` keep what it prints, as a line.
fn check_print(words: &[Word], of: &mut Builtin) {
    let mut places = 1..words.len();
    while let Some(place) = places.next() {
        let Some(word) = words.get(place) else { break };
        if word.literal().is_none() {
            if could_be_option(word) {
                add_elsewhere_caveat(word, of);
                // A known beginning is not all of an option.
                if word.known_prefix().starts_with('-') {
                    of.add_always_caveat(format!("an option of print that is not literal: {}", word.text()));
                }
                continue;
            }
            break;
        }
        let Some(letters) = word.literal().and_then(|text| text.strip_prefix('-')) else { break };
        if letters.is_empty() || letters == "-" {
            break;
        }
        let valued = letters.find(|c| PRINT_VALUES.contains(c));
        let flags = letters.get(..valued.unwrap_or(letters.len())).unwrap_or_default();
        if flags.contains(['z', 's', 'S']) {
            of.add_always_caveat("print keeps a line for the shell");
        }
        let Some(at) = valued else { continue };
        let rest = letters.get(at + 1..).unwrap_or_default();
        let value = if rest.is_empty() {
            places.next().and_then(|place| Some((place, words.get(place)?.clone())))
        } else {
            Some((place, Word::Literal(rest.to_owned())))
        };
        let Some((place, value)) = value else { break };
        match letters.get(at..=at) {
            Some("v") => check_read_name(&value, place, of),
            Some("f") if value.literal().is_none_or(formats::has_count_conversion) => {
                words.iter().enumerate().skip(place + 1).for_each(|(place, word)| {
                    // A format that is not known sets what it may.
                    if value.literal().is_some() || word.literal().is_some_and(is_rebinding) {
                        check_read_name(word, place, of);
                    }
                });
            }
            _ => {}
        }
    }
}

fn is_rebinding(name: &str) -> bool {
    let bare = name.split('[').next().unwrap_or_default();
    variables::is_name(bare)
        && (bare != name || variables::variable_kind_in(bare, Dialect::Zsh) == VariableKind::Rebinding)
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
