//! `mayi hook`: one event of an agent's hooks, and what puts them in place. One command a file.

mod args;
mod edit;
mod install;
mod install_notes;
mod reformatted;
mod removal;
mod settings_files;
mod status;
#[cfg(unix)]
mod worker;

use std::path::PathBuf;

pub(super) use self::args::{AFTER, HookArgs};
pub(super) use self::removal::{Hooks, remove_folders, without_extension};
pub(super) use self::status::{InstalledHook, find_hooks, installed_hooks, other_rules};
#[cfg(unix)]
pub use self::worker::{answer_and_exit, run_as_worker};

use self::args::HookCommand;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

/// Does what `mayi hook` says. Events come another way ([`mayi_hook::guard`]): here only with options of mayi's before them.
///
/// # Errors
/// What a person has to be told.
pub(super) fn run(args: HookArgs, ctx: &Context) -> Result<Exit, CliError> {
    match args.command {
        HookCommand::Install(args) => install::install(&args, ctx),
        HookCommand::Uninstall(args) => install::uninstall(&args, ctx),
        HookCommand::Status(args) => status::status(args, ctx),
        HookCommand::Event(words) => Err(event_usage_error(&words)),
    }
}

fn event_usage_error(words: &[std::ffi::OsString]) -> CliError {
    let name = words.first().map(|word| word.display().to_string()).unwrap_or_default();
    let name = mayi_core::approval::escape_line(&name);
    CliError::usage(match mayi_hook::Harness::find_by_name(&name) {
        Some(harness) => format!(
            "`hook {}` takes its options behind it, and has no help of its own: see mayi hook --help",
            harness.name
        ),
        None => format!("there is no harness `{name}`: {}", harness_names()),
    })
}

/// The harnesses' names.
fn harness_names() -> String {
    mayi_hook::HARNESSES.iter().map(|harness| harness.name).collect::<Vec<_>>().join(", ")
}

/// The program that harnesses are to start: this one.
fn own_executable() -> Result<String, CliError> {
    crate::commands::own_executable()
}

/// The home folder in the password entry, which a hook goes by.
#[cfg(unix)]
fn home_of_record() -> Option<PathBuf> {
    nix::unistd::User::from_uid(nix::unistd::getuid()).ok()?.map(|user| user.dir)
}

#[cfg(not(unix))]
fn home_of_record() -> Option<PathBuf> {
    std::env::home_dir()
}
