//! JSON objects as they stand in a text: each member with its place, so that a change leaves the rest as it was.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use mayi_core::policy::fold_text;

/// The most members of an object that is taken apart.
const MOST: usize = 1000;

/// The members of an object in the order in which they stand there. No name is there twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawMembers<'t>(Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'t> RawMembers<'t> {
    /// Reads an object.
    ///
    /// # Errors
    /// If it is no object, or a name is there twice.
    pub(crate) fn parse(text: &'t str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// A member's value, as it stands there.
    pub(crate) fn get(&self, name: &str) -> Option<&'t str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.get())
    }

    /// A member that is a text.
    pub(crate) fn text_member(&self, name: &str) -> Option<Cow<'t, str>> {
        parse_text(self.get(name)?)
    }

    /// A member's value, read.
    pub(crate) fn parsed_member(&self, name: &str) -> Option<Value> {
        serde_json::from_str(self.get(name)?).ok()
    }

    /// The names.
    pub(crate) fn member_names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.clone().into_owned()).collect()
    }

    /// Names and values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'t str)> {
        self.0.iter().map(|(name, value)| (&**name, value.get()))
    }

    /// A name that some readers take for one of `names` and others do not.
    pub(crate) fn confusable_name(&self, names: &[&str]) -> Option<&str> {
        self.iter().map(|(name, _)| name).find(|name| is_confusable(name, names))
    }
}

/// Whether `name` is not one of `names`, and could be taken for one: many readers compare names without regard to case.
pub(crate) fn is_confusable(name: &str, names: &[&str]) -> bool {
    if names.contains(&name) {
        return false;
    }
    let name = name.trim();
    // What is in ASCII is folded by its case alone, and this is asked of each member of each message.
    if name.is_ascii() {
        return names.iter().any(|known| known.eq_ignore_ascii_case(name));
    }
    let own = fold_text(name);
    names.iter().any(|known| fold_text(known) == own)
}

/// A value that is a text.
pub(crate) fn parse_text(raw: &str) -> Option<Cow<'_, str>> {
    let plain = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match plain {
        Some(plain) if !plain.contains('\\') => Some(Cow::Borrowed(plain)),
        _ => serde_json::from_str::<String>(raw).ok().map(Cow::Owned),
    }
}

impl<'de: 't, 't> Deserialize<'de> for RawMembers<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = RawMembers<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<RawMembers<'de>, A::Error> {
        let mut members: Vec<(Cow<'de, str>, &'de RawValue)> =
            Vec::with_capacity(access.size_hint().unwrap_or(4));
        while let Some(MemberName(name)) = access.next_key::<MemberName<'de>>()? {
            if members.iter().any(|(known, _)| *known == name) {
                return Err(A::Error::custom(format_args!("the key {name:?} is given twice")));
            }
            if members.len() >= MOST {
                return Err(A::Error::custom(format_args!("more than {MOST} members")));
            }
            members.push((name, access.next_value()?));
        }
        Ok(RawMembers(members))
    }
}

/// A name, borrowed where it is written without escapes.
struct MemberName<'t>(Cow<'t, str>);

impl<'de: 't, 't> Deserialize<'de> for MemberName<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl<'de> Visitor<'de> for NameVisitor {
            type Value = MemberName<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<MemberName<'de>, E> {
                Ok(MemberName(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<MemberName<'de>, E> {
                Ok(MemberName(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}

/// Whether no object below `value` has names that only some readers tell apart, or one that could be taken for another of
/// the protocol's; but not in what agents fill as they like.
pub(crate) fn is_plain(value: &Value, names: &[&str]) -> bool {
    match value {
        Value::Object(map) => map.iter().all(|(name, value)| {
            !is_confusable(name, names)
                && (["rawInput", "rawOutput", "_meta"].contains(&name.as_str()) || is_plain(value, names))
        }),
        Value::Array(items) => items.iter().all(|item| is_plain(item, names)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attack 397: names in other letters, with blanks, in letters that look like others to some readers.
    #[test]
    fn given_a_name_that_some_readers_take_for_another_then_it_is_found() {
        for name in ["Path", "PATH", "path ", " path", "pa\u{200d}th", "\u{ff50}ath"] {
            assert!(is_confusable(name, &["path", "content"]), "{name:?}");
        }
        for name in ["path", "paths", "x-path", ""] {
            assert!(!is_confusable(name, &["path", "content"]), "{name:?}");
        }
    }

    #[test]
    fn given_what_an_agent_fills_as_it_likes_then_only_the_protocols_own_members_are_looked_at() {
        let value = serde_json::json!({"rawInput": {"Path": 1}, "_meta": {"Path": 1}, "x": [{"path": 1}]});
        assert!(is_plain(&value, &["path"]));
        assert!(!is_plain(&serde_json::json!({"x": [{"Path": 1}]}), &["path"]));
    }
}
