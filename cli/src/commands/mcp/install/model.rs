//! A client's settings as far as they are about servers: what stands where in the text.

use std::ops::Range;

use mayi_core::approval::visible;
use serde_json::Value;

/// A place in the text.
pub(super) type Span = Range<usize>;

/// How the text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// JSON, with comments and trailing commas where the client takes them.
    Json,
    Toml,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) key: String,
    pub(super) key_at: Span,
    /// From the key to the end of the value; for a table of TOML, its key alone.
    pub(super) at: Span,
    pub(super) value_at: Span,
    /// Texts, booleans and lists of them; the rest is null.
    pub(super) value: Value,
    /// The items of a list.
    pub(super) items: Vec<Span>,
    /// The fields of an object.
    pub(super) pairs: Vec<Field>,
    pub(super) form: Form,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `key: value`
    Plain,
    /// `[table.key]` of TOML.
    Table,
    /// `key.more = value` of TOML.
    Dotted,
}

/// One server.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The keys that lead to it; the last one is its name.
    pub(super) keys: Vec<String>,
    /// All of it, and what stands in between.
    pub(super) at: Span,
    pub(super) fields: Vec<Field>,
    /// Whether its fields stand between braces.
    pub(super) inline: bool,
    /// Why it can't be looked at.
    pub(super) odd: Option<String>,
}

impl Entry {
    pub(super) fn name(&self) -> &str {
        self.keys.last().map(String::as_str).unwrap_or_default()
    }

    /// Its name, and for what it counts if not everywhere.
    pub(super) fn shown(&self) -> String {
        match self.keys.as_slice() {
            [first, folder, .., name] if first == "projects" => {
                format!("{} (for {})", visible(name), visible(folder))
            }
            _ => visible(self.name()),
        }
    }

    pub(super) fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.field(key).and_then(|field| field.value.as_str())
    }
}

impl Syntax {
    /// A text as a value.
    pub(super) fn quoted(self, text: &str) -> String {
        let quoted = Value::from(text).to_string();
        match self {
            Self::Json => quoted,
            // The escapes of JSON are escapes of TOML, which wants one more.
            Self::Toml => quoted.replace('\u{7f}', "\\u007f"),
        }
    }

    /// A plain word as a key.
    pub(super) fn key(self, word: &str) -> String {
        match self {
            Self::Json => self.quoted(word),
            Self::Toml => word.to_owned(),
        }
    }

    /// Several texts as the inside of a list.
    pub(super) fn list(self, texts: &[&str]) -> String {
        texts.iter().map(|text| self.quoted(text)).collect::<Vec<_>>().join(", ")
    }
}

/// Keys that stand there twice; which one counts is nobody's to say.
pub(super) fn twice(fields: &[Field]) -> Option<&str> {
    let mut seen = std::collections::HashSet::new();
    fields.iter().map(|field| field.key.as_str()).find(|key| !seen.insert(*key))
}
