//! `mayi completions`: a script for a shell.

use clap::CommandFactory;

use super::Cli;
use crate::error::CliError;
use crate::exit::Exit;
use crate::print;

pub(super) fn print(shell: clap_complete::Shell) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "mayi", &mut script);
    print::stdout_bytes(&script)?;
    Ok(Exit::Done)
}
