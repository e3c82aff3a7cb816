//! The record: what was proposed, decided, asked, answered and done, so that changing it later shows.
//!
//! An [`Entry`] says one thing that happened. The gate makes entries with a [`Writer`], which takes the
//! secrets out of them first; a store gives them their places ([`Recorded`]).

pub mod analysis;
pub mod detail;
mod entry;
mod frozen;
mod preview;
mod redact;
#[cfg(test)]
mod testing;
mod writer;

pub use entry::{CallId, Entry, Kind, Recorded};
pub use frozen::{Frozen, ThawError};
pub use redact::{Redactor, RedactorError, secrets_of};
pub use writer::{Ruling, Writer};
