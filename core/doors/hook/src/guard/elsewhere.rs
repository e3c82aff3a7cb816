//! In the place of the parent where no worker can be bounded yet: elsewhere than on Unix, every event is blocked.

mod options;

pub use options::{DEFAULT_LIMIT, HookOptions, INBOX_LIMIT};

use std::process::ExitCode;

use self::options::event_words;
use crate::harness::HookOutput;

/// Blocks the event, if the program's words say that it is to answer one. `None`: they say something else.
#[must_use]
pub fn block_event() -> Option<ExitCode> {
    let (harness, _) = event_words(std::env::args_os())?;
    let why = "blocked: mayi answers hooks only on Linux and macOS so far; take this one out of the settings";
    Some(HookOutput::blocked_for(harness.name, why).write())
}
