//! Secrets in JSON: in strings, in names of members, and by the names that values go by.

use serde_json::{Map, Value};

use super::{Redactor, names};

/// What stands for a value whose name says secret.
const BY_NAME: &str = "«redacted: by its name»";

impl Redactor {
    /// Takes the secrets out of every string and name of a member in `value`, and every text that goes by
    /// a name which says secret. Says whether there were any.
    pub fn redact_value(&self, value: &mut Value) -> bool {
        self.value(value, false)
    }

    /// The same for `value` by the name `name`.
    pub fn redact_member(&self, name: &str, value: &mut Value) -> bool {
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
            std::borrow::Cow::Borrowed(_) => false,
            std::borrow::Cow::Owned(clean) => {
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
            let next = item.as_str().is_some_and(|word| word.starts_with('-') && names_secret_option(word));
            let value = option && item.as_str().is_some_and(|word| !word.starts_with('-'));
            any |= self.value(item, secret || value);
            option = next;
        }
        any
    }

    fn members(&self, members: &mut Map<String, Value>, secret: bool) -> bool {
        // `{"name": "TOKEN", "value": "..."}`
        let named = (members.contains_key("value") || members.contains_key("values"))
            && ["name", "key", "header"]
                .iter()
                .any(|key| members.get(*key).and_then(Value::as_str).is_some_and(names::says_secret));
        let mut any = false;
        let mut renamed = false;
        for (name, value) in members.iter_mut() {
            let by_pair = named && matches!(name.as_str(), "value" | "values");
            any |= self.value(value, secret || by_pair || by_name(name, value));
            renamed |= matches!(self.redact(name), std::borrow::Cow::Owned(_));
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

/// Numbers by names that say secret are counts, unless they are asked for as passwords are.
fn by_name(name: &str, value: &Value) -> bool {
    names::says_secret(name) && (!value.is_number() || names::says_number(name))
}

fn names_secret_option(word: &str) -> bool {
    !word.contains(['=', ' ']) && names::says_secret(word.trim_start_matches('-'))
}

fn hide(text: &mut String) -> bool {
    if text.is_empty() || names::stands_for(text) {
        return false;
    }
    BY_NAME.clone_into(text);
    true
}
