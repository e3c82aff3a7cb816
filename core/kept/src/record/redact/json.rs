//! Secrets in JSON: in strings, in names of members, and by the names that values go by.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{Redactor, Within, names};

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
        self.alone().redact_value(value)
    }

    /// The same for `value` by the name `name`.
    pub fn redact_member(&self, name: &str, value: &mut Value) -> bool {
        self.alone().redact_member(name, value)
    }
}

impl Within<'_> {
    /// As [`Redactor::redact_value`].
    pub(crate) fn redact_value(&self, value: &mut Value) -> bool {
        self.value(value, false)
    }

    /// As [`Redactor::redact_member`].
    pub(crate) fn redact_member(&self, name: &str, value: &mut Value) -> bool {
        self.value(value, by_name(name, value))
    }

    fn value(&self, value: &mut Value, secret: bool) -> bool {
        match value {
            Value::String(text) if secret => hide(text),
            Value::String(text) => self.text(text),
            Value::Number(_) if secret => {
                *value = Value::from(BY_NAME);
                true
            }
            Value::Array(items) => self.items(items, secret),
            Value::Object(members) => self.members(members, secret),
            _ => false,
        }
    }

    fn text(&self, text: &mut String) -> bool {
        match self.redact(text) {
            Cow::Borrowed(_) => false,
            Cow::Owned(clean) => {
                *text = clean;
                true
            }
        }
    }

    /// Of words of a command, the one behind `--password`, too.
    fn items(&self, items: &mut [Value], secret: bool) -> bool {
        let mut any = false;
        let mut option = false;
        for item in items {
            let (value, next) = (follows(option, item), is_option(item));
            any |= self.value(item, secret || value);
            option = next;
        }
        any
    }

    fn members(&self, members: &mut Map<String, Value>, secret: bool) -> bool {
        let named = named(members);
        let mut any = false;
        let mut renamed = false;
        for (name, value) in members.iter_mut() {
            any |= self.value(value, secret || by_pair(named, name) || by_name(name, value));
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
pub(super) fn each(value: &Value, found: &mut impl FnMut(&str, bool)) {
    texts(value, false, found);
}

fn texts<F: FnMut(&str, bool)>(value: &Value, secret: bool, found: &mut F) {
    match value {
        Value::String(text) => found(text, secret && !names::stands_for(text)),
        Value::Number(number) if secret => found(&number.to_string(), true),
        Value::Array(items) => {
            let mut option = false;
            for item in items {
                texts(item, secret || follows(option, item), found);
                option = is_option(item);
            }
            // What a place in a command tells, its words by themselves do not.
            if items.len() > 1 && items.len() <= MOST_WORDS && items.iter().all(Value::is_string) {
                let words: Vec<String> = items.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                found(&mayi_call::shell::join(&words), false);
            }
        }
        Value::Object(members) => {
            let named = named(members);
            for (name, value) in members {
                if name.len() >= LONG_NAME {
                    found(name, false);
                }
                texts(value, secret || by_pair(named, name) || by_name(name, value), found);
            }
        }
        _ => {}
    }
}

/// `{"name": "TOKEN", "value": "..."}`
fn named(members: &Map<String, Value>) -> bool {
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
fn follows(option: bool, item: &Value) -> bool {
    option && item.as_str().is_some_and(|word| !word.starts_with('-'))
}

fn hide(text: &mut String) -> bool {
    if text.is_empty() || names::stands_for(text) {
        return false;
    }
    BY_NAME.clone_into(text);
    true
}
