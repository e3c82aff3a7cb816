//! `mayi undo`: takes back what a confined command did.

mod args;
#[cfg(unix)]
mod show;
#[cfg(unix)]
mod take_back;

pub(crate) use self::args::{AFTER, UndoArgs};
#[cfg(unix)]
pub(super) use self::take_back::{folder, run};

/// Says that there is nothing to undo.
///
/// # Errors
/// Always.
#[cfg(not(unix))]
pub(super) fn run(
    _: &UndoArgs,
    _: &crate::context::Context,
) -> Result<crate::exit::Exit, crate::error::CliError> {
    Err(crate::error::CliError::usage("mayi confines no command on this system, and has nothing to undo"))
}
