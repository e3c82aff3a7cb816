//! What was found in one text of a call is known in all others of it: however they write it, and where no name
//! says what it is.

use serde_json::Value;

use super::known_secrets::KnownSecrets;
use super::{FoundSecret, Redactor, json, names};

/// Maximum size of one call's input that is looked at, in bytes, and of its other texts: no more than a small part of it is kept.
const MOST: usize = 64 * 1024;
/// So many values of one call are looked for in its other texts.
const MOST_VALUES: usize = 64;
/// A shorter value is found in too much that is none of it.
const SHORTEST: usize = 4;

/// The secrets of one call, as its texts show them.
#[derive(Debug, Default)]
pub(crate) struct SecretCollector {
    /// Those that are random by their form.
    certain: Vec<String>,
    /// Those that are secret by a name or a place.
    by_context: Vec<String>,
    bytes_left: usize,
}

/// What looks for the secrets of one call in every text of it.
#[derive(Debug)]
pub(crate) struct CallRedactor<'r> {
    pub(super) redactor: &'r Redactor,
    pub(super) secrets: CallSecrets,
}

/// What looks for the secrets of one call. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallSecrets {
    /// All of the call's.
    pub(super) all: KnownSecrets,
    /// Those that may be hidden even where they are a command's name.
    pub(super) certain: KnownSecrets,
}

impl CallSecrets {
    /// Those alone that are secret by their form.
    pub(crate) fn certain_only(&self) -> Self {
        Self { all: KnownSecrets::default(), certain: self.certain.clone() }
    }

    pub(crate) fn with_redactor(self, redactor: &Redactor) -> CallRedactor<'_> {
        CallRedactor { redactor, secrets: self }
    }
}

impl SecretCollector {
    pub(crate) fn new() -> Self {
        Self { bytes_left: MOST, ..Self::default() }
    }

    /// Looks for secrets in `text`.
    pub(crate) fn add_text(&mut self, redactor: &Redactor, text: &str) {
        if self.bytes_left == 0 {
            return;
        }
        let part = text.get(..super::floor_boundary(text, self.bytes_left)).unwrap_or_default();
        self.bytes_left -= part.len();
        for FoundSecret { range: at, certain: sure, .. } in redactor.find_secrets(part, None) {
            self.add_value(part.get(at).unwrap_or_default(), sure);
        }
    }

    /// Looks at as much again, whatever was looked at before.
    pub(crate) fn begin_other_texts(&mut self) {
        self.bytes_left = MOST;
    }

    /// Looks for secrets in each text of `value`, and for those that go by a name which says so.
    pub(crate) fn add_json(&mut self, redactor: &Redactor, value: &Value) {
        json::for_each_text(value, &mut |text, secret| {
            if secret {
                self.add_value(text, false);
            }
            self.add_text(redactor, text);
        });
    }

    /// The same of a variable.
    pub(crate) fn add_variable(&mut self, redactor: &Redactor, name: &str, value: &str) {
        if names::is_secret(name, value) {
            self.add_value(value, false);
        }
        self.add_text(redactor, value);
    }

    /// Takes in a secret as a text has it.
    fn add_value(&mut self, written: &str, sure: bool) {
        if self.certain.len() + self.by_context.len() >= MOST_VALUES {
            return;
        }
        for value in possible_values(written) {
            let value = value.trim();
            let list = if sure { &mut self.certain } else { &mut self.by_context };
            if (sure || is_distinctive(value))
                && value.chars().count() >= SHORTEST
                && !list.iter().any(|of| of == value)
            {
                list.push(value.to_owned());
            }
        }
    }

    /// What looks for them.
    pub(crate) fn finish(self) -> CallSecrets {
        // More than can be looked for are at most a few: without them, forms and names still count.
        let sure = KnownSecrets::of_call(&self.certain).unwrap_or_default();
        let all = if self.by_context.is_empty() {
            KnownSecrets::default()
        } else {
            KnownSecrets::of_call(&[self.certain, self.by_context].concat()).unwrap_or_default()
        };
        CallSecrets { all, certain: sure }
    }
}

/// Whether a text by itself could be nothing but a secret: what a person should see of a command is not hidden because
/// somebody wrote it behind `token=`.
fn is_distinctive(value: &str) -> bool {
    let length = value.chars().count();
    let has = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
    let plain = |c: &char| c.is_ascii_lowercase() || matches!(c, '-' | '_' | '.' | ' ');
    let number = value.chars().all(|c| c.is_ascii_digit());
    if names::is_placeholder(value) || !names::could_be(value) || names::is_host(value) {
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
fn possible_values(written: &str) -> Vec<String> {
    let mut found = vec![written.to_owned()];
    if written.contains('\\') {
        let json: Option<String> = serde_json::from_str(&["\"", written, "\""].concat()).ok();
        found.extend(json);
        found.push(written.replace(r"'\''", "'"));
        found.push(remove_backslashes(written));
    }
    if written.contains("'\"'\"'") {
        found.push(written.replace("'\"'\"'", "'"));
    }
    if written.contains('%')
        && let Some((decoded, _)) = super::known_secrets::percent_decoded(written)
        && let Ok(decoded) = String::from_utf8(decoded)
    {
        found.push(decoded);
    }
    found
}

/// Without backslashes, as a shell reads what is in no quotes.
fn remove_backslashes(written: &str) -> String {
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
