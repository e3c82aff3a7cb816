//! Braces: `a{b,c}`, `{1..3}`. They come first, on the text as it is written, so quotes are only looked
//! over here.

use crate::shell::bounds::MOST_BRACES;
use crate::shell::line_error::{LineError, Result};

/// As deep as braces may stand in each other.
const DEEPEST: usize = 6;

/// The words that `raw` becomes, each still with its quotes.
pub(in crate::shell) fn expand_braces(raw: &str) -> Result<Vec<String>> {
    let mut words = brace_alternatives(raw, 0)?;
    if words.len() > 1 {
        // Without even a quote in it, a word is none: `{,git} push` runs git.
        words.retain(|word| !word.is_empty());
    }
    Ok(words)
}

fn too_many() -> LineError {
    LineError::new("braces that give too many words")
}

fn brace_alternatives(raw: &str, depth: usize) -> Result<Vec<String>> {
    if depth > DEEPEST {
        return Err(too_many());
    }
    let mut from = 0;
    while let Some(open) = find_sign(raw, from, b"{") {
        let Some(group) = parse_group(raw, open) else {
            from = open + 1;
            continue;
        };
        let before = raw.get(..open).unwrap_or_default();
        let tails = brace_alternatives(raw.get(group.end..).unwrap_or_default(), depth + 1)?;
        let mut words = Vec::new();
        for member in group.members {
            for middle in brace_alternatives(&member, depth + 1)? {
                for tail in &tails {
                    if words.len() >= MOST_BRACES {
                        return Err(too_many());
                    }
                    words.push(format!("{before}{middle}{tail}"));
                }
            }
        }
        return Ok(words);
    }
    Ok(vec![raw.to_owned()])
}

struct BraceGroup {
    members: Vec<String>,
    end: usize,
}

/// The group that opens at `open`: with a comma, or a sequence.
fn parse_group(raw: &str, open: usize) -> Option<BraceGroup> {
    let mut members = Vec::new();
    let (mut from, mut at, mut depth) = (open + 1, open + 1, 0);
    loop {
        let sign = find_sign(raw, at, b"{,}")?;
        at = sign + 1;
        match raw.as_bytes().get(sign)? {
            b'{' => depth += 1,
            b'}' if depth > 0 => depth -= 1,
            b',' if depth == 0 => {
                members.push(raw.get(from..sign)?.to_owned());
                from = at;
            }
            b'}' => {
                let last = raw.get(from..sign)?;
                if members.is_empty() {
                    return parse_sequence(last).map(|members| BraceGroup { members, end: at });
                }
                members.push(last.to_owned());
                return Some(BraceGroup { members, end: at });
            }
            _ => {}
        }
    }
}

/// `1..3`, `a..e`, each with a step. One that is too long gives too many words.
fn parse_sequence(text: &str) -> Option<Vec<String>> {
    let mut parts = text.split("..");
    let (from, to, step) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let step = step.map_or(Some(1), |step| step.parse::<i32>().ok())?.unsigned_abs().max(1);
    let letter = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|c| c.is_ascii_alphabetic() && chars.next().is_none())
    };
    let (first, last, letters) = match (letter(from), letter(to)) {
        (Some(from), Some(to)) => (i64::from(u32::from(from)), i64::from(u32::from(to)), true),
        _ => (i64::from(from.parse::<i32>().ok()?), i64::from(to.parse::<i32>().ok()?), false),
    };
    let wide =
        |text: &str| text.trim_start_matches('-').starts_with('0') && text.trim_start_matches('-').len() > 1;
    let width = if wide(from) || wide(to) { from.len().max(to.len()) } else { 0 };
    let count = (first - last).unsigned_abs() / u64::from(step);
    let count = usize::try_from(count).ok()?.min(MOST_BRACES);
    let sign = if first <= last { 1 } else { -1 };
    (0..=count)
        .map(|n| first + sign * i64::try_from(n).unwrap_or_default() * i64::from(step))
        .map(|n| match letters {
            // Signs between the two cases of letters could mean something.
            true => u32::try_from(n)
                .ok()
                .and_then(char::from_u32)
                .map(|c| if c.is_ascii_alphabetic() { c.to_string() } else { format!("\\{c}") }),
            false => Some(format!("{n:0width$}")),
        })
        .collect()
}

/// The next of `signs` at or after `from` that is not quoted, escaped or inside of an expansion.
fn find_sign(raw: &str, from: usize, signs: &[u8]) -> Option<usize> {
    let bytes = raw.as_bytes();
    let mut at = from;
    let mut quote = None;
    while let Some(&b) = bytes.get(at) {
        match (quote, b) {
            (Some(b'\''), b'\'') | (Some(b'"'), b'"') | (Some(b'`'), b'`') => quote = None,
            (Some(b'\''), _) => {}
            (_, b'\\') => at += 1,
            (None, b'\'' | b'"' | b'`') => quote = Some(b),
            (_, b'$') => match bytes.get(at + 1) {
                Some(b'{') => at = find_closing(bytes, at + 1, b'{', b'}'),
                Some(b'(') => at = find_closing(bytes, at + 1, b'(', b')'),
                _ => {}
            },
            (None, b) if signs.contains(&b) => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

fn find_closing(bytes: &[u8], from: usize, open: u8, close: u8) -> usize {
    let mut depth = 0_usize;
    let mut at = from;
    while let Some(&b) = bytes.get(at) {
        if b == open {
            depth += 1;
        } else if b == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                break;
            }
        }
        at += 1;
    }
    at
}
