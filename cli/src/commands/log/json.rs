//! An entry as JSON: one stable shape, on one line.

use mayi_core::record::Recorded;
use serde::Serialize;

use super::CliError;
use crate::print;

/// The version of every shape that `mayi log` prints.
pub(super) const VERSION: u32 = 1;

/// What has a version.
#[derive(Serialize)]
pub(super) struct Versioned<T> {
    version: u32,
    #[serde(flatten)]
    what: T,
}

impl<T> Versioned<T> {
    pub(super) fn of(what: T) -> Self {
        Self { version: VERSION, what }
    }
}

/// Prints one entry. The form in which a call is kept to be judged again is mayi's own, and left out.
///
/// # Errors
/// If nobody reads it any more, or it can't be written.
pub(super) fn entry(mut recorded: Recorded) -> Result<(), CliError> {
    if let Some(detail) = recorded.entry.detail.as_object_mut() {
        detail.remove("frozen");
    }
    print::json(&Versioned::of(recorded))
}
