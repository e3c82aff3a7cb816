//! Hooks in a harness's file of settings: what is put in is text of its own between what stands there, so that taking out just this
//! text gives the old file to the byte.

use jsonc_parser::ast::{Object, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

/// Strictly JSON: Claude Code and Codex drop a whole file for a comment, so one that has some has no hooks in force.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The same for harnesses that read comments.
pub(super) const LOOSE: ParseOptions =
    ParseOptions { allow_comments: true, allow_trailing_commas: true, ..STRICT };

/// What is put in, and where: in the order of the text.
pub(super) type Insertions = Vec<(usize, String)>;

/// What has to be put into `text` so that each of `entries` is in the list under its event. `top` stands at the top besides.
///
/// # Errors
/// If the text is not what the harness reads.
pub(super) fn plan_insertions(
    text: &str,
    strict: bool,
    entries: &[(&str, Value)],
    top: &[(&str, u64)],
) -> Result<Insertions, String> {
    let options = if strict { &STRICT } else { &LOOSE };
    let parsed = parse_to_ast(text, &CollectOptions::default(), options)
        .map_err(|error| format!("is not JSON: {error}"))?;
    let Some(Node::Object(root)) = &parsed.value else {
        return Err("is not an object".to_owned());
    };
    let unit = indent_unit(text);
    let mut found = Vec::new();
    let missing =
        top.iter().filter(|(name, _)| root.properties.iter().all(|property| property.name.as_str() != *name));
    let mut members: Vec<(String, Value)> =
        missing.map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect();
    let mut named = root.properties.iter().filter(|property| property.name.as_str() == "hooks");
    match (named.next(), named.next()) {
        (None, _) => {
            let lists =
                entries.iter().map(|(event, entry)| ((*event).to_owned(), Value::from(vec![entry.clone()])));
            members.push(("hooks".to_owned(), Value::Object(lists.collect::<Map<_, _>>())));
        }
        (Some(_), Some(_)) => return Err("has `hooks` twice: leave one of them".to_owned()),
        (Some(property), None) => {
            let Node::Object(hooks) = &property.value else {
                return Err("`hooks` is not an object".to_owned());
            };
            let mut missing = Vec::new();
            for (event, entry) in entries {
                let mut lists = hooks.properties.iter().filter(|property| property.name.as_str() == *event);
                match (lists.next(), lists.next()) {
                    (None, _) => {
                        missing.push(((*event).to_owned(), Value::from(vec![entry.clone()])));
                    }
                    (Some(_), Some(_)) => return Err(format!("has `{event}` twice: leave one of them")),
                    (Some(list), None) => {
                        let Node::Array(list) = &list.value else {
                            return Err(format!("`{event}` is not a list"));
                        };
                        let shown = pretty_json(entry, 3, &unit);
                        found.push(match list.elements.last() {
                            Some(last) => (last.range().end, format!(",\n{}{shown}", unit.repeat(3))),
                            None => (
                                list.range().start + 1,
                                format!("\n{}{shown}\n{}", unit.repeat(3), unit.repeat(2)),
                            ),
                        });
                    }
                }
            }
            found.extend(after_members(text, hooks, 1, &unit, &missing));
        }
    }
    found.extend(after_members(text, root, 0, &unit, &members));
    found.sort_by_key(|(at, _)| *at);
    Ok(found)
}

/// `text` with what is put in.
pub(super) fn apply_insertions(text: &str, insertions: &Insertions) -> String {
    let mut new = String::with_capacity(text.len() + 4096);
    let mut at = 0;
    for (place, piece) in insertions {
        new.push_str(text.get(at..*place).unwrap_or_default());
        new.push_str(piece);
        at = *place;
    }
    new.push_str(text.get(at..).unwrap_or_default());
    new
}

/// `text` without what was put in; none, if that is not all there just as it was.
pub(super) fn without_pieces(text: &str, pieces: &[String]) -> Option<String> {
    let mut text = text.to_owned();
    let mut left: Vec<&String> = pieces.iter().collect();
    // The longest first: none may be found within another.
    left.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
    let mut done: Vec<&String> = Vec::new();
    for piece in left {
        if done.contains(&piece) {
            continue;
        }
        let count = pieces.iter().filter(|other| *other == piece).count();
        if piece.is_empty() || text.matches(piece.as_str()).count() != count {
            return None;
        }
        text = text.replace(piece.as_str(), "");
        done.push(piece);
    }
    Some(text)
}

/// `members` behind those that `object` has, which stands `depth` deep; none, if there are none.
fn after_members(
    text: &str,
    object: &Object<'_>,
    depth: usize,
    unit: &str,
    members: &[(String, Value)],
) -> Option<(usize, String)> {
    let (outer, inner) = (unit.repeat(depth), unit.repeat(depth + 1));
    let shown = members.iter().map(|(name, value)| {
        format!("{}: {}", Value::from(name.as_str()), pretty_json(value, depth + 1, unit))
    });
    let shown = shown.collect::<Vec<_>>().join(&format!(",\n{inner}"));
    if members.is_empty() {
        return None;
    }
    Some(match object.properties.last() {
        Some(last) => (last.range.end, format!(",\n{inner}{shown}")),
        None => {
            let at = object.range().start + 1;
            // What stands between the braces stays behind it.
            let rest = text.get(at..).unwrap_or_default().trim_start_matches([' ', '\t']);
            let end = if rest.starts_with(['\n', '\r']) { String::new() } else { format!("\n{outer}") };
            (at, format!("\n{inner}{shown}{end}"))
        }
    })
}

/// `value` over several lines, of which the first stands `depth` deep.
fn pretty_json(value: &Value, depth: usize, unit: &str) -> String {
    let plain = serde_json::to_string_pretty(value).unwrap_or_default();
    let mut lines = plain.lines();
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let own = line.len() - line.trim_start().len();
        out.push('\n');
        out.push_str(&unit.repeat(depth + own / 2));
        out.push_str(line.trim_start());
    }
    out
}

/// What the file is indented by.
fn indent_unit(text: &str) -> String {
    let first = text.lines().find_map(|line| {
        let own = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
        (!own.is_empty() && !line.trim().is_empty()).then(|| own.to_owned())
    });
    first.filter(|unit| unit.len() <= 8).unwrap_or_else(|| "  ".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn insert_and_remove(text: &str) -> String {
        let entries = [("A", json!({ "command": "mayi" })), ("B", json!({ "command": "mayi" }))];
        let put = plan_insertions(text, true, &entries, &[("version", 1)]).unwrap();
        let new = apply_insertions(text, &put);
        let pieces: Vec<String> = put.into_iter().map(|(_, piece)| piece).collect();
        assert_eq!(without_pieces(&new, &pieces).as_deref(), Some(text), "{new}");
        let value: Value = serde_json::from_str(&new).unwrap_or_else(|error| panic!("{error}: {new}"));
        let of = |event: &str| value["hooks"][event].as_array().unwrap().last().unwrap()["command"] == "mayi";
        assert!(of("A") && of("B"), "{new}");
        new
    }

    #[test]
    fn given_any_file_that_is_json_then_hooks_are_put_in_and_come_out_to_the_byte() {
        for text in [
            "{}",
            "{ }\n",
            "{\n}",
            "{\r\n  \"x\": 1\r\n}\r\n",
            "{\"x\":1}",
            "{\"hooks\":{}}",
            "{\"hooks\":{\"A\":[]},\"y\":2}",
            "{\n\t\"hooks\": {\n\t\t\"A\": [\n\t\t\t{ \"command\": \"other\" }\n\t\t],\n\t\t\"B\": [{}]\n\t}\n}\n",
            "{\"version\":1,\"hooks\":{\"C\":[1]}}",
        ] {
            insert_and_remove(text);
        }
        assert_eq!(
            insert_and_remove("{\n  \"x\": 1\n}\n"),
            "{\n  \"x\": 1,\n  \"version\": 1,\n  \"hooks\": {\n    \"A\": [\n      {\n        \"command\": \"mayi\"\n      }\n    ],\n    \"B\": [\n      {\n        \"command\": \"mayi\"\n      }\n    ]\n  }\n}\n"
        );
    }

    #[test]
    fn given_a_file_that_the_harness_does_not_read_then_nothing_is_put_in() {
        for text in [
            "",
            "[]",
            "{",
            "{\"a\":1,}",
            "{} // x",
            "{\"hooks\":[]}",
            "{\"hooks\":{},\"hooks\":{}}",
            "{\"hooks\":{\"A\":{}}}",
        ] {
            assert!(plan_insertions(text, true, &[("A", json!(1))], &[]).is_err(), "{text}");
        }
    }

    #[test]
    fn given_what_was_put_in_is_not_all_there_then_nothing_is_taken_out() {
        assert_eq!(without_pieces("abab", &["ab".to_owned()]), None);
        assert_eq!(without_pieces("ab", &["ab".to_owned(), "ab".to_owned()]), None);
        assert_eq!(without_pieces("x", &["ab".to_owned()]), None);
    }
}
