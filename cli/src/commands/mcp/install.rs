//! `mayi mcp install`.

use crate::args::InstallArgs;
use crate::commands::{CliError, Context};
use crate::exit::Exit;

pub(super) fn install(_: &InstallArgs, _: &Context) -> Result<Exit, CliError> {
    Err(CliError::internal("not there yet"))
}

pub(super) fn uninstall(_: &InstallArgs, _: &Context) -> Result<Exit, CliError> {
    Err(CliError::internal("not there yet"))
}
