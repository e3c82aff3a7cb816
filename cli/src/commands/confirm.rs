//! Asks once more, before something that loosens or overwrites.

use std::io::{ErrorKind, IsTerminal};

use dialoguer::Confirm;

use crate::error::CliError;

/// Asks at the terminal, with "no" as the answer that is picked first. `None`: Ctrl-C.
///
/// # Errors
/// If there is no terminal to ask at; `what` is what nobody could confirm.
pub(super) fn ask_to_confirm(question: &str, what: &str) -> Result<Option<bool>, CliError> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(CliError::usage(format!("nobody is here to confirm {what}: add --yes if you mean it")));
    }
    // From here on Ctrl-C is an answer: dialoguer hides the cursor, and has to show it again.
    #[cfg(unix)]
    let _interrupts = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    let screen = console::Term::stderr();
    let answer = Confirm::new().with_prompt(question).default(false).interact_on_opt(&screen);
    let _ = screen.show_cursor();
    match answer {
        Ok(answer) => Ok(Some(answer.unwrap_or(false))),
        Err(dialoguer::Error::IO(error)) if error.kind() == ErrorKind::Interrupted => Ok(None),
        Err(error) => Err(CliError::internal(format!("the question could not be shown: {error}"))),
    }
}
