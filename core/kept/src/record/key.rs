//! The key of the record, and what is derived from it.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac as _};
use sha2::Sha256;

/// HMAC-SHA256 over something: 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mac(pub [u8; 32]);

impl Mac {
    /// What comes before the first entry.
    pub const NONE: Self = Self([0; 32]);

    /// The MAC of 32 bytes; `None` if there are more or fewer.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// The MAC of 64 hexadecimal digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        decode_hex(text).and_then(|bytes| Self::from_bytes(&bytes))
    }
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&encode_hex(&self.0))
    }
}

impl fmt::Debug for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mac({self})")
    }
}

/// A secret that things are sealed with. What it is never shows.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl Key {
    /// So many bytes has the secret.
    pub const LENGTH: usize = 32;

    /// The key of this secret.
    #[must_use]
    pub fn new(secret: &[u8; Self::LENGTH]) -> Self {
        let mut block = [0; 64];
        for (place, byte) in block.iter_mut().zip(secret) {
            *place = *byte;
        }
        // HMAC pads a key with zeroes to the length of a block: this is the same key, without an error.
        Self(Hmac::new(&block.into()))
    }

    /// Another key, for what `label` says: from this one, and not to be told from chance without it
    /// (HKDF's expansion, RFC 5869, of one block).
    #[must_use]
    pub fn derive(&self, label: &str) -> Self {
        let mut mac = self.0.clone();
        mac.update(label.as_bytes());
        mac.update(&[1]);
        Self::new(&mac.finalize().into_bytes().into())
    }

    /// Begins to seal something that comes in pieces.
    pub(super) fn begin_seal(&self) -> SealBuilder {
        SealBuilder(self.0.clone())
    }

    /// Seals `bytes`.
    #[must_use]
    pub fn seal(&self, bytes: &[u8]) -> Mac {
        let mut sealing = self.begin_seal();
        sealing.update(bytes);
        sealing.finish()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// The keys of a record, all from the one in its file: what was sealed with one says nothing under another.
#[derive(Clone, Debug)]
pub struct RecordKeys {
    /// Seals entries.
    pub chain: Key,
    /// Seals the head.
    pub head: Key,
    /// Seals what is left of archived entries.
    pub anchors: Key,
    /// For digests of arguments: they can be compared with each other, and not guessed.
    pub arguments: Key,
    /// For the short names of questions: nobody can look for two that have the same one.
    pub questions: Key,
}

impl RecordKeys {
    /// The keys from `key`.
    #[must_use]
    pub fn derive_all(key: &Key) -> Self {
        Self {
            chain: key.derive("mayi record chain 1"),
            head: key.derive("mayi record head 1"),
            anchors: key.derive("mayi record anchors 1"),
            arguments: key.derive("mayi record arguments 1"),
            questions: key.derive("mayi record questions 1"),
        }
    }
}

/// What is being sealed.
pub(super) struct SealBuilder(Hmac<Sha256>);

impl SealBuilder {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(super) fn finish(self) -> Mac {
        Mac(self.0.finalize().into_bytes().into())
    }
}

/// Lower-case hexadecimal digits.
pub(crate) fn encode_hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.extend(
            [byte >> 4, byte & 0xf].iter().filter_map(|digit| char::from_digit(u32::from(*digit), 16)),
        );
    }
    text
}

/// The bytes of lower-case hexadecimal digits.
pub(crate) fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Key, Mac, decode_hex, encode_hex};

    /// RFC 4231, test case 1 has a key of 20 bytes; HMAC pads it with zeroes, so that a longer one is the same.
    #[test]
    fn given_the_examples_of_the_standard_then_the_seal_is_theirs() {
        let mut secret = [0; 32];
        secret[..20].fill(0x0b);
        assert_eq!(
            Key::new(&secret).seal(b"Hi There").to_string(),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
    }

    /// D7.4: a MAC (per-user key): what is sealed for one purpose says nothing for another.
    #[test]
    fn given_another_label_then_it_is_another_key() {
        let key = Key::new(&[7; 32]);
        assert_ne!(key.derive("a").seal(b"x"), key.derive("b").seal(b"x"));
        assert_ne!(key.derive("a").seal(b"x"), key.seal(b"x"));
        assert_eq!(key.derive("a").seal(b"x"), key.derive("a").seal(b"x"));
    }

    /// A key that shows in a log or an error is a key that was given away.
    #[test]
    fn given_a_key_then_its_debug_form_tells_nothing() {
        assert_eq!(format!("{:?}", Key::new(&[0x61; 32])), "Key(..)");
    }

    #[test]
    fn given_hexadecimal_digits_then_only_whole_lower_case_ones_are_read() {
        assert_eq!(decode_hex(&encode_hex(&[0, 0xab, 0xff])).unwrap(), [0, 0xab, 0xff]);
        for bad in ["a", "AB", "0x", "zz", "é"] {
            assert_eq!(decode_hex(bad), None, "{bad}");
        }
        assert_eq!(Mac::from_hex("00"), None);
    }
}
