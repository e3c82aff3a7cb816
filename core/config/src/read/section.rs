//! A table of a file while it is read: what is taken from it is known, what is left is a mistake.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Reader;
use crate::nearest;

/// A table that is read key by key.
pub(super) struct Section<'r, 't> {
    reader: &'r Reader<'t>,
    /// As in its header: `agents.claude`; empty for the file itself.
    name: String,
    span: Range<usize>,
    entries: BTreeMap<String, Entry<'t>>,
    known: Vec<&'static str>,
    /// Keys that were there, whatever became of them.
    seen: Vec<&'static str>,
}

struct Entry<'t> {
    key: Range<usize>,
    value: Spanned<DeValue<'t>>,
}

impl<'r, 't> Section<'r, 't> {
    pub(super) fn new(reader: &'r Reader<'t>, name: String, span: Range<usize>, table: DeTable<'t>) -> Self {
        let entries = table
            .into_iter()
            .map(|(key, value)| (key.get_ref().clone().into_owned(), Entry { key: key.span(), value }))
            .collect();
        Self { reader, name, span, entries, known: Vec::new(), seen: Vec::new() }
    }

    pub(super) fn reader(&self) -> &'r Reader<'t> {
        self.reader
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Notes a mistake about the table as a whole.
    pub(super) fn mistake(&self, message: impl Into<String>, help: impl Into<String>) {
        self.reader.mistake(self.span(), message, Some(help.into()));
    }

    fn take(&mut self, key: &'static str) -> Option<Spanned<DeValue<'t>>> {
        self.known.push(key);
        let entry = self.entries.remove(key)?;
        self.seen.push(key);
        Some(entry.value)
    }

    /// Whether `key`, which was asked for, was not there.
    pub(super) fn lacks(&self, key: &str) -> bool {
        !self.seen.contains(&key)
    }

    fn wrong(&self, key: &str, span: Range<usize>, found: &DeValue<'_>, wanted: &str, example: &str) {
        let message = format!("`{key}` is {wanted}, not {}", kind(found));
        self.reader.mistake(span, message, Some(format!("write `{key} = {example}`")));
    }

    pub(super) fn boolean(&mut self, key: &'static str) -> Option<Spanned<bool>> {
        let value = self.take(key)?;
        match value.get_ref() {
            DeValue::Boolean(is) => Some(Spanned::new(value.span(), *is)),
            other => {
                self.wrong(key, value.span(), other, "true or false", "true");
                None
            }
        }
    }

    pub(super) fn integer(&mut self, key: &'static str) -> Option<Spanned<i64>> {
        let value = self.take(key)?;
        match value.get_ref() {
            DeValue::Integer(number) => Some(Spanned::new(
                value.span(),
                i64::from_str_radix(number.as_str(), number.radix()).unwrap_or(i64::MAX),
            )),
            other => {
                self.wrong(key, value.span(), other, "a number", "1");
                None
            }
        }
    }

    pub(super) fn string(&mut self, key: &'static str) -> Option<Spanned<String>> {
        let value = self.take(key)?;
        match value.get_ref() {
            DeValue::String(text) => Some(Spanned::new(value.span(), text.clone().into_owned())),
            other => {
                self.wrong(key, value.span(), other, "a text", "\"...\"");
                None
            }
        }
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<Spanned<T>> {
        let value = self.take(key)?;
        match value.get_ref() {
            DeValue::String(text) => {
                word(self.reader, key, &Spanned::new(value.span(), text.clone().into_owned()), words)
            }
            other => {
                let example = format!("{:?}", words.first().map_or("...", |(name, _)| name));
                self.wrong(key, value.span(), other, "a text", &example);
                None
            }
        }
    }

    pub(super) fn strings(&mut self, key: &'static str) -> Option<Vec<Spanned<String>>> {
        let value = self.take(key)?;
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(items) => {
                let mut texts = Vec::new();
                for item in items {
                    match item.get_ref() {
                        DeValue::String(text) => {
                            texts.push(Spanned::new(item.span(), text.clone().into_owned()))
                        }
                        other => self.wrong(key, item.span(), other, "a list of texts", "[\"...\"]"),
                    }
                }
                Some(texts)
            }
            DeValue::String(text) => {
                let example = match key {
                    "command" => shlex::split(&text).unwrap_or_else(|| vec![text.to_string()]),
                    _ => vec![text.to_string()],
                };
                let example = example.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
                self.reader.mistake(
                    span,
                    format!("`{key}` is a list of texts, not one text"),
                    Some(format!("write `{key} = [{example}]`")),
                );
                None
            }
            other => {
                self.wrong(key, span, &other, "a list of texts", "[\"...\"]");
                None
            }
        }
    }

    pub(super) fn table(&mut self, key: &'static str) -> Option<Self> {
        let value = self.take(key)?;
        self.sub(key, value)
    }

    /// `[[key]]`, any number of times.
    pub(super) fn tables(&mut self, key: &'static str) -> Vec<Self> {
        let Some(value) = self.take(key) else {
            return Vec::new();
        };
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(items) => items.into_iter().filter_map(|item| self.sub(key, item)).collect(),
            other => {
                let header =
                    if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) };
                let message = format!("`{key}` is a list of tables, not {}", kind(&other));
                self.reader.mistake(span, message, Some(format!("write `[[{header}]]` before each")));
                Vec::new()
            }
        }
    }

    /// The tables below `key`, each under a name of its own.
    pub(super) fn named_tables(&mut self, key: &'static str) -> Vec<(Spanned<String>, Self)> {
        self.named(key)
            .into_iter()
            .filter_map(|(name, value)| {
                let sub = self.sub(&format!("{key}.{}", name.get_ref()), value)?;
                Some((name, sub))
            })
            .collect()
    }

    /// What is below `key`, whatever it is.
    pub(super) fn named(&mut self, key: &'static str) -> Vec<(Spanned<String>, Spanned<DeValue<'t>>)> {
        let Some(table) = self.table(key) else {
            return Vec::new();
        };
        table.entries.into_iter().map(|(name, entry)| (Spanned::new(entry.key, name), entry.value)).collect()
    }

    /// Texts below `key`, each under a name of its own.
    pub(super) fn string_map(&mut self, key: &'static str) -> Option<BTreeMap<String, String>> {
        self.known.push(key);
        if !self.entries.contains_key(key) {
            return None;
        }
        let mut map = BTreeMap::new();
        for (name, value) in self.named(key) {
            match value.get_ref() {
                DeValue::String(text) => {
                    map.insert(name.into_inner(), text.clone().into_owned());
                }
                other => self.wrong(name.get_ref(), value.span(), other, "a text", "\"...\""),
            }
        }
        Some(map)
    }

    /// `value` as a table called `key` in this one.
    pub(super) fn sub(&self, key: &str, value: Spanned<DeValue<'t>>) -> Option<Self> {
        let name = if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) };
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(table) => Some(Self::new(self.reader, name, span, table)),
            other => {
                let message = format!("`{name}` is a table, not {}", kind(&other));
                self.reader.mistake(span, message, Some(format!("write `[{name}]` on a line of its own")));
                None
            }
        }
    }

    /// Notes what is left: keys that nobody knows.
    pub(super) fn finish(self) {
        let place =
            if self.name.is_empty() { "a configuration file".to_owned() } else { format!("[{}]", self.name) };
        for (key, entry) in &self.entries {
            let help = match nearest(key, self.known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("{place} has {}", listed(self.known.iter().copied())),
            };
            self.reader.mistake(
                entry.key.clone(),
                format!("no key is called `{key}` in {place}"),
                Some(help),
            );
        }
    }
}

/// The word among `words` that `text` is.
pub(super) fn word<T: Copy>(
    reader: &Reader<'_>,
    key: &str,
    text: &Spanned<String>,
    words: &[(&'static str, T)],
) -> Option<Spanned<T>> {
    let names = || words.iter().map(|(name, _)| *name);
    let Some((_, value)) = words.iter().find(|(name, _)| name == text.get_ref()) else {
        let help = match nearest(text.get_ref(), names()) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => format!("write {}", listed(names())),
        };
        reader.mistake(text.span(), format!("`{key}` can't be {:?}", text.get_ref()), Some(help));
        return None;
    };
    Some(Spanned::new(text.span(), *value))
}

/// `a, b or c`.
pub(super) fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// What a value is, with its article.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
