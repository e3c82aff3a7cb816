//! Takes secrets out of text before it is kept or shown: values that are known, and well-known forms
//! (D7.3: every stored string redacted: patterns and known secret values).

#[cfg(test)]
mod cut;
mod form_search;
mod forms;
mod json;
mod known_secrets;
mod lists;
mod names;
mod patterns;
mod pem;
mod propagation;
mod quotes;
#[cfg(test)]
mod says;
mod table;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::ops::Range;

use regex::{Regex, RegexSet};
use thiserror::Error;

use forms::{SecretForm, all_forms};
use known_secrets::KnownSecrets;
pub(crate) use propagation::{CallRedactor, CallSecrets, SecretCollector};

/// Takes secrets out of text. Made once; cheap on text without any.
#[derive(Debug, Default)]
pub struct Redactor {
    known: KnownSecrets,
    own_patterns: OwnPatterns,
    mark: Mark,
}

/// The user's own patterns.
#[derive(Debug, Default)]
struct OwnPatterns {
    /// `None`: there are none. To make and to ask a set without patterns takes longer than the rest of a look.
    any: Option<RegexSet>,
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
    fn for_values(values: &[String]) -> Self {
        let holds = |c: &[char]| values.iter().any(|value| value.contains(c));
        let names = || all_forms().map(SecretForm::name).chain([KNOWN, "own pattern", "by its name"]);
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
struct FoundSecret {
    range: Range<usize>,
    name: &'static str,
    /// By its form alone, wherever it stands.
    certain: bool,
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
        let each = patterns
            .into_iter()
            .map(|text| compile_own_pattern(text.as_ref()))
            .collect::<Result<Vec<_>, _>>()?;
        let all = (!each.is_empty()).then(|| RegexSet::new(each.iter().map(Regex::as_str)));
        let any = all.transpose().map_err(|error| RedactorError::Pattern {
            pattern: "all patterns together".to_owned(),
            reason: error.to_string(),
        })?;
        let secrets: Vec<String> =
            secrets.into_iter().map(Into::into).filter(|of| known_secrets::long_enough(of)).collect();
        Ok(Self {
            known: KnownSecrets::new(&secrets)?,
            own_patterns: OwnPatterns { any, each },
            mark: Mark::for_values(&secrets),
        })
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
        self.without_call().redact(text)
    }

    /// The first `limit` bytes or a little more of it, redacted; and how many bytes were left out. What is
    /// cut is cut after it was redacted, so that no half of a secret is left.
    #[must_use]
    pub fn redact_start<'t>(&self, text: &'t str, limit: usize) -> (Cow<'t, str>, usize) {
        self.without_call().redact_start(text, limit)
    }

    /// Whether there is a secret in `text`.
    #[must_use]
    pub fn finds_secret(&self, text: &str) -> bool {
        !self.find_secrets(text, None).is_empty()
    }

    /// Looks at a text by itself.
    pub(crate) fn without_call(&self) -> CallRedactor<'_> {
        CallSecrets::default().with_redactor(self)
    }

    fn replace_found(&self, text: &str, end: usize, found: &[FoundSecret]) -> String {
        let mut out = String::with_capacity(end);
        let mut done = 0;
        for secret in found {
            out.push_str(text.get(done..secret.range.start).unwrap_or_default());
            self.mark.write(secret.name, &mut out);
            done = secret.range.end;
        }
        out.push_str(text.get(done..end).unwrap_or_default());
        out
    }

    /// All secrets, in order and apart from each other; also `more`.
    fn find_secrets(&self, text: &str, more: Option<&KnownSecrets>) -> Vec<FoundSecret> {
        let mut found = Vec::new();
        if text.len() < SHORTEST && self.own_patterns.each.is_empty() && more.is_none() {
            return found;
        }
        let mut known = Vec::new();
        self.known.find_ranges(text, &mut known);
        more.inspect(|more| more.find_ranges(text, &mut known));
        found.extend(known.into_iter().map(|at| FoundSecret { range: at, name: KNOWN, certain: true }));
        form_search::well_known(text, &mut found);
        let own = self.own_patterns.any.as_ref().map(|any| any.matches(text));
        for at in own.iter().flatten() {
            if let Some(pattern) = self.own_patterns.each.get(at) {
                // Its first group that took part, or all of it.
                let secrets = pattern
                    .captures_iter(text)
                    .filter_map(|of| of.iter().skip(1).flatten().next().or(of.get(0)));
                found.extend(secrets.map(|of| FoundSecret {
                    range: of.range(),
                    name: "own pattern",
                    certain: true,
                }));
            }
        }
        merge_overlaps(text, found)
    }
}

impl CallRedactor<'_> {
    /// `text` with every secret replaced by a mark that says what it was.
    pub(crate) fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redact_with_known(text, self.call_secrets())
    }

    /// The name of a command: what only a name or a place calls secret is not hidden there.
    pub(crate) fn redact_program<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let sure = &self.secrets.certain;
        self.redact_with_known(text, (!sure.is_empty()).then_some(sure))
    }

    /// The value of the variable `name`.
    pub(crate) fn redact_variable<'t>(&self, name: &str, value: &'t str) -> Cow<'t, str> {
        if names::is_secret(name, value) && !names::is_placeholder(value) {
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
        let longest = self
            .redactor
            .known
            .longest_match()
            .max(self.call_secrets().map_or(0, KnownSecrets::longest_match));
        let window = floor_boundary(text, limit.saturating_add(longest.max(BEYOND)));
        let end = floor_boundary(text, limit);
        let found = self.redactor.find_secrets(text.get(..window).unwrap_or(text), self.call_secrets());
        let end = found.iter().find(|of| of.range.contains(&end)).map_or(end, |of| of.range.end);
        let found: Vec<FoundSecret> = found.into_iter().take_while(|of| of.range.start < end).collect();
        let left = text.len() - end;
        if found.is_empty() {
            (Cow::Borrowed(text.get(..end).unwrap_or(text)), left)
        } else {
            (Cow::Owned(self.redactor.replace_found(text, end, &found)), left)
        }
    }

    /// Whether there is a secret in `text`.
    pub(crate) fn finds_secret(&self, text: &str) -> bool {
        !self.redactor.find_secrets(text, self.call_secrets()).is_empty()
    }

    /// Whether the call's own texts show any.
    pub(crate) fn is_empty(&self) -> bool {
        self.call_secrets().is_none()
    }

    fn redact_with_known<'t>(&self, text: &'t str, more: Option<&KnownSecrets>) -> Cow<'t, str> {
        let found = self.redactor.find_secrets(text, more);
        if found.is_empty() {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(self.redactor.replace_found(text, text.len(), &found))
        }
    }

    fn call_secrets(&self) -> Option<&KnownSecrets> {
        [&self.secrets.all, &self.secrets.certain].into_iter().find(|known| !known.is_empty())
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
        if known_secrets::long_enough(&value) && names::is_secret(&name, &value) {
            found.push(value);
        }
    }
    found
}

/// The longest beginning of `text` of at most `limit` bytes.
pub(super) fn floor_boundary(text: &str, limit: usize) -> usize {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// Joins what overlaps, so that nothing of either is left.
fn merge_overlaps(text: &str, mut found: Vec<FoundSecret>) -> Vec<FoundSecret> {
    found.retain(|of| !of.range.is_empty());
    for of in &mut found {
        // Encoded text may be cut within a character.
        of.range.start = floor_boundary(text, of.range.start);
        while !text.is_char_boundary(of.range.end) {
            of.range.end += 1;
        }
    }
    if found.len() < 2 {
        return found;
    }
    // Of those that begin at the same place, the longest names it.
    found.sort_by_key(|of| (of.range.start, std::cmp::Reverse(of.range.end)));
    let mut out: Vec<FoundSecret> = Vec::with_capacity(found.len());
    for next in found {
        match out.last_mut() {
            Some(last) if next.range.start < last.range.end => {
                last.range.end = last.range.end.max(next.range.end)
            }
            _ => out.push(next),
        }
    }
    out
}

fn compile_own_pattern(pattern: &str) -> Result<Regex, RedactorError> {
    Regex::new(pattern).map_err(|error| RedactorError::Pattern {
        pattern: pattern.to_owned(),
        reason: error.to_string().lines().last().unwrap_or_default().to_owned(),
    })
}
