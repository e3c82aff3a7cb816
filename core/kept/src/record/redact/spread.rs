//! What was found in one text of a call is known in all others of it: however they write it, and where no name
//! says what it is.

use serde_json::Value;

use super::known::Known;
use super::{Found, Redactor, json, names};

/// Of one call's texts so much is looked at: no more than a small part of it is kept.
const MOST: usize = 256 * 1024;
/// So many values of one call are looked for in its other texts.
const MOST_VALUES: usize = 64;
/// A shorter value is found in too much that is none of it.
const SHORTEST: usize = 4;

/// The secrets of one call, as its texts show them.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Those that are random by their form.
    sure: Vec<String>,
    /// Those that are secret by a name or a place.
    other: Vec<String>,
    left: usize,
}

/// What looks for the secrets of one call in every text of it.
#[derive(Debug)]
pub(crate) struct Within<'r> {
    pub(super) redactor: &'r Redactor,
    pub(super) secrets: Secrets,
}

/// What looks for the secrets of one call. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets {
    /// All of the call's.
    pub(super) all: Known,
    /// Those that may be hidden even where they are a command's name.
    pub(super) sure: Known,
}

impl Secrets {
    /// Those alone that are secret by their form.
    pub(crate) fn sure(&self) -> Self {
        Self { all: Known::default(), sure: self.sure.clone() }
    }

    pub(crate) fn within(self, redactor: &Redactor) -> Within<'_> {
        Within { redactor, secrets: self }
    }
}

impl Told {
    pub(crate) fn new() -> Self {
        Self { left: MOST, ..Self::default() }
    }

    /// Looks for secrets in `text`.
    pub(crate) fn text(&mut self, redactor: &Redactor, text: &str) {
        if self.left == 0 {
            return;
        }
        let part = text.get(..super::floor(text, self.left)).unwrap_or_default();
        self.left -= part.len();
        for Found { at, sure, .. } in redactor.find(part, None) {
            self.value(part.get(at).unwrap_or_default(), sure);
        }
    }

    /// Looks for secrets in each text of `value`, and for those that go by a name which says so.
    pub(crate) fn json(&mut self, redactor: &Redactor, value: &Value) {
        json::each(value, &mut |text, secret| {
            if secret {
                self.value(text, false);
            }
            self.text(redactor, text);
        });
    }

    /// The same of a variable.
    pub(crate) fn variable(&mut self, redactor: &Redactor, name: &str, value: &str) {
        if names::is_secret(name, value) {
            self.value(value, false);
        }
        self.text(redactor, value);
    }

    /// Takes in a secret as a text has it.
    fn value(&mut self, written: &str, sure: bool) {
        if self.sure.len() + self.other.len() >= MOST_VALUES {
            return;
        }
        for value in meanings(written) {
            let value = value.trim();
            let list = if sure { &mut self.sure } else { &mut self.other };
            if (sure || tells(value))
                && value.chars().count() >= SHORTEST
                && !list.iter().any(|of| of == value)
            {
                list.push(value.to_owned());
            }
        }
    }

    /// What looks for them.
    pub(crate) fn secrets(self) -> Secrets {
        // More than can be looked for are at most a few: without them, forms and names still count.
        let sure = Known::of_call(&self.sure).unwrap_or_default();
        let all = if self.other.is_empty() {
            Known::default()
        } else {
            Known::of_call(&[self.sure, self.other].concat()).unwrap_or_default()
        };
        Secrets { all, sure }
    }
}

/// Whether a text by itself could be nothing but a secret: what a person should see of a command is not hidden because
/// somebody wrote it behind `token=`.
fn tells(value: &str) -> bool {
    let length = value.chars().count();
    let has = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
    let plain = |c: &char| c.is_ascii_lowercase() || matches!(c, '-' | '_' | '.' | ' ');
    let number = value.chars().all(|c| c.is_ascii_digit());
    if names::stands_for(value) || !names::could_be(value) || names::is_host(value) {
        return false;
    }
    if value.contains("$(") || value.contains('`') {
        return false;
    }
    if number {
        return length >= 8;
    }
    // A word, or a name.
    if value.chars().all(|c| plain(&c)) {
        return length >= 16 && !value.contains(['-', '_', '.', ' ']);
    }
    let letters = value.chars().all(|c| c.is_ascii_alphabetic());
    if letters {
        return length >= 8 && has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase);
    }
    length >= 6 || has(char::is_ascii_digit)
}

/// What a secret could be as it is written: itself, and without the escapes of a shell, of JSON and of an address.
fn meanings(written: &str) -> Vec<String> {
    let mut found = vec![written.to_owned()];
    if written.contains('\\') {
        let json: Option<String> = serde_json::from_str(&["\"", written, "\""].concat()).ok();
        found.extend(json);
        found.push(written.replace(r"'\''", "'"));
        found.push(unescaped(written));
    }
    if written.contains("'\"'\"'") {
        found.push(written.replace("'\"'\"'", "'"));
    }
    if written.contains('%')
        && let Some((decoded, _)) = super::known::percent_decoded(written)
        && let Ok(decoded) = String::from_utf8(decoded)
    {
        found.push(decoded);
    }
    found
}

/// Without backslashes, as a shell reads what is in no quotes.
fn unescaped(written: &str) -> String {
    let mut out = String::with_capacity(written.len());
    let mut chars = written.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            out.extend(chars.next());
        } else {
            out.push(c);
        }
    }
    out
}
