//! The command line, and its commands, one a file; what a command takes is said beside it.

mod acp;
mod agents;
mod bypass;
mod check;
mod completions;
mod config;
mod confirm;
mod demo_agent;
mod doctor;
mod exec;
mod grants;
mod hook;
mod import;
mod inbox;
mod init;
mod log;
mod mcp;
mod relay;
mod reload;
mod removal;
mod responses;
mod run;
mod sandbox;
mod serve;
mod settings;
mod test;
mod trust;
mod undo;
mod uninstall;
mod update;
mod why;

use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};

use self::acp::AcpArgs;
use self::bypass::BypassArgs;
use self::check::CheckArgs;
use self::config::ConfigCommand;
use self::exec::ExecArgs;
use self::grants::GrantsArgs;
use self::hook::HookArgs;
#[cfg(unix)]
pub use self::hook::{answer_and_exit, run_as_worker};
use self::inbox::InboxArgs;
use self::init::InitArgs;
use self::log::LogArgs;
use self::mcp::McpArgs;
use self::responses::ResponsesArgs;
use self::run::RunArgs;
use self::sandbox::SandboxArgs;
use self::serve::ServeArgs;
use self::test::TestArgs;
use self::trust::TrustArgs;
use self::undo::UndoArgs;
use self::uninstall::UninstallArgs;
use self::why::WhyArgs;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::options::{Global, ListArgs};

const AFTER: &str = "\
Examples:
  mayi run demo                         see how it works, with an agent that is built in
  mayi run claude \"fix the failing test\"
  mayi acp claude                       the same agent for an editor that speaks ACP
  mayi agents                           which agents there are
  mayi check shell 'rm -rf target'      what would be decided, and why
  mayi log                              what happened
  mayi doctor                           when something is off

Exit codes: 0 done · 1 internal error · 2 usage · 3 configuration refused · 4 agent failed ·
5 something was denied · 6 nobody answered · 7 ran without asking ·
124 --timeout reached · 130 interrupted";

/// The permission gate between people and their AI agents
///
/// An agent wants to run a command, write a file or call a tool: mayi decides at once whether that
/// is allowed, forbidden, or yours to decide, and asks you.
#[derive(Debug, Parser)]
#[command(name = "mayi", version, after_help = AFTER, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Give an agent one prompt, with every tool call gated
    #[command(after_help = run::AFTER)]
    Run(Box<RunArgs>),
    /// Run a command if it may, and hold it to what the rules say of files
    #[command(after_help = exec::AFTER)]
    Exec(Box<ExecArgs>),
    /// Be an agent for an editor, with another one behind it and every tool call gated
    #[command(after_help = acp::AFTER)]
    Acp(Box<AcpArgs>),
    /// Say what would be decided about a call, and why
    #[command(after_help = check::AFTER)]
    Check(Box<CheckArgs>),
    /// Check calls against the effects that are expected, for your own CI
    #[command(after_help = test::AFTER)]
    Test(TestArgs),
    /// Stand between an MCP client and its servers, with every tool call gated
    #[command(after_help = mcp::AFTER)]
    Mcp(Box<McpArgs>),
    /// Decide about the tool calls of an agent in its own terminal, by its hooks
    #[command(after_help = hook::AFTER)]
    Hook(HookArgs),
    /// Stand between an app and its Responses API, and have its MCP calls approved
    #[command(after_help = responses::AFTER)]
    Responses(Box<ResponsesArgs>),
    /// Be the backend of an editor: agents, questions and answers over JSON-RPC, on this machine only
    #[command(after_help = serve::AFTER)]
    Serve(ServeArgs),
    /// Answer what waits in any of your mayi processes
    #[command(after_help = inbox::AFTER)]
    Inbox(InboxArgs),
    /// List answers that are remembered, and end them
    #[command(after_help = grants::AFTER)]
    Grants(GrantsArgs),
    /// Show what happened, and learn from it
    #[command(after_help = log::AFTER)]
    Log(Box<LogArgs>),
    /// List the agents that mayi knows, and their settings
    #[command(after_help = "Example:\n  mayi agents --json | jq -r 'select(.found).name'")]
    Agents(ListArgs),
    /// Let an agent act without asking, or make it ask again
    #[command(after_help = bypass::AFTER)]
    Bypass(BypassArgs),
    /// Show, check and find the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Write a configuration to start from
    #[command(after_help = init::AFTER)]
    Init(InitArgs),
    /// Let a folder's own configuration count, or a program in it start
    #[command(after_help = trust::AFTER)]
    Trust(TrustArgs),
    /// Say what a confined command may do here, and what this machine can hold
    #[command(after_help = sandbox::AFTER)]
    Sandbox(SandboxArgs),
    /// Say whether a path may be read and written, or a host reached, and by which rule
    #[command(after_help = why::AFTER)]
    Why(WhyArgs),
    /// Take back what a confined command did to your files
    #[command(after_help = undo::AFTER)]
    Undo(UndoArgs),
    /// Check what mayi needs, and say what to do
    Doctor(ListArgs),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  mayi completions fish > ~/.config/fish/completions/mayi.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Say how mayi is updated, by how it was installed
    #[command(after_help = update::AFTER)]
    Update(ListArgs),
    /// Take mayi out of the settings of other programs, and say what stays
    #[command(after_help = uninstall::AFTER)]
    Uninstall(UninstallArgs),
    /// Be the demo agent: ACP on standard input and output
    #[command(hide = true)]
    DemoAgent,
    /// Be what an agent starts in the place of one of its session's MCP servers
    #[command(hide = true)]
    Relay,
    /// Look after a program that mayi starts for others; nobody else can start one
    #[command(hide = true)]
    Supervise,
}

impl Cli {
    /// Reads the command line.
    ///
    /// # Errors
    /// Also for `--help` and `--version`: what is to be printed.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let words: Vec<_> = std::env::args_os().collect();
        // clap's own messages come before its options are known.
        let never = words.iter().any(|word| word == "--color=never")
            || words
                .windows(2)
                .any(|pair| matches!(pair, [option, when] if option == "--color" && when == "never"));
        let color = if never { ColorChoice::Never } else { ColorChoice::Auto };
        let matches = Self::command().color(color).try_get_matches_from(words)?;
        Self::from_arg_matches(&matches)
    }
}

/// Does what the command line says.
///
/// # Errors
/// What a person has to be told; it knows its exit code.
pub(crate) async fn dispatch(command: Command, mut ctx: Context) -> Result<Exit, CliError> {
    match command {
        Command::Run(mut args) => {
            args.take_agent_as_prompt()?;
            ctx.sources.command_line = args.command_line();
            run::run(*args, ctx).await
        }
        Command::Exec(args) => {
            ctx.sources.command_line = args.command_line();
            exec::run(*args, ctx).await
        }
        Command::Sandbox(args) => sandbox::run(args, &ctx),
        Command::Why(args) => {
            ctx.sources.command_line.mode = args.mode;
            why::run(&args, &ctx)
        }
        Command::Undo(args) => undo::run(&args, &ctx),
        Command::Acp(args) => {
            ctx.sources.command_line = args.command_line();
            acp::run(*args, ctx).await
        }
        Command::Check(args) => {
            ctx.sources.command_line = args.command_line();
            check::run(*args, &ctx)
        }
        Command::Test(args) => test::run(&args, &ctx),
        Command::Serve(args) => serve::run(args, ctx).await,
        Command::Inbox(args) => inbox::run(args, &ctx).await,
        Command::Grants(args) => grants::run(&args, &ctx),
        Command::Log(args) => log::run(*args, ctx).await,
        Command::Mcp(args) => {
            ctx.sources.command_line = args.command_line();
            mcp::run(*args, ctx).await
        }
        Command::Responses(args) => {
            ctx.sources.command_line = args.command_line();
            responses::run(*args, ctx).await
        }
        Command::Hook(args) => hook::run(args, &ctx),
        Command::Agents(args) => agents::list(args, &ctx),
        Command::Bypass(args) => bypass::run(&args, &ctx),
        Command::Config(ConfigCommand::Path(args)) => config::print_paths(args, &ctx),
        Command::Config(ConfigCommand::Check { file }) => config::check(file.as_deref(), &ctx),
        Command::Config(ConfigCommand::Show(args)) => config::show(args, &ctx),
        Command::Config(ConfigCommand::Schema) => config::print_schema(),
        Command::Config(ConfigCommand::Import(args)) => import::run(&args, &ctx),
        Command::Init(args) => init::run(&args, &ctx),
        Command::Trust(args) => trust::run(&args, &ctx),
        Command::Doctor(args) => doctor::run(args, &ctx),
        Command::Update(args) => update::run(args, &ctx),
        Command::Uninstall(args) => uninstall::run(&args, &ctx),
        Command::Completions { shell } => completions::print(shell),
        Command::DemoAgent => demo_agent::serve().await,
        Command::Relay => relay::serve().await,
        // One that is needed was there before the command line was read.
        Command::Supervise => Err(CliError::usage("there are no supervisors on this system")),
    }
}

/// The program that others are to start: this one.
///
/// # Errors
/// If it is not known where that is, or it can't be said in UTF-8.
fn own_executable() -> Result<String, CliError> {
    let cant = |why: String| CliError::internal(format!("where mayi is installed can't be told: {why}"));
    let place = std::env::current_exe().map_err(|error| cant(error.to_string()))?;
    if !place.is_file() {
        return Err(cant("it was replaced while it runs; try again".to_owned()));
    }
    place.into_os_string().into_string().map_err(|_| cant("its path is not UTF-8".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_the_definitions_then_clap_finds_nothing_wrong_with_them() {
        Cli::command().debug_assert();
    }

    #[test]
    fn given_a_command_then_the_first_word_is_the_prompt() {
        let parse = |words: &[&str]| {
            let Command::Run(mut args) = Cli::try_parse_from(words).unwrap().command else { panic!() };
            args.take_agent_as_prompt().map(|()| (args.agent, args.prompt)).map_err(|_| ())
        };
        assert_eq!(parse(&["mayi", "run", "--command", "x y", "hi"]), Ok((None, Some("hi".into()))));
        assert_eq!(parse(&["mayi", "run", "claude", "hi"]), Ok((Some("claude".into()), Some("hi".into()))));
        assert_eq!(parse(&["mayi", "run", "--command", "x", "claude", "hi"]), Err(()));
        assert!(Cli::try_parse_from(["mayi", "run"]).is_err());
    }

    /// Subcommand names are refused as names of agents and servers, so core has to know them all.
    #[test]
    fn given_every_command_then_core_reserves_its_name() {
        for command in Cli::command().get_subcommands() {
            assert!(mayi_core::config::RESERVED.contains(&command.get_name()), "{}", command.get_name());
        }
    }
}
