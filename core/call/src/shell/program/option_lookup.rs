//! What a word that may be an option is in a program's table.

use std::ops::Bound;

use super::form::{CommandForm, OptionSpec, ValueCount};
use super::option_aliases::{Spelling, find_loose_option};
use super::scan::{FoundOption, OptionValue};
use super::table::OptionStyle;
use crate::shell::Word;

pub(super) fn looks_like_option(form: &CommandForm, text: &str) -> bool {
    match form.style {
        OptionStyle::Text => form.options.contains_key(text),
        OptionStyle::Words => form.options.contains_key(text) || (text.len() > 1 && text.starts_with('-')),
        _ => {
            (text.len() > 1 && text.starts_with('-'))
                || form.options.contains_key(text)
                || text.starts_with('+') && form.options.contains_key("+")
        }
    }
}

/// A long option by its name or the beginning of it. If several begin so, a dangerous one counts. What stands behind a dot is a
/// part of it: `--config.script-shell`.
pub(super) fn find_long_option<'a>(form: &'a CommandForm, name: &str) -> Option<(&'a str, OptionSpec, bool)> {
    if let Some((name, known)) = form.options.get_key_value(name) {
        return Some((name, *known, true));
    }
    if form.spelling == Spelling::Loose {
        return find_loose_option(form, name);
    }
    let from = (Bound::Included(name), Bound::Unbounded);
    let candidates: Vec<(&str, OptionSpec)> = form
        .options
        .range::<str, _>(from)
        .take_while(|(of, _)| of.starts_with(name))
        .map(|(of, known)| (of.as_str(), *known))
        .collect();
    let dangerous = candidates.iter().find(|(_, known)| known.meaning.is_dangerous());
    if let Some((of, known)) = dangerous.or(candidates.first()) {
        return Some((of, *known, candidates.len() == 1));
    }
    let (whole, _) = name.split_once('.')?;
    form.options.get_key_value(whole).map(|(of, known)| (of.as_str(), *known, false))
}

/// An open word that is certainly this option, with a value that is not known: `--format=$x`.
pub(super) fn open_option<'a>(form: &'a CommandForm, word: &Word, place: usize) -> Option<FoundOption<'a>> {
    let prefix = word.known_prefix();
    let glued = Some(OptionValue { place, text: None });
    if let Some((name, _)) = prefix.split_once('=').filter(|(name, _)| name.starts_with('-')) {
        let (name, known) = match find_long_option(form, name)? {
            (name, known, true) => (name, known),
            _ => return None,
        };
        return Some(FoundOption { name, known, place, value: glued });
    }
    let letter = prefix.strip_prefix('-')?.chars().next()?;
    let (name, known) = form.letter_option(letter)?;
    (form.style == OptionStyle::Gnu && known.takes == ValueCount::One).then_some(FoundOption {
        name,
        known,
        place,
        value: glued,
    })
}
