//! The text of a file of cases, taken apart: every value with its place.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::NamedSource;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{CaseError, DEFAULTS, KeySpans, RawCase};
use mayi_core::approval::escape_line;
use mayi_core::call::json;
use mayi_core::config::nearest_word;

/// A file of cases.
#[derive(Debug)]
pub(super) struct CaseText {
    pub(super) path: PathBuf,
    text: Arc<str>,
}

impl CaseText {
    pub(super) fn new(path: &Path, text: String) -> Self {
        Self { path: path.to_owned(), text: Arc::from(text) }
    }

    pub(super) fn error_at(&self, span: Range<usize>, what: &str, hint: &str) -> CaseError {
        let name = escape_line(&self.path.display().to_string());
        CaseError::at_span(what, hint, NamedSource::new(name, Arc::from(displayable_text(&self.text))), span)
    }

    /// The line that `offset` is on, from 1.
    pub(super) fn line_at(&self, offset: usize) -> u32 {
        let before = self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count();
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }

    /// Cases of a `.jsonl` file.
    pub(super) fn jsonl_cases(&self) -> Result<Vec<RawCase>, Vec<CaseError>> {
        let (mut found, mut errors, mut start) = (Vec::new(), Vec::new(), 0);
        for line in self.text.split_inclusive('\n') {
            let whole = start..start + line.trim_end().len();
            start += line.len();
            if line.trim().is_empty() {
                continue;
            }
            match json::parse_strict(line) {
                Ok(Value::Object(keys)) => found.push(RawCase { keys, whole, spans: KeySpans::new() }),
                Ok(_) => errors.push(self.error_at(whole, "a case is an object", "write one object a line")),
                Err(error) => {
                    let what = format!("the line is not plain JSON: {error}");
                    errors.push(self.error_at(whole, &what, "write one object a line"));
                }
            }
        }
        if errors.is_empty() { Ok(found) } else { Err(errors) }
    }

    /// Cases of a TOML file, with what `[defaults]` says.
    pub(super) fn toml_cases(&self) -> Result<Vec<RawCase>, Vec<CaseError>> {
        let (table, syntax) = DeTable::parse_recoverable(&self.text);
        let mut errors: Vec<CaseError> = syntax
            .iter()
            .map(|error| {
                let hint = "this is TOML: text is written in \"quotes\", lists in [brackets], one key a line";
                self.error_at(error.span().unwrap_or(0..0), error.message(), hint)
            })
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut cases = Vec::new();
        let mut defaults = None;
        for (key, value) in table.into_inner() {
            let span = value.span();
            match (key.get_ref().as_ref(), value.into_inner()) {
                ("case", DeValue::Array(items)) => cases.extend(items),
                ("defaults", DeValue::Table(table)) => match self.parse_defaults(span, table) {
                    Ok(raw) => defaults = Some(raw),
                    Err(error) => errors.push(error),
                },
                ("case", _) => {
                    errors.push(self.error_at(span, "`case` is a list of tables", "write [[case]]"))
                }
                ("defaults", _) => {
                    errors.push(self.error_at(span, "`defaults` is a table", "write [defaults]"));
                }
                (other, _) => {
                    let hint = match nearest_word(other, ["case", "defaults"]) {
                        Some("case") => "did you mean [[case]]?",
                        Some(_) => "did you mean [defaults]?",
                        None => "there are [[case]] and [defaults]",
                    };
                    errors.push(self.error_at(key.span(), &format!("there is no key `{other}`"), hint));
                }
            }
        }
        let mut found = Vec::new();
        for item in cases {
            let span = item.span();
            match item.into_inner() {
                DeValue::Table(table) => match self.parse_table(span, table) {
                    Ok(raw) => found.push(with_defaults(raw, defaults.as_ref())),
                    Err(error) => errors.push(error),
                },
                _ => errors.push(self.error_at(
                    span,
                    "a case is a table",
                    "write [[case]], and its keys below",
                )),
            }
        }
        if errors.is_empty() { Ok(found) } else { Err(errors) }
    }

    fn parse_defaults(&self, span: Range<usize>, table: DeTable<'_>) -> Result<RawCase, CaseError> {
        let raw = self.parse_table(span, table)?;
        let stray = raw.keys.keys().find(|key| !DEFAULTS.contains(&key.as_str()));
        let Some(key) = stray else { return Ok(raw) };
        let span = raw.spans.get(&json_pointer("", key)).unwrap_or(&raw.whole).clone();
        let hint = format!("known here: {}", DEFAULTS.join(", "));
        Err(self.error_at(span, &format!("`{key}` can't be said for every case"), &hint))
    }

    fn parse_table(&self, whole: Range<usize>, table: DeTable<'_>) -> Result<RawCase, CaseError> {
        let mut spans = KeySpans::new();
        let keys = self.parse_members(table, "", &mut spans)?;
        Ok(RawCase { keys, whole, spans })
    }

    fn parse_members(
        &self,
        table: DeTable<'_>,
        at: &str,
        spans: &mut KeySpans,
    ) -> Result<Map<String, Value>, CaseError> {
        let mut members = Map::new();
        for (key, value) in table {
            let at = json_pointer(at, key.get_ref());
            let start = key.span().start.min(value.span().start);
            spans.insert(at.clone(), start..value.span().end);
            members.insert(key.into_inner().into_owned(), self.convert_value(value, &at, spans)?);
        }
        Ok(members)
    }

    fn convert_value(
        &self,
        value: Spanned<DeValue<'_>>,
        at: &str,
        spans: &mut KeySpans,
    ) -> Result<Value, CaseError> {
        let span = value.span();
        Ok(match value.into_inner() {
            DeValue::String(text) => Value::String(text.into_owned()),
            DeValue::Boolean(is) => Value::Bool(is),
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
                .map(Value::from)
                .map_err(|_| self.error_at(span, "this number is too large", "write it as a text"))?,
            DeValue::Float(number) => number
                .as_str()
                .parse::<f64>()
                .map(Value::from)
                .map_err(|_| self.error_at(span, "this number is not understood", "write it as a text"))?,
            DeValue::Datetime(_) => {
                return Err(self.error_at(span, "no key takes a date", "write it as a text"));
            }
            DeValue::Array(items) => {
                let mut list = Vec::new();
                for (index, item) in items.into_iter().enumerate() {
                    let at = format!("{at}/{index}");
                    spans.insert(at.clone(), item.span());
                    list.push(self.convert_value(item, &at, spans)?);
                }
                Value::Array(list)
            }
            DeValue::Table(table) => Value::Object(self.parse_members(table, at, spans)?),
        })
    }
}

/// The text as it can be shown: what would move the cursor or hide is replaced, byte for byte, so that
/// places stay where they are.
fn displayable_text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let plain = matches!(c, '\n' | '\t') || escape_line(c.encode_utf8(&mut [0; 4])).starts_with(c);
        if plain {
            shown.push(c);
        } else {
            shown.extend(std::iter::repeat_n('?', c.len_utf8()));
        }
    }
    shown
}

fn json_pointer(at: &str, key: &str) -> String {
    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// What a case leaves out is taken from `[defaults]`, key by key.
fn with_defaults(mut raw: RawCase, defaults: Option<&RawCase>) -> RawCase {
    let Some(defaults) = defaults else { return raw };
    for (key, value) in &defaults.keys {
        if raw.keys.contains_key(key) {
            continue;
        }
        raw.keys.insert(key.clone(), value.clone());
        let at = json_pointer("", key);
        let below = format!("{at}/");
        let theirs = defaults.spans.iter().filter(|(place, _)| **place == at || place.starts_with(&below));
        raw.spans.extend(theirs.map(|(place, span)| (place.clone(), span.clone())));
    }
    raw
}
