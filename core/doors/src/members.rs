//! JSON objects as they came: members in their order, each value as its own text.
//!
//! What passes through a door is not read into types: a field that nobody here knows, a number with
//! twenty digits or an odd escape arrives at the other side as it was sent (D1.8: What
//! was judged is what is forwarded).

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use mayi_core::policy::fold_text;

/// The members of a JSON object. No name is there twice.
#[derive(Clone, Debug, Default)]
pub struct Members(Vec<(String, Box<RawValue>)>);

impl Members {
    /// Reads an object.
    ///
    /// # Errors
    /// If it is no object, or a name is there twice: two readers would disagree about it.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The text of a member's value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// A member that is a string.
    #[must_use]
    pub fn string_member(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.get(name)?.get()).ok()
    }

    /// A member that is an object.
    #[must_use]
    pub fn object_member(&self, name: &str) -> Option<Self> {
        Self::parse(self.get(name)?.get()).ok()
    }

    /// A member's value, read.
    #[must_use]
    pub fn parsed_member(&self, name: &str) -> Option<Value> {
        serde_json::from_str(self.get(name)?.get()).ok()
    }

    /// Sets a member: in its place if there is one, else at the end.
    pub fn set(&mut self, name: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// Takes a member out.
    pub fn remove(&mut self, name: &str) -> Option<Box<RawValue>> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// A member that some readers take for one of `names` and others do not: many compare names without regard to case
    /// (Go's `encoding/json`, .NET for the web). What mayi reads, everybody has to read.
    #[must_use]
    pub fn ambiguous_member(&self, names: &[&str]) -> Option<&str> {
        let taken = |name: &str| {
            let own = fold_text(name);
            !names.contains(&name) && names.iter().any(|known| fold_text(known) == own)
        };
        self.0.iter().map(|(name, _)| name.as_str()).find(|name| taken(name))
    }

    /// The `id` of an object that can't be taken otherwise, if it is there just once.
    #[must_use]
    pub fn single_id(text: &str) -> Option<Box<RawValue>> {
        struct Ids;
        impl<'de> Visitor<'de> for Ids {
            type Value = Vec<Box<RawValue>>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
                let mut found = Vec::new();
                while let Some(name) = access.next_key::<String>()? {
                    let value: Box<RawValue> = access.next_value()?;
                    if fold_text(&name) == "id" {
                        found.push(value);
                    }
                }
                Ok(found)
            }
        }
        let found = serde_json::Deserializer::from_str(text).deserialize_map(Ids).ok()?;
        <[Box<RawValue>; 1]>::try_from(found).ok().map(|[id]| id)
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), &**value))
    }

    /// The object as text.
    #[must_use]
    pub fn to_raw_value(&self) -> Box<RawValue> {
        to_raw_json(self)
    }
}

/// `value` as JSON text; `null` for what can't be said in JSON, which nothing here is.
#[must_use]
pub fn to_raw_json<T: Serialize + ?Sized>(value: &T) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reading)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Members, A::Error> {
        let mut members: Vec<(String, Box<RawValue>)> = Vec::new();
        while let Some(name) = access.next_key::<String>()? {
            if members.iter().any(|(known, _)| *known == name) {
                return Err(A::Error::custom(format_args!("the key {name:?} is given twice")));
            }
            // An object with more members than any message has would take a long time to look through.
            if members.len() >= MOST {
                return Err(A::Error::custom(format_args!("more than {MOST} members")));
            }
            members.push((name, access.next_value()?));
        }
        Ok(Members(members))
    }
}

/// The most members of an object that is taken apart: an envelope, parameters, a result, a definition.
const MOST: usize = 1000;

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D1.8: What was judged is what is forwarded.
    #[test]
    fn given_what_nobody_knows_then_it_stays_as_it_was_written() {
        let text = r#"{"b":1.10,"x-new":{"n":123456789012345678901234567890,"s":"\u00e9\/"},"a":[ ]}"#;
        assert_eq!(Members::parse(text).unwrap().to_raw_value().get(), text);
    }

    #[test]
    fn given_a_change_then_the_rest_stays_in_its_place() {
        let mut members = Members::parse(r#"{"name":"s__t","arguments":{"n":1.0},"_meta":{}}"#).unwrap();
        members.set("name", to_raw_json("t"));
        members.remove("_meta");
        members.set("new", to_raw_json(&1));
        assert_eq!(members.to_raw_value().get(), r#"{"name":"t","arguments":{"n":1.0},"new":1}"#);
    }

    /// Attack 141: names that only some readers tell apart.
    #[test]
    fn given_a_name_in_other_letters_then_it_is_found() {
        for text in [r#"{"Params":1}"#, r#"{"method":1,"PARAMS":2}"#, r#"{"param\u017f":1}"#] {
            assert!(
                Members::parse(text).unwrap().ambiguous_member(&["method", "params"]).is_some(),
                "{text}"
            );
        }
        assert_eq!(
            Members::parse(r#"{"params":1,"param":2}"#).unwrap().ambiguous_member(&["method", "params"]),
            None
        );
    }

    /// Attack 14: duplicate keys.
    #[test]
    fn given_a_name_twice_then_it_is_refused() {
        assert!(Members::parse(r#"{"a":1,"\u0061":2}"#).is_err());
        assert!(Members::parse("[]").is_err());
    }
}
