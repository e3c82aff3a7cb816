//! What is kept apart from the entries, so that a removed end or beginning shows: the head and the anchors.

use super::chain::Link;
use super::key::{Key, Mac};

/// The text of a head's file, all of it: so long, whatever it says.
pub const HEAD_LENGTH: usize = 163;

/// The head as its file holds it: `mayi head 1`, the number and the MAC of the newest entry, and a MAC over
/// these; one line.
#[must_use]
pub fn write_head(key: &Key, head: Link) -> String {
    let said = head_text(head);
    let seal = key.seal(said.as_bytes());
    format!("{said} {seal}\n")
}

/// Reads what [`write_head`] wrote; `None` if it is anything else.
#[must_use]
pub fn read_head(key: &Key, text: &str) -> Option<Link> {
    let mut words = text.strip_prefix("mayi head 1 ")?.split_ascii_whitespace();
    let head = Link { seq: words.next()?.parse().ok()?, mac: Mac::from_hex(words.next()?)? };
    (write_head(key, head) == text).then_some(head)
}

fn head_text(head: Link) -> String {
    format!("mayi head 1 {:020} {}", head.seq, head.mac)
}

/// What is left in the database of entries that went to an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The number of the first of them.
    pub first: u64,
    /// The MAC of the entry before it.
    pub prev: Mac,
    /// The last of them.
    pub last: Link,
}

impl Anchor {
    /// The MAC over it.
    #[must_use]
    pub fn compute_seal(&self, key: &Key) -> Mac {
        let Self { first, prev, last } = self;
        let text = format!("mayi anchor 1 {first} {prev} {} {}", last.seq, last.mac);
        key.seal(text.as_bytes())
    }

    /// The entry before the first of them.
    #[must_use]
    pub fn link_before(&self) -> Link {
        Link { seq: self.first.saturating_sub(1), mac: self.prev }
    }
}

#[cfg(test)]
mod tests {
    use super::{HEAD_LENGTH, read_head, write_head};
    use crate::record::{Key, Link, Mac};

    /// D7.5: the head is kept apart: no other text is taken for it.
    #[test]
    fn given_a_head_with_any_byte_changed_then_it_is_no_head() {
        let key = Key::new(&[3; 32]);
        let head = Link { seq: 12, mac: Mac([9; 32]) };
        let text = write_head(&key, head);
        assert_eq!(text.len(), HEAD_LENGTH);
        assert_eq!(write_head(&key, Link { seq: u64::MAX, mac: Mac::NONE }).len(), HEAD_LENGTH);
        assert_eq!(read_head(&key, &text), Some(head));
        assert_eq!(read_head(&Key::new(&[4; 32]), &text), None);
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            assert_eq!(read_head(&key, &String::from_utf8(bytes).unwrap()), None, "byte {at}");
        }
    }
}
