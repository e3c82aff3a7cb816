//! A harness's own `sh -c LINE` around one literal line is transport: the line inside is what is judged.

use brush_parser::ast::{Command, CommandPrefixOrSuffixItem as Item, Program, SeparatorOperator};

use super::dialect::Dialect;
use super::word::Word;
use crate::Access;

/// The raw words of a program that is nothing but one plain command of three words.
pub(super) fn three_words(program: &Program) -> Option<[&str; 3]> {
    let [list] = program.complete_commands.as_slice() else { return None };
    let [item] = list.0.as_slice() else { return None };
    let first = &item.0.first;
    let alone = matches!(item.1, SeparatorOperator::Sequence) && item.0.additional.is_empty();
    if !alone || first.bang || first.timed.is_some() {
        return None;
    }
    let [Command::Simple(command)] = first.seq.as_slice() else { return None };
    if command.prefix.is_some() {
        return None;
    }
    let name = command.word_or_name.as_ref()?;
    let [Item::Word(flag), Item::Word(line)] = command.suffix.as_ref()?.0.as_slice() else { return None };
    let words = [&name.value, &flag.value, &line.value];
    // To some shells, `$'...'` is a dollar sign and a quoted text.
    let otherwise = words.iter().any(|word| word.contains("$'") || word.contains("$\""));
    (!otherwise).then_some(words.map(String::as_str))
}

/// The line behind a shell of the system, and which shell that is.
pub(super) fn inner_shell_line(words: &[String]) -> Option<(&str, Dialect)> {
    let [program, flag, line] = words else { return None };
    let base = program.rsplit('/').next().unwrap_or(program);
    let shell =
        matches!(base, "sh" | "bash" | "zsh" | "dash") && (base == program || trusted_folder(program));
    let line = (shell && matches!(flag.as_str(), "-c" | "-lc" | "-cl")).then_some(line.as_str())?;
    Some((line, Dialect::of_program(base)))
}

/// What was found in a line that these words carry. No allow needs the shell, and a rule that denies or asks about it is about
/// every line that it carries.
pub(super) fn carried_by(words: &[String], mut found: Vec<Access>) -> Vec<Access> {
    let first = found.iter_mut().find_map(|access| match access {
        Access::Shell(shell) => Some(shell),
        _ => None,
    });
    if let Some(shell) = first {
        shell.outer.push(words.iter().cloned().map(Word::Literal).collect());
    }
    found
}

/// A shell by its full name is transport only where the system keeps its shells.
fn trusted_folder(program: &str) -> bool {
    ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"]
        .iter()
        .any(|folder| program.strip_prefix(folder).is_some_and(|rest| !rest.contains('/')))
}
