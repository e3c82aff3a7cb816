//! How the like was answered before, as a card says it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How the like was answered before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// So often with yes.
    pub allowed: u64,
    /// So often with no.
    pub denied: u64,
    /// When it was first asked about.
    #[ts(type = "string | null")]
    pub first_seen: Option<Timestamp>,
}
