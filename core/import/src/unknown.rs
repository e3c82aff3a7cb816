//! What of a tool's file speaks of permissions and is not known here: it is named, so that nothing passes without a word.

use serde_json::{Map, Value};

use super::collector::RuleCollector;

const UNKNOWN_DENIAL: &str = "it is not known here, and could deny something: write what you mean as a rule";

/// Parts of keys that speak of what may be done.
const PERMISSION_WORDS: &[&str] = &[
    "permission",
    "allow",
    "approv",
    "deny",
    "denied",
    "denie",
    "denial",
    "disabled",
    "block",
    "forbid",
    "disallow",
    "restrict",
    "sandbox",
    "exclude",
    "reject",
    "protect",
    "trust",
    "confirm",
    "readonly",
    "read_only",
];

/// Parts of keys that speak of what may not be done.
const DENIAL_WORDS: &[&str] = &[
    "deny", "denied", "denie", "denial", "disabled", "block", "forbid", "disallow", "restrict", "exclude",
    "reject", "protect",
];

/// Parts of keys that speak of nothing else, wherever they stand.
const PLAIN_DENIAL_WORDS: &[&str] = &["deny", "denied", "denies", "denial", "forbid", "disallow"];

/// Values that do.
const PLAIN_DENIAL_VALUES: &[&str] = &["deny", "denied", "forbidden"];

/// How deep a value is looked into.
const DEEPEST: usize = 8;

/// Values that say the same.
const DENIAL_VALUES: &[&str] = &["deny", "denied", "block", "blocked", "forbidden", "reject", "none"];

/// Names each key of `map` that speaks of permissions, or that holds a denial, but those that are `known`. `prefix` stands before
/// the names.
pub(super) fn name_permission_keys(
    map: &Map<String, Value>,
    known: &[&str],
    prefix: &str,
    rules: &mut RuleCollector<'_>,
) {
    let speaks = |key: &str| PERMISSION_WORDS.iter().any(|word| key.to_lowercase().contains(word));
    for (key, value) in map.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
        let name = format!("{prefix}{key}");
        if speaks(key) {
            name_key(&name, value, rules);
        } else if holds_denial(value, DEEPEST) {
            rules.lose_denial(&format!("{name}: {value}"), UNKNOWN_DENIAL);
        }
    }
}

/// Names each key of `map` that is, or holds, a denial, but those that are `known`: for files that are about much else.
pub(super) fn name_denials(map: &Map<String, Value>, known: &[&str], rules: &mut RuleCollector<'_>) {
    for (key, value) in map.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
        let one = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
        if holds_denial(&one, DEEPEST) {
            rules.lose_denial(&format!("{key}: {value}"), UNKNOWN_DENIAL);
        }
    }
}

/// Whether something within a value is surely a denial.
fn holds_denial(value: &Value, deepest: usize) -> bool {
    if deepest == 0 {
        return true;
    }
    let empty = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    let says = |key: &str| PLAIN_DENIAL_WORDS.iter().any(|word| key.to_lowercase().contains(word));
    match value {
        Value::String(text) => PLAIN_DENIAL_VALUES.contains(&text.to_lowercase().as_str()),
        Value::Array(items) => items.iter().any(|item| holds_denial(item, deepest - 1)),
        Value::Object(map) => {
            map.iter().any(|(key, value)| (says(key) && !empty(value)) || holds_denial(value, deepest - 1))
        }
        _ => false,
    }
}

/// Names every key of a block that is all about permissions, but those that are `known`.
pub(super) fn name_all_keys(
    map: &Map<String, Value>,
    known: &[&str],
    prefix: &str,
    rules: &mut RuleCollector<'_>,
) {
    for (key, value) in map.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
        name_key(&format!("{prefix}{key}"), value, rules);
    }
}

fn name_key(name: &str, value: &Value, rules: &mut RuleCollector<'_>) {
    let empty = match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    if empty {
        return;
    }
    let from = format!("{name}: {value}");
    if could_deny(name, value) {
        rules.lose_denial(&from, UNKNOWN_DENIAL);
    } else {
        rules.leave_out(&from, "it is not known here: write what you mean as a rule");
    }
}

/// Whether a key that is not known, or something in it, reads as a denial.
fn could_deny(name: &str, value: &Value) -> bool {
    let key = name.rsplit('.').next().unwrap_or(name).to_lowercase();
    if DENIAL_WORDS.iter().any(|word| key.contains(word)) {
        return *value != Value::Bool(false);
    }
    match value {
        Value::String(text) => DENIAL_VALUES.contains(&text.to_lowercase().as_str()),
        Value::Array(items) => items.iter().any(|item| could_deny("", item)),
        Value::Object(map) => map.iter().any(|(key, value)| could_deny(key, value)),
        _ => false,
    }
}
