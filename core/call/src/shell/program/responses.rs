//! Files of words: `gcc @FILE` reads further words, options among them, from there.

use super::analyzer::CommandAnalyzer;
use super::form::CommandForm;
use super::tool;
use crate::shell::{Reach, Use, Word};

impl CommandAnalyzer<'_> {
    /// Asks about words that a program may take for such a file.
    pub(super) fn add_response_files(&mut self, from: usize) {
        for (place, word) in self.words.iter().enumerate().skip(from) {
            let Some(file) = word.known_prefix().strip_prefix('@') else { continue };
            // A mark alone, and `@{u}`, are none.
            if word.literal().is_some() && file.is_empty() || file.starts_with('{') {
                continue;
            }
            self.places.add_path(file, Use::Read, Reach::Itself);
            self.named_elsewhere("what the file with options names", Use::Either);
            self.add_plain_caveat("a file with further options", vec![place]);
        }
    }

    /// The words behind `--` of a program that hands them on to another.
    pub(super) fn handed_on(&mut self, form: &CommandForm, ended: Option<usize>) {
        let Some(ended) = ended.filter(|_| !form.hands_on.is_empty()) else { return };
        let rest = self.words.get(ended + 1..).unwrap_or_default();
        let words: Vec<Word> =
            std::iter::once(Word::from(form.hands_on.as_str())).chain(rest.iter().cloned()).collect();
        tool::analyze_tool(self, &words, ended);
    }
}
