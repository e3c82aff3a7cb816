//! A stage waits for the process that it has started, and hands on to it what it is told by signals.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitStatus};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};
use signal_hook::iterator::Signals;

/// What is handed on. SIGSTOP and SIGKILL can't be; the stages die with each other.
pub(super) const FORWARDED: [i32; 8] =
    [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH];

/// The code that says how a process ended, as shells have it: its own, or 128 and the signal.
pub(super) fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(crate::FAILED)
}

/// Hands signals on to `child` until it has ended; the code that says how.
pub(super) fn forward_until_end(mut child: Child) -> io::Result<u8> {
    let mut signals = Signals::new(FORWARDED.iter().chain(&[SIGCHLD]))?;
    let pid = Pid::from_child(&child);
    // It may have ended before the signals were waited for.
    if let Some(status) = child.try_wait()? {
        return Ok(exit_code(status));
    }
    for signal in signals.forever() {
        if signal == SIGCHLD {
            if let Some(status) = child.try_wait()? {
                return Ok(exit_code(status));
            }
        } else if let Some(signal) = Signal::from_named_raw(signal) {
            let _ = kill_process(pid, signal);
        }
    }
    Err(io::ErrorKind::Interrupted.into())
}
