//! `mayi demo-agent`: what `mayi run demo` starts.

use crate::error::CliError;
use crate::exit::Exit;

pub(super) async fn serve() -> Result<Exit, CliError> {
    mayi_demo::serve_stdio().await.map_err(|error| CliError::agent(error.to_string()))?;
    Ok(Exit::Done)
}
