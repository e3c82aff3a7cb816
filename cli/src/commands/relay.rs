//! `mayi relay`: what an agent starts in the place of an MCP server of its session.

use crate::error::CliError;
use crate::exit::Exit;

pub(super) async fn serve() -> Result<Exit, CliError> {
    mayi_mcp::run_relay(tokio::io::stdin(), tokio::io::stdout()).await?;
    Ok(Exit::Done)
}

/// What starts one.
///
/// # Errors
/// If mayi does not know where it is itself, or that can't be said in UTF-8, as the protocols have it.
pub(super) fn command_words() -> Result<Vec<String>, CliError> {
    let program = std::env::current_exe()?;
    let text = program.to_str().ok_or_else(|| {
        CliError::usage(format!("mayi has to lie under a path in UTF-8, and not at {}", program.display()))
    })?;
    Ok(vec![text.to_owned(), "relay".to_owned()])
}
