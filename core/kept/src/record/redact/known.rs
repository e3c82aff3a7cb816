//! Values that are known to be secret, wherever they stand: as they are, quoted, or in an encoding that
//! anybody undoes.

use std::ops::Range;

use aho_corasick::AhoCorasick;

/// Shorter values are found in too much that is none of them.
const SHORTEST: usize = 8;
/// A line of a value of several is looked for by itself if it is this long.
const SHORTEST_LINE: usize = 16;

/// The known values, in every form they are looked for.
#[derive(Debug, Default)]
pub(super) struct Known {
    forms: Option<AhoCorasick>,
    plain: Option<AhoCorasick>,
    longest: usize,
}

impl Known {
    pub(super) fn new(values: &[String]) -> Result<Self, aho_corasick::BuildError> {
        let mut plain: Vec<String> = values.iter().flat_map(|value| parts(value)).collect();
        plain.sort();
        plain.dedup();
        if plain.is_empty() {
            return Ok(Self::default());
        }
        let mut forms: Vec<String> = plain.iter().flat_map(|value| forms(value)).collect();
        forms.sort();
        forms.dedup();
        let longest = forms.iter().map(String::len).max().unwrap_or(0);
        Ok(Self { forms: Some(AhoCorasick::new(forms)?), plain: Some(AhoCorasick::new(plain)?), longest })
    }

    /// As many bytes as one of them can take.
    pub(super) fn longest(&self) -> usize {
        // Percent-encoded, each byte takes three.
        self.longest * 3
    }

    /// Where they stand in `text`, in no order; some may overlap.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Range<usize>>) {
        let (Some(forms), Some(plain)) = (&self.forms, &self.plain) else { return };
        if forms.is_match(text) {
            found.extend(forms.find_overlapping_iter(text).map(|of| of.range()));
        }
        if let Some((decoded, places)) = percent_decoded(text) {
            let place = |at: usize| places.get(at).copied().unwrap_or(text.len());
            found.extend(plain.find_overlapping_iter(&decoded).map(|of| place(of.start())..place(of.end())));
        }
    }
}

/// Whether a value is long enough to be looked for.
pub(super) fn long_enough(value: &str) -> bool {
    value.chars().count() >= SHORTEST
}

/// A value without blanks around it, and its longer lines.
fn parts(value: &str) -> Vec<String> {
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

/// A value as it is, as strings of JSON and quotes of a shell have it, in hexadecimal and in base64.
fn forms(value: &str) -> Vec<String> {
    let mut found = vec![value.to_owned()];
    let json = serde_json::Value::from(value).to_string();
    found.push(json.trim_start_matches('"').strip_suffix('"').unwrap_or_default().to_owned());
    found.push(value.replace('\'', r"'\''"));
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
fn percent_decoded(text: &str) -> Option<(Vec<u8>, Vec<usize>)> {
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
