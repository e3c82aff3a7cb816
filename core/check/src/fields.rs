//! The keys of one request, taken one by one: what is left in the end is a mistake.

use serde_json::{Map, Value};

use super::RequestError;
use mayi_core::config::nearest;

/// The keys of an object while they are read.
pub(super) struct Fields {
    /// Where the object stands, as a JSON pointer: empty for the request itself.
    at: String,
    left: Map<String, Value>,
    /// Keys that were asked for: what could have been meant.
    known: Vec<&'static str>,
}

impl Fields {
    /// The keys of `value`, which stands at `at`.
    pub(super) fn of(at: &str, value: Value) -> Result<Self, RequestError> {
        match value {
            Value::Object(left) => Ok(Self { at: at.to_owned(), left, known: Vec::new() }),
            other => {
                let what = match at.strip_prefix('/') {
                    Some(key) => format!("`{key}` is a table, not {}", kind(&other)),
                    None => format!("a call is an object, not {}", kind(&other)),
                };
                Err(RequestError::new(
                    at,
                    what,
                    "write its keys, such as {\"kind\": \"shell\", \"command\": \"ls\"}",
                ))
            }
        }
    }

    /// A mistake about `key`.
    pub(super) fn wrong(&self, key: &str, what: impl Into<String>, hint: impl Into<String>) -> RequestError {
        RequestError::new(&self.place(key), what, hint)
    }

    fn place(&self, key: &str) -> String {
        format!("{}/{}", self.at, key.replace('~', "~0").replace('/', "~1"))
    }

    /// The value of `key`; `null` is as good as none.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Value> {
        self.known.push(key);
        self.left.shift_remove(key).filter(|value| !value.is_null())
    }

    pub(super) fn text(&mut self, key: &'static str) -> Result<Option<String>, RequestError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.not(key, "a text", &other, "\"...\"")),
        }
    }

    /// A text that has to be there: `key` of a call of `kind`.
    pub(super) fn needed(
        &mut self,
        key: &'static str,
        kind: &str,
        example: &str,
    ) -> Result<String, RequestError> {
        let text = self.text(key)?;
        text.ok_or_else(|| self.missing(key, &format!("a call of kind {kind} needs `{key}`"), example))
    }

    /// `key` is not there: perhaps it is written in another way.
    pub(super) fn missing(&self, key: &'static str, what: &str, example: &str) -> RequestError {
        let slip = self.left.keys().find(|left| nearest(left, [key]).is_some());
        match slip {
            Some(slip) => self.unknown(slip, &[key]),
            None => RequestError::new(&self.at, what, format!("add `{key}`, such as {example}")),
        }
    }

    fn unknown(&self, key: &str, known: &[&str]) -> RequestError {
        let hint = match nearest(key, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("known here: {}", known.join(", ")),
        };
        self.wrong(key, format!("there is no key `{key}`"), hint)
    }

    pub(super) fn boolean(&mut self, key: &'static str) -> Result<Option<bool>, RequestError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::Bool(is)) => Ok(Some(is)),
            Some(other) => Err(self.not(key, "true or false", &other, "true")),
        }
    }

    /// A list of texts; with `single`, one text is a list of one.
    pub(super) fn texts(&mut self, key: &'static str, single: bool) -> Result<Vec<String>, RequestError> {
        let items = match self.take(key) {
            None => return Ok(Vec::new()),
            Some(Value::String(text)) if single => return Ok(vec![text]),
            Some(Value::Array(items)) => items,
            Some(other) => return Err(self.not(key, "a list of texts", &other, "[\"...\"]")),
        };
        items
            .into_iter()
            .enumerate()
            .map(|(at, item)| match item {
                Value::String(text) => Ok(text),
                other => {
                    let what = format!("item {} of `{key}` is a text, not {}", at + 1, kind(&other));
                    let place = format!("{}/{at}", self.place(key));
                    Err(RequestError::new(&place, what, "write \"...\""))
                }
            })
            .collect()
    }

    /// One of some words.
    pub(super) fn word<T: std::str::FromStr>(
        &mut self,
        key: &'static str,
        words: &[&str],
    ) -> Result<Option<T>, RequestError> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        match text.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(self.no_such(key, &text, words)),
        }
    }

    /// `text` is none of the words that `key` takes.
    pub(super) fn no_such(&self, key: &str, text: &str, words: &[&str]) -> RequestError {
        let hint = match nearest(text, words.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("write {}", listed(words)),
        };
        self.wrong(key, format!("no {key} is called `{text}`"), hint)
    }

    fn not(&self, key: &str, wanted: &str, found: &Value, example: &str) -> RequestError {
        let what = format!("`{key}` is {wanted}, not {}", kind(found));
        self.wrong(key, what, format!("write {example}"))
    }

    /// Refuses what was not asked for.
    pub(super) fn finish(self) -> Result<(), RequestError> {
        match self.left.keys().next() {
            Some(key) => Err(self.unknown(key, &self.known)),
            None => Ok(()),
        }
    }
}

/// What a value is, in words.
fn kind(value: &Value) -> &'static str {
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
fn listed(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}
