//! Words that are looked for in much text, or in little.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// So many bytes are looked through by lists of words, which are quickly made. With more, a table that is quickly read is worth its
/// making: that takes some milliseconds, which is much for a process of one call.
const LITTLE: usize = 256 << 10;

/// As many lists are there; each has the words of some beginnings.
const LISTS: usize = 4096;

/// Words to be looked for, in any case of ASCII. Lists and table find the same.
#[derive(Debug, Default)]
pub(super) struct WordSet {
    words: Vec<ListedWord>,
    /// The first of each list, by the first two bytes of its words.
    lists: Vec<Option<u16>>,
    /// Those that don't have two.
    short: Vec<u16>,
    quickly_read: OnceLock<Option<AhoCorasick>>,
    seen: AtomicUsize,
}

#[derive(Debug)]
struct ListedWord {
    text: Box<str>,
    /// The next of its list.
    next: Option<u16>,
}

impl WordSet {
    /// One more, unless it is there; which one it is. `None`: there is no room for it.
    pub(super) fn insert(&mut self, word: &str) -> Option<usize> {
        let number = u16::try_from(self.words.len()).ok()?;
        let mut next = None;
        if let [first, second, ..] = word.as_bytes() {
            self.lists.resize(LISTS, None);
            let list = self.lists.get_mut(list_index(*first, *second))?;
            let mut at = *list;
            while let Some(other) = at {
                let known = self.words.get(usize::from(other))?;
                if known.text.eq_ignore_ascii_case(word) {
                    return Some(usize::from(other));
                }
                at = known.next;
            }
            next = list.replace(number);
        } else {
            self.short.push(number);
        }
        self.words.push(ListedWord { text: word.into(), next });
        Some(usize::from(number))
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
        (0..text.len()).flat_map(move |at| {
            let rest = text.get(at..).unwrap_or_default();
            let mut next = match rest {
                [first, second, ..] => self.lists.get(list_index(*first, *second)).copied().flatten(),
                _ => None,
            };
            let listed = std::iter::from_fn(move || {
                while let Some(number) = next {
                    let word = self.words.get(usize::from(number))?;
                    next = word.next;
                    if starts_with_word(rest, &word.text) {
                        return Some(usize::from(number));
                    }
                }
                None
            });
            let short = self.short.iter().map(|number| usize::from(*number));
            listed.chain(short.filter(move |number| {
                self.words.get(*number).is_some_and(|word| starts_with_word(rest, &word.text))
            }))
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
            let words = self.words.iter().map(|word| &*word.text);
            let kind = Some(AhoCorasickKind::DFA);
            AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(words).ok()
        };
        self.quickly_read.get_or_init(make).as_ref()
    }
}

impl<'a> FromIterator<&'a str> for WordSet {
    fn from_iter<I: IntoIterator<Item = &'a str>>(all: I) -> Self {
        let mut words = Self::default();
        for word in all {
            words.insert(word);
        }
        words
    }
}

/// The list of words that begin so.
fn list_index(first: u8, second: u8) -> usize {
    let fold = |byte: u8| usize::from(byte.to_ascii_lowercase());
    (fold(first) * 37 + fold(second)) % LISTS
}

fn starts_with_word(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words_found(words: &WordSet, text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        words.each_in(text.as_bytes(), |word| found.push(word));
        found.sort_unstable();
        assert_eq!(words.any_in(text.as_bytes()), !found.is_empty());
        found
    }

    #[test]
    fn given_little_text_or_much_then_the_same_is_found() {
        let words: WordSet = ["key", "token", "ken", "KEY"].into_iter().collect();
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
        fn given_any_words_then_lists_and_table_find_the_same(
            all in prop::collection::vec("[abA.]{1,4}", 0..12), text in "[abABcé.]{0,30}",
        ) {
            let words: WordSet = all.iter().map(String::as_str).collect();
            let listed = words_found(&words, &text);
            words.seen.store(LITTLE, Ordering::Relaxed);
            prop_assert_eq!(listed, words_found(&words, &text));
        }
    }
}
