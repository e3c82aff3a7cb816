//! Looks for the well-known forms: those alone that could be in a text, by their marks.

use std::cell::LazyCell;
use std::ops::Range;

use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;

use super::forms::{self, FormCheck, SecretForm, form_at};
use super::patterns;
use super::quotes::Quotes;
use super::table::{self, WordSet};
use super::{FoundSecret, names, pem};

/// A shorter run of letters and digits is not counted.
const SHORTEST_RUN: usize = 16;

/// A shorter value behind an option or a name is none.
const SHORTEST: usize = 3;

/// Which forms: a bit for each.
#[derive(Clone, Debug, Default)]
struct FormSet([u64; Self::ROOM / 64]);

impl FormSet {
    /// So many forms have a place in it.
    const ROOM: usize = 320;

    fn insert(&mut self, at: usize) {
        if let Some(word) = self.0.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }

    fn insert_all(&mut self, all: &[u16]) {
        all.iter().for_each(|at| self.insert(usize::from(*at)));
    }

    /// Those in it, from the first.
    fn iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(word, mut bits)| {
            std::iter::from_fn(move || {
                let at = (bits != 0).then(|| word * 64 + bits.trailing_zeros() as usize);
                bits &= bits.wrapping_sub(1);
                at
            })
        })
    }
}

/// What is looked for first: a text without any of these holds no well-known form, unless it has a long run.
static MARKS: WordSet = WordSet::new(table::MARKS);

/// The forms of a mark.
fn forms_of(mark: usize) -> &'static [u16] {
    let place = |at: usize| forms::MARK_ENDS.get(at).copied().map_or(0, usize::from);
    forms::MARK_FORMS.get(place(mark)..place(mark + 1)).unwrap_or_default()
}

/// All secrets of well-known forms, in no order; some may overlap.
pub(super) fn well_known(text: &str, found: &mut Vec<FoundSecret>) {
    let run = LazyCell::new(|| longest_run(text));
    let mut forms = FormSet::default();
    MARKS.each_in(text.as_bytes(), |mark| forms.insert_all(forms_of(mark)));
    if text.len() >= SHORTEST_RUN && *run >= SHORTEST_RUN {
        forms.insert_all(&forms::UNMARKED);
    }
    let quotes = LazyCell::new(|| Quotes::find_in(text));
    for at in forms.iter() {
        if let Some(form) = form_at(at)
            && (form.run() == 0 || *run >= form.run())
            && let Some(pattern) = patterns::form_pattern(at, form, text)
        {
            collect_matches(pattern, form, text, &quotes, found);
        }
    }
}

/// How many letters and digits stand in a row at most, as far as that counts.
fn longest_run(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut longest, mut at) = (0, SHORTEST_RUN.saturating_sub(1));
    // From the end of where a run could be: most texts are looked at here and there alone.
    while let Some(byte) = bytes.get(at) {
        if !byte.is_ascii_alphanumeric() {
            at += SHORTEST_RUN;
            continue;
        }
        let before = bytes.get(..at).unwrap_or_default();
        let begin = at - before.iter().rev().take_while(|b| b.is_ascii_alphanumeric()).count();
        let rest = bytes.get(at..).unwrap_or_default();
        let end = at + rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        longest = longest.max(end - begin);
        at = end + SHORTEST_RUN;
    }
    longest
}

/// The secret of a match is its first group behind those of names that took part, or all of it.
fn secret_range(captures: &Captures, names: usize) -> Option<Range<usize>> {
    captures.iter().skip(1 + names).flatten().next().or_else(|| captures.get_group(0)).map(|at| at.range())
}

fn collect_matches<F: FnOnce() -> Quotes>(
    pattern: &Regex,
    form: SecretForm,
    text: &str,
    quotes: &LazyCell<Quotes, F>,
    found: &mut Vec<FoundSecret>,
) {
    let (name, only) = (form.name(), form.details().check);
    let sure = matches!(only, FormCheck::Sure | FormCheck::Random | FormCheck::Scattered | FormCheck::Behind);
    for captures in pattern.captures_iter(text) {
        let (Some(all), Some(secret)) = (captures.get_group(0), secret_range(&captures, only.name_groups()))
        else {
            continue;
        };
        let at = match only {
            FormCheck::Sure | FormCheck::Random | FormCheck::Scattered | FormCheck::Pairs => secret,
            FormCheck::Mixed
            | FormCheck::Given
            | FormCheck::Named
            | FormCheck::Value
            | FormCheck::Setting
            | FormCheck::Option => quotes.certain_range(text, &all.range(), secret),
            FormCheck::Behind => {
                pem::find_pem_key(text, all.end, |at| {
                    found.push(FoundSecret { range: at, name, certain: sure })
                });
                continue;
            }
        };
        let value = text.get(at.clone()).unwrap_or_default();
        let named = captures.get_group(1).and_then(|at| text.get(at.range())).unwrap_or_default();
        // The next option is no value.
        let option = value.starts_with('-')
            && text.get(..at.start).is_some_and(|before| before.ends_with([' ', '\t', '\n']));
        if passes_check(only, named, value) && (sure || !(option || is_call(text, &at, value))) {
            found.push(FoundSecret { range: at, name, certain: sure });
        }
    }
}

/// Whether a program calls something there: `token = next(stream)`.
fn is_call(text: &str, at: &Range<usize>, value: &str) -> bool {
    let name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.');
    text.get(at.end..).is_some_and(|rest| rest.starts_with('(')) && value.bytes().all(name)
}

/// Whether `value` is what the form asks for besides, where its first group is `named`.
fn passes_check(only: FormCheck, named: &str, value: &str) -> bool {
    match only {
        FormCheck::Sure | FormCheck::Behind => true,
        FormCheck::Mixed => names::has_letters_and_digits(value) && !names::is_placeholder(value),
        FormCheck::Random => names::looks_random(value),
        FormCheck::Scattered => names::looks_scattered(value),
        FormCheck::Given => {
            value.len() >= SHORTEST && !names::is_placeholder(value) && !names::is_path(value)
        }
        FormCheck::Pairs => !names::is_placeholder(value),
        FormCheck::Value => {
            names::has_letters_and_digits(value) && !names::is_placeholder(value) && names::could_be(value)
        }
        FormCheck::Setting => {
            passes_check(FormCheck::Value, named, value) && passes_check(FormCheck::Named, named, value)
        }
        FormCheck::Option => {
            names::takes_secret(named)
                && value.len() >= SHORTEST
                && !names::is_placeholder(value)
                && !names::is_path(value)
        }
        FormCheck::Named => {
            names::is_secret(named, value)
                && !names::is_placeholder(value)
                && !named.eq_ignore_ascii_case(value)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::strategy::{Strategy as _, ValueTree as _};
    use proptest::string::string_regex;
    use proptest::test_runner::TestRunner;

    use super::*;

    #[test]
    fn given_the_table_then_every_form_of_it_is_read_compiled_and_has_a_place() {
        const { assert!(forms::COUNT > 200 && forms::COUNT <= FormSet::ROOM) };
        for form in forms::all_forms() {
            Regex::new(&form.details().pattern).unwrap_or_else(|error| panic!("{}: {error}", form.name()));
        }
        for at in forms::UNMARKED.map(usize::from) {
            let form = form_at(at).unwrap();
            assert!(form.run() >= SHORTEST_RUN, "{} is never looked for", form.name());
        }
    }

    #[test]
    fn given_texts_that_a_form_matches_then_none_is_passed_over_for_what_it_lacks() {
        let mut runner = TestRunner::deterministic();
        let bounded: Vec<SecretForm> = forms::all_forms().filter(|form| !form.could_be_in("")).collect();
        assert!(bounded.len() > 60, "{}", bounded.len());
        for form in bounded {
            let pattern = &form.details().pattern;
            let whole = Regex::new(pattern).unwrap();
            // The generator knows no ends of lines and words; and in any case there are letters beyond ASCII that count as `s` and
            // `k`, which count in no mark.
            let mut plain = pattern.clone();
            for (with, without) in [
                (r"(?-u:\b)", ""),
                ("(?:^|", "(?:"),
                ("(?:$|", "(?:"),
                ("-$|", ""),
                (r"\s*$", ""),
                ("(?m)^", ""),
                ("(?im)^", ""),
                ("(?i)", ""),
            ] {
                plain = plain.replace(with, without);
            }
            let texts = string_regex(&plain).unwrap_or_else(|error| panic!("{}: {error}", form.name()));
            let texts = (0..200).map(|_| format!(" {}", texts.new_tree(&mut runner).unwrap().current()));
            let matching: Vec<String> = texts.filter(|text| whole.is_match(text)).take(20).collect();
            assert!(!matching.is_empty(), "{}: {plain}", form.name());
            for text in matching {
                assert!(form.could_be_in(&text), "{}: {text}", form.name());
            }
        }
    }

    #[test]
    fn given_a_run_then_its_length_is_told_wherever_it_stands() {
        for length in SHORTEST_RUN..50 {
            for before in 0..40 {
                let text = format!("{}{}- a b", "-".repeat(before), "a".repeat(length));
                assert_eq!(longest_run(&text), length, "{text}");
            }
        }
        assert!(longest_run("a short text") < SHORTEST_RUN);
    }
}
