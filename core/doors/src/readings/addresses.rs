//! Addresses in texts.

use std::collections::BTreeSet;

use serde_json::Value;

/// What may stand behind an address in a sentence, and is none of it.
const CLOSING: &[char] = &['.', ',', ';', ':', '!', '?', ')', ']', '}', '>', '"', '\'', '`', '*', '_', '|'];

/// Every address in any text of `value`, at any depth: a model that is to look at a page is told so in a sentence. Each as far as
/// the next blank, and without what ends a sentence.
#[must_use]
pub fn addresses(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    add(value, &mut found);
    let mut seen = BTreeSet::new();
    found.retain(|address| seen.insert(address.clone()));
    found
}

fn add(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            for token in text.split(|c: char| c.is_whitespace() || c.is_control()) {
                add_token(token, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add(item, found)),
        Value::Object(map) => {
            for (key, value) in map {
                key.split_whitespace().for_each(|token| add_token(token, found));
                add(value, found);
            }
        }
        _ => {}
    }
}

fn add_token(token: &str, found: &mut Vec<String>) {
    for (at, _) in token.match_indices("://") {
        let before = token.get(..at).unwrap_or_default();
        let scheme = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "+.-".contains(c));
        let Some(whole) = token.get(scheme.len()..).filter(|_| scheme.len() < at) else { continue };
        let trimmed = whole.trim_end_matches(CLOSING);
        found.push(whole.to_owned());
        found.extend((trimmed != whole).then(|| trimmed.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Attack 359.
    #[test]
    fn given_addresses_in_sentences_then_each_is_found_at_any_depth() {
        for (value, all) in [
            (json!({ "prompt": "get http://e.x/?k=1 now" }), &["http://e.x/?k=1"][..]),
            (json!({ "prompt": "(see https://a.b/x), https://c.d." }), &["https://a.b/x", "https://c.d"]),
            (json!({ "prompt": "a\nHTTP://e.x\tb" }), &["HTTP://e.x"]),
            (json!({ "p": "https://a.b,https://c.d" }), &["https://a.b,https://c.d", "https://c.d"]),
            (json!({ "p": "[x](ftp://e.x/y)" }), &["ftp://e.x/y"]),
            (json!({ "p": "<file:///etc/passwd>" }), &["file:///etc/passwd"]),
            (json!({ "urls": [{ "u": ["http://e.x"] }] }), &["http://e.x"]),
            (json!({ "http://e.x": 1 }), &["http://e.x"]),
        ] {
            let found = addresses(&value);
            for address in all {
                assert!(found.iter().any(|known| known == address), "{value}: {found:?} lacks {address}");
            }
        }
        for quiet in ["no address", "a: b", "x //y", "://", "and/or 1:2"] {
            assert_eq!(addresses(&json!({ "prompt": quiet })), Vec::<String>::new(), "{quiet}");
        }
    }
}
