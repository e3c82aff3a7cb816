//! Misdeeds outside any turn.

use crate::agent::{Agent, quit};
use crate::behaviours::Behaviour;

/// Set in the process that ignores SIGTERM.
const TRAPPED: &str = "ROGUE_AGENT_TRAPPED";
/// How long `ignore-cancel` outlives its input, so that a failed test leaves nothing behind for ever.
const OUTLIVES: std::time::Duration = std::time::Duration::from_secs(600);

/// Before anything is read.
pub(crate) fn before_reading(behaviour: &Behaviour) {
    if behaviour.is("die-early") {
        quit(1, "rogue_agent: no configuration found");
    }
    if behaviour.is("ignore-cancel") && std::env::var_os(TRAPPED).is_none() {
        start_again_without_sigterm();
    }
}

/// Between `initialize` and its answer.
pub(crate) fn before_initialize(agent: &mut Agent, behaviour: &Behaviour) {
    if behaviour.is("invalid-json-early") {
        agent.send_line(b"Loading the agent, please wait...");
    }
}

/// When standard input has ended.
pub(crate) fn after_input_ended(behaviour: &Behaviour) {
    if behaviour.is("ignore-cancel") {
        std::thread::sleep(OUTLIVES);
    }
}

/// Replaces this process by itself, under a shell's `trap`: an ignored signal stays ignored.
#[cfg(unix)]
fn start_again_without_sigterm() {
    use std::os::unix::process::CommandExt;

    let Ok(own) = std::env::current_exe() else { quit(2, "rogue_agent: own program not found") };
    let error = std::process::Command::new("sh")
        .args(["-c", r#"trap "" TERM; exec "$0" "$@""#])
        .arg(own)
        .args(std::env::args_os().skip(1))
        .env(TRAPPED, "1")
        .exec();
    quit(2, &format!("rogue_agent: {error}"))
}

#[cfg(not(unix))]
fn start_again_without_sigterm() {}
