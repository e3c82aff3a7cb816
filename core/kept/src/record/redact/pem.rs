//! The key behind a line such as `-----BEGIN PRIVATE KEY-----`: what looks like it, and no other text.

use std::ops::Range;

/// No key is longer.
const LONGEST: usize = 16 * 1024;
/// A shorter piece is one only at the end of a key.
const SHORTEST: usize = 16;
/// So long are the lines of a key.
const LINE: usize = 60;

/// Finds the key that begins at `at` in `text`, right behind its first line.
pub(super) fn find_pem_key(text: &str, at: usize, mut found: impl FnMut(Range<usize>)) {
    let end = text.len().min(at.saturating_add(LONGEST));
    let bytes = text.as_bytes().get(..end).unwrap_or_default();
    let (mut now, mut headers) = (at, 4);
    let mut joined: Option<Range<usize>> = None;
    loop {
        let (start, apart) = behind_gap(bytes, now);
        let length = base64_length(bytes.get(start..).unwrap_or_default());
        let stop = start + length;
        let piece = bytes.get(start..stop).unwrap_or_default();
        let last = bytes.get(behind_gap(bytes, stop).0..).unwrap_or_default().starts_with(b"-----END");
        if !could_be_key_part(piece, last) {
            match header_end(bytes, start).filter(|_| joined.is_none() && headers > 0) {
                Some(behind) => (now, headers) = (behind, headers - 1),
                None => break,
            }
            continue;
        }
        joined = match joined.take() {
            Some(before) if !apart => Some(before.start..stop),
            before => {
                before.into_iter().for_each(&mut found);
                Some(start..stop)
            }
        };
        now = stop;
    }
    joined.into_iter().for_each(found);
}

/// Where the next piece may begin, and whether more than the end of a line is between.
fn behind_gap(bytes: &[u8], mut at: usize) -> (usize, bool) {
    let mut apart = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if matches!(bytes.get(at + 1), Some(b'n' | b'r' | b't')) => at += 1,
            b'"' | b'\'' | b',' => apart = true,
            b'\\' => {}
            byte if byte.is_ascii_whitespace() => {}
            _ => break,
        }
        at += 1;
    }
    (at, apart)
}

/// How many digits of base64 there are.
fn base64_length(bytes: &[u8]) -> usize {
    let is = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let digits = bytes.iter().take_while(is).count();
    digits + bytes.iter().skip(digits).take(2).take_while(|byte| **byte == b'=').count()
}

/// Whether it could be a part of a key: words and names of files are not.
fn could_be_key_part(piece: &[u8], last: bool) -> bool {
    let upper = piece.iter().any(u8::is_ascii_uppercase);
    let other = piece.iter().any(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let path = piece.first() == Some(&b'/') && piece.len() < LINE;
    // Nearly all keys begin so.
    let begins = piece.starts_with(b"MI") && piece.len() >= SHORTEST / 2;
    upper && !path && (last || (other && (begins || piece.len() >= SHORTEST)))
}

/// The end of a line such as `Proc-Type: 4,ENCRYPTED`.
fn header_end(bytes: &[u8], at: usize) -> Option<usize> {
    let line = bytes.get(at..)?;
    let name = line.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'-').count();
    if name < 3 || line.get(name..name + 2) != Some(b": ".as_slice()) {
        return None;
    }
    let long = line.iter().take_while(|byte| !matches!(byte, b'\n' | b'\\' | b'"' | b'\'')).count();
    Some(at + long)
}
