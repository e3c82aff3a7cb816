//! What a line may be, before a parser sees it: its length, its characters, and how much in it opens.
//!
//! The parser descends into what opens, and tries some of it several ways: a line of 2 KB can overflow
//! its stack, and one word of 40 characters can keep it busy for a minute. So what opens is counted
//! first, without regard to quotes where that is on the safe side.

use brush_parser::Token;

use super::line_error::{LineError, Result};

/// The longest line that is looked into, in bytes.
pub(super) const LONGEST: usize = 10_000;
/// As many simple commands in one line, those of inner lines too.
pub(super) const MOST_COMMANDS: usize = 200;
/// As deep as lists, subshells, substitutions and inner lines may nest.
pub(super) const DEEPEST: usize = 48;
/// As many words as braces may give.
pub(super) const MOST_BRACES: usize = 64;

/// Operators between commands that are parsed at all.
const MOST_OPERATORS: usize = 4 * MOST_COMMANDS;
/// Keywords and signs that open something, in one parse.
const MOST_OPENERS: usize = 48;
/// Parentheses that open: the parser tries each adjacent pair twice.
const MOST_PARENTHESES: usize = 12;
/// `case`: the parser tries its last item twice.
const MOST_CASES: usize = 6;
/// What opens in one word.
const MOST_IN_WORD: usize = 8;
/// What opens in all words of a line together.
pub(super) const MOST_IN_WORDS: usize = 96;
/// As many signs that could open something are parsed on the thread at hand.
const FEW: usize = 16;

/// Refuses what no parser should see.
pub(super) fn check_line(line: &str) -> Result<()> {
    if line.len() > LONGEST {
        return Err(LineError::new(format!("the line is longer than {LONGEST} bytes")));
    }
    let mut before = ' ';
    for c in line.chars() {
        if let Some(what) = odd_character_reason(c, before) {
            return Err(LineError::new(what));
        }
        before = c;
    }
    if long_number(line) {
        return Err(LineError::new("the line holds a number too large for a descriptor"));
    }
    // Between `((` and `))`, `<<` is no here-document, and for some shells it is one.
    if let Some((before, _)) = line.split_once("<<")
        && before.replace("$((", "").contains("((")
    {
        return Err(LineError::new("a here-document after `((`"));
    }
    Ok(())
}

/// Characters that some shells take for an end of line or a blank, or that nobody sees.
fn odd_character_reason(c: char, before: char) -> Option<&'static str> {
    if matches!(c, '\t' | '\n' | ' '..='~') {
        return None;
    }
    if c == '\r' {
        return Some("the line holds carriage returns");
    }
    if c.is_control() {
        return Some("the line holds control characters");
    }
    if c.is_whitespace() || matches!(c, '\u{2800}' | '\u{3164}' | '\u{115f}' | '\u{1160}' | '\u{ffa0}') {
        return Some("the line holds blanks that are not plain spaces");
    }
    let emoji = |c: char| matches!(u32::from(c), 0x203c..=0x3299 | 0xfe0f | 0x1f000..=0x1faff);
    let hidden = matches!(u32::from(c),
        0x00ad | 0x034f | 0x061c | 0x17b4 | 0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f | 0x202a..=0x202e
        | 0x2060..=0x206f | 0xfe00..=0xfe0f | 0xfeff | 0xfff0..=0xfffb | 0x1bca0..=0x1bca3
        | 0x1d173..=0x1d17a | 0xe000..=0xf8ff | 0xe0000..=0x0010_ffff);
    // The style and the joiner of an emoji belong to it.
    let joins = matches!(c, '\u{fe0f}' | '\u{200d}') && emoji(before);
    (hidden && !joins).then_some("the line holds invisible characters")
}

/// Digits beside a redirection or a tilde that are more than a machine number has.
fn long_number(line: &str) -> bool {
    let bytes = line.as_bytes();
    let mut run = 0;
    let mut tilde = false;
    for (at, &b) in bytes.iter().enumerate() {
        if b.is_ascii_digit() {
            run += 1;
            continue;
        }
        if run > 9 && (tilde || matches!(b, b'<' | b'>')) {
            return true;
        }
        let after_tilde = at.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b'~');
        tilde = b == b'~' || (matches!(b, b'+' | b'-') && after_tilde);
        run = 0;
    }
    run > 9 && tilde
}

/// Whether a stack of its own is needed to parse and walk `line`.
pub(super) fn needs_deep_stack(line: &str) -> bool {
    let line = line.as_bytes();
    let opens = |at: &usize| {
        let rest = line.get(*at..).unwrap_or_default();
        let any = |words: &[&str]| words.iter().any(|word| rest.starts_with(word.as_bytes()));
        match rest.first() {
            Some(b'(' | b'{' | b'[' | b'`' | b'!') => true,
            Some(b'c') => any(&["case", "coproc"]),
            Some(b'e') => any(&["eval"]),
            Some(b'f') => any(&["for", "function"]),
            Some(b'i') => any(&["if"]),
            Some(b'u') => any(&["until"]),
            Some(b'w') => any(&["while"]),
            Some(b' ') => any(&[" -c"]),
            _ => false,
        }
    };
    (0..line.len()).filter(opens).count() > FEW
}

/// Refuses tokens that would keep the parser of commands busy.
pub(super) fn check_tokens(tokens: &[Token]) -> Result<()> {
    let (mut operators, mut openers, mut parentheses, mut cases) = (0, 0, 0, 0);
    for token in tokens {
        match token {
            Token::Operator(sign, _) if sign == "(" => parentheses += 1,
            Token::Operator(..) => operators += 1,
            Token::Word(word, _) => match word.as_str() {
                "case" => cases += 1,
                "{" | "if" | "while" | "until" | "for" | "[[" | "!" | "coproc" | "function" | "select" => {
                    openers += 1;
                }
                _ => {}
            },
        }
    }
    let much = operators > MOST_OPERATORS
        || openers > MOST_OPENERS
        || parentheses > MOST_PARENTHESES
        || cases > MOST_CASES;
    if much {
        Err(LineError::new("the line holds too many commands, or too many inside of each other"))
    } else {
        Ok(())
    }
}

/// How much opens in a word; refused if it is too much for the parser of words.
pub(super) fn word_weight(word: &str) -> Result<usize> {
    let mut weight = 0;
    let substitutes = word.contains("$(") || word.contains('`');
    let mut rest = word;
    while let Some(at) = rest.find(['$', '`', '(']) {
        let tail = rest.get(at..).unwrap_or_default();
        let after = tail.get(1..).unwrap_or_default();
        weight += match (tail.as_bytes().first(), after.as_bytes().first()) {
            (Some(b'$'), Some(b'{')) => parameter_weight(after),
            (Some(b'$'), Some(b'(' | b'[')) => 1,
            (Some(b'`'), _) => 1,
            (Some(b'('), _) if substitutes => 1,
            _ => 0,
        };
        rest = after;
    }
    if weight > MOST_IN_WORD {
        return Err(LineError::new("a word holds too many expansions inside of each other"));
    }
    Ok(weight)
}

/// The weight of `${...`: nothing for `${NAME}`, much where a subscript follows.
fn parameter_weight(after: &str) -> usize {
    let inner = after.get(1..).unwrap_or_default();
    let name = inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '#' | '!'));
    match name.as_bytes().first() {
        Some(b'}') => 0,
        Some(b'[') if name.starts_with("[@]}") || name.starts_with("[*]}") => 0,
        Some(b'[') => 4,
        _ => 1,
    }
}
