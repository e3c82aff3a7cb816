//! Where a secret ends: at what ends a word of a shell, unless it stands in quotes of its own. No line may
//! get text out of sight by putting it behind `--password`.

use std::ops::Range;

/// In a longer text in quotes, no quotes are looked for.
const LONGEST_INNER: usize = 4096;
/// Quotes within quotes are looked for so deep.
const DEEPEST: usize = 4;
/// Behind these, a word in quotes sets a variable and is no line for a shell.
const SETS: &[&str] = &["export", "env", "declare", "local", "readonly", "typeset", "--env"];

/// These read their words as a line once more: quotes around a word are not the last that count.
const TWICE: &[&str] = &["eval", "parallel", "rsh", "ssh", "trap", "watch"];

/// What stands in quotes in a text, as a shell reads it.
#[derive(Debug, Default)]
pub(super) struct Quotes(Vec<QuotedSpan>);

/// One text in quotes, without them.
#[derive(Clone, Debug)]
struct QuotedSpan {
    range: Range<usize>,
    double: bool,
}

/// The quotes around a secret.
struct EnclosingQuotes {
    /// What is in them.
    range: Range<usize>,
    /// A shell looks for substitutions in there.
    live: bool,
    /// They are `'`.
    single: bool,
}

impl Quotes {
    pub(super) fn find_in(text: &str) -> Self {
        Self(find_quoted(text.as_bytes(), 0..text.len(), false))
    }

    /// What of `secret` is one for sure, where `all` was matched.
    pub(super) fn certain_range(&self, text: &str, all: &Range<usize>, secret: Range<usize>) -> Range<usize> {
        let value = text.get(secret.clone()).unwrap_or_default();
        let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        // A match may begin within a name.
        let all = &(text.get(..all.start).unwrap_or_default().trim_end_matches(named).len()..all.end);
        let plain = unquoted_word_end(value, true);
        let cut = |length: Option<usize>| length.map_or(secret.end, |length| secret.start + length);
        let around = if plain.is_some() || text.get(secret.end..).is_some_and(|rest| rest.starts_with(' ')) {
            self.quotes_around(text, &secret, all)
        } else {
            None
        };
        let Some(EnclosingQuotes { range: at, live, single }) = around else {
            return secret.start..cut(plain);
        };
        if reads_twice(text, secret.start) {
            return secret.start..cut(plain);
        }
        if at.start > all.start + 1 {
            // The quotes are those of the value.
            return secret.start..cut(if live { find_substitution(value) } else { None });
        }
        let word = text.get(at.clone()).unwrap_or_default();
        let before = text.get(..at.start.saturating_sub(1)).unwrap_or_default();
        let sets = || SETS.contains(&before.split_ascii_whitespace().next_back().unwrap_or_default());
        let name = word.get(..secret.start - at.start).unwrap_or_default();
        if !single || name.contains(char::is_whitespace) || !(word.starts_with('-') || sets()) {
            return secret.start..cut(plain);
        }
        // They are those of a word that is an option or sets a variable: blanks in it end nothing.
        let rest = text.get(secret.start..at.end).unwrap_or_default();
        secret.start
            ..secret.start + unquoted_word_end(rest, false).or_else(|| rest.find(" -")).unwrap_or(rest.len())
    }

    /// The quotes around all of `secret` that begin in `all` or right before it.
    fn quotes_around(
        &self,
        text: &str,
        secret: &Range<usize>,
        all: &Range<usize>,
    ) -> Option<EnclosingQuotes> {
        let holds = |of: &&QuotedSpan| of.range.start <= secret.start && secret.end <= of.range.end;
        let after = self.0.partition_point(|of| of.range.start <= secret.start);
        let mut here = self.0.get(..after)?.last().filter(holds)?.clone();
        let mut live = here.double;
        for _ in 0..DEEPEST {
            if here.range.start >= all.start {
                return Some(EnclosingQuotes { range: here.range, live, single: !here.double });
            }
            if here.range.len() > LONGEST_INNER {
                return None;
            }
            let inner = find_quoted(text.as_bytes(), here.range.clone(), here.double);
            here = inner.iter().find(holds)?.clone();
            live |= here.double;
        }
        None
    }
}

/// Whether a word before `at` is a program that reads its words twice.
fn reads_twice(text: &str, at: usize) -> bool {
    let start = super::floor_boundary(text, at.saturating_sub(LONGEST_INNER));
    let before = text.get(start..at).unwrap_or_default();
    let words = before.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.'));
    words.into_iter().any(|word| TWICE.contains(&word))
}

/// Where in `value` a word ends that is in no quotes, if it does: at a blank only if `blanks`.
fn unquoted_word_end(value: &str, blanks: bool) -> Option<usize> {
    let mut escaped = false;
    value.char_indices().find_map(|(at, c)| {
        let end = !escaped
            && (matches!(c, ';' | '|' | '&' | '<' | '>' | '(' | ')' | '`' | '"' | '\'' | '\n')
                || (blanks && c.is_whitespace()));
        escaped = c == '\\' && !escaped;
        end.then_some(at)
    })
}

/// Where in `value` a shell runs something.
fn find_substitution(value: &str) -> Option<usize> {
    let tick = value.find('`').filter(|at| value.get(at + 1..).is_some_and(|rest| rest.contains('`')));
    [value.find("$("), tick].into_iter().flatten().min()
}

/// All that is in quotes in a part of a text; within double quotes, such quotes are written `\"`. Where it takes
/// more than this to tell, it ends: what is behind that is in no quotes for sure.
fn find_quoted(bytes: &[u8], part: Range<usize>, in_double: bool) -> Vec<QuotedSpan> {
    let mut found = Vec::new();
    let mut at = part.start;
    let text = bytes.get(..part.end).unwrap_or_default();
    while let Some(byte) = text.get(at) {
        let before = at.checked_sub(1).filter(|_| at > part.start).and_then(|before| text.get(before));
        let escaped = in_double && *byte == b'\\' && text.get(at + 1) == Some(&b'"');
        let start = at + if escaped { 2 } else { 1 };
        let rest = text.get(start..).unwrap_or_default();
        let close = match byte {
            _ if escaped => rest.windows(2).position(|two| two == b"\\\""),
            b'\'' => single_quoted_end(rest, in_double),
            b'"' => find_unescaped(rest, b'"'),
            b'\\' => {
                at += 2;
                continue;
            }
            b'#' if before.is_none_or(|b| b.is_ascii_whitespace() || b";|&()<>`".contains(b)) => {
                let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
                if line.iter().any(|byte| matches!(byte, b'"' | b'\'' | b'\\')) {
                    break;
                }
                at = start + line.len();
                continue;
            }
            b'<' if rest.starts_with(b"<<") => {
                at += 3;
                continue;
            }
            // A here-document may hold anything.
            b'<' if rest.starts_with(b"<") && rest.contains(&b'\n') => break,
            _ => None,
        };
        // What is never closed opens nothing.
        let Some(length) = close else {
            at = start;
            continue;
        };
        let inside = rest.get(..length).unwrap_or_default();
        let double = escaped || *byte == b'"';
        let escapes = before == Some(&b'$') && inside.ends_with(b"\\");
        if (double && has_substitution(inside)) || (!double && escapes) {
            break;
        }
        found.push(QuotedSpan { range: start..start + length, double });
        at = start + length + (start - at);
    }
    found
}

/// Where a text in single quotes ends: behind `'\''`, with which they hold such a quote, it goes on.
fn single_quoted_end(rest: &[u8], in_double: bool) -> Option<usize> {
    let quote = |from: usize| {
        let at = rest.get(from..)?.iter().position(|byte| *byte == b'\'')?;
        Some(from + at)
    };
    let mut end = quote(0)?;
    while !in_double
        && rest.get(end..).unwrap_or_default().starts_with(br"'\''")
        && let Some(next) = quote(end + 4)
    {
        end = next;
    }
    Some(end)
}

/// Where `quote` stands without a backslash.
fn find_unescaped(rest: &[u8], quote: u8) -> Option<usize> {
    let mut escaped = false;
    rest.iter().position(|byte| {
        let end = *byte == quote && !escaped;
        escaped = *byte == b'\\' && !escaped;
        end
    })
}

/// Whether there is something that could have quotes of its own.
fn has_substitution(inside: &[u8]) -> bool {
    inside.contains(&b'`')
        || inside.windows(2).any(|two| two == b"$(")
        || inside.windows(2).enumerate().any(|(at, two)| {
            let name = inside.get(at + 2..).unwrap_or_default();
            let length = name.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
            two == b"${" && name.get(length) != Some(&b'}')
        })
}
