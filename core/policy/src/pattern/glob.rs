//! Globs of one name: `*`, `?`, `[a-z]`, `\` before a character that means itself.
//!
//! Of our own, since they are also asked whether they *could* match a text of which only parts are
//! known, are compared folded, and are compiled by the hundred thousand.

use super::PatternError;
use crate::fold::{fold_compatible, fold_text};
use mayi_call::effort;

/// As many alternatives may come out of the braces of one pattern.
pub(super) const MOST_ALTERNATIVES: usize = 256;

/// As many steps are taken to find out whether a text could match: then it could.
const MOST_STEPS: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
enum GlobToken {
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

impl GlobToken {
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

/// Number of characters that are compared in one step of a decision.
const CHARACTERS: usize = 8;

/// What a comparison took: spent where it ends.
#[derive(Default)]
struct Steps(usize);

impl Drop for Steps {
    fn drop(&mut self) {
        effort::spend(self.0 / CHARACTERS);
    }
}

/// One part of a text that is known only in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextPart {
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
    tokens: Vec<GlobToken>,
}

impl Glob {
    /// Reads a glob without alternatives.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut tokens = Vec::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            tokens.push(match c {
                '\\' => GlobToken::Char(chars.next().ok_or("a `\\` at the end")?),
                '?' => GlobToken::One,
                '*' => {
                    while chars.next_if_eq(&'*').is_some() {}
                    GlobToken::Star
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
                    GlobToken::Class { negated, caseless: false, ranges }
                }
                c => GlobToken::Char(c),
            });
        }
        Ok(Self { tokens })
    }

    /// A text in which only `*` is special.
    pub(super) fn parse_stars(text: &str) -> Self {
        let mut tokens: Vec<GlobToken> =
            text.chars().map(|c| if c == '*' { GlobToken::Star } else { GlobToken::Char(c) }).collect();
        tokens.dedup_by(|a, b| *a == GlobToken::Star && *b == GlobToken::Star);
        Self { tokens }
    }

    /// Just this text.
    pub(super) fn from_literal(text: &str) -> Self {
        Self { tokens: text.chars().map(GlobToken::Char).collect() }
    }

    /// The text, if nothing in it is special.
    pub(crate) fn literal_text(&self) -> Option<String> {
        self.tokens.iter().map(|token| if let GlobToken::Char(c) = token { Some(*c) } else { None }).collect()
    }

    /// Its texts, and `None` for what is none.
    pub(super) fn pieces(&self) -> Vec<Option<String>> {
        let mut pieces: Vec<Option<String>> = Vec::new();
        for token in &self.tokens {
            match (token, pieces.last_mut()) {
                (GlobToken::Char(c), Some(Some(text))) => text.push(*c),
                (GlobToken::Char(c), _) => pieces.push(Some(c.to_string())),
                (_, Some(None)) => {}
                _ => pieces.push(None),
            }
        }
        pieces
    }

    /// What stands after its last star, and holds nothing special: `.pem` of `*.pem`.
    pub(crate) fn literal_suffix(&self) -> Option<String> {
        let last = self.tokens.iter().rposition(|token| !matches!(token, GlobToken::Char(_)))?;
        let rest = self.tokens.get(last + 1..)?;
        rest.iter().map(|token| if let GlobToken::Char(c) = token { Some(*c) } else { None }).collect()
    }

    /// Whether every name that it matches begins with a dot.
    pub(crate) fn is_hidden(&self) -> bool {
        self.tokens.first() == Some(&GlobToken::Char('.'))
    }

    /// Whether it is just `*`.
    pub(crate) fn is_any(&self) -> bool {
        self.tokens == [GlobToken::Star]
    }

    /// The same for names that were folded.
    pub(super) fn to_folded(&self) -> Self {
        self.map_text(true, |text| fold_text(text).into_owned())
    }

    /// The same for words whose compatible characters were made one.
    pub(super) fn to_compatible(&self) -> Self {
        self.map_text(false, |text| fold_compatible(text).into_owned())
    }

    fn map_text(&self, caseless: bool, map: impl Fn(&str) -> String) -> Self {
        let mut tokens = Vec::new();
        let mut run = String::new();
        for token in &self.tokens {
            if let GlobToken::Char(c) = token {
                run.push(*c);
                continue;
            }
            tokens.extend(map(&std::mem::take(&mut run)).chars().map(GlobToken::Char));
            tokens.push(match token {
                GlobToken::Class { negated, ranges, .. } => {
                    GlobToken::Class { negated: *negated, caseless, ranges: ranges.clone() }
                }
                other => other.clone(),
            });
        }
        tokens.extend(map(&run).chars().map(GlobToken::Char));
        Self { tokens }
    }

    /// Whether it matches all of `text`.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let mut at = 0;
        let mut rest = text.chars();
        // After the last star: where to go on, with one more character taken by the star.
        let mut again: Option<(usize, std::str::Chars<'_>)> = None;
        let mut steps = Steps::default();
        loop {
            steps.0 += 1;
            match self.tokens.get(at) {
                Some(GlobToken::Star) => {
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
    pub(crate) fn could_match(&self, text: &[TextPart]) -> bool {
        let width = text.len() + 1;
        let steps = self.tokens.len().saturating_mul(width);
        if steps > MOST_STEPS || !effort::spend(steps / CHARACTERS) {
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
                if let Some(TextPart::Gap { .. }) = part {
                    set(&mut now, at + 1);
                }
                match (token, part) {
                    (Some(GlobToken::Star), part) => {
                        set(&mut next, at);
                        if part.is_some() {
                            set(&mut now, at + 1);
                        }
                    }
                    (Some(token), Some(TextPart::Char(c))) if token.matches(*c) => set(&mut next, at + 1),
                    (Some(token), Some(TextPart::Gap { slashes }))
                        if *slashes || *token != GlobToken::Char('/') =>
                    {
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
        let wrong = |why: String| PatternError::bad_argument(format!("`{text}` is not a glob"), why);
        let exact: Vec<Glob> = expand_braces(text)
            .and_then(|all| all.iter().map(|one| Glob::parse(one)).collect())
            .map_err(wrong)?;
        let folded = exact.iter().map(Glob::to_folded).collect();
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
    pub(crate) fn only_literal(&self, folded: bool) -> Option<String> {
        match if folded { self.folded.as_slice() } else { self.exact.as_slice() } {
            [only] => only.literal_text(),
            _ => None,
        }
    }
}

/// Every text that the braces of `text` stand for.
pub(super) fn expand_braces(text: &str) -> Result<Vec<String>, String> {
    // Most have none.
    if !text.contains(['{', '}']) {
        return Ok(vec![text.to_owned()]);
    }
    let mut done = Vec::new();
    let mut todo = vec![text.to_owned()];
    while let Some(text) = todo.pop() {
        match split_first_braces(&text)? {
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
fn split_first_braces(text: &str) -> Result<Option<(&str, Vec<&str>, &str)>, String> {
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

    use super::{Glob, TextPart, expand_braces};

    fn glob_matches(glob: &str, text: &str) -> bool {
        Glob::parse(glob).unwrap().matches(text)
    }

    #[test]
    fn given_globs_then_they_match_as_shells_have_it() {
        assert!(
            glob_matches("*.rs", "a.rs") && glob_matches("*.rs", ".rs") && !glob_matches("*.rs", "a.rsx")
        );
        assert!(glob_matches("a?c", "abc") && !glob_matches("a?c", "ac"));
        assert!(glob_matches("[a-c]x", "bx") && !glob_matches("[!a-c]x", "bx") && glob_matches("[]]", "]"));
        assert!(glob_matches("\\*", "*") && !glob_matches("\\*", "a"));
        assert!(glob_matches("*a*b", "xaybzb") && !glob_matches("*a*b", "xaybz"));
        assert!(Glob::parse("[").is_err() && Glob::parse("[a").is_err() && Glob::parse("a\\").is_err());
    }

    #[test]
    fn given_braces_then_each_alternative_counts() {
        assert_eq!(expand_braces("a{b,c{d,e}}f").unwrap(), ["abf", "acdf", "acef"]);
        assert_eq!(expand_braces("\\{a,b\\}").unwrap(), ["\\{a,b\\}"]);
        assert!(expand_braces("{a").is_err() && expand_braces("a}").is_err());
        assert!(expand_braces(&"{a,b}".repeat(20)).is_err());
    }

    proptest! {
        /// What is known to the last character could be a match just if it is one.
        #[test]
        fn could_is_matches_where_all_is_known(glob in "[ab*?]{0,6}", text in "[ab]{0,6}") {
            let glob = Glob::parse(&glob).unwrap();
            let parts: Vec<TextPart> = text.chars().map(TextPart::Char).collect();
            prop_assert_eq!(glob.could_match(&parts), glob.matches(&text));
        }

        /// Whatever a gap stands for: if the whole text matches, it could.
        #[test]
        fn could_covers_everything_that_a_gap_stands_for(
            glob in "[ab*?]{0,6}", before in "[ab]{0,3}", gap in "[ab]{0,3}", after in "[ab]{0,3}",
        ) {
            let glob = Glob::parse(&glob).unwrap();
            let parts: Vec<TextPart> = before.chars().map(TextPart::Char)
                .chain([TextPart::Gap { slashes: true }]).chain(after.chars().map(TextPart::Char)).collect();
            let whole = format!("{before}{gap}{after}");
            prop_assert!(glob.could_match(&parts) || !glob.matches(&whole));
        }
    }
}
