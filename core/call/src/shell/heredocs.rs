//! What stands behind `<<`, looked at before the parser sees it: a word that is empty or holds an
//! expansion can keep its tokenizer busy for ever.

use super::line_error::{LineError, Result};

/// Refuses a text in which a `<<`, quoted or not, is followed by anything but a plain word. Only a
/// here-document that certainly is one, and whose word is quoted, is passed over.
pub(super) fn check_here_documents(text: &str) -> Result<()> {
    if !text.contains("<<") {
        return Ok(());
    }
    let joined = text.replace("\\\n", "");
    let mut rest = joined.as_str();
    // Nothing has opened yet that could make a `<<` mean something else.
    let mut certain = true;
    // So much was left behind the line that was looked at last.
    let mut left = None;
    while let Some((before, after)) = rest.split_once("<<") {
        certain &= !before.contains(['\'', '"', '\\', '`', '#', '(', '{', '[']);
        if opens_behind_a_word(before) {
            return Err(LineError::new("a here-document behind an unusual parenthesis"));
        }
        if let Some(after) = after.strip_prefix('<') {
            rest = after;
            continue;
        }
        let after = after.strip_prefix('-').unwrap_or(after).trim_start_matches([' ', '\t']);
        let (word, quoted, end) =
            parse_delimiter(after).ok_or_else(|| LineError::new("a here-document with an unusual end"))?;
        rest = after.get(end..).unwrap_or_default();
        // Not what was looked at with an earlier one.
        let line = same_line(rest);
        if left.is_none_or(|left| rest.len() - line.len() < left) {
            if has_separate_number(line) {
                return Err(LineError::new("a number before a redirection, behind a here-document"));
            }
            left = Some(rest.len() - line.len());
        }
        let plain_line = |line: &str| !line.contains(['\'', '"', '\\', '`', '#', '(', '{', '[', '<']);
        if certain
            && quoted
            && let Some((line, body)) = rest.split_once('\n')
            && plain_line(line)
        {
            rest = after_here_document(body, &word);
        }
    }
    Ok(())
}

/// Whether a parenthesis follows on a word, other than that of a function: no shell reads on, and the parser loses its
/// place with the here-document.
fn opens_behind_a_word(text: &str) -> bool {
    text.match_indices('(').any(|(at, open)| {
        let (before, behind) =
            (text.get(..at).unwrap_or_default(), text.get(at + open.len()..).unwrap_or_default());
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | '\'' | '`' | '}' | ')');
        before.ends_with(word) && !behind.trim_start().starts_with(')')
    })
}

/// Whether a number stands apart from a redirection in the rest of the line: the parser takes it for a descriptor, and a
/// shell for a word, since what is behind a here-document is told with wrong places.
fn has_separate_number(line: &str) -> bool {
    line.match_indices(['<', '>']).filter_map(|(at, _)| line.get(..at)).any(|before| {
        let word = before.trim_end_matches([' ', '\t']);
        word.len() < before.len() && word.ends_with(|c: char| c.is_ascii_digit()) && {
            let ahead = word.trim_end_matches(|c: char| c.is_ascii_digit());
            ahead.is_empty()
                || ahead.ends_with([' ', '\t', '\n', ';', '|', '&', '(', ')', '{', '}', '<', '>'])
        }
    })
}

/// The rest of the line; all of the text where the line may go on behind a quote.
fn same_line(rest: &str) -> &str {
    let line = rest.split('\n').next().unwrap_or_default();
    if line.contains(['\'', '"', '`', '(', '{']) { rest } else { line }
}

/// What follows a here-document that ends with `word`.
fn after_here_document<'a>(body: &'a str, word: &str) -> &'a str {
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        at += line.len();
        if line.strip_suffix('\n').unwrap_or(line) == word {
            return body.get(at..).unwrap_or_default();
        }
    }
    body
}

/// The word at the beginning of `text`, whether any of it is quoted, and where it ends.
fn parse_delimiter(text: &str) -> Option<(String, bool, usize)> {
    let mut word = String::new();
    let (mut quoted, mut quote) = (false, None);
    let mut end = text.len();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (_, '$' | '`' | '\n') if quote.is_some() => return None,
            (Some(open), c) if open == c => quote = None,
            (Some(_), '\\' | '\'' | '"') => return None,
            (Some(_), c) => word.push(c),
            (None, '\'' | '"') => (quoted, quote) = (true, Some(c)),
            (None, '\\') => {
                quoted = true;
                let (_, c) = chars.next()?;
                c.is_ascii_alphanumeric().then(|| word.push(c))?;
            }
            (None, ' ' | '\t' | '\n' | ';' | '|' | '&' | '<' | '>' | ')') => {
                end = at;
                break;
            }
            (None, c) if c.is_alphanumeric() || "_.:%+@/,-!=*".contains(c) => word.push(c),
            _ => return None,
        }
    }
    (!word.trim().is_empty() && quote.is_none()).then_some((word, quoted, end))
}
