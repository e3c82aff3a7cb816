//! Takes secrets out of text before it is kept or shown: values that are known, and well-known forms
//! (decisions, section 7: "every stored string redacted: patterns and known secret values").

mod forms;
mod json;
mod known;
mod names;
mod pem;
mod quotes;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::{Captures, Match, Regex, RegexSet};
use thiserror::Error;

use forms::{FORMS, Form, Only};
use known::Known;
use quotes::Quotes;

/// Takes secrets out of text. Made once; cheap on text without any.
#[derive(Debug, Default)]
pub struct Redactor {
    known: Known,
    own: Own,
    mark: Mark,
}

/// The user's own patterns.
#[derive(Debug, Default)]
struct Own {
    any: RegexSet,
    each: Vec<Regex>,
}

/// Why a redactor could not be made.
#[derive(Debug, Error)]
pub enum RedactorError {
    /// A pattern is no regular expression.
    #[error("`{pattern}` is not a regular expression: {reason}")]
    Pattern {
        /// As it was written.
        pattern: String,
        /// What is wrong.
        reason: String,
    },
    /// There are more secrets than can be looked for.
    #[error("too many secrets to look for: {0}")]
    Known(#[from] aho_corasick::BuildError),
}

/// How a replaced secret is marked: so that no mark holds a known secret or makes one with what is
/// beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mark {
    /// `«redacted: github token»`
    #[default]
    Named,
    /// `▒▒▒`
    Bare,
    /// `■`
    Other,
}

impl Mark {
    fn fitting(values: &[String]) -> Self {
        let holds = |c: &[char]| values.iter().any(|value| value.contains(c));
        let inside = |value: &String| {
            let value = value.trim();
            let names =
                FORMS.iter().map(|form| form.name).chain(["known secret", "own pattern", "by its name"]);
            names.map(|name| format!("redacted: {name}")).any(|mark| mark.contains(value))
        };
        if !holds(&['«', '»']) && !values.iter().any(inside) {
            Self::Named
        } else if holds(&['▒']) {
            Self::Other
        } else {
            Self::Bare
        }
    }

    fn write(self, name: &str, out: &mut String) {
        match self {
            Self::Named => out.extend(["«redacted: ", name, "»"]),
            Self::Bare => out.push_str("▒▒▒"),
            Self::Other => out.push('■'),
        }
    }
}

/// A shorter text holds no secret: a known one has 8 characters, and `token=x` has 7.
const SHORTEST: usize = 7;

/// A secret and where it stands.
struct Found {
    at: Range<usize>,
    name: &'static str,
}

impl Redactor {
    /// Looks for well-known forms, for `patterns` of the user's own (where one has a group, the group is
    /// the secret), and for the values `secrets`, of which those shorter than 8 characters are left out.
    ///
    /// # Errors
    /// If a pattern is no regular expression, or if there are too many secrets.
    pub fn new(
        patterns: impl IntoIterator<Item = impl AsRef<str>>,
        secrets: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, RedactorError> {
        let each = patterns.into_iter().map(|text| own(text.as_ref())).collect::<Result<Vec<_>, _>>()?;
        let any = RegexSet::new(each.iter().map(Regex::as_str)).map_err(|error| RedactorError::Pattern {
            pattern: "all patterns together".to_owned(),
            reason: error.to_string(),
        })?;
        let secrets: Vec<String> =
            secrets.into_iter().map(Into::into).filter(|of| known::long_enough(of)).collect();
        Ok(Self { known: Known::new(&secrets)?, own: Own { any, each }, mark: Mark::fitting(&secrets) })
    }

    /// Looks for well-known forms, and for the values that [`secrets_of`] finds among `variables`.
    ///
    /// # Errors
    /// If there are too many of them.
    pub fn of_environment(
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, RedactorError> {
        Self::new([""; 0], secrets_of(variables))
    }

    /// `text` with every secret replaced by a mark that says what it was.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let found = self.find(text);
        if found.is_empty() {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(self.written(text, text.len(), &found))
        }
    }

    /// The first `limit` bytes or a little more of it, redacted; and how many bytes were left out. What is
    /// cut is cut after it was redacted, so that no half of a secret is left.
    #[must_use]
    pub fn redact_start<'t>(&self, text: &'t str, limit: usize) -> (Cow<'t, str>, usize) {
        /// The longest secret that is found whole though it begins at the very end.
        const BEYOND: usize = 4096;
        if text.len() <= limit {
            return (self.redact(text), 0);
        }
        let window = floor(text, limit.saturating_add(self.known.longest().max(BEYOND)));
        let end = floor(text, limit);
        let found = self.find(text.get(..window).unwrap_or(text));
        let end = found.iter().find(|of| of.at.contains(&end)).map_or(end, |of| of.at.end);
        let found: Vec<Found> = found.into_iter().take_while(|of| of.at.start < end).collect();
        let left = text.len() - end;
        if found.is_empty() {
            (Cow::Borrowed(text.get(..end).unwrap_or(text)), left)
        } else {
            (Cow::Owned(self.written(text, end, &found)), left)
        }
    }

    /// Whether there is a secret in `text`.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        !self.find(text).is_empty()
    }

    fn written(&self, text: &str, end: usize, found: &[Found]) -> String {
        let mut out = String::with_capacity(end);
        let mut done = 0;
        for secret in found {
            out.push_str(text.get(done..secret.at.start).unwrap_or_default());
            self.mark.write(secret.name, &mut out);
            done = secret.at.end;
        }
        out.push_str(text.get(done..end).unwrap_or_default());
        out
    }

    /// All secrets, in order and apart from each other.
    fn find(&self, text: &str) -> Vec<Found> {
        let mut found = Vec::new();
        if text.len() < SHORTEST && self.own.each.is_empty() {
            return found;
        }
        let mut known = Vec::new();
        self.known.find(text, &mut known);
        found.extend(known.into_iter().map(|at| Found { at, name: "known secret" }));
        well_known(text, &mut found);
        for at in self.own.any.matches(text) {
            if let Some(pattern) = self.own.each.get(at) {
                let secrets = pattern.captures_iter(text).filter_map(|captures| secret(&captures, 0));
                found.extend(secrets.map(|of| Found { at: of.range(), name: "own pattern" }));
            }
        }
        apart(text, found)
    }
}

/// The values among `variables` that are secrets by the names of those, and passwords in addresses.
pub fn secrets_of(variables: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let mut found = Vec::new();
    for (name, value) in variables {
        if let Some((_, rest)) = value.split_once("://")
            && let Some((user, _)) = rest.split('/').next().unwrap_or_default().rsplit_once('@')
            && let Some((_, password)) = user.split_once(':')
        {
            found.push(password.to_owned());
        }
        if known::long_enough(&value) && names::is_secret(&name, &value) {
            found.push(value);
        }
    }
    found
}

/// The longest beginning of `text` of at most `limit` bytes.
pub(super) fn floor(text: &str, limit: usize) -> usize {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// Joins what overlaps, so that nothing of either is left.
fn apart(text: &str, mut found: Vec<Found>) -> Vec<Found> {
    found.retain(|of| !of.at.is_empty());
    for of in &mut found {
        // Encoded text may be cut within a character.
        of.at.start = floor(text, of.at.start);
        while !text.is_char_boundary(of.at.end) {
            of.at.end += 1;
        }
    }
    if found.len() < 2 {
        return found;
    }
    // Of those that begin at the same place, the longest names it.
    found.sort_by_key(|of| (of.at.start, std::cmp::Reverse(of.at.end)));
    let mut out: Vec<Found> = Vec::with_capacity(found.len());
    for next in found {
        match out.last_mut() {
            Some(last) if next.at.start < last.at.end => last.at.end = last.at.end.max(next.at.end),
            _ => out.push(next),
        }
    }
    out
}

fn well_known(text: &str, found: &mut Vec<Found>) {
    // Without the marks, each form is looked for.
    let mut forms = if MARKS.is_some() { 0u64 } else { u64::MAX };
    if let Some(marks) = &*MARKS {
        // Most texts have none, which is told far more quickly than which.
        if !marks.all.is_match(text) {
            return;
        }
        for mark in marks.all.find_overlapping_iter(text) {
            forms |= marks.forms.get(mark.pattern().as_usize()).copied().unwrap_or_default();
        }
    }
    let quotes = LazyCell::new(|| Quotes::of(text));
    while forms != 0 {
        let at = forms.trailing_zeros() as usize;
        forms &= forms - 1;
        if let (Some(form), Some(pattern)) = (FORMS.get(at), pattern(at)) {
            collect(pattern, form, text, &quotes, found);
        }
    }
}

/// The secret of a match is its first group behind those of names that took part, or all of it.
fn secret<'t>(captures: &Captures<'t>, names: usize) -> Option<Match<'t>> {
    captures.iter().skip(1 + names).flatten().next().or_else(|| captures.get(0))
}

fn collect<F: FnOnce() -> Quotes>(
    pattern: &Regex,
    form: &Form,
    text: &str,
    quotes: &LazyCell<Quotes, F>,
    found: &mut Vec<Found>,
) {
    let name = form.name;
    for captures in pattern.captures_iter(text) {
        let by_name = usize::from(form.only == Only::Named);
        let (Some(all), Some(secret)) = (captures.get(0), secret(&captures, by_name)) else { continue };
        let at = match form.only {
            Only::Any | Only::Pairs => secret.range(),
            Only::Mixed | Only::Given | Only::Named => quotes.own(text, &all.range(), secret.range()),
            Only::Behind => {
                pem::key(text, all.end(), |at| found.push(Found { at, name }));
                continue;
            }
        };
        let value = text.get(at.clone()).unwrap_or_default();
        let is = match form.only {
            Only::Any | Only::Behind => true,
            Only::Mixed => {
                value.bytes().any(|b| b.is_ascii_digit())
                    && value.bytes().any(|b| b.is_ascii_alphabetic())
                    && !names::stands_for(value)
            }
            Only::Given | Only::Pairs => !names::stands_for(value),
            Only::Named => captures.get(1).is_some_and(|name| {
                let name = name.as_str();
                names::is_secret(name, value)
                    && !names::stands_for(value)
                    && !name.eq_ignore_ascii_case(value)
            }),
        };
        // The next option is no value.
        let option = value.starts_with('-')
            && text.get(..at.start).is_some_and(|before| before.ends_with([' ', '\t', '\n']));
        if is && (!option || form.only == Only::Any) {
            found.push(Found { at, name });
        }
    }
}

/// What is looked for first: a text without any of these holds no well-known form.
struct Marks {
    all: AhoCorasick,
    /// The forms of each mark, a bit for each.
    forms: Vec<u64>,
}

static MARKS: LazyLock<Option<Marks>> = LazyLock::new(|| {
    let mut words: Vec<&str> = Vec::new();
    let mut forms: Vec<u64> = Vec::new();
    for (at, form) in FORMS.iter().enumerate() {
        for mark in form.marks {
            let bit = 1u64.checked_shl(u32::try_from(at).unwrap_or(u32::MAX)).unwrap_or_default();
            if let Some(bits) =
                words.iter().position(|word| word == mark).and_then(|known| forms.get_mut(known))
            {
                *bits |= bit;
            } else {
                words.push(mark);
                forms.push(bit);
            }
        }
    }
    let all = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(aho_corasick::AhoCorasickKind::DFA))
        .build(words);
    Some(Marks { all: all.ok()?, forms })
});

/// The pattern of a form, compiled when it is first needed: a process may need none of them.
fn pattern(at: usize) -> Option<&'static Regex> {
    static PATTERNS: LazyLock<Vec<OnceLock<Option<Regex>>>> =
        LazyLock::new(|| FORMS.iter().map(|_| OnceLock::new()).collect());
    PATTERNS.get(at)?.get_or_init(|| FORMS.get(at).and_then(|form| compiled(form).ok())).as_ref()
}

fn compiled(form: &Form) -> Result<Regex, regex::Error> {
    let text = form
        .pattern
        .replace("{value}", forms::VALUE)
        .replace("{word}", forms::WORD)
        .replace("{pairs}", forms::PAIRS)
        .replace("{rest}", forms::REST)
        .replace(r"\b", r"(?-u:\b)");
    Regex::new(&text)
}

fn own(pattern: &str) -> Result<Regex, RedactorError> {
    Regex::new(pattern).map_err(|error| RedactorError::Pattern {
        pattern: pattern.to_owned(),
        reason: error.to_string().lines().last().unwrap_or_default().to_owned(),
    })
}
