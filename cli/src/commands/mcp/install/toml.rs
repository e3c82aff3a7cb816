//! Servers in TOML, as Codex keeps them.

use serde_json::Value;
use toml_edit::{Document, Item, Key, Table, TableLike, Value as Node};

use super::model::{Field, ServerEntry, Span, ValueForm};

/// The servers in `text`: the tables in the table `section`.
///
/// # Errors
/// If it is not TOML, or the section is not a table.
pub(super) fn parse_entries(text: &str, section: &str) -> Result<Vec<ServerEntry>, String> {
    let document =
        Document::parse(text).map_err(|error| format!("is not TOML: {}", error.message().trim()))?;
    let Some(item) = document.as_table().get(section) else { return Ok(Vec::new()) };
    let Some(servers) = item.as_table_like() else { return Err(format!("`{section}` is not a table")) };
    Ok(servers.iter().map(|(name, item)| parse_entry(section, name, item)).collect())
}

fn parse_entry(section: &str, name: &str, item: &Item) -> ServerEntry {
    let keys = vec![section.to_owned(), name.to_owned()];
    let odd = |why: &str| ServerEntry {
        keys: keys.clone(),
        span: 0..0,
        fields: Vec::new(),
        inline: false,
        problem: Some(why.to_owned()),
    };
    let (table, inline): (&dyn TableLike, bool) = match item {
        Item::Table(table) if table.is_dotted() => return odd("it is written with dotted keys"),
        Item::Table(table) => (table, false),
        Item::Value(Node::InlineTable(table)) if table.is_dotted() => {
            return odd("it is written with dotted keys");
        }
        Item::Value(Node::InlineTable(table)) => (table, true),
        _ => return odd("it is not a table"),
    };
    let Some(fields) = parse_fields(table) else { return odd("where its parts are can't be told") };
    let own = item.span().or_else(|| fields.first().map(|field| field.span.clone())).unwrap_or_default();
    let at = fields.iter().fold(own, covering_span);
    ServerEntry { keys, span: at, fields, inline, problem: None }
}

fn covering_span(all: Span, field: &Field) -> Span {
    let own = all.start.min(field.span.start)..all.end.max(field.span.end).max(field.value_span.end);
    field.pairs.iter().fold(own, covering_span)
}

fn parse_fields(table: &dyn TableLike) -> Option<Vec<Field>> {
    table
        .iter()
        .map(|(name, _)| table.get_key_value(name).and_then(|(key, item)| parse_field(key, item)))
        .collect()
}

fn parse_field(key: &Key, item: &Item) -> Option<Field> {
    let key_at = key.span()?;
    let (form, value_at) = match item {
        Item::Table(table) if table.is_dotted() => (ValueForm::Dotted, key_at.clone()),
        Item::Table(_) | Item::ArrayOfTables(_) => (ValueForm::Table, key_at.clone()),
        Item::Value(Node::InlineTable(table)) if table.is_dotted() => (ValueForm::Dotted, key_at.clone()),
        Item::Value(value) => (ValueForm::Plain, value.span()?),
        Item::None => return None,
    };
    let items = match item.as_array() {
        Some(list) => list.iter().map(Node::span).collect::<Option<Vec<_>>>()?,
        None => Vec::new(),
    };
    let pairs = match item {
        Item::Table(table) => parse_fields(table as &Table)?,
        Item::Value(Node::InlineTable(table)) => parse_fields(table)?,
        _ => Vec::new(),
    };
    let at = if form == ValueForm::Plain { key_at.start..value_at.end } else { key_at.clone() };
    let value = item.as_value().map_or_else(|| Value::Object(serde_json::Map::new()), to_json_value);
    Some(Field {
        key: key.get().to_owned(),
        key_span: key_at,
        span: at,
        value_span: value_at,
        value,
        items,
        pairs,
        form,
    })
}

fn to_json_value(node: &Node) -> Value {
    match node {
        Node::String(text) => Value::from(text.value().as_str()),
        Node::Boolean(on) => Value::from(*on.value()),
        Node::Array(list) => list.iter().map(to_json_value).collect(),
        Node::InlineTable(_) => Value::Object(serde_json::Map::new()),
        _ => Value::Null,
    }
}
