//! The strict reading of messages that will be judged.
//!
//! D1.7: Messages that would be judged and carry duplicate keys, lone surrogates
//! or numbers outside the interoperable range are refused. Two programs can read such a message
//! differently, so what was judged might not be what runs.

use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The largest integer that every JSON reader agrees on (RFC 8259, section 6): 2^53 - 1.
const LARGEST: u64 = (1 << 53) - 1;

/// Reads JSON text that every conforming reader understands alike.
///
/// # Errors
/// Says what is ambiguous, and where: a duplicate key, a lone surrogate, a number out of range, or
/// text that is no JSON at all.
pub fn parse_strict(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<Strict>(text).map(|strict| strict.0)
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without duplicate keys")
    }

    fn visit_bool<E>(self, v: bool) -> Result<Value, E> {
        Ok(Value::Bool(v))
    }

    fn visit_i64<E: serde::de::Error>(self, v: i64) -> Result<Value, E> {
        if v.unsigned_abs() > LARGEST {
            return Err(E::custom(format_args!("the number {v} is outside of what JSON readers agree on")));
        }
        Ok(Value::Number(v.into()))
    }

    fn visit_u64<E: serde::de::Error>(self, v: u64) -> Result<Value, E> {
        if v > LARGEST {
            return Err(E::custom(format_args!("the number {v} is outside of what JSON readers agree on")));
        }
        Ok(Value::Number(v.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, v: f64) -> Result<Value, E> {
        #[expect(clippy::cast_precision_loss, reason = "2^53 - 1 is exact as f64")]
        let largest = LARGEST as f64;
        if v.fract() == 0.0 && v.abs() > largest {
            return Err(E::custom(format_args!("the number {v} is outside of what JSON readers agree on")));
        }
        Number::from_f64(v).map(Value::Number).ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E>(self, v: &str) -> Result<Value, E> {
        Ok(Value::String(v.to_owned()))
    }

    fn visit_string<E>(self, v: String) -> Result<Value, E> {
        Ok(Value::String(v))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut seen = HashSet::new();
        let mut map = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("the key {key:?} is given twice")));
            }
            let Strict(value) = access.next_value()?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::parse_strict;

    /// Attack 14: "duplicate JSON keys, `1e400`, lone surrogates in arguments: refused".
    #[test]
    fn given_text_that_readers_disagree_on_then_it_is_refused() {
        for text in [
            r#"{"a":1,"a":2}"#,
            r#"{"x":{"a":1,"b":[{"c":1,"c":1}]}}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"n":1e400}"#,
            r#"{"n":9007199254740993}"#,
            r#"{"n":-9007199254740993}"#,
            r#"{"n":123456789012345678901234567890}"#,
            r#"{"s":"\ud800"}"#,
            r#"{"s":"\udc00x"}"#,
        ] {
            assert!(parse_strict(text).is_err(), "{text}");
        }
    }

    #[test]
    fn given_plain_json_then_it_reads_as_it_is() {
        let text = r#"{"b":[1,-2,0.5,null,true,"é😀"],"a":{}}"#;
        assert_eq!(parse_strict(text).unwrap().to_string(), r#"{"b":[1,-2,0.5,null,true,"é😀"],"a":{}}"#);
    }

    /// Attack 35.
    #[test]
    fn given_deep_nesting_then_it_is_an_error_and_no_overflow() {
        assert!(parse_strict(&"[".repeat(100_000)).is_err());
    }
}
