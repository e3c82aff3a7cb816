//! Reading a command's words by the form of its program.

use std::ops::{Bound, Range};

use super::form::{Form, Known, Meaning, Takes};
use super::table::{Special, Style};
use crate::call::shell::Word;

/// A value of an option.
#[derive(Clone, Debug)]
pub(super) struct Value<'a> {
    /// Where it stands: the option's own place if it is glued to it.
    pub(super) place: usize,
    /// The text; none if it is not known.
    pub(super) text: Option<&'a str>,
}

/// An option that was found.
#[derive(Clone, Debug)]
pub(super) struct Found<'a> {
    /// As the form lists it.
    pub(super) name: &'a str,
    pub(super) known: Known,
    pub(super) place: usize,
    pub(super) value: Option<Value<'a>>,
}

/// What a command's words are.
#[derive(Clone, Debug, Default)]
pub(super) struct Scan<'a> {
    pub(super) options: Vec<Found<'a>>,
    /// Places of the operands.
    pub(super) operands: Vec<usize>,
    /// Places of words that look like options and are not known.
    pub(super) unknown: Vec<usize>,
    /// Places of open words that could be options.
    pub(super) perhaps: Vec<usize>,
    /// Commands inside, as `find -exec` has them: up to `;` or `+`.
    pub(super) commands: Vec<Range<usize>>,
    /// Where `--` ended the options.
    pub(super) ended: Option<usize>,
    /// Where it stopped: the command of a wrapper, or a sub-command.
    pub(super) rest: Option<usize>,
}

impl Scan<'_> {
    pub(super) fn names(&self, option: &str) -> bool {
        self.options.iter().any(|found| found.name == option)
    }

    pub(super) fn has(&self, meaning: Meaning) -> bool {
        self.options.iter().any(|found| found.known.meaning == meaning)
    }
}

/// Whether `word` is `NAME=value`.
pub(super) fn assigns(word: &Word) -> bool {
    word.prefix().split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit() || c == '-')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.+[]".contains(&b))
    })
}

/// Reads `words` from `from` on. With `stop`, it ends at the operand after that many others:
/// assignments before it do not count.
pub(super) fn scan<'a>(form: &'a Form, words: &'a [Word], from: usize, stop: Option<usize>) -> Scan<'a> {
    let mut scan = Scan::default();
    let mut ended = false;
    let mut before = 0;
    let mut at = from;
    while let Some(word) = words.get(at) {
        let place = at;
        at += 1;
        let text = word.literal();
        if !ended {
            if form.special == Some(Special::Tar)
                && place == from
                && let Some(letters) = text.filter(|text| !text.starts_with('-'))
            {
                at += bundle(form, words, place, letters, &mut scan);
                continue;
            }
            if text == Some("--")
                && !matches!(form.style, Style::Words | Style::Text)
                && !form.options.contains_key("--")
            {
                ended = true;
                scan.ended = Some(place);
                continue;
            }
            if let Some(text) = text
                && looks_like_option(form, text)
                && late(form, words, place, text, &mut scan)
            {
                at += option(form, words, place, text, &mut scan);
                if scan.options.last().is_some_and(|found| {
                    found.place == place && found.known.meaning == Meaning::Command && stop.is_some()
                }) {
                    scan.rest = Some(at);
                    return scan;
                }
                let ended = |found: &&Found<'_>| found.known.meaning == Meaning::Command;
                if form.style == Style::Words && scan.options.last().filter(ended).is_some() {
                    let end = command_end(words, at);
                    scan.commands.push(at..end);
                    at = end + 1;
                }
                continue;
            }
            if let Word::Open(open) = word {
                if let Some(found) = open_option(form, word, place) {
                    scan.options.push(found);
                    if open.splits && !open.glob {
                        scan.perhaps.push(place);
                    }
                    continue;
                }
                let unquoted = open.splits && !open.glob;
                if word.prefix().is_empty() || word.prefix().starts_with('-') || unquoted {
                    scan.perhaps.push(place);
                }
            }
        }
        if stop == Some(before) && !(assigns(word) && takes_assignments(form)) {
            scan.rest = Some(place);
            return scan;
        }
        if !(takes_assignments(form) && assigns(word)) {
            before += 1;
        }
        scan.operands.push(place);
    }
    scan
}

/// Where a command of `find -exec` ends: at `;`, or at `+` behind `{}`.
fn command_end(words: &[Word], from: usize) -> usize {
    let literal = |place: usize| words.get(place).and_then(Word::literal);
    (from..words.len())
        .find(|place| match literal(*place) {
            Some(";") => true,
            Some("+") => *place > from && literal(place - 1) == Some("{}"),
            _ => false,
        })
        .unwrap_or(words.len())
}

/// `tar xzf a.tar`: letters without a dash, their values behind them in order.
fn bundle<'a>(form: &'a Form, words: &'a [Word], place: usize, letters: &str, scan: &mut Scan<'a>) -> usize {
    let mut taken = 0;
    for letter in letters.chars() {
        match form.options.get_key_value(format!("-{letter}").as_str()) {
            Some((name, known)) if known.takes == Takes::One => {
                taken += 1;
                let value =
                    words.get(place + taken).map(|word| Value { place: place + taken, text: word.literal() });
                scan.options.push(Found { name, known: *known, place, value });
            }
            Some((name, known)) => {
                scan.options.push(Found { name, known: *known, place, value: None });
            }
            None => scan.unknown.push(place),
        }
    }
    taken
}

/// Whether the word at `place` is still an option, where options end at the first operand.
fn late(form: &Form, words: &[Word], place: usize, text: &str, scan: &mut Scan<'_>) -> bool {
    let Some(first) = form.options_first.as_ref().filter(|_| !scan.operands.is_empty()) else { return true };
    if first.contains("*") {
        // To some it is an operand.
        scan.unknown.push(place);
        return true;
    }
    let mut own = Scan::default();
    option(form, words, place, text, &mut own);
    let kept = !own.options.is_empty() && own.options.iter().all(|found| first.contains(found.name));
    kept && own.unknown.is_empty()
}

fn takes_assignments(form: &Form) -> bool {
    let assignment = super::form::Role::Assignment;
    form.operands.as_ref().is_some_and(|of| of.first.contains(&assignment) || of.many == Some(assignment))
}

fn looks_like_option(form: &Form, text: &str) -> bool {
    match form.style {
        Style::Text => form.options.contains_key(text),
        Style::Words => form.options.contains_key(text) || (text.len() > 1 && text.starts_with('-')),
        _ => {
            (text.len() > 1 && text.starts_with('-'))
                || form.options.contains_key(text)
                || text.starts_with('+') && form.options.contains_key("+")
        }
    }
}

/// The option at `place`; returns how many of the next words are its values.
fn option<'a>(form: &'a Form, words: &'a [Word], place: usize, text: &'a str, scan: &mut Scan<'a>) -> usize {
    if let Some((name, known)) = form.options.get_key_value(text) {
        return take(name, *known, words, place, None, scan);
    }
    if form.style == Style::Words {
        scan.unknown.push(place);
        return 0;
    }
    if let Some(behind) = text.strip_prefix('+')
        && let Some((name, known)) = form.options.get_key_value("+")
    {
        return take(name, *known, words, place, Some(behind), scan);
    }
    let (name, glued) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    if form.style == Style::Single {
        let single = name.strip_prefix('-').filter(|name| name.starts_with('-')).unwrap_or(name);
        if let Some((name, known)) = form.options.get_key_value(name).or(form.options.get_key_value(single)) {
            return take(name, *known, words, place, glued, scan);
        }
        scan.unknown.push(place);
        return 0;
    }
    if text.starts_with("--") {
        return match long(form, name) {
            Some((name, known, certain)) => {
                if !certain {
                    scan.unknown.push(place);
                }
                take(name, known, words, place, glued, scan)
            }
            None => {
                scan.unknown.push(place);
                0
            }
        };
    }
    cluster(form, words, place, text, scan)
}

/// A long option by its name or the beginning of it. If several begin so, a dangerous one counts.
pub(super) fn long<'a>(form: &'a Form, name: &str) -> Option<(&'a str, Known, bool)> {
    if let Some((name, known)) = form.options.get_key_value(name) {
        return Some((name, *known, true));
    }
    let from = (Bound::Included(name), Bound::Unbounded);
    let candidates: Vec<(&str, Known)> = form
        .options
        .range::<str, _>(from)
        .take_while(|(of, _)| of.starts_with(name))
        .map(|(of, known)| (of.as_str(), *known))
        .collect();
    let dangerous = candidates.iter().find(|(_, known)| known.meaning.dangerous());
    let (of, known) = dangerous.or(candidates.first())?;
    Some((of, *known, candidates.len() == 1))
}

/// `-abc`, `-ovalue`.
fn cluster<'a>(form: &'a Form, words: &'a [Word], place: usize, text: &'a str, scan: &mut Scan<'a>) -> usize {
    let letters = text.get(1..).unwrap_or_default();
    if form.digits && letters.bytes().all(|b| b.is_ascii_digit()) {
        return 0;
    }
    let mut name = [0; 8];
    for (index, letter) in letters.char_indices() {
        let mut key = String::from("-");
        key.push_str(letter.encode_utf8(&mut name));
        let Some((key, known)) = form.options.get_key_value(key.as_str()) else {
            if scan.unknown.last() != Some(&place) {
                scan.unknown.push(place);
            }
            continue;
        };
        let behind = letters.get(index + letter.len_utf8()..).filter(|behind| !behind.is_empty());
        match known.takes {
            Takes::Nothing => {
                scan.options.push(Found { name: key, known: *known, place, value: None });
            }
            Takes::Perhaps | Takes::One | Takes::Two => {
                return take(key, *known, words, place, behind, scan);
            }
        }
    }
    0
}

/// Adds an option with its value; returns how many of the next words that takes.
fn take<'a>(
    name: &'a str,
    known: Known,
    words: &'a [Word],
    place: usize,
    glued: Option<&'a str>,
    scan: &mut Scan<'a>,
) -> usize {
    let next = |place: usize| words.get(place).map(|word| Value { place, text: word.literal() });
    let (value, taken) = match (known.takes, glued) {
        (_, Some(text)) => {
            if known.takes == Takes::Nothing {
                scan.unknown.push(place);
            }
            (Some(Value { place, text: Some(text) }), 0)
        }
        (Takes::Nothing | Takes::Perhaps, None) => (None, 0),
        (Takes::One, None) => (next(place + 1), 1),
        (Takes::Two, None) => {
            scan.options.push(Found { name, known, place, value: next(place + 2) });
            (next(place + 1), 2)
        }
    };
    scan.options.push(Found { name, known, place, value });
    taken
}

/// An open word that is certainly this option, with a value that is not known: `--format=$x`.
fn open_option<'a>(form: &'a Form, word: &Word, place: usize) -> Option<Found<'a>> {
    let prefix = word.prefix();
    let glued = Some(Value { place, text: None });
    if let Some((name, _)) = prefix.split_once('=').filter(|(name, _)| name.starts_with('-')) {
        let (name, known) = match long(form, name)? {
            (name, known, true) => (name, known),
            _ => return None,
        };
        return Some(Found { name, known, place, value: glued });
    }
    let letter = prefix.strip_prefix('-')?.chars().next()?;
    let (name, known) = form.options.get_key_value(format!("-{letter}").as_str())?;
    (form.style == Style::Gnu && known.takes == Takes::One).then_some(Found {
        name,
        known: *known,
        place,
        value: glued,
    })
}
