//! In the place of the parent where no worker can be bounded yet: elsewhere than on Unix, every event is blocked.

mod options;

pub use options::{DEFAULT_LIMIT, HookOptions, INBOX_LIMIT};

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use crate::harness::HookOutput;

/// Blocks the event, if the program's words say that it is to answer one. `None`: they say something else.
#[must_use]
pub fn block_event() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != "hook" {
        return None;
    }
    let words: Vec<OsString> = words.collect();
    // The others are commands for people.
    let harness = words.first()?.to_str().and_then(crate::Harness::find_by_name)?;
    if words.iter().any(|word| matches!(word.to_str(), Some("-h" | "--help"))) {
        return None;
    }
    let why = "blocked: mayi answers hooks only on Linux and macOS so far; take this one out of the settings";
    let output = HookOutput::blocked_for(harness.name, why);
    let written = std::io::stdout()
        .write_all(output.out.as_bytes())
        .and_then(|()| std::io::stdout().flush())
        .and_then(|()| std::io::stderr().write_all(output.err.as_bytes()));
    Some(ExitCode::from(if written.is_ok() { output.code } else { HookOutput::BLOCKS }))
}
