//! A client's settings as far as they are about servers: what stands where in the text.

use std::ops::Range;

use mayi_core::approval::escape_line;
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
    pub(super) key_span: Span,
    /// From the key to the end of the value; for a table of TOML, its key alone.
    pub(super) span: Span,
    pub(super) value_span: Span,
    /// Texts, booleans and lists of them; the rest is null.
    pub(super) value: Value,
    /// The items of a list.
    pub(super) items: Vec<Span>,
    /// The fields of an object.
    pub(super) pairs: Vec<Field>,
    pub(super) form: ValueForm,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueForm {
    /// `key: value`
    Plain,
    /// `[table.key]` of TOML.
    Table,
    /// `key.more = value` of TOML.
    Dotted,
}

/// One server.
#[derive(Clone, Debug)]
pub(super) struct ServerEntry {
    /// The keys that lead to it; the last one is its name.
    pub(super) keys: Vec<String>,
    /// All of it, and what stands in between.
    pub(super) span: Span,
    pub(super) fields: Vec<Field>,
    /// Whether its fields stand between braces.
    pub(super) inline: bool,
    /// Why it can't be looked at.
    pub(super) problem: Option<String>,
}

impl ServerEntry {
    pub(super) fn name(&self) -> &str {
        self.keys.last().map(String::as_str).unwrap_or_default()
    }

    /// Its name, and for what it counts if not everywhere.
    pub(super) fn display_name(&self) -> String {
        match self.keys.as_slice() {
            [first, folder, .., name] if first == "projects" => {
                format!("{} (for {})", escape_line(name), escape_line(folder))
            }
            _ => escape_line(self.name()),
        }
    }

    pub(super) fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    pub(super) fn field_text(&self, key: &str) -> Option<&str> {
        self.field(key).and_then(|field| field.value.as_str())
    }
}

impl Syntax {
    /// A text as a value.
    pub(super) fn quote_text(self, text: &str) -> String {
        let quoted = Value::from(text).to_string();
        match self {
            Self::Json => quoted,
            // The escapes of JSON are escapes of TOML, which wants one more.
            Self::Toml => quoted.replace('\u{7f}', "\\u007f"),
        }
    }

    /// A plain word as a key.
    pub(super) fn format_key(self, word: &str) -> String {
        match self {
            Self::Json => self.quote_text(word),
            Self::Toml => word.to_owned(),
        }
    }

    /// Several texts as the inside of a list.
    pub(super) fn format_list(self, texts: &[&str]) -> String {
        texts.iter().map(|text| self.quote_text(text)).collect::<Vec<_>>().join(", ")
    }
}

/// Keys that stand there twice; which one counts is nobody's to say.
pub(super) fn duplicate_key(fields: &[Field]) -> Option<&str> {
    let mut seen = std::collections::HashSet::new();
    fields.iter().map(|field| field.key.as_str()).find(|key| !seen.insert(*key))
}
