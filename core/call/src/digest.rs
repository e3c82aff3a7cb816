//! Digests over RFC 8785 canonical JSON.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// SHA-256 of the RFC 8785 canonical form, in lower-case hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(transparent)]
#[ts(type = "string")]
pub struct Digest(String);

impl Digest {
    /// All 64 hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first 16 digits, for names that a person sees.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.get(..16).unwrap_or(&self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The digest of `value`'s canonical JSON.
#[must_use]
pub fn digest_of(value: &Value) -> Digest {
    // Canonicalisation fails only for numbers that no `Value` made by mayi's strict reader holds;
    // such a value still gets a digest of its own, of its plain form.
    let bytes = serde_json_canonicalizer::to_vec(value).unwrap_or_else(|_| value.to_string().into_bytes());
    digest_of_bytes(&bytes)
}

/// The digest of `bytes` as they are.
#[must_use]
pub fn digest_of_bytes(bytes: &[u8]) -> Digest {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    Digest(text)
}

#[cfg(test)]
mod tests {
    use super::digest_of;
    use serde_json::json;

    /// D1.9: Digests are over RFC 8785 canonical JSON.
    #[test]
    fn given_members_in_another_order_then_the_digest_is_the_same() {
        assert_eq!(digest_of(&json!({"a": 1, "b": [1.0]})), digest_of(&json!({"b": [1], "a": 1.0})));
        assert_ne!(digest_of(&json!({"a": 1})), digest_of(&json!({"a": 2})));
    }
}
