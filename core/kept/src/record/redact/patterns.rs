//! The patterns of well-known forms, compiled when they are first needed: a process of one call needs few of them, and waits for each.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use regex_automata::meta::{Config, Regex};

use super::forms::{self, SecretForm};

/// A longer text is looked through by what is quickly read.
const SHORT: usize = 1 << 10;

/// To look through a longer one for what a form has besides takes as long as to compile its pattern.
const LOOKED_THROUGH: usize = 8 << 10;

/// With more bytes than these in short texts, what is quickly read is worth its making too.
const LITTLE: usize = 64 << 10;

/// A pattern, in two makings that find the same.
struct CachedPattern {
    /// Takes a part of the time to make, and many times as long to look through a text.
    quickly_made: OnceLock<Option<Regex>>,
    quickly_read: OnceLock<Option<Regex>>,
    seen: AtomicUsize,
}

/// The pattern of the form that has the place `at` in the table. `None` also if it is not in `text`, as far as that is told without
/// it.
pub(super) fn form_pattern(at: usize, form: SecretForm, text: &str) -> Option<&'static Regex> {
    static PATTERNS: [CachedPattern; forms::COUNT] = [const { CachedPattern::new() }; forms::COUNT];
    PATTERNS.get(at)?.regex_for(form, text)
}

impl CachedPattern {
    const fn new() -> Self {
        Self { quickly_made: OnceLock::new(), quickly_read: OnceLock::new(), seen: AtomicUsize::new(0) }
    }

    fn regex_for(&self, form: SecretForm, text: &str) -> Option<&Regex> {
        if let Some(read) = self.quickly_read.get() {
            return read.as_ref();
        }
        if text.len() <= LOOKED_THROUGH && !form.could_be_in(text) {
            return None;
        }
        let seen = self.seen.load(Ordering::Relaxed).saturating_add(text.len());
        // Of several threads one may be missed: that only puts off the other making.
        self.seen.store(seen, Ordering::Relaxed);
        if text.len() <= SHORT && seen <= LITTLE {
            return self.quickly_made.get_or_init(|| quickly_made(&form.details().pattern)).as_ref();
        }
        self.quickly_read.get_or_init(|| quickly_read(&form.details().pattern)).as_ref()
    }
}

/// `None`: it is no pattern, which a test of the table holds. Neither automata for both directions nor what stands in every match are worked out.
fn quickly_made(pattern: &str) -> Option<Regex> {
    let plain = Config::new().auto_prefilter(false).hybrid(false).dfa(false).onepass(false);
    Regex::builder().configure(plain).build(pattern).ok()
}

fn quickly_read(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn given_short_texts_then_the_other_making_comes_with_a_long_one_or_with_many() {
        let (at, token) = forms::all_forms().enumerate().find(|(_, form)| form.could_be_in("")).unwrap();
        let made = |pattern: &CachedPattern| {
            (pattern.quickly_made.get().is_some(), pattern.quickly_read.get().is_some())
        };
        let (long, many) = (CachedPattern::new(), CachedPattern::new());
        assert!(form_pattern(at, token, "x").is_some());
        long.regex_for(token, "x").unwrap();
        assert_eq!(made(&long), (true, false));
        long.regex_for(token, &"x".repeat(SHORT + 1)).unwrap();
        assert_eq!(made(&long), (true, true));
        for _ in 0..=LITTLE / SHORT {
            many.regex_for(token, &"x".repeat(SHORT)).unwrap();
        }
        assert_eq!(made(&many), (true, true));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn given_any_text_then_both_makings_find_the_same(
            at in 0..forms::COUNT,
            text in r#"([a-z]{1,3}|-{1,2}|password|token|key|curl|://|[=: @"'\\]|[A-Z0-9]{8,40}){0,20}"#,
        ) {
            let pattern = &forms::form_at(at).unwrap().details().pattern;
            let found = |regex: Regex| -> Vec<_> {
                regex.captures_iter(&text).map(|of| of.iter().collect::<Vec<_>>()).collect()
            };
            prop_assert_eq!(found(quickly_made(pattern).unwrap()), found(quickly_read(pattern).unwrap()));
        }
    }
}
