//! `mayi mcp login` and `logout`.

use crate::args::{LoginArgs, LogoutArgs};
use crate::commands::{CliError, Context};
use crate::exit::Exit;

pub(super) async fn login(_: &LoginArgs, _: &Context) -> Result<Exit, CliError> {
    Err(CliError::internal("not there yet"))
}

pub(super) fn logout(_: &LogoutArgs, _: &Context) -> Result<Exit, CliError> {
    Err(CliError::internal("not there yet"))
}
