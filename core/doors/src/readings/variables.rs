//! Variables that are set for a command.

use serde_json::{Map, Value};

/// Keys that hold them.
const VARIABLES: &[&str] =
    &["env", "environment", "envs", "env_vars", "envVars", "environment_variables", "environmentVariables"];

/// Every variable that the input sets: by a map, a list of names and values, of pairs or of `NAME=VALUE`, or such a text. What is none
/// of these is one of no name that is known to be harmless. A name with `=` in it sets another variable, too: who starts a program
/// writes `NAME=VALUE`.
#[must_use]
pub fn variables(input: &Map<String, Value>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for key in VARIABLES {
        match input.get(*key) {
            None | Some(Value::Null) => {}
            Some(Value::Object(map)) => {
                found.extend(map.iter().map(|(name, value)| (name.clone(), text_of(value))))
            }
            Some(Value::Array(items)) => items.iter().for_each(|item| add_item(item, &mut found)),
            Some(Value::String(text)) => {
                let parts = text.split(|c: char| c.is_whitespace() || matches!(c, ';' | ','));
                parts.filter(|part| !part.is_empty()).for_each(|part| add_pair(part, &mut found));
            }
            Some(other) => found.push(("env".to_owned(), other.to_string())),
        }
    }
    let split = |(name, value): &(String, String)| {
        let (before, after) = name.split_once('=')?;
        Some((before.to_owned(), format!("{after}={value}")))
    };
    found.iter().filter_map(split).chain(found.clone()).collect()
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn add_pair(text: &str, found: &mut Vec<(String, String)>) {
    let (name, value) = text.split_once('=').unwrap_or(("env", text));
    found.push((name.to_owned(), value.to_owned()));
}

fn add_item(item: &Value, found: &mut Vec<(String, String)>) {
    match item {
        Value::String(text) => add_pair(text, found),
        Value::Array(pair) => match pair.as_slice() {
            [Value::String(name), value] => found.push((name.clone(), text_of(value))),
            _ => found.push(("env".to_owned(), item.to_string())),
        },
        Value::Object(map) => {
            let name = ["name", "key"].iter().find_map(|key| map.get(*key)).and_then(Value::as_str);
            match name {
                Some(name) => {
                    found.push((name.to_owned(), map.get("value").map(text_of).unwrap_or_default()))
                }
                None => found.extend(map.iter().map(|(name, value)| (name.clone(), text_of(value)))),
            }
        }
        Value::Null => {}
        other => found.push(("env".to_owned(), other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Attack 564.
    #[test]
    fn given_variables_in_any_form_then_each_is_found() {
        for set in [
            json!({ "X": "y" }),
            json!([{ "name": "X", "value": "y" }]),
            json!([{ "key": "X", "value": "y" }]),
            json!([{ "X": "y" }]),
            json!(["X=y"]),
            json!([["X", "y"]]),
            json!("X=y"),
            json!("A=b X=y"),
            json!("A=b;X=y"),
        ] {
            for key in VARIABLES {
                let found = variables(json!({ *key: set }).as_object().unwrap());
                assert!(found.contains(&("X".to_owned(), "y".to_owned())), "{key} {set}: {found:?}");
            }
        }
        let split = variables(json!({ "env": { "A=b": "c" } }).as_object().unwrap());
        assert_eq!(split, [("A".to_owned(), "b=c".to_owned()), ("A=b".to_owned(), "c".to_owned())]);
        for odd in [json!(1), json!([1]), json!([["a"]]), json!("x")] {
            assert_eq!(variables(json!({ "env": odd }).as_object().unwrap())[0].0, "env", "{odd}");
        }
        for none in [json!(null), json!({}), json!([]), json!("")] {
            assert_eq!(variables(json!({ "env": none }).as_object().unwrap()), [], "{none}");
        }
    }
}
