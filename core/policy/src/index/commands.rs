//! Patterns about commands, by the name of the command and by the word behind it.

use rustc_hash::FxHashMap;

use super::names::Names;
use crate::pattern::shell::{Second, Seen, ShellPattern};

/// Very many rules may be about one program (`git`, `kubectl`), and most of them about one sub-command each.
#[derive(Clone, Debug, Default)]
pub(super) struct Commands {
    /// By the name alone.
    names: Names,
    /// By the name, and then by a second word that is known.
    pairs: FxHashMap<Box<str>, Names>,
}

impl Commands {
    pub(super) fn add(&mut self, at: u32, pattern: &ShellPattern) {
        match (pattern.first_folded(), pattern.second_folded()) {
            (Some(name), Some(second)) => {
                self.pairs.entry(name.into()).or_default().add(at, Some(second));
            }
            (name, _) => self.names.add(at, name),
        }
    }

    /// Those that could be about any of the forms of a command.
    pub(super) fn about(&self, shell: &Seen<'_>, found: &mut Vec<u32>) {
        found.extend(self.names.others());
        for form in shell.forms() {
            let Some(names) = form.names() else {
                // It could be any command.
                self.names.all(found);
                self.pairs.values().for_each(|pairs| pairs.all(found));
                return;
            };
            for name in names {
                self.names.look(name, found);
                let Some(pairs) = self.pairs.get(name) else { continue };
                match form.second() {
                    Second::Known(word) => pairs.look(word, found),
                    Second::Open => pairs.all(found),
                    Second::Missing => {}
                }
            }
        }
    }
}
