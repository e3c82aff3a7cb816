//! A harness's own `sh -c LINE` around one literal line is transport: the line inside is what is judged.

use brush_parser::ast::{Command, CommandPrefixOrSuffixItem as Item, Program, SeparatorOperator};

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
    Some([&name.value, &flag.value, &line.value])
}

/// The line behind a shell of the system.
pub(super) fn inside(words: &[String]) -> Option<&str> {
    let [program, flag, line] = words else { return None };
    let base = program.rsplit('/').next().unwrap_or(program);
    let shell =
        matches!(base, "sh" | "bash" | "zsh" | "dash") && (base == program || trusted_folder(program));
    (shell && matches!(flag.as_str(), "-c" | "-lc" | "-cl")).then_some(line.as_str())
}

/// A shell by its full name is transport only where the system keeps its shells.
fn trusted_folder(program: &str) -> bool {
    ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"]
        .iter()
        .any(|folder| program.strip_prefix(folder).is_some_and(|rest| !rest.contains('/')))
}
