//! Files of words: `gcc @FILE` reads further words, options among them, from there.

use super::analyzer::CommandAnalyzer;
use super::form::{CommandForm, OptionMeaning};
use super::scan::Scan;
use super::tool;
use crate::shell::{Reach, Use, Word};

impl CommandAnalyzer<'_> {
    /// Asks about words that a program may take for such a file. Where it is not known to look for those before all else, the value
    /// of an option that takes text is none (`--grep @smoke`).
    pub(super) fn add_response_files(&mut self, from: usize, known: Option<(&CommandForm, &Scan<'_>)>) {
        let text = |place: usize| {
            known.filter(|(form, _)| !form.responses_anywhere).is_some_and(|(_, scan)| {
                let pattern = |meaning| meaning == OptionMeaning::Pattern;
                let mut all = scan.options.iter().filter(|found| pattern(found.known.meaning));
                all.any(|found| found.value.as_ref().is_some_and(|value| value.place == place))
            })
        };
        for (place, word) in self.words.iter().enumerate().skip(from).filter(|(place, _)| !text(*place)) {
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
