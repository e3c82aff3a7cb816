//! Values that are known to be secret, wherever they stand: as they are, quoted, or in an encoding that
//! anybody undoes.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError};

/// Shorter values are found in too much that is none of them.
const SHORTEST: usize = 8;
/// A line of a value of several is looked for by itself if it is this long.
const SHORTEST_LINE: usize = 16;

/// So many bytes are looked through by what is quickly made. With more, what is quickly read is worth its making.
const LITTLE: usize = 64 << 10;

/// The known values, in every form they are looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownSecrets {
    forms: Option<Arc<ValueSearch>>,
    plain: Option<Arc<ValueSearch>>,
    /// Shorter values, which are found only where they stand by themselves.
    short: Option<Arc<ValueSearch>>,
    longest: usize,
}

/// Looks for values, by one of two automata that find the same: a process of one call has little to look through.
#[derive(Debug)]
struct ValueSearch {
    quickly_made: AhoCorasick,
    /// `None`: it could not be made.
    quickly_read: OnceLock<Option<AhoCorasick>>,
    values: Vec<String>,
    seen: AtomicUsize,
}

impl ValueSearch {
    /// `None`: there are no values.
    fn new(values: Vec<String>) -> Result<Option<Arc<Self>>, BuildError> {
        if values.is_empty() {
            return Ok(None);
        }
        let kind = Some(AhoCorasickKind::NoncontiguousNFA);
        let quickly_made = AhoCorasick::builder().kind(kind).prefilter(false).build(&values)?;
        let (quickly_read, seen) = (OnceLock::new(), AtomicUsize::new(0));
        Ok(Some(Arc::new(Self { quickly_made, quickly_read, values, seen })))
    }

    fn automaton(&self, text: &[u8]) -> &AhoCorasick {
        let seen = self.seen.load(Ordering::Relaxed).saturating_add(text.len());
        // Of several threads one may be missed: that only puts off the other.
        self.seen.store(seen, Ordering::Relaxed);
        if seen <= LITTLE {
            return &self.quickly_made;
        }
        let read = self.quickly_read.get_or_init(|| AhoCorasick::new(&self.values).ok());
        read.as_ref().unwrap_or(&self.quickly_made)
    }

    /// Where they stand in `text`; some may overlap.
    fn find_in<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = Range<usize>> + 't {
        let automaton = self.automaton(text);
        // Most texts have none, which is told more quickly than where.
        let any = automaton.is_match(text);
        any.then(|| automaton.find_overlapping_iter(text).map(|of| of.range())).into_iter().flatten()
    }
}

impl KnownSecrets {
    pub(super) fn new(values: &[String]) -> Result<Self, BuildError> {
        let mut plain: Vec<String> = values.iter().flat_map(|value| searchable_parts(value)).collect();
        plain.sort();
        plain.dedup();
        if plain.is_empty() {
            return Ok(Self::default());
        }
        let mut forms: Vec<String> = plain.iter().flat_map(|value| encoded_forms(value)).collect();
        forms.sort();
        forms.dedup();
        let longest = forms.iter().map(String::len).max().unwrap_or(0);
        Ok(Self { forms: ValueSearch::new(forms)?, plain: ValueSearch::new(plain)?, short: None, longest })
    }

    /// Those of one call, which may be shorter.
    pub(super) fn of_call(values: &[String]) -> Result<Self, BuildError> {
        let known = Self::new(values)?;
        let short = values.iter().filter(|value| !long_enough(value));
        let short: Vec<String> = short.flat_map(|value| escaped_forms(value)).collect();
        let longest = short.iter().map(String::len).max().unwrap_or(0).max(known.longest);
        Ok(Self { short: ValueSearch::new(short)?, longest, ..known })
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.forms.is_none() && self.short.is_none()
    }

    /// As many bytes as one of them can take.
    pub(super) fn longest_match(&self) -> usize {
        // Percent-encoded, each byte takes three.
        self.longest * 3
    }

    /// Where they stand in `text`, in no order; some may overlap.
    pub(super) fn find_ranges(&self, text: &str, found: &mut Vec<Range<usize>>) {
        if let Some(short) = &self.short {
            let by_itself = |at: &Range<usize>| {
                let ends = |side: Option<char>| side.is_none_or(|c| !c.is_alphanumeric() && c != '_');
                let side = |range| text.get(range).unwrap_or_default();
                ends(side(0..at.start).chars().next_back()) && ends(side(at.end..text.len()).chars().next())
            };
            found.extend(short.find_in(text.as_bytes()).filter(by_itself));
        }
        let (Some(forms), Some(plain)) = (&self.forms, &self.plain) else { return };
        found.extend(forms.find_in(text.as_bytes()));
        if let Some((decoded, places)) = percent_decoded(text) {
            let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
            found.extend(plain.find_in(&decoded).map(|of| place(of.start)..place(of.end)));
        }
    }
}

/// Whether a value is long enough to be looked for.
pub(super) fn long_enough(value: &str) -> bool {
    value.chars().count() >= SHORTEST
}

/// A value without blanks around it, and its longer lines.
fn searchable_parts(value: &str) -> Vec<String> {
    let trimmed = value.trim();
    let mut found = Vec::new();
    if long_enough(trimmed) {
        found.push(trimmed.to_owned());
    } else if long_enough(value) {
        found.push(value.to_owned());
    }
    if trimmed.contains('\n') {
        let lines = trimmed.lines().map(str::trim).filter(|line| line.len() >= SHORTEST_LINE);
        found.extend(lines.filter(|line| !line.starts_with("-----")).map(str::to_owned));
    }
    found
}

/// A value as it is, and as strings of JSON and words of a shell have it, also one within the other.
fn escaped_forms(value: &str) -> Vec<String> {
    let mut found = vec![value.to_owned()];
    // What needs no quotes is written as it is everywhere.
    if value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')) {
        return found;
    }
    let json = |text: &str| {
        let json = serde_json::Value::from(text).to_string();
        json.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default().to_owned()
    };
    let single = |text: &str| text.replace('\'', r"'\''");
    let behind = |text: &str, what: fn(char) -> bool| {
        text.chars().flat_map(|c| what(c).then_some('\\').into_iter().chain([c])).collect::<String>()
    };
    let double = |text: &str| behind(text, |c| matches!(c, '"' | '\\' | '$' | '`'));
    let bare = |text: &str| behind(text, |c| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | '/'));
    found.extend([json(value), single(value), double(value), bare(value)]);
    found.extend([json(&json(value)), json(&single(value)), single(&json(value)), single(&single(value))]);
    found.extend([double(&single(value)), single(&double(value)), value.replace('\'', "'\"'\"'")]);
    found.sort();
    found.dedup();
    found
}

/// The same, in hexadecimal and in base64.
fn encoded_forms(value: &str) -> Vec<String> {
    let mut found = escaped_forms(value);
    let hex: String = value.bytes().map(|b| format!("{b:02x}")).collect();
    found.push(hex.to_ascii_uppercase());
    found.push(hex);
    for before in 0..3 {
        let standard = base64_at(value.as_bytes(), before);
        found.push(standard.replace('+', "-").replace('/', "_"));
        found.push(standard);
    }
    found.retain(|form| long_enough(form));
    found
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The digits of base64 that are `bytes` alone, where so many bytes stand before them in their group.
fn base64_at(bytes: &[u8], before: usize) -> String {
    let mut out = String::new();
    // The first digit with nothing but bits of `bytes`, and the bits of it that come before.
    let (mut bits, mut held) = (0u32, 0u32);
    let mut skip = match before {
        0 => 0,
        1 => 4,
        _ => 2,
    };
    for byte in bytes {
        held = (held << 8) | u32::from(*byte);
        bits += 8;
        if skip > 0 {
            bits -= skip;
            held &= (1 << bits) - 1;
            skip = 0;
        }
        while bits >= 6 {
            bits -= 6;
            let digit = (held >> bits) & 63;
            out.extend(
                usize::try_from(digit).ok().and_then(|digit| DIGITS.get(digit)).map(|b| char::from(*b)),
            );
            held &= (1 << bits) - 1;
        }
    }
    out
}

/// The text with `%XX` decoded, and where each of its bytes was; none if there is nothing to decode.
pub(super) fn percent_decoded(text: &str) -> Option<(Vec<u8>, Vec<usize>)> {
    text.find('%')?;
    let bytes = text.as_bytes();
    let (mut decoded, mut places) = (Vec::with_capacity(bytes.len()), Vec::with_capacity(bytes.len() + 1));
    let (mut at, mut any) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        places.push(at);
        let digits = bytes.get(at + 1..at + 3).filter(|_| byte == b'%').and_then(two_digits);
        if let Some(value) = digits {
            decoded.push(value);
            (any, at) = (true, at + 3);
        } else {
            decoded.push(byte);
            at += 1;
        }
    }
    places.push(at);
    any.then_some((decoded, places))
}

fn two_digits(digits: &[u8]) -> Option<u8> {
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn given_any_values_then_both_automata_find_the_same(
            values in prop::collection::vec("[abAé\\n]{1,5}", 1..6), text in "[abAé%\\n]{0,40}",
        ) {
            let search = ValueSearch::new(values).unwrap().unwrap();
            let quickly_made: Vec<_> = search.find_in(text.as_bytes()).collect();
            prop_assert!(search.quickly_read.get().is_none());
            search.seen.store(LITTLE, Ordering::Relaxed);
            prop_assert!(search.automaton(b"x").patterns_len() > 0 && search.quickly_read.get().is_some());
            prop_assert_eq!(quickly_made, search.find_in(text.as_bytes()).collect::<Vec<_>>());
        }
    }
}
