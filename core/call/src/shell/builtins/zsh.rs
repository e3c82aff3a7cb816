//! What zsh does of itself where bash does nothing, or finds no command (zshbuiltins(1), zshmisc(1)).

use super::Builtin;
use crate::shell::Word;
use crate::shell::variables::runs_if_evaluated;

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
    let evaluates = match name {
        "test" | "[" => words.iter().any(|word| word.literal() == Some("-t")),
        "printf" | "print" => words.iter().any(|word| has_numeric_conversion(word.known_prefix())),
        _ => NUMBERS.contains(&name),
    };
    if evaluates && words.iter().skip(1).any(|word| runs_if_evaluated(word.known_prefix())) {
        of.add_always_caveat(format!("zsh evaluates a word of {name} as arithmetic"));
    }
}

/// Whether a format may hold a conversion to a number.
fn has_numeric_conversion(format: &str) -> bool {
    let between = |c: char| c.is_ascii_digit() || "#'-+ *.$".contains(c);
    format.split('%').skip(1).any(|behind| {
        let conversion = behind.trim_start_matches(between);
        !conversion.starts_with(['s', 'b', 'q', 'n'])
    })
}
