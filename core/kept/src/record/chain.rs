//! How entries hold together: each carries the MAC of the one before it, and its own over all of its columns.

use super::key::{Key, Mac};

/// A stored value, with its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// No value.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number with a point, by its bits: no column holds one unless somebody put it there.
    Real(u64),
    /// Text: UTF-8, unless somebody put something else there.
    Text(&'a [u8]),
    /// Bytes.
    Blob(&'a [u8]),
}

/// The column that holds an entry's own MAC, which is the one column that the MAC does not cover.
pub const MAC: &str = "mac";
/// The column that holds the MAC of the entry before.
pub const PREV: &str = "prev";
/// The column that holds an entry's number.
pub const SEQ: &str = "seq";
/// The column that holds an entry's place among those that were committed with it, from 0.
pub const PART: &str = "part";

/// The MAC of an entry: over the name, the type and the value of every column that has a value, in the order
/// given, but its own. A column without a value is not there; so a later format can add columns, and
/// nothing that is put into one goes unseen.
#[must_use]
pub fn seal_entry<'a>(key: &Key, columns: impl IntoIterator<Item = (&'a str, Cell<'a>)>) -> Mac {
    let mut sealing = key.begin_seal();
    let mut put = |tag: u8, bytes: &[u8]| {
        let mut head = [tag; 9];
        for (place, byte) in head.iter_mut().skip(1).zip((bytes.len() as u64).to_le_bytes()) {
            *place = byte;
        }
        sealing.update(&head);
        sealing.update(bytes);
    };
    for (name, cell) in columns {
        if name == MAC || cell == Cell::Null {
            continue;
        }
        put(b'n', name.as_bytes());
        match cell {
            Cell::Null => {}
            Cell::Integer(number) => put(b'i', &number.to_le_bytes()),
            Cell::Real(bits) => put(b'r', &bits.to_le_bytes()),
            Cell::Text(text) => put(b't', text),
            Cell::Blob(bytes) => put(b'b', bytes),
        }
    }
    sealing.finish()
}

/// Where a chain stands: the number and the MAC of an entry. The head is one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The number of the entry; 0 where there is none yet.
    pub seq: u64,
    /// Its MAC.
    pub mac: Mac,
}

impl Link {
    /// Before the first entry.
    pub const START: Self = Self { seq: 0, mac: Mac::NONE };
}

#[cfg(test)]
mod tests {
    use super::{Cell, seal_entry};
    use crate::record::Key;

    /// D7.4: a MAC over itself: no two different rows have the same form.
    #[test]
    fn given_rows_that_look_alike_then_their_seals_differ() {
        let key = Key::new(&[1; 32]);
        let rows: Vec<Vec<(&str, Cell<'_>)>> = vec![
            vec![],
            vec![("a", Cell::Text(b""))],
            vec![("a", Cell::Blob(b""))],
            vec![("a", Cell::Text(b"5"))],
            vec![("a", Cell::Integer(5))],
            vec![("a", Cell::Real(5.0_f64.to_bits()))],
            vec![("b", Cell::Text(b"5"))],
            vec![("a", Cell::Text(b"5")), ("b", Cell::Text(b"5"))],
            vec![("a", Cell::Text(b"55"))],
            vec![("a", Cell::Text(b"")), ("b", Cell::Text(b"55"))],
            vec![("b", Cell::Text(b"5")), ("a", Cell::Text(b"5"))],
        ];
        for (at, one) in rows.iter().enumerate() {
            for other in &rows[..at] {
                assert_ne!(
                    seal_entry(&key, one.clone()),
                    seal_entry(&key, other.clone()),
                    "{one:?} {other:?}"
                );
            }
        }
    }
}
