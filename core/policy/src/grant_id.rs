//! How a remembered answer is named: by findings, in the store and in the record.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The id of a remembered answer: a UUIDv7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GrantId(pub Uuid);

impl GrantId {
    /// A new one.
    #[must_use]
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }
}

impl Default for GrantId {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Display for GrantId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
