use super::{CliError, Context};
use crate::args::ImportArgs;
use crate::exit::Exit;

pub(super) fn import(_args: &ImportArgs, _ctx: &Context) -> Result<Exit, CliError> {
    Err(CliError::internal("not yet"))
}
