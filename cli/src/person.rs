//! Whether it is a person who answers: at a terminal, and not from within an agent.

use mayi_core::gate::{asking, started_by};
use mayi_core::store::Store;

use crate::commands::CliError;

/// Refuses to answer for anybody but the person at a terminal (decisions, section 6): "Answers from a
/// descendant of a gated agent are refused."
///
/// # Errors
/// Says who may answer, and how.
pub(crate) fn is_here(store: &dyn Store) -> Result<(), CliError> {
    #[cfg(unix)]
    let terminal = crate::surface::terminal_is_there();
    #[cfg(not(unix))]
    let terminal = false;
    if !terminal {
        return Err(CliError::usage("only a person at a terminal can answer, and there is no terminal here"));
    }
    is_no_agent(store)
}

/// Refuses what an agent, or something that one started, wants in the person's place.
///
/// # Errors
/// Says so.
pub(crate) fn is_no_agent(store: &dyn Store) -> Result<(), CliError> {
    if started_by(&asking(store)?, std::process::id()) {
        return Err(CliError::usage(
            "an agent can't answer for the person: this was started by one, or by the program that it works in; use a \
             terminal outside of that",
        ));
    }
    Ok(())
}
