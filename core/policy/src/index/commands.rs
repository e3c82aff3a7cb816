//! Patterns about commands, by the name of the command and by the word behind it.

use super::keys::{Keys, Table};
use super::memory::Memory;
use crate::pattern::shell::{Second, Seen, ShellPattern};

/// What stands between a name and the word behind it.
const BETWEEN: char = '\0';

/// Very many rules may be about one program (`git`, `kubectl`), and most of them about one sub-command each.
pub(super) fn add(memory: &mut Memory, at: u32, pattern: &ShellPattern) {
    match (pattern.first_folded(), pattern.second_folded()) {
        (Some(name), Some(second)) => memory.add(Table::Pair, at, Some(&pair(name, second))),
        (name, _) => memory.add(Table::Command, at, name),
    }
}

/// Those that could be about any of the forms of a command.
pub(super) fn about(keys: &impl Keys, shell: &Seen<'_>, found: &mut Vec<u32>) {
    keys.others(Table::Command, found);
    let pairs = !keys.is_empty(Table::Pair);
    for form in shell.forms() {
        let Some(names) = form.names() else {
            // It could be any command.
            keys.all(Table::Command, found);
            keys.all(Table::Pair, found);
            return;
        };
        for name in names {
            keys.look(Table::Command, name, found);
            match form.second() {
                Second::Known(word) if pairs => keys.look(Table::Pair, &pair(name, word), found),
                Second::Open if pairs => keys.from(Table::Pair, &pair(name, ""), found),
                _ => {}
            }
        }
    }
}

/// A name and the word behind it, as one: all that begin with a name stand together.
fn pair(name: &str, second: &str) -> String {
    let mut both = String::with_capacity(name.len() + 1 + second.len());
    both.push_str(name);
    both.push(BETWEEN);
    both.push_str(second);
    both
}
