//! The record: what was proposed, decided, asked, answered and done, so that changing it later shows.
//!
//! An [`Entry`] says one thing that happened. The gate makes entries with a
//! [`EntryWriter`](crate::writer::EntryWriter), which takes the secrets out of them first; a store gives them their places ([`Recorded`]).
//!
//! Each entry is sealed together with the MAC of the one before it ([`seal_entry`]); the newest one's is kept apart
//! as the head, and an [`Anchor`] says where the record begins once its oldest entries went to an archive. A
//! [`ChainChecker`] goes through entries in their order and says what is wrong with them, and where. Where entries
//! are kept is not known here.

pub mod analysis;
mod chain;
mod entry;
pub mod entry_details;
mod frozen;
mod head;
mod key;
pub(crate) mod preview;
mod redact;
mod report;
#[cfg(test)]
pub(crate) mod testing;
mod verify;

pub use chain::{Cell, Link, MAC, PART, PREV, SEQ, seal_entry};
pub use entry::{CallId, Entry, Kind, Recorded};
pub use frozen::{FrozenCall, ThawError};
pub use head::{Anchor, HEAD_LENGTH, read_head, write_head};
pub use key::{Key, Mac, RecordKeys};
pub(crate) use key::{decode_hex, encode_hex};
pub(crate) use redact::{CallRedactor, CallSecrets, SecretCollector};
pub use redact::{Redactor, RedactorError, secrets_of};
pub use report::{Archive, HeadState, RecordFault, RecordFinding, RecordPlace, VerifyReport};
pub use verify::{ChainChecker, Row};
