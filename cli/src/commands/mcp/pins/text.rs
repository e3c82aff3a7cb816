//! A definition as text, so that two of them can be compared line by line.

use serde_json::{Map, Value};

/// Members of a tool that come first, in this order; the others by their names.
const FIRST: &[&str] = &["name", "title", "description", "inputSchema", "outputSchema", "annotations"];

/// Texts as they read, the rest as JSON with its members by name: the order of members is no change.
pub(super) fn definition_text(definition: &Value) -> String {
    let mut out = String::new();
    match definition {
        Value::Object(members) => {
            let first = FIRST.iter().filter_map(|name| members.get_key_value(*name));
            let mut others: Vec<_> =
                members.iter().filter(|(name, _)| !FIRST.contains(&name.as_str())).collect();
            others.sort_by_key(|(name, _)| name.as_str());
            for (name, value) in first.chain(others) {
                push_member(&mut out, name, value);
            }
        }
        Value::String(words) => push_lines(&mut out, "", words),
        // Instructions that are not given.
        Value::Null => {}
        other => push_lines(&mut out, "", &sorted_json(other)),
    }
    out
}

fn push_member(out: &mut String, name: &str, value: &Value) {
    match value {
        Value::String(words) if words.contains('\n') => {
            out.push_str(&format!("{name}:\n"));
            push_lines(out, "  ", words);
        }
        Value::String(words) => out.push_str(&format!("{name}: {words}\n")),
        Value::Object(_) | Value::Array(_) => {
            out.push_str(&format!("{name}:\n"));
            push_lines(out, "  ", &sorted_json(value));
        }
        other => out.push_str(&format!("{name}: {other}\n")),
    }
}

fn push_lines(out: &mut String, indent: &str, text: &str) {
    for line in text.split('\n') {
        out.push_str(indent);
        out.push_str(line);
        out.push('\n');
    }
}

fn sorted_json(value: &Value) -> String {
    serde_json::to_string_pretty(&sort_members(value)).unwrap_or_default()
}

/// The same, with the members of every object by name.
fn sort_members(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| name.as_str());
            let members: Map<String, Value> =
                members.into_iter().map(|(name, value)| (name.clone(), sort_members(value))).collect();
            Value::Object(members)
        }
        Value::Array(items) => Value::Array(items.iter().map(sort_members).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    /// S5.6: a changed one is blocked until accepted (`mayi mcp pins`, with a diff).
    #[test]
    fn given_a_definition_then_it_reads_line_by_line_and_in_one_order() {
        let definition = json!({"zeta": 1, "inputSchema": {"type": "object", "a": [{"c": 1, "b": null}]},
            "description": "two\nlines", "name": "x"});
        insta::assert_snapshot!(super::definition_text(&definition), @r#"
        name: x
        description:
          two
          lines
        inputSchema:
          {
            "a": [
              {
                "b": null,
                "c": 1
              }
            ],
            "type": "object"
          }
        zeta: 1
        "#);
        assert_eq!(super::definition_text(&json!("a\nb")), "a\nb\n");
        assert_eq!(super::definition_text(&json!(["x"])), "[\n  \"x\"\n]\n");
    }
}
