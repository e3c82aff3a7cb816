//! `mayi`: the permission gate between people and their AI agents, as a command line.
//!
//! A library only for its own tests and examples, and for the man pages of its packages: the program is [`start`].

mod commands;
mod context;
mod error;
mod exit;
mod installed;
mod memory;
mod moments;
mod options;
mod person;
mod pipes;
mod print;
mod progress;
mod state;
pub mod surface;
mod token;

use std::io::IsTerminal;
use std::pin::Pin;
use std::process::ExitCode;

use clap::CommandFactory as _;
use tokio::runtime::Builder;
use tracing_subscriber::EnvFilter;

use crate::commands::{Cli, Command, dispatch};
#[cfg(unix)]
pub use crate::commands::{answer_and_exit, run_as_worker};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::options::Global;

/// What the command line takes: for the man pages of packages.
#[must_use]
pub fn clap_command() -> clap::Command {
    Cli::command()
}

/// Does what the command line says, and returns with the exit code that says how it went.
#[must_use]
pub fn start() -> ExitCode {
    #[cfg(unix)]
    limits_are_errors();
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are errors too, to clap; those end well.
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            let _ = error.print();
            return exit.into();
        }
    };
    let color = cli.global.color.is_enabled(std::io::stderr().is_terminal());
    init_tracing(&cli.global);
    console::set_colors_enabled(cli.global.color.is_enabled(std::io::stdout().is_terminal()));
    console::set_colors_enabled_stderr(color);
    match run(cli) {
        Ok(exit) => exit.into(),
        Err(error) => {
            error.print_report(color);
            error.exit_status().into()
        }
    }
}

/// A file that would grow beyond the limit on the size of files is an error of the write, and not the end of mayi without a
/// word. Whatever mayi starts has the system's way again.
#[cfg(unix)]
fn limits_are_errors() {
    let unheard = std::sync::Arc::default();
    // It is known to the system, and may be handled.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, unheard);
}

fn run(cli: Cli) -> Result<Exit, CliError> {
    let ctx = Context::new(&cli.global)?;
    if matches!(cli.command, Command::Run(_) | Command::Acp(_) | Command::Mcp(_) | Command::Serve(_)) {
        mayi_doors::process::supervise_all();
    }
    // What stands between one client and another side has little to do side by side: what goes from thread to thread only takes
    // longer.
    let mut builder = match &cli.command {
        Command::Mcp(args) if args.command.is_none() && args.http.is_none() => Builder::new_current_thread(),
        Command::Acp(_) | Command::Responses(_) => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    let runtime = builder.enable_all().build()?;
    // Behind a pointer: the code of all commands would be compiled once for each kind of runtime.
    let doing: Pin<Box<dyn Future<Output = Result<Exit, CliError>>>> = Box::pin(dispatch(cli.command, ctx));
    let result = runtime.block_on(doing);
    // A thread that still waits for standard input must not keep the process.
    runtime.shutdown_background();
    result
}

/// What mayi does goes to standard error, as much of it as was asked for.
fn init_tracing(global: &Global) {
    let level = match global.verbose {
        _ if global.quiet => "error",
        0 | 1 => "mayi=warn,mayi_core=warn,mayi_demo=warn",
        2 => "mayi=debug,mayi_core=debug,mayi_demo=debug,info",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_env("MAYI_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| EscapedStderr)
        .with_ansi(false)
        .finish();
    // There is only this one.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Standard error, where what agents sent is escaped: names of methods end up in logs too.
struct EscapedStderr;

impl std::io::Write for EscapedStderr {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let text = mayi_core::approval::escape_block(&String::from_utf8_lossy(bytes));
        std::io::stderr().lock().write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().lock().flush()
    }
}
