//! Takes secrets out of text before it is kept or shown: values that are known, and well-known forms
//! (D7.3: every stored string redacted: patterns and known secret values).

mod forms;
mod json;
mod known;
mod names;
mod patterns;
mod pem;
mod quotes;
mod search;
mod spread;
mod table;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::ops::Range;

use regex::{Regex, RegexSet};
use thiserror::Error;

use forms::{FORMS, Form};
use known::Known;
pub(crate) use spread::{Secrets, Told, Within};

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
        let names = || FORMS.iter().map(Form::name).chain([KNOWN, "own pattern", "by its name"]);
        let marks = LazyCell::new(|| names().map(|name| format!("redacted: {name}")).collect::<Vec<_>>());
        let inside = |value: &String| marks.iter().any(|mark| mark.contains(value.trim()));
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

/// What a known value is called in its mark.
const KNOWN: &str = "known secret";

/// A secret and where it stands.
struct Found {
    at: Range<usize>,
    name: &'static str,
    /// By its form alone, wherever it stands.
    sure: bool,
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
        self.alone().redact(text)
    }

    /// The first `limit` bytes or a little more of it, redacted; and how many bytes were left out. What is
    /// cut is cut after it was redacted, so that no half of a secret is left.
    #[must_use]
    pub fn redact_start<'t>(&self, text: &'t str, limit: usize) -> (Cow<'t, str>, usize) {
        self.alone().redact_start(text, limit)
    }

    /// Whether there is a secret in `text`.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        !self.find(text, None).is_empty()
    }

    /// Looks at a text by itself.
    pub(crate) fn alone(&self) -> Within<'_> {
        Secrets::default().within(self)
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

    /// All secrets, in order and apart from each other; also `more`.
    fn find(&self, text: &str, more: Option<&Known>) -> Vec<Found> {
        let mut found = Vec::new();
        if text.len() < SHORTEST && self.own.each.is_empty() && more.is_none() {
            return found;
        }
        let mut known = Vec::new();
        self.known.find(text, &mut known);
        more.inspect(|more| more.find(text, &mut known));
        found.extend(known.into_iter().map(|at| Found { at, name: KNOWN, sure: true }));
        search::well_known(text, &mut found);
        // Asking a set without patterns takes longer than the rest.
        let own = (!self.own.each.is_empty()).then(|| self.own.any.matches(text));
        for at in own.iter().flatten() {
            if let Some(pattern) = self.own.each.get(at) {
                // Its first group that took part, or all of it.
                let secrets = pattern
                    .captures_iter(text)
                    .filter_map(|of| of.iter().skip(1).flatten().next().or(of.get(0)));
                found.extend(secrets.map(|of| Found { at: of.range(), name: "own pattern", sure: true }));
            }
        }
        apart(text, found)
    }
}

impl Within<'_> {
    /// `text` with every secret replaced by a mark that says what it was.
    pub(crate) fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redact_but(text, self.more())
    }

    /// The name of a command: what only a name or a place calls secret is not hidden there.
    pub(crate) fn redact_program<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let sure = &self.secrets.sure;
        self.redact_but(text, (!sure.is_empty()).then_some(sure))
    }

    /// The value of the variable `name`.
    pub(crate) fn redact_variable<'t>(&self, name: &str, value: &'t str) -> Cow<'t, str> {
        if names::is_secret(name, value) && !names::stands_for(value) {
            let mut mark = String::new();
            self.redactor.mark.write("assignment", &mut mark);
            return Cow::Owned(mark);
        }
        self.redact(value)
    }

    /// What it looks with besides.
    pub(crate) fn redactor(&self) -> &Redactor {
        self.redactor
    }

    /// As [`Redactor::redact_start`].
    pub(crate) fn redact_start<'t>(&self, text: &'t str, limit: usize) -> (Cow<'t, str>, usize) {
        /// The longest secret that is found whole though it begins at the very end.
        const BEYOND: usize = 4096;
        if text.len() <= limit {
            return (self.redact(text), 0);
        }
        let longest = self.redactor.known.longest().max(self.more().map_or(0, Known::longest));
        let window = floor(text, limit.saturating_add(longest.max(BEYOND)));
        let end = floor(text, limit);
        let found = self.redactor.find(text.get(..window).unwrap_or(text), self.more());
        let end = found.iter().find(|of| of.at.contains(&end)).map_or(end, |of| of.at.end);
        let found: Vec<Found> = found.into_iter().take_while(|of| of.at.start < end).collect();
        let left = text.len() - end;
        if found.is_empty() {
            (Cow::Borrowed(text.get(..end).unwrap_or(text)), left)
        } else {
            (Cow::Owned(self.redactor.written(text, end, &found)), left)
        }
    }

    /// Whether there is a secret in `text`.
    pub(crate) fn finds(&self, text: &str) -> bool {
        !self.redactor.find(text, self.more()).is_empty()
    }

    /// Whether the call's own texts show any.
    pub(crate) fn is_empty(&self) -> bool {
        self.more().is_none()
    }

    fn redact_but<'t>(&self, text: &'t str, more: Option<&Known>) -> Cow<'t, str> {
        let found = self.redactor.find(text, more);
        if found.is_empty() {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(self.redactor.written(text, text.len(), &found))
        }
    }

    fn more(&self) -> Option<&Known> {
        [&self.secrets.all, &self.secrets.sure].into_iter().find(|known| !known.is_empty())
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

fn own(pattern: &str) -> Result<Regex, RedactorError> {
    Regex::new(pattern).map_err(|error| RedactorError::Pattern {
        pattern: pattern.to_owned(),
        reason: error.to_string().lines().last().unwrap_or_default().to_owned(),
    })
}
