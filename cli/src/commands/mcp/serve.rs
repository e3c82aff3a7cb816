//! `mayi mcp`: the gateway itself.

use crate::args::McpArgs;
use crate::commands::{CliError, Context};
use crate::exit::Exit;

pub(super) async fn serve(_: McpArgs, _: Context) -> Result<Exit, CliError> {
    Err(CliError::internal("not there yet"))
}
