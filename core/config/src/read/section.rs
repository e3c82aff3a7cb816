//! A table of a file while it is read: what is taken from it is known, what is left is a mistake.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::ConfigReader;
use crate::nearest_word;

/// A table that is read key by key.
pub(super) struct Section<'r, 't> {
    reader: &'r ConfigReader<'t>,
    /// As in its header: `agents.claude`; empty for the file itself.
    name: String,
    span: Range<usize>,
    entries: BTreeMap<String, SectionEntry<'t>>,
    known: Vec<&'static str>,
    /// Keys that were there, whatever became of them.
    seen: Vec<&'static str>,
}

struct SectionEntry<'t> {
    key: Range<usize>,
    value: Spanned<DeValue<'t>>,
}

impl<'r, 't> Section<'r, 't> {
    pub(super) fn new(
        reader: &'r ConfigReader<'t>,
        name: String,
        span: Range<usize>,
        table: DeTable<'t>,
    ) -> Self {
        let entries = table
            .into_iter()
            .map(|(key, value)| (key.get_ref().clone().into_owned(), SectionEntry { key: key.span(), value }))
            .collect();
        Self { reader, name, span, entries, known: Vec::new(), seen: Vec::new() }
    }

    pub(super) fn reader(&self) -> &'r ConfigReader<'t> {
        self.reader
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Notes a mistake about the table as a whole.
    pub(super) fn add_mistake(&self, message: impl Into<String>, help: impl Into<String>) {
        self.reader.add_mistake(self.span(), message, Some(help.into()));
    }

    fn take(&mut self, key: &'static str) -> Option<Spanned<DeValue<'t>>> {
        self.known.push(key);
        let entry = self.entries.remove(key)?;
        self.seen.push(key);
        Some(entry.value)
    }

    /// Whether `key`, which was asked for, was not there.
    pub(super) fn is_missing(&self, key: &str) -> bool {
        !self.seen.contains(&key)
    }

    fn add_type_mistake(
        &self,
        key: &str,
        span: Range<usize>,
        found: &DeValue<'_>,
        wanted: &str,
        example: &str,
    ) {
        let message = format!("`{key}` is {wanted}, not {}", value_kind(found));
        self.reader.add_mistake(span, message, Some(format!("write `{key} = {example}`")));
    }

    pub(super) fn take_boolean(&mut self, key: &'static str) -> Option<Spanned<bool>> {
        let value = self.take(key)?;
        match value.get_ref() {
            DeValue::Boolean(is) => Some(Spanned::new(value.span(), *is)),
            other => {
                self.add_type_mistake(key, value.span(), other, "true or false", "true");
                None
            }
        }
    }

    pub(super) fn take_integer(&mut self, key: &'static str) -> Option<Spanned<i64>> {
        let value = self.take(key)?;
        match value.get_ref() {
            DeValue::Integer(number) => Some(Spanned::new(
                value.span(),
                i64::from_str_radix(number.as_str(), number.radix()).unwrap_or(i64::MAX),
            )),
            other => {
                self.add_type_mistake(key, value.span(), other, "a number", "1");
                None
            }
        }
    }

    pub(super) fn take_string(&mut self, key: &'static str) -> Option<Spanned<String>> {
        let value = self.take(key)?;
        match value.get_ref() {
            DeValue::String(text) => Some(Spanned::new(value.span(), text.clone().into_owned())),
            other => {
                self.add_type_mistake(key, value.span(), other, "a text", "\"...\"");
                None
            }
        }
    }

    /// One of some words.
    pub(super) fn take_word<T: Clone>(
        &mut self,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Option<Spanned<T>> {
        let value = self.take(key)?;
        match value.get_ref() {
            DeValue::String(text) => {
                find_word(self.reader, key, &Spanned::new(value.span(), text.clone().into_owned()), words)
            }
            other => {
                let example = format!("{:?}", words.first().map_or("...", |(name, _)| name));
                self.add_type_mistake(key, value.span(), other, "a text", &example);
                None
            }
        }
    }

    pub(super) fn take_strings(&mut self, key: &'static str) -> Option<Vec<Spanned<String>>> {
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
                        other => {
                            self.add_type_mistake(key, item.span(), other, "a list of texts", "[\"...\"]")
                        }
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
                self.reader.add_mistake(
                    span,
                    format!("`{key}` is a list of texts, not one text"),
                    Some(format!("write `{key} = [{example}]`")),
                );
                None
            }
            other => {
                self.add_type_mistake(key, span, &other, "a list of texts", "[\"...\"]");
                None
            }
        }
    }

    pub(super) fn take_table(&mut self, key: &'static str) -> Option<Self> {
        let value = self.take(key)?;
        self.sub_section(key, value)
    }

    /// `[[key]]`, any number of times.
    pub(super) fn take_tables(&mut self, key: &'static str) -> Vec<Self> {
        let Some(value) = self.take(key) else {
            return Vec::new();
        };
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(items) => {
                items.into_iter().filter_map(|item| self.sub_section(key, item)).collect()
            }
            other => {
                let header =
                    if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) };
                let message = format!("`{key}` is a list of tables, not {}", value_kind(&other));
                self.reader.add_mistake(span, message, Some(format!("write `[[{header}]]` before each")));
                Vec::new()
            }
        }
    }

    /// The tables below `key`, each under a name of its own.
    pub(super) fn named_tables(&mut self, key: &'static str) -> Vec<(Spanned<String>, Self)> {
        self.take_entries(key)
            .into_iter()
            .filter_map(|(name, value)| {
                let sub = self.sub_section(&format!("{key}.{}", name.get_ref()), value)?;
                Some((name, sub))
            })
            .collect()
    }

    /// What is below `key`, whatever it is.
    pub(super) fn take_entries(&mut self, key: &'static str) -> Vec<(Spanned<String>, Spanned<DeValue<'t>>)> {
        let Some(table) = self.take_table(key) else {
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
        for (name, value) in self.take_entries(key) {
            match value.get_ref() {
                DeValue::String(text) => {
                    map.insert(name.into_inner(), text.clone().into_owned());
                }
                other => self.add_type_mistake(name.get_ref(), value.span(), other, "a text", "\"...\""),
            }
        }
        Some(map)
    }

    /// `value` as a table called `key` in this one.
    pub(super) fn sub_section(&self, key: &str, value: Spanned<DeValue<'t>>) -> Option<Self> {
        let name = if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) };
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(table) => Some(Self::new(self.reader, name, span, table)),
            other => {
                let message = format!("`{name}` is a table, not {}", value_kind(&other));
                self.reader.add_mistake(
                    span,
                    message,
                    Some(format!("write `[{name}]` on a line of its own")),
                );
                None
            }
        }
    }

    /// Notes what is left: keys that nobody knows.
    pub(super) fn finish(self) {
        let place =
            if self.name.is_empty() { "a configuration file".to_owned() } else { format!("[{}]", self.name) };
        for (key, entry) in &self.entries {
            let help = match nearest_word(key, self.known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("{place} has {}", join_with_or(self.known.iter().copied())),
            };
            self.reader.add_mistake(
                entry.key.clone(),
                format!("no key is called `{key}` in {place}"),
                Some(help),
            );
        }
    }
}

/// The word among `words` that `text` is.
pub(super) fn find_word<T: Clone>(
    reader: &ConfigReader<'_>,
    key: &str,
    text: &Spanned<String>,
    words: &[(&'static str, T)],
) -> Option<Spanned<T>> {
    let names = || words.iter().map(|(name, _)| *name);
    let Some((_, value)) = words.iter().find(|(name, _)| name == text.get_ref()) else {
        let help = match nearest_word(text.get_ref(), names()) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => format!("write {}", join_with_or(names())),
        };
        reader.add_mistake(text.span(), format!("`{key}` can't be {:?}", text.get_ref()), Some(help));
        return None;
    };
    Some(Spanned::new(text.span(), value.clone()))
}

/// `a, b or c`.
pub(crate) fn join_with_or<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// What a value is, with its article.
fn value_kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
