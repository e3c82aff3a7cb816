//! Patterns about commands, by the name of the command and by the word behind it.

use super::keys::{IndexTable, KeyLookup};
use super::memory::MemoryTables;
use crate::pattern::shell::{CommandForms, SecondWord, ShellPattern};

/// What stands between a name and the word behind it.
const PAIR_SEPARATOR: char = '\0';

/// Very many rules may be about one program (`git`, `kubectl`), and most of them about one sub-command each.
pub(super) fn add_pattern(memory: &mut MemoryTables, at: u32, pattern: &ShellPattern) {
    match (pattern.first_folded(), pattern.second_folded()) {
        (Some(name), Some(second)) => memory.add_key(IndexTable::Pair, at, Some(&pair_key(name, second))),
        (name, _) => memory.add_key(IndexTable::Command, at, name),
    }
}

/// Those that could be about any of the forms of a command.
pub(super) fn find_candidates(keys: &impl KeyLookup, shell: &CommandForms<'_>, found: &mut Vec<u32>) {
    keys.find_unnamed(IndexTable::Command, found);
    let pairs = !keys.is_empty(IndexTable::Pair);
    for form in shell.forms() {
        let Some(names) = form.command_names() else {
            // It could be any command.
            keys.find_all(IndexTable::Command, found);
            keys.find_all(IndexTable::Pair, found);
            return;
        };
        for name in names {
            keys.find_named(IndexTable::Command, name, found);
            match form.second_word() {
                SecondWord::Known(word) if pairs => {
                    keys.find_named(IndexTable::Pair, &pair_key(name, word), found)
                }
                SecondWord::Open if pairs => keys.find_from(IndexTable::Pair, &pair_key(name, ""), found),
                _ => {}
            }
        }
    }
}

/// A name and the word behind it, as one: all that begin with a name stand together.
fn pair_key(name: &str, second: &str) -> String {
    let mut both = String::with_capacity(name.len() + 1 + second.len());
    both.push_str(name);
    both.push(PAIR_SEPARATOR);
    both.push_str(second);
    both
}
