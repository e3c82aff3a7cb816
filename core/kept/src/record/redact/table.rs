//! Words that are looked for in much text, or in little.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::lists::{LISTS, list_index};

/// So many bytes are looked through by lists of words, which are quickly made. With more, a table that is quickly read is worth its
/// making: that takes some milliseconds, which is much for a process of one call.
const LITTLE: usize = 256 << 10;

include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// Words to be looked for, in any case of ASCII, as the build has made lists of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordLists {
    /// All of them, each in a line.
    pub(super) text: &'static str,
    /// In the order of their lists: where each begins and ends in `text`, and which one it is.
    pub(super) words: &'static [[u16; 3]],
    /// Where each list begins in `words`. Behind the last stand those that don't have two bytes, and where they end.
    pub(super) starts: &'static [u16],
}

impl WordLists {
    /// The words of a list.
    fn list(&self, at: usize) -> &'static [[u16; 3]] {
        let place = |at: usize| self.starts.get(at).copied().map_or(0, usize::from);
        self.words.get(place(at)..place(at + 1)).unwrap_or_default()
    }

    fn word(&self, begin: u16, end: u16) -> &'static str {
        self.text.get(usize::from(begin)..usize::from(end)).unwrap_or_default()
    }
}

/// Words to be looked for, in any case of ASCII. Lists and table find the same.
#[derive(Debug)]
pub(super) struct WordSet {
    lists: WordLists,
    quickly_read: OnceLock<Option<AhoCorasick>>,
    seen: AtomicUsize,
}

impl WordSet {
    pub(super) const fn new(lists: WordLists) -> Self {
        Self { lists, quickly_read: OnceLock::new(), seen: AtomicUsize::new(0) }
    }

    /// Whether any of them is in `text`.
    pub(super) fn any_in(&self, text: &[u8]) -> bool {
        match self.automaton(text.len()) {
            Some(table) => table.is_match(text),
            None => self.find_by_lists(text).next().is_some(),
        }
    }

    /// Tells `found` which are in `text`: each as often as it is there, in no order.
    pub(super) fn each_in(&self, text: &[u8], mut found: impl FnMut(usize)) {
        match self.automaton(text.len()) {
            // Most texts have none, which is told far more quickly than which.
            Some(table) if table.is_match(text) => {
                table.find_overlapping_iter(text).for_each(|word| found(word.pattern().as_usize()));
            }
            Some(_) => {}
            None => self.find_by_lists(text).for_each(found),
        }
    }

    /// By the lists.
    fn find_by_lists<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        let short = self.lists.list(LISTS);
        (0..text.len()).flat_map(move |at| {
            let rest = text.get(at..).unwrap_or_default();
            let listed = match rest {
                [first, second, ..] => self.lists.list(list_index(*first, *second)),
                _ => &[],
            };
            let there = move |[begin, end, number]: &[u16; 3]| {
                starts_with_word(rest, self.lists.word(*begin, *end)).then_some(usize::from(*number))
            };
            listed.iter().chain(short).filter_map(there)
        })
    }

    /// The table, once `bytes` more make it worth its making. `None`: not yet, or it could not be made.
    fn automaton(&self, bytes: usize) -> Option<&AhoCorasick> {
        let seen = self.seen.load(Ordering::Relaxed).saturating_add(bytes);
        // Of several threads one may be missed: that only puts off the table.
        self.seen.store(seen, Ordering::Relaxed);
        if seen <= LITTLE {
            return None;
        }
        let make = || {
            let words = self.lists.text.lines();
            let kind = Some(AhoCorasickKind::DFA);
            AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(words).ok()
        };
        self.quickly_read.get_or_init(make).as_ref()
    }
}

fn starts_with_word(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::cut::BuiltLists;
    use super::super::{forms, says};
    use super::*;

    fn words_of(all: &[&str]) -> WordSet {
        let BuiltLists { text, words, starts } = BuiltLists::of(all.iter().copied()).unwrap();
        WordSet::new(WordLists { text: text.leak(), words: words.leak(), starts: starts.leak() })
    }

    fn words_found(words: &WordSet, text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        words.each_in(text.as_bytes(), |word| found.push(word));
        found.sort_unstable();
        assert_eq!(words.any_in(text.as_bytes()), !found.is_empty());
        found
    }

    #[test]
    fn given_what_the_build_has_made_then_it_is_what_is_made_of_the_words_here() {
        let marks: Vec<&str> = MARKS.text.lines().collect();
        assert_eq!(marks.len(), forms::MARK_ENDS.len() - 1);
        for (made, words) in [(MARKS, &*marks), (SAYS, says::SAYS)] {
            let BuiltLists { text, words, starts } = BuiltLists::of(words.iter().copied()).unwrap();
            assert_eq!((made.text, made.words, made.starts), (&*text, &*words, &*starts));
            let set = WordSet::new(made);
            for (number, word) in made.text.lines().enumerate() {
                assert!(words_found(&set, &word.to_ascii_uppercase()).contains(&number), "{word}");
            }
        }
    }

    #[test]
    fn given_little_text_or_much_then_the_same_is_found() {
        let words = words_of(&["key", "token", "ken"]);
        assert_eq!(
            (words_found(&words, "a Token, a kEY"), words.quickly_read.get().is_some()),
            (vec![0, 1, 2], false)
        );
        words.seen.store(LITTLE, Ordering::Relaxed);
        assert_eq!(
            (words_found(&words, "a Token, a kEY"), words.quickly_read.get().is_some()),
            (vec![0, 1, 2], true)
        );
    }

    proptest! {
        #[test]
        fn given_any_words_then_lists_and_table_find_what_is_there(
            all in prop::collection::btree_set("[ab1.]{1,4}", 0..12), text in "[abAB1Qcé.]{0,30}",
        ) {
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            let words = words_of(&all);
            let listed = words_found(&words, &text);
            words.seen.store(LITTLE, Ordering::Relaxed);
            prop_assert_eq!(&listed, &words_found(&words, &text));
            let folded = text.to_ascii_lowercase();
            let there = all.iter().enumerate().filter(|(_, word)| folded.contains(**word)).map(|(at, _)| at);
            prop_assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), there.collect::<BTreeSet<_>>());
        }
    }

    proptest! {
        // To make the table takes long where nothing is optimized.
        #![proptest_config(ProptestConfig::with_cases(32))]
        /// Text that is made of the marks, in any case, with what is between them.
        #[test]
        fn given_texts_of_marks_then_lists_and_table_find_the_same(
            parts in prop::collection::vec((0..forms::MARK_ENDS.len() - 1, "[ -~]{0,3}", any::<bool>()), 0..8),
        ) {
            let mut text = String::new();
            for (mark, between, upper) in parts {
                let mark = MARKS.text.lines().nth(mark).unwrap();
                text += &if upper { mark.to_ascii_uppercase() } else { mark.to_owned() };
                text += &between;
            }
            let words = WordSet::new(MARKS);
            let listed = words_found(&words, &text);
            words.seen.store(LITTLE, Ordering::Relaxed);
            prop_assert_eq!(listed, words_found(&words, &text));
        }
    }
}
