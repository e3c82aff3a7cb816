//! One pinned item: what is trusted, and what was said since.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::item::digest_in_form;
use super::{Item, MayChange};
use mayi_call::{Digest, digest_of};

/// The form of pins that is written here: the third one, with every member of a tool.
const FORM: u32 = 2;

/// What was said of an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// As it was said.
    pub value: Value,
    /// Over its RFC 8785 form: the order of members does not count.
    pub digest: Digest,
    /// What is in it; none is written for the first form.
    #[serde(skip_serializing_if = "is_first", default)]
    form: u32,
    /// What its command led to when it was said. Not kept.
    #[serde(skip)]
    program: Option<Value>,
    /// What may change of it. Not kept.
    #[serde(skip)]
    may_change: MayChange,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_first(form: &u32) -> bool {
    *form == 0
}

impl Definition {
    /// `value` with its digest.
    #[must_use]
    pub fn from_value(value: Value) -> Self {
        let digest = digest_of(&value);
        Self { value, digest, form: FORM, program: None, may_change: MayChange::default() }
    }

    /// What a server said, `program` being what its command led to, where a person lets some of it change.
    pub(crate) fn from_server(value: Value, program: Option<&Value>, may_change: &MayChange) -> Self {
        Self { program: program.cloned(), may_change: may_change.clone(), ..Self::from_value(value) }
    }

    /// `value` in place of what was said, by the same server.
    pub(crate) fn with_value(&self, value: &Value) -> Self {
        Self::from_server(value.clone(), self.program.as_ref(), &self.may_change)
    }

    /// Whether this is what was kept of it, by this mayi.
    pub(crate) fn is_same_as(&self, kept: &Self) -> bool {
        kept.form == FORM && kept.digest == self.digest
    }

    /// Whether it differs from what was kept only in what may change.
    pub(crate) fn is_variant_of(&self, item: &Item, kept: &Self) -> bool {
        let fixed = |value: &Value| self.may_change.fixed_part(item, value).map(|fixed| digest_of(&fixed));
        kept.form == FORM && fixed(&self.value).is_some_and(|own| fixed(&kept.value) == Some(own))
    }

    /// Whether an earlier mayi kept this of it: the same words by the rules of that one.
    fn is_older_form_of(&self, item: &Item, kept: &Self) -> bool {
        let before = || digest_in_form(kept.form, item, &self.value, self.program.as_ref());
        kept.form < FORM && (kept.digest == self.digest || kept.digest == before())
    }

    /// Whether it holds what an earlier form left out.
    fn says_more(&self, kept: &Self) -> bool {
        kept.digest != self.digest
    }
}

/// An item of a server as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PinnedItem {
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

impl PinnedItem {
    /// An item that is said for the first time. It is trusted, unless the program that says it is not (`strange`).
    #[must_use]
    pub fn on_first_use(server: &str, item: Item, said: Definition, strange: bool, now: Timestamp) -> Self {
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
    pub fn updated_with(mut self, said: Definition, strange: bool, now: Timestamp) -> Self {
        if let Some(trusted) = self.trusted.take_if(|trusted| said.is_older_form_of(&self.item, trusted)) {
            // What the earlier form left out is trusted on first use; nobody has accepted that.
            self.accepted_at =
                self.accepted_at.filter(|_| self.item == Item::Launch || !said.says_more(&trusted));
            (self.trusted, self.pending, self.changed_at) = (Some(said), None, None);
        } else if self.trusted.as_ref().is_some_and(|trusted| trusted.digest == said.digest) {
            (self.pending, self.changed_at) = (None, None);
        } else if !strange && self.trusted.as_ref().is_some_and(|kept| said.is_variant_of(&self.item, kept)) {
            // Nobody has looked at these words: they may be flagged.
            (self.trusted, self.pending) = (Some(said), None);
            (self.changed_at, self.accepted_at) = (None, None);
        } else if self.trusted.is_none() && !strange {
            // Nobody said it before but a program that is not trusted: this is its first use.
            (self.trusted, self.pending, self.changed_at) = (Some(said), None, None);
        } else if self.pending.as_ref().is_none_or(|pending| pending.digest != said.digest) {
            (self.pending, self.changed_at) = (Some(said), Some(now));
        }
        self
    }

    /// The same after a person accepted it ([`PinnedItem::open_definition`]); `None` if that is not what the person looked at.
    #[must_use]
    pub fn into_accepted(mut self, looked_at: &Digest, now: Timestamp) -> Option<Self> {
        let looked_at = self.open_definition().filter(|open| open.digest == *looked_at)?.clone();
        (self.trusted, self.pending) = (Some(looked_at), None);
        (self.changed_at, self.accepted_at) = (None, Some(now));
        Some(self)
    }

    /// What a person could accept: what is pending, else what is trusted though nobody has looked at it.
    #[must_use]
    pub fn open_definition(&self) -> Option<&Definition> {
        self.pending.as_ref().or(self.trusted.as_ref().filter(|_| self.accepted_at.is_none()))
    }

    /// Whether what waits to be accepted is blocked until then. Another program under the same command is only said.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.is_changed() && self.item != Item::Program
    }

    /// Whether something waits to be accepted.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.pending.is_some()
    }
}
