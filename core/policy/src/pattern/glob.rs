//! Globs of one name: `*`, `?`, `[a-z]`, `\` before a character that means itself.
//!
//! Of our own, since they are also asked whether they *could* match a text of which only parts are
//! known, are compared folded, and are compiled by the hundred thousand.

use super::PatternError;
use crate::fold::{fold, plain};

/// As many alternatives may come out of the braces of one pattern.
pub(super) const MOST_ALTERNATIVES: usize = 256;

/// As many steps are taken to find out whether a text could match: then it could.
const MOST_STEPS: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Char(char),
    /// `?`
    One,
    /// `*`
    Star,
    Class {
        negated: bool,
        caseless: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Token {
    fn matches(&self, c: char) -> bool {
        match self {
            Self::Char(own) => *own == c,
            Self::One | Self::Star => true,
            Self::Class { negated, caseless, ranges } => {
                let has = |c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *negated;
                has(c) || (*caseless && c.to_uppercase().any(has))
            }
        }
    }
}

/// One part of a text that is known only in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// This character.
    Char(char),
    /// Anything, also nothing; whether it may hold `/`.
    Gap {
        /// It comes from an expansion, not from a glob.
        slashes: bool,
    },
}

/// A glob of one name, compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    tokens: Vec<Token>,
}

impl Glob {
    /// Reads a glob without alternatives.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut tokens = Vec::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            tokens.push(match c {
                '\\' => Token::Char(chars.next().ok_or("a `\\` at the end")?),
                '?' => Token::One,
                '*' => {
                    while chars.next_if_eq(&'*').is_some() {}
                    Token::Star
                }
                '[' => {
                    let negated = chars.next_if(|c| matches!(c, '!' | '^')).is_some();
                    let mut ranges = Vec::new();
                    loop {
                        let mut next =
                            || chars.next().ok_or("a `[` without its `]`; write `\\[` for the character");
                        let from = match next()? {
                            ']' if !ranges.is_empty() => break,
                            '\\' => next()?,
                            c => c,
                        };
                        let mut ahead = chars.clone();
                        let to = if ahead.next() == Some('-') && ahead.peek().is_some_and(|c| *c != ']') {
                            chars.next();
                            let to = chars.next().ok_or("a `[` without its `]`")?;
                            if to == '\\' { chars.next().ok_or("a `[` without its `]`")? } else { to }
                        } else {
                            from
                        };
                        if to < from {
                            return Err(format!("`{from}-{to}` is no range"));
                        }
                        ranges.push((from, to));
                    }
                    Token::Class { negated, caseless: false, ranges }
                }
                c => Token::Char(c),
            });
        }
        Ok(Self { tokens })
    }

    /// A text in which only `*` is special.
    pub(super) fn stars(text: &str) -> Self {
        let mut tokens: Vec<Token> =
            text.chars().map(|c| if c == '*' { Token::Star } else { Token::Char(c) }).collect();
        tokens.dedup_by(|a, b| *a == Token::Star && *b == Token::Star);
        Self { tokens }
    }

    /// Just this text.
    pub(super) fn exactly(text: &str) -> Self {
        Self { tokens: text.chars().map(Token::Char).collect() }
    }

    /// The text, if nothing in it is special.
    pub(crate) fn literal(&self) -> Option<String> {
        self.tokens.iter().map(|token| if let Token::Char(c) = token { Some(*c) } else { None }).collect()
    }

    /// What stands after its last star, and holds nothing special: `.pem` of `*.pem`.
    pub(crate) fn ending(&self) -> Option<String> {
        let last = self.tokens.iter().rposition(|token| !matches!(token, Token::Char(_)))?;
        let rest = self.tokens.get(last + 1..)?;
        rest.iter().map(|token| if let Token::Char(c) = token { Some(*c) } else { None }).collect()
    }

    /// Whether every name that it matches begins with a dot.
    pub(crate) fn is_hidden(&self) -> bool {
        self.tokens.first() == Some(&Token::Char('.'))
    }

    /// Whether it is just `*`.
    pub(crate) fn is_any(&self) -> bool {
        self.tokens == [Token::Star]
    }

    /// The same for names that were folded.
    pub(super) fn folded(&self) -> Self {
        self.mapped(true, |text| fold(text).into_owned())
    }

    /// The same for words whose compatible characters were made one.
    pub(super) fn plain(&self) -> Self {
        self.mapped(false, |text| plain(text).into_owned())
    }

    fn mapped(&self, caseless: bool, map: impl Fn(&str) -> String) -> Self {
        let mut tokens = Vec::new();
        let mut run = String::new();
        for token in &self.tokens {
            if let Token::Char(c) = token {
                run.push(*c);
                continue;
            }
            tokens.extend(map(&std::mem::take(&mut run)).chars().map(Token::Char));
            tokens.push(match token {
                Token::Class { negated, ranges, .. } => {
                    Token::Class { negated: *negated, caseless, ranges: ranges.clone() }
                }
                other => other.clone(),
            });
        }
        tokens.extend(map(&run).chars().map(Token::Char));
        Self { tokens }
    }

    /// Whether it matches all of `text`.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let mut at = 0;
        let mut rest = text.chars();
        // After the last star: where to go on, with one more character taken by the star.
        let mut again: Option<(usize, std::str::Chars<'_>)> = None;
        loop {
            match self.tokens.get(at) {
                Some(Token::Star) => {
                    at += 1;
                    again = Some((at, rest.clone()));
                    continue;
                }
                Some(token) => {
                    let mut ahead = rest.clone();
                    if ahead.next().is_some_and(|c| token.matches(c)) {
                        at += 1;
                        rest = ahead;
                        continue;
                    }
                }
                None if rest.as_str().is_empty() => return true,
                None => {}
            }
            let Some((from, taken)) = again.as_mut() else { return false };
            if taken.next().is_none() {
                return false;
            }
            at = *from;
            rest = taken.clone();
        }
    }

    /// Whether it could match a text of which only these parts are known.
    pub(crate) fn could(&self, text: &[Part]) -> bool {
        let width = text.len() + 1;
        if self.tokens.len().saturating_mul(width) > MOST_STEPS {
            return true;
        }
        // Which parts of the text may be used up before the token at hand; all ways lead forward.
        let mut now = vec![false; width];
        let mut next = vec![false; width];
        let set = |row: &mut [bool], at: usize| {
            if let Some(place) = row.get_mut(at) {
                *place = true;
            }
        };
        set(&mut now, 0);
        for token in self.tokens.iter().map(Some).chain([None]) {
            next.fill(false);
            for at in 0..width {
                if now.get(at) != Some(&true) {
                    continue;
                }
                let part = text.get(at);
                if let Some(Part::Gap { .. }) = part {
                    set(&mut now, at + 1);
                }
                match (token, part) {
                    (Some(Token::Star), part) => {
                        set(&mut next, at);
                        if part.is_some() {
                            set(&mut now, at + 1);
                        }
                    }
                    (Some(token), Some(Part::Char(c))) if token.matches(*c) => set(&mut next, at + 1),
                    (Some(token), Some(Part::Gap { slashes })) if *slashes || *token != Token::Char('/') => {
                        set(&mut next, at);
                    }
                    _ => {}
                }
            }
            if token.is_none() {
                break;
            }
            std::mem::swap(&mut now, &mut next);
        }
        now.last() == Some(&true)
    }
}

/// Globs of which one has to match: a name with `{a,b}` in it.
#[derive(Clone, Debug)]
pub(crate) struct Globs {
    exact: Vec<Glob>,
    folded: Vec<Glob>,
}

impl Globs {
    /// Reads a glob of names, with alternatives.
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        let wrong = |why: String| PatternError::argument(format!("`{text}` is not a glob"), why);
        let exact: Vec<Glob> = alternatives(text)
            .and_then(|all| all.iter().map(|one| Glob::parse(one)).collect())
            .map_err(wrong)?;
        let folded = exact.iter().map(Glob::folded).collect();
        Ok(Self { exact, folded })
    }

    /// Whether it matches these very bytes.
    pub(super) fn matches(&self, text: &str) -> bool {
        self.exact.iter().any(|glob| glob.matches(text))
    }

    /// Whether it matches, however the name is spelt. `text` is folded.
    pub(super) fn matches_folded(&self, text: &str) -> bool {
        self.folded.iter().any(|glob| glob.matches(text))
    }

    /// The one name that it matches, folded or as it is.
    pub(crate) fn literal(&self, folded: bool) -> Option<String> {
        match if folded { self.folded.as_slice() } else { self.exact.as_slice() } {
            [only] => only.literal(),
            _ => None,
        }
    }
}

/// Every text that the braces of `text` stand for.
pub(super) fn alternatives(text: &str) -> Result<Vec<String>, String> {
    let mut done = Vec::new();
    let mut todo = vec![text.to_owned()];
    while let Some(text) = todo.pop() {
        match braces(&text)? {
            None => done.push(text),
            Some((before, choices, after)) => {
                todo.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
            }
        }
        if done.len() + todo.len() > MOST_ALTERNATIVES {
            return Err(format!("more than {MOST_ALTERNATIVES} alternatives; write several patterns"));
        }
    }
    Ok(done)
}

/// The first braces of `text`: what stands before, what they choose from, what stands after.
#[allow(clippy::type_complexity, reason = "three parts of one text")]
fn braces(text: &str) -> Result<Option<(&str, Vec<&str>, &str)>, String> {
    let (mut depth, mut open, mut commas) = (0_usize, 0, Vec::new());
    let (mut escaped, mut class) = (false, None::<usize>);
    for (at, c) in text.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match (c, class) {
            ('\\', _) => escaped = true,
            (']', Some(from)) if at > from + 1 => class = None,
            ('!' | '^', Some(from)) if at == from + 1 => class = Some(at),
            (_, Some(_)) => {}
            ('[', None) => class = Some(at),
            ('{', None) => {
                if depth == 0 {
                    open = at;
                }
                depth += 1;
            }
            (',', None) if depth == 1 => commas.push(at),
            ('}', None) => match depth {
                0 => return Err("a `}` without its `{`; write `\\}` for the character".to_owned()),
                1 => {
                    let ends = commas.iter().copied().chain([at]);
                    let mut from = open + 1;
                    let mut choices = Vec::new();
                    for end in ends {
                        choices.push(text.get(from..end).unwrap_or_default());
                        from = end + 1;
                    }
                    let before = text.get(..open).unwrap_or_default();
                    return Ok(Some((before, choices, text.get(at + 1..).unwrap_or_default())));
                }
                _ => depth -= 1,
            },
            _ => {}
        }
    }
    if depth > 0 { Err("a `{` without its `}`; write `\\{` for the character".to_owned()) } else { Ok(None) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Glob, Part, alternatives};

    fn matches(glob: &str, text: &str) -> bool {
        Glob::parse(glob).unwrap().matches(text)
    }

    #[test]
    fn given_globs_then_they_match_as_shells_have_it() {
        assert!(matches("*.rs", "a.rs") && matches("*.rs", ".rs") && !matches("*.rs", "a.rsx"));
        assert!(matches("a?c", "abc") && !matches("a?c", "ac"));
        assert!(matches("[a-c]x", "bx") && !matches("[!a-c]x", "bx") && matches("[]]", "]"));
        assert!(matches("\\*", "*") && !matches("\\*", "a"));
        assert!(matches("*a*b", "xaybzb") && !matches("*a*b", "xaybz"));
        assert!(Glob::parse("[").is_err() && Glob::parse("[a").is_err() && Glob::parse("a\\").is_err());
    }

    #[test]
    fn given_braces_then_each_alternative_counts() {
        assert_eq!(alternatives("a{b,c{d,e}}f").unwrap(), ["abf", "acdf", "acef"]);
        assert_eq!(alternatives("\\{a,b\\}").unwrap(), ["\\{a,b\\}"]);
        assert!(alternatives("{a").is_err() && alternatives("a}").is_err());
        assert!(alternatives(&"{a,b}".repeat(20)).is_err());
    }

    proptest! {
        /// What is known to the last character could be a match just if it is one.
        #[test]
        fn could_is_matches_where_all_is_known(glob in "[ab*?]{0,6}", text in "[ab]{0,6}") {
            let glob = Glob::parse(&glob).unwrap();
            let parts: Vec<Part> = text.chars().map(Part::Char).collect();
            prop_assert_eq!(glob.could(&parts), glob.matches(&text));
        }

        /// Whatever a gap stands for: if the whole text matches, it could.
        #[test]
        fn could_covers_everything_that_a_gap_stands_for(
            glob in "[ab*?]{0,6}", before in "[ab]{0,3}", gap in "[ab]{0,3}", after in "[ab]{0,3}",
        ) {
            let glob = Glob::parse(&glob).unwrap();
            let parts: Vec<Part> = before.chars().map(Part::Char)
                .chain([Part::Gap { slashes: true }]).chain(after.chars().map(Part::Char)).collect();
            let whole = format!("{before}{gap}{after}");
            prop_assert!(glob.could(&parts) || !glob.matches(&whole));
        }
    }
}
