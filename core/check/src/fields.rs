//! The keys of one request, taken one by one: what is left in the end is a mistake.

use serde_json::{Map, Value};

use super::RequestError;
use mayi_core::config::nearest_word;

/// The keys of an object while they are read.
pub(super) struct RequestFields {
    /// Where the object stands, as a JSON pointer: empty for the request itself.
    at: String,
    left: Map<String, Value>,
    /// Keys that were asked for: what could have been meant.
    known: Vec<&'static str>,
    /// Keys that don't belong here: they are unknown, whoever asks for them.
    barred: &'static [&'static str],
}

impl RequestFields {
    /// The keys of `value`, which stands at `at`.
    pub(super) fn from_value(at: &str, value: Value) -> Result<Self, RequestError> {
        match value {
            Value::Object(left) => Ok(Self { at: at.to_owned(), left, known: Vec::new(), barred: &[] }),
            other => {
                let what = match at.strip_prefix('/') {
                    Some(key) => format!("`{key}` is a table, not {}", value_kind(&other)),
                    None => format!("a call is an object, not {}", value_kind(&other)),
                };
                Err(RequestError::new(
                    at,
                    what,
                    "write its keys, such as {\"kind\": \"shell\", \"command\": \"ls\"}",
                ))
            }
        }
    }

    /// The same without some keys, which are unknown then.
    pub(super) fn without(self, barred: &'static [&'static str]) -> Self {
        Self { barred, ..self }
    }

    /// A mistake about `key`.
    pub(super) fn key_error(
        &self,
        key: &str,
        what: impl Into<String>,
        hint: impl Into<String>,
    ) -> RequestError {
        RequestError::new(&self.key_pointer(key), what, hint)
    }

    fn key_pointer(&self, key: &str) -> String {
        format!("{}/{}", self.at, key.replace('~', "~0").replace('/', "~1"))
    }

    /// The value of `key`; `null` is as good as none.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Value> {
        if self.barred.contains(&key) {
            return None;
        }
        self.known.push(key);
        self.left.shift_remove(key).filter(|value| !value.is_null())
    }

    pub(super) fn take_text(&mut self, key: &'static str) -> Result<Option<String>, RequestError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.type_error(key, "a text", &other, "\"...\"")),
        }
    }

    /// A text that has to be there: `key` of a call of `kind`.
    pub(super) fn take_required(
        &mut self,
        key: &'static str,
        kind: &str,
        example: &str,
    ) -> Result<String, RequestError> {
        let text = self.take_text(key)?;
        text.ok_or_else(|| self.missing_error(key, &format!("a call of kind {kind} needs `{key}`"), example))
    }

    /// `key` is not there: perhaps it is written in another way.
    pub(super) fn missing_error(&self, key: &'static str, what: &str, example: &str) -> RequestError {
        let slip = self.left.keys().find(|left| nearest_word(left, [key]).is_some());
        match slip {
            Some(slip) => self.unknown_key_error(slip, &[key]),
            None => RequestError::new(&self.at, what, format!("add `{key}`, such as {example}")),
        }
    }

    fn unknown_key_error(&self, key: &str, known: &[&str]) -> RequestError {
        let hint = match nearest_word(key, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("known here: {}", known.join(", ")),
        };
        self.key_error(key, format!("there is no key `{key}`"), hint)
    }

    pub(super) fn take_boolean(&mut self, key: &'static str) -> Result<Option<bool>, RequestError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Bool(is)) => Ok(Some(is)),
            Some(other) => Err(self.type_error(key, "true or false", &other, "true")),
        }
    }

    /// A list of texts; with `single`, one text is a list of one.
    pub(super) fn take_texts(
        &mut self,
        key: &'static str,
        single: bool,
    ) -> Result<Vec<String>, RequestError> {
        let items = match self.take(key) {
            None => return Ok(Vec::new()),
            Some(Value::String(text)) if single => return Ok(vec![text]),
            Some(Value::Array(items)) => items,
            Some(other) => return Err(self.type_error(key, "a list of texts", &other, "[\"...\"]")),
        };
        items
            .into_iter()
            .enumerate()
            .map(|(at, item)| match item {
                Value::String(text) => Ok(text),
                other => {
                    let what = format!("item {} of `{key}` is a text, not {}", at + 1, value_kind(&other));
                    let place = format!("{}/{at}", self.key_pointer(key));
                    Err(RequestError::new(&place, what, "write \"...\""))
                }
            })
            .collect()
    }

    /// One of some words.
    pub(super) fn take_word<T: std::str::FromStr>(
        &mut self,
        key: &'static str,
        words: &[&str],
    ) -> Result<Option<T>, RequestError> {
        let Some(text) = self.take_text(key)? else { return Ok(None) };
        match text.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(self.unknown_word_error(key, &text, words)),
        }
    }

    /// `text` is none of the words that `key` takes.
    pub(super) fn unknown_word_error(&self, key: &str, text: &str, words: &[&str]) -> RequestError {
        let hint = match nearest_word(text, words.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("write {}", join_with_or(words)),
        };
        self.key_error(key, format!("no {key} is called `{text}`"), hint)
    }

    fn type_error(&self, key: &str, wanted: &str, found: &Value, example: &str) -> RequestError {
        let what = format!("`{key}` is {wanted}, not {}", value_kind(found));
        self.key_error(key, what, format!("write {example}"))
    }

    /// Refuses what was not asked for.
    pub(super) fn finish(self) -> Result<(), RequestError> {
        match self.left.keys().next() {
            Some(key) => Err(self.unknown_key_error(key, &self.known)),
            None => Ok(()),
        }
    }
}

/// What a value is, in words.
fn value_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}

/// `a, b or c`.
fn join_with_or(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}
