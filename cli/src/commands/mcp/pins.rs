//! `mayi mcp pins`.

use crate::args::PinsArgs;
use crate::commands::{CliError, Context};
use crate::exit::Exit;

pub(super) fn pins(_: &PinsArgs, _: &Context) -> Result<Exit, CliError> {
    Err(CliError::internal("not there yet"))
}
