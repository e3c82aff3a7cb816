//! What a text says in another writing: Base64, hexadecimal digits, percent signs, escapes, or words with other characters
//! between them than blanks. A model reads all of them.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// The fewest characters of a run that is taken for something encoded.
const RUN: usize = 16;
/// The fewest words of what a run decodes to that are taken for words.
const WORDS: usize = 3;
/// The longest text that is decoded, in bytes: a definition has a bound of its own.
const LONGEST: usize = 1024 * 1024;
/// The fewest separators in a word that is read as several.
const SEPARATORS: usize = 2;

/// A text that stands encoded in another one.
pub(super) struct Encoded {
    /// What it decodes to.
    pub(super) decoded: String,
}

impl Encoded {
    /// Whether it is words, as no identifier or picture decodes to.
    pub(super) fn is_words(&self) -> bool {
        let words = |word: &&str| {
            let letters = word.chars().filter(|c| c.is_alphabetic()).count();
            letters > 0 && letters * 2 > word.chars().count()
        };
        self.decoded.split_whitespace().filter(words).count() >= WORDS
    }
}

/// Every run of `text` that decodes to a text, where it stands alone and where it goes on behind blanks.
pub(super) fn find_encoded(text: &str) -> Vec<Encoded> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    let in_run = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '_' | '-');
    let runs = text.split(|c| !in_run(c)).filter(|run| run.len() >= RUN).map(str::to_owned);
    let lines = joined_lines(text, in_run);
    let decoded = |run: String| Some(Encoded { decoded: decode_run(&run)? });
    runs.chain(lines).filter_map(decoded).collect()
}

/// Runs that were broken into lines, each but the last of the same length.
fn joined_lines(text: &str, in_run: impl Fn(char) -> bool + Copy) -> Vec<String> {
    let mut found = Vec::new();
    let (mut joined, mut count, mut length) = (String::new(), 0, 0);
    let mut take = |joined: &mut String, count: &mut usize| {
        if *count > 1 {
            found.push(std::mem::take(joined));
        }
        joined.clear();
        *count = 0;
    };
    for word in text.split_whitespace() {
        let run = word.len() >= 4 && word.chars().all(in_run);
        if !run || (count > 0 && word.len() > length) {
            take(&mut joined, &mut count);
        }
        if run {
            length = word.len();
            joined.push_str(word);
            count += 1;
            // The last line of one, or the only one.
            if count > 1 && joined.len() != length * count {
                take(&mut joined, &mut count);
            }
        }
    }
    take(&mut joined, &mut count);
    found
}

/// What a run of letters and digits decodes to, if that is a text.
fn decode_run(run: &str) -> Option<String> {
    decode_hex(run).and_then(printable).or_else(|| decode_base64(run).and_then(printable))
}

fn decode_hex(run: &str) -> Option<Vec<u8>> {
    let digits = run.strip_prefix("0x").unwrap_or(run).as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? * 16 + digit(*low)?),
        _ => None,
    };
    digits.chunks(2).map(pair).collect()
}

fn decode_base64(run: &str) -> Option<Vec<u8>> {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    let safe = run.contains(['-', '_']);
    let alphabet = if safe { &alphabet::URL_SAFE } else { &alphabet::STANDARD };
    GeneralPurpose::new(alphabet, config).decode(run).ok()
}

/// Bytes as a text that people could have written.
fn printable(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    let shown = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    text.chars().all(shown).then_some(text)
}

/// The same text with what is escaped in it written out, and with words that stand together apart; nothing, if that is the
/// text itself.
pub(super) fn written_out(text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let mut plain = unescaped(text);
    // What is escaped twice is read in two steps.
    if plain != text {
        plain = unescaped(&plain);
    }
    let words: Vec<String> = plain.split_whitespace().map(apart).collect();
    let plain = words.join(" ");
    (plain != text).then_some(plain)
}

/// One word that is several: `ignore-all-previous`.
fn apart(word: &str) -> String {
    let separator = |c: char| matches!(c, '-' | '_' | '+' | '/' | '.' | '~' | '=' | '&' | '?' | ':' | '|');
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
    if inner.chars().filter(|c| separator(*c)).count() < SEPARATORS {
        return word.to_owned();
    }
    word.chars().map(|c| if separator(c) { ' ' } else { c }).collect()
}

/// Percent-encoding, character references of HTML, and escapes of JSON and of C, written out.
fn unescaped(text: &str) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((bytes, length)) = escape_at(rest) {
            out.extend_from_slice(&bytes);
            rest = rest.get(length..).unwrap_or_default();
        } else {
            let length = c.len_utf8();
            out.extend_from_slice(rest.get(..length).unwrap_or_default().as_bytes());
            rest = rest.get(length..).unwrap_or_default();
        }
    }
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// What an escape at the beginning of `text` stands for, and how long it is.
fn escape_at(text: &str) -> Option<(Vec<u8>, usize)> {
    let hex = |digits: &str| u32::from_str_radix(digits, 16).ok();
    let of = |number: u32| char::from_u32(number).map(|c| c.to_string().into_bytes());
    if let Some(rest) = text.strip_prefix('%') {
        let byte = rest.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok())?;
        return Some((vec![byte], 3));
    }
    if let Some(rest) = text.strip_prefix("&#") {
        let (digits, _) = rest.get(..rest.len().min(9)).unwrap_or(rest).split_once(';')?;
        let number = match digits.strip_prefix(['x', 'X']) {
            Some(digits) => hex(digits),
            None => digits.parse().ok(),
        };
        return Some((of(number?)?, digits.len() + 3));
    }
    let rest = text.strip_prefix('\\')?;
    let (length, digits) = match rest.chars().next()? {
        'u' => (6, rest.get(1..5)?),
        'x' => (4, rest.get(1..3)?),
        _ => return None,
    };
    Some((of(hex(digits)?)?, length))
}
