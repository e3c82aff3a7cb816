//! The commands, one a file.

mod agents;
mod bypass;
mod check;
mod completions;
mod config;
mod confirm;
mod context;
mod demo_agent;
mod doctor;
mod error;
mod grants;
mod import;
mod inbox;
mod init;
mod log;
mod mcp;
mod run;
mod serve;
mod test;
mod trust;

pub(crate) use context::Context;
pub(crate) use error::CliError;
pub(crate) use log::Moment;

use crate::args::{Command, ConfigCommand};
use crate::exit::Exit;

/// Does what the command line says.
///
/// # Errors
/// What a person has to be told; it knows its exit code.
pub(crate) async fn dispatch(command: Command, mut ctx: Context) -> Result<Exit, CliError> {
    match command {
        Command::Run(mut args) => {
            args.settle()?;
            ctx.sources.command_line = args.command_line();
            run::run(*args, ctx).await
        }
        Command::Check(args) => {
            ctx.sources.command_line = args.command_line();
            check::check(*args, &ctx)
        }
        Command::Test(args) => test::test(&args, &ctx),
        Command::Serve(args) => serve::serve(args, ctx).await,
        Command::Inbox(args) => inbox::inbox(args, &ctx).await,
        Command::Grants(args) => grants::grants(&args, &ctx),
        Command::Log(args) => log::log(*args, ctx).await,
        Command::Mcp(args) => {
            ctx.sources.command_line = args.command_line();
            mcp::mcp(*args, ctx).await
        }
        Command::Agents(args) => agents::list(args, &ctx),
        Command::Bypass(args) => bypass::bypass(&args, &ctx),
        Command::Config(ConfigCommand::Path(args)) => config::path(args, &ctx),
        Command::Config(ConfigCommand::Check { file }) => config::check(file.as_deref(), &ctx),
        Command::Config(ConfigCommand::Show(args)) => config::show(args, &ctx),
        Command::Config(ConfigCommand::Schema) => config::schema(),
        Command::Config(ConfigCommand::Import(args)) => import::import(&args, &ctx),
        Command::Init(args) => init::init(&args, &ctx),
        Command::Trust(args) => trust::trust(&args, &ctx),
        Command::Doctor(args) => doctor::doctor(args, &ctx),
        Command::Completions { shell } => completions::print(shell),
        Command::DemoAgent => demo_agent::serve().await,
    }
}
