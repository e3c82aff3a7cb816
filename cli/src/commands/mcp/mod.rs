//! `mayi mcp`: the gateway, and what belongs to it. One command a file.

mod args;
mod install;
mod login;
mod pins;
mod serve;

use self::args::McpCommand;
pub(super) use self::args::{AFTER, McpArgs};
pub(super) use self::install::Gateways;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

/// Does what `mayi mcp` says.
///
/// # Errors
/// What a person has to be told.
pub(super) async fn run(args: McpArgs, ctx: Context) -> Result<Exit, CliError> {
    match args.command {
        None => serve::serve(args, ctx).await,
        Some(McpCommand::Install(args)) => install::install(&args, &ctx),
        Some(McpCommand::Uninstall(args)) => install::uninstall(&args, &ctx),
        Some(McpCommand::Pins(args)) => pins::pins(&args, &ctx),
        Some(McpCommand::Login(args)) => login::login(&args, &ctx).await,
        Some(McpCommand::Logout(args)) => login::logout(&args, &ctx),
    }
}
