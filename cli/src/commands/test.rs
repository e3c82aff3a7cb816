//! `mayi test`: calls and the effects that are expected of them.

use super::{CliError, Context};
use crate::args::TestArgs;
use crate::exit::Exit;

pub(super) fn test(_args: &TestArgs, _ctx: &Context) -> Result<Exit, CliError> {
    Err(CliError::usage("not yet"))
}
