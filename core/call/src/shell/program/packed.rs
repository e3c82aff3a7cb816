//! What the build has made of the table: entries without a reader of TOML, and every name in order.

use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::table::ProgramEntry;

/// Names, and what entries say.
static TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/programs.txt"));

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// An entry: where in [`TEXT`] its name stands, and what it says.
#[derive(Debug)]
pub(super) struct Part {
    name: (u32, u32),
    said: (u32, u32),
    field: u8,
    pub(super) has_subs: bool,
}

/// A name, in the order of all names, with the place of its entry.
pub(super) struct Name {
    name: (u32, u32),
    entry: u16,
}

impl Part {
    pub(super) fn name(&self) -> &'static str {
        slice_text(self.name)
    }

    pub(super) fn entry_text(&self) -> &'static str {
        slice_text(self.said)
    }

    /// The file that it stands in.
    pub(super) fn source_file(&self) -> &'static str {
        FIELDS.get(usize::from(self.field)).copied().unwrap_or_default()
    }
}

fn slice_text((from, to): (u32, u32)) -> &'static str {
    let place = |at| usize::try_from(at).unwrap_or(usize::MAX);
    TEXT.get(place(from)..place(to)).unwrap_or_default()
}

/// Every name, in order.
pub(super) fn all_names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|name| slice_text(name.name))
}

/// The names that begin so, in order.
pub(super) fn names_with_prefix(start: &str) -> impl Iterator<Item = &'static str> + '_ {
    let from = NAMES.partition_point(|name| slice_text(name.name) < start);
    let rest = NAMES.get(from..).unwrap_or_default().iter().map(|name| slice_text(name.name));
    rest.take_while(move |name| name.starts_with(start))
}

/// The place of the entry with this name.
pub(super) fn find_entry(name: &str) -> Option<usize> {
    // Only among those with its first byte: this is asked of nearly every word.
    let first = usize::from(*name.as_bytes().first()?);
    let place = |at: usize| BEGINS.get(at).copied().map(usize::from);
    let names = NAMES.get(place(first)?..place(first + 1)?)?;
    let at = names.binary_search_by(|other| slice_text(other.name).cmp(name)).ok()?;
    names.get(at).map(|name| usize::from(name.entry))
}

/// Reads what an entry says.
///
/// # Errors
/// If it has a key that is none, or a value of another kind.
pub(super) fn read_entry<T: for<'t> Deserialize<'t>>(said: &str) -> Result<T, Error> {
    let pairs = said.split_terminator('\u{1e}').map(|pair| {
        let (key, value) = pair.split_once('\u{1f}').unwrap_or((pair, ""));
        (key, Value(value))
    });
    T::deserialize(MapDeserializer::new(pairs))
}

/// A value: `+`, `-`, or a text behind a quote.
struct Value<'t>(&'t str);

impl IntoDeserializer<'_, Error> for Value<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.strip_prefix('"') {
            Some(text) => visitor.visit_str(text),
            None if self.0 == "+" => visitor.visit_bool(true),
            None if self.0 == "-" => visitor.visit_bool(false),
            None => Err(Error::custom("no value")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.0.strip_prefix('"').unwrap_or_default().into_deserializer())
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
