//! An entry as JSON: one stable shape, on one line.

use mayi_core::record::Recorded;
use serde::Serialize;

use crate::error::CliError;
use crate::print::{self, Versioned};

/// Prints what an analysis found, with the version of what is printed in place of its own.
///
/// # Errors
/// If nobody reads it any more, or it can't be written.
pub(super) fn print_analysis(what: &impl Serialize) -> Result<(), CliError> {
    let failed = |error: serde_json::Error| CliError::internal(error.to_string());
    let mut value = serde_json::to_value(what).map_err(failed)?;
    if let Some(members) = value.as_object_mut() {
        members.shift_remove("v");
    }
    Ok(print::stdout_json(&Versioned::new(value))?)
}

/// Prints one entry. The form in which a call is kept to be judged again is mayi's own, and left out.
///
/// # Errors
/// If nobody reads it any more, or it can't be written.
pub(super) fn print_entry(mut recorded: Recorded) -> Result<(), CliError> {
    if let Some(detail) = recorded.entry.detail.as_object_mut() {
        detail.shift_remove("frozen");
    }
    Ok(print::stdout_json(&Versioned::new(recorded))?)
}
