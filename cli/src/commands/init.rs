use super::{CliError, Context};
use crate::args::InitArgs;
use crate::exit::Exit;

pub(super) fn init(_args: &InitArgs, _ctx: &Context) -> Result<Exit, CliError> {
    Err(CliError::internal("not yet"))
}
