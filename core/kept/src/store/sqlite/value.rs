//! Values as columns hold them, and back.

use jiff::Timestamp;
use rusqlite::types::Type;
use serde::de::value::{Error, StrDeserializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Nanoseconds since 1970. What is further away than they reach, 292 years, becomes the furthest.
pub(super) fn to_nanos(time: Timestamp) -> i64 {
    let nanos = time.as_nanosecond();
    i64::try_from(nanos).unwrap_or(if nanos < 0 { i64::MIN } else { i64::MAX })
}

/// The time of so many nanoseconds since 1970.
pub(super) fn from_nanos(nanos: i64) -> rusqlite::Result<Timestamp> {
    Timestamp::from_nanosecond(nanos.into()).map_err(|error| invalid_value(error.to_string()))
}

/// The same where there may be none.
pub(super) fn maybe_time(nanos: Option<i64>) -> rusqlite::Result<Option<Timestamp>> {
    nanos.map(from_nanos).transpose()
}

/// The word that something is written as: an id, or one of a few.
pub(super) fn to_word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        other => other.map(|value| value.to_string()).unwrap_or_default(),
    }
}

/// What is written as this word.
pub(super) fn parse<'de, T: Deserialize<'de>>(word: &'de str) -> rusqlite::Result<T> {
    T::deserialize(StrDeserializer::<Error>::new(word)).map_err(|error| invalid_value(error.to_string()))
}

/// The same where there may be none.
pub(super) fn parse_optional<'de, T: Deserialize<'de>>(
    word: Option<&'de str>,
) -> rusqlite::Result<Option<T>> {
    word.map(parse).transpose()
}

/// JSON as text.
pub(super) fn parse_json(text: &str) -> rusqlite::Result<Value> {
    serde_json::from_str(text).map_err(|error| invalid_value(error.to_string()))
}

/// What is written as this JSON.
pub(super) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|error| invalid_value(error.to_string()))
}

/// A number that is never negative.
pub(super) fn to_count(number: i64) -> rusqlite::Result<u64> {
    u64::try_from(number).map_err(|error| invalid_value(error.to_string()))
}

/// A column holds what mayi never puts there.
pub(super) fn invalid_value(what: impl Into<String>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Null, what.into().into())
}
