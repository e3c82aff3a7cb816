//! Secrets in JSON: in strings, in names of members, and by the names that values go by.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{CallRedactor, Redactor, names};

/// What stands for a value whose name says secret.
const BY_NAME: &str = "«redacted: by its name»";
/// A shorter name of a member is no secret.
const LONG_NAME: usize = 16;
/// Words of a command are also looked at as its line, if they are no more than this.
const MOST_WORDS: usize = 256;

impl Redactor {
    /// Takes the secrets out of every string and name of a member in `value`, and every text that goes by
    /// a name which says secret. Says whether there were any.
    pub fn redact_value(&self, value: &mut Value) -> bool {
        self.without_call().redact_value(value)
    }

    /// The same for `value` by the name `name`.
    pub fn redact_member(&self, name: &str, value: &mut Value) -> bool {
        self.without_call().redact_member(name, value)
    }
}

impl CallRedactor<'_> {
    /// As [`Redactor::redact_value`].
    pub(crate) fn redact_value(&self, value: &mut Value) -> bool {
        self.redact_json(value, false)
    }

    /// As [`Redactor::redact_member`].
    pub(crate) fn redact_member(&self, name: &str, value: &mut Value) -> bool {
        self.redact_json(value, by_name(name, value))
    }

    fn redact_json(&self, value: &mut Value, secret: bool) -> bool {
        match value {
            Value::String(text) if secret => hide_text(text),
            Value::String(text) => self.redact_string(text),
            Value::Number(_) if secret => {
                *value = Value::from(BY_NAME);
                true
            }
            Value::Array(items) => self.redact_items(items, secret),
            Value::Object(members) => self.redact_members(members, secret),
            _ => false,
        }
    }

    fn redact_string(&self, text: &mut String) -> bool {
        match self.redact(text) {
            Cow::Borrowed(_) => false,
            Cow::Owned(clean) => {
                *text = clean;
                true
            }
        }
    }

    /// Of words of a command, the one behind `--password`, too.
    fn redact_items(&self, items: &mut [Value], secret: bool) -> bool {
        let mut any = false;
        let mut option = false;
        for item in items {
            let (value, next) = (is_option_value(option, item), is_option(item));
            any |= self.redact_json(item, secret || value);
            option = next;
        }
        any
    }

    fn redact_members(&self, members: &mut Map<String, Value>, secret: bool) -> bool {
        let named = is_name_value_pair(members);
        let mut any = false;
        let mut renamed = false;
        for (name, value) in members.iter_mut() {
            any |= self.redact_json(value, secret || by_pair(named, name) || by_name(name, value));
            renamed |= matches!(self.redact(name), Cow::Owned(_));
        }
        if renamed {
            *members = std::mem::take(members)
                .into_iter()
                .map(|(name, value)| (self.redact(&name).into_owned(), value))
                .fold(Map::new(), |mut all, (name, value)| {
                    let mut free = name;
                    while all.contains_key(&free) {
                        free.push('\'');
                    }
                    all.insert(free, value);
                    all
                });
        }
        any || renamed
    }
}

/// Every text in `value`, and whether it goes by a name which says secret.
pub(super) fn for_each_text(value: &Value, found: &mut impl FnMut(&str, bool)) {
    visit_texts(value, false, found);
}

fn visit_texts<F: FnMut(&str, bool)>(value: &Value, secret: bool, found: &mut F) {
    match value {
        Value::String(text) => found(text, secret && !names::is_placeholder(text)),
        Value::Number(number) if secret => found(&number.to_string(), true),
        Value::Array(items) => {
            let mut option = false;
            for item in items {
                visit_texts(item, secret || is_option_value(option, item), found);
                option = is_option(item);
            }
            // What a place in a command tells, its words by themselves do not.
            if items.len() > 1 && items.len() <= MOST_WORDS && items.iter().all(Value::is_string) {
                let words: Vec<String> = items.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                found(&mayi_call::shell::join_words(&words), false);
            }
        }
        Value::Object(members) => {
            let named = is_name_value_pair(members);
            for (name, value) in members {
                if name.len() >= LONG_NAME {
                    found(name, false);
                }
                visit_texts(value, secret || by_pair(named, name) || by_name(name, value), found);
            }
        }
        _ => {}
    }
}

/// `{"name": "TOKEN", "value": "..."}`
fn is_name_value_pair(members: &Map<String, Value>) -> bool {
    (members.contains_key("value") || members.contains_key("values"))
        && ["name", "key", "header"]
            .iter()
            .any(|key| members.get(*key).and_then(Value::as_str).is_some_and(names::says_secret))
}

fn by_pair(named: bool, name: &str) -> bool {
    named && matches!(name, "value" | "values")
}

/// Numbers by names that say secret are counts, unless they are asked for as passwords are.
fn by_name(name: &str, value: &Value) -> bool {
    names::says_secret(name) && (!value.is_number() || names::says_number(name))
}

fn is_option(item: &Value) -> bool {
    let secret = |word: &str| !word.contains(['=', ' ']) && names::says_secret(word.trim_start_matches('-'));
    item.as_str().is_some_and(|word| word.starts_with('-') && secret(word))
}

/// Whether `item` is the value of the option before it.
fn is_option_value(option: bool, item: &Value) -> bool {
    option && item.as_str().is_some_and(|word| !word.starts_with('-'))
}

fn hide_text(text: &mut String) -> bool {
    if text.is_empty() || names::is_placeholder(text) {
        return false;
    }
    BY_NAME.clone_into(text);
    true
}
