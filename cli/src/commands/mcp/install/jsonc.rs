//! Servers in JSON, as editors write it: with comments and trailing commas.

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::model::{Field, ServerEntry, Span, ValueForm, duplicate_key};

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The servers in `text`, by the sections where the client keeps them; `*` in a section is any key.
///
/// # Errors
/// If it is not JSON, or a section is not what it should be.
pub(super) fn parse_entries(text: &str, sections: &[&[&str]]) -> Result<Vec<ServerEntry>, String> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS)
        .map_err(|error| format!("is not JSON: {error}"))?;
    let mut found = Vec::new();
    match &parsed.value {
        // An empty file has no servers.
        None => {}
        Some(Node::Object(top)) => {
            for section in sections {
                collect_entries(top, section, &mut Vec::new(), &mut found)?;
            }
        }
        Some(_) => return Err("is not an object".to_owned()),
    }
    Ok(found)
}

fn collect_entries(
    object: &Object<'_>,
    section: &[&str],
    keys: &mut Vec<String>,
    found: &mut Vec<ServerEntry>,
) -> Result<(), String> {
    let Some((step, rest)) = section.split_first() else {
        for property in &object.properties {
            found.push(parse_entry(property, keys));
        }
        let named: Vec<&str> = object.properties.iter().map(|property| property.name.as_str()).collect();
        for entry in found.iter_mut().filter(|entry| entry.keys.len() == keys.len() + 1) {
            let same = entry.keys.starts_with(keys);
            if same && named.iter().filter(|name| **name == entry.name()).count() > 1 {
                entry.problem = Some("its name is there twice".to_owned());
            }
        }
        return Ok(());
    };
    let any = *step == "*";
    let there: Vec<&ObjectProp<'_>> =
        object.properties.iter().filter(|property| any || property.name.as_str() == *step).collect();
    if !any && there.len() > 1 {
        return Err(format!("has `{step}` twice: leave one of them"));
    }
    for property in there {
        match &property.value {
            Node::Object(inner) => {
                keys.push(property.name.as_str().to_owned());
                collect_entries(inner, rest, keys, found)?;
                keys.pop();
            }
            _ if any => {}
            _ => return Err(format!("`{step}` is not an object")),
        }
    }
    Ok(())
}

fn parse_entry(property: &ObjectProp<'_>, keys: &[String]) -> ServerEntry {
    let mut keys = keys.to_vec();
    keys.push(property.name.as_str().to_owned());
    let at = node_span(&property.value);
    let Node::Object(object) = &property.value else {
        let odd = Some("it is not an object".to_owned());
        return ServerEntry { keys, span: at, fields: Vec::new(), inline: true, problem: odd };
    };
    let fields = parse_fields(object);
    let odd = duplicate_key(&fields).map(|key| format!("it has `{key}` twice"));
    ServerEntry { keys, span: at, fields, inline: true, problem: odd }
}

fn parse_fields(object: &Object<'_>) -> Vec<Field> {
    object.properties.iter().map(parse_field).collect()
}

fn parse_field(property: &ObjectProp<'_>) -> Field {
    let node = &property.value;
    Field {
        key: property.name.as_str().to_owned(),
        key_span: property.name.range().start..property.name.range().end,
        span: property.range.start..property.range.end,
        value_span: node_span(node),
        value: to_json_value(node),
        items: match node {
            Node::Array(list) => list.elements.iter().map(node_span).collect(),
            _ => Vec::new(),
        },
        pairs: match node {
            Node::Object(object) => parse_fields(object),
            _ => Vec::new(),
        },
        form: ValueForm::Plain,
    }
}

fn node_span(node: &Node<'_>) -> Span {
    let range = node.range();
    range.start..range.end
}

fn to_json_value(node: &Node<'_>) -> Value {
    match node {
        Node::StringLit(text) => Value::from(text.value.as_ref()),
        Node::BooleanLit(on) => Value::from(on.value),
        Node::Array(list) => list.elements.iter().map(to_json_value).collect(),
        Node::Object(_) => Value::Object(serde_json::Map::new()),
        Node::NumberLit(_) | Node::NullKeyword(_) => Value::Null,
    }
}
