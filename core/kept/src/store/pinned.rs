//! One pinned item: what is trusted, and what was said since.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Item;
use mayi_call::{Digest, digest_of};

/// What was said of an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// As it was said.
    pub value: Value,
    /// Over its RFC 8785 form: the order of members does not count.
    pub digest: Digest,
}

impl Definition {
    /// `value` with its digest.
    #[must_use]
    pub fn of(value: Value) -> Self {
        let digest = digest_of(&value);
        Self { value, digest }
    }
}

/// An item of a server as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pinned {
    /// The server's name in the configuration.
    pub server: String,
    /// What it is.
    pub item: Item,
    /// What is trusted; none: nothing yet, since it was first said by another program than the one that is trusted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trusted: Option<Definition>,
    /// What was said since, if that is something else.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pending: Option<Definition>,
    /// When it was said first.
    pub first_seen: Timestamp,
    /// When `pending` was said first.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub changed_at: Option<Timestamp>,
    /// When a person accepted what is trusted; none: it was trusted on first use.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub accepted_at: Option<Timestamp>,
}

impl Pinned {
    /// An item that is said for the first time. It is trusted, unless the program that says it is not (`strange`).
    #[must_use]
    pub fn first(server: &str, item: Item, said: Definition, strange: bool, now: Timestamp) -> Self {
        let (trusted, pending) = if strange { (None, Some(said)) } else { (Some(said), None) };
        Self {
            server: server.to_owned(),
            item,
            trusted,
            changed_at: pending.is_some().then_some(now),
            pending,
            first_seen: now,
            accepted_at: None,
        }
    }

    /// The same after `said` was said of it: what is trusted stays, whatever is said.
    #[must_use]
    pub fn after(mut self, said: Definition, strange: bool, now: Timestamp) -> Self {
        if self.trusted.as_ref().is_some_and(|trusted| trusted.digest == said.digest) {
            (self.pending, self.changed_at) = (None, None);
        } else if self.trusted.is_none() && !strange {
            // Nobody said it before but a program that is not trusted: this is its first use.
            (self.trusted, self.pending, self.changed_at) = (Some(said), None, None);
        } else if self.pending.as_ref().is_none_or(|pending| pending.digest != said.digest) {
            (self.pending, self.changed_at) = (Some(said), Some(now));
        }
        self
    }

    /// The same after a person accepted what is pending; `None` if that is not what the person looked at.
    #[must_use]
    pub fn accepted(mut self, looked_at: &Digest, now: Timestamp) -> Option<Self> {
        let pending = self.pending.take().filter(|pending| pending.digest == *looked_at)?;
        (self.trusted, self.changed_at, self.accepted_at) = (Some(pending), None, Some(now));
        Some(self)
    }

    /// Whether something waits to be accepted.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.pending.is_some()
    }
}
