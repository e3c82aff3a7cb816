//! `mayi hook`: one event of an agent's hooks, and what puts them in place. One command a file.

mod args;
#[cfg(unix)]
mod worker;

pub(super) use self::args::{AFTER, HookArgs};
#[cfg(unix)]
pub use self::worker::worker;

use self::args::HookCommand;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

/// Does what `mayi hook` says. Events come another way ([`mayi_hook::guard`]): here only with options of mayi's before them.
///
/// # Errors
/// What a person has to be told.
pub(super) fn hook(args: HookArgs, ctx: &Context) -> Result<Exit, CliError> {
    let _ = ctx;
    match args.command {
        HookCommand::Event(words) => event(words),
    }
}

fn event(words: Vec<std::ffi::OsString>) -> Result<Exit, CliError> {
    let name = words.first().map(|word| word.display().to_string()).unwrap_or_default();
    let name = mayi_core::approval::visible(&name);
    Err(CliError::usage(match mayi_hook::Harness::named(&name) {
        Some(harness) => {
            format!("`hook {}` takes no options before it: write mayi hook {0} ...", harness.name)
        }
        None => format!("there is no harness `{name}`: {}", names()),
    }))
}

/// The harnesses' names.
fn names() -> String {
    mayi_hook::HARNESSES.iter().map(|harness| harness.name).collect::<Vec<_>>().join(", ")
}
