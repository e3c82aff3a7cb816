//! A stage waits for the process that it has started, and hands on to it what it is told by signals.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::Arc;

use nix::sys::signal::SigSet;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};
use signal_hook::iterator::Signals;

use crate::exit_code;

/// What is handed on. SIGSTOP and SIGKILL can't be; the stages die with each other.
pub(super) const FORWARDED: [i32; 8] =
    [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH];

/// Signals as a login gives them: whoever started mayi may have blocked them, or let the system collect what ends.
pub(super) fn as_at_login() -> io::Result<()> {
    SigSet::empty().thread_set_mask()?;
    // One that is handled is not ignored.
    signal_hook::flag::register(SIGCHLD, Arc::default())?;
    Ok(())
}

/// What is looked after while a process runs.
pub(super) trait Watched {
    /// What tells of changes.
    fn descriptors(&self) -> Vec<PollFd<'_>>;

    /// Something has changed: which of the descriptors have told so.
    ///
    /// # Errors
    /// If the process may not go on.
    fn changed(&mut self, told: &[bool]) -> io::Result<()>;
}

/// Starts a process and hands signals on to it until it has ended; the code that says how. No thread is started: where a new
/// namespace of processes waits for its first one, the kernel makes none.
///
/// # Errors
/// If it was not started, or had to be ended.
pub(super) fn run_to_end(command: &mut Command, mut watched: Option<&mut dyn Watched>) -> io::Result<u8> {
    // Before it is started: then nothing is left that could fail.
    let signals = FORWARDED.iter().chain(&[SIGCHLD]);
    let mut pending = Signals::new(signals.clone())?;
    let (mut woken, wakes) = UnixStream::pair()?;
    woken.set_nonblocking(true)?;
    for signal in signals {
        signal_hook::low_level::pipe::register(*signal, wakes.try_clone()?)?;
    }
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    loop {
        // It may have ended before its end was waited for.
        if let Some(status) = child.try_wait()? {
            return Ok(exit_code(status));
        }
        let mut ready = vec![PollFd::new(&woken, PollFlags::IN)];
        ready.extend(watched.iter().flat_map(|watched| watched.descriptors()));
        match poll(&mut ready, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let told: Vec<bool> = ready.iter().skip(1).map(|other| !other.revents().is_empty()).collect();
        while woken.read(&mut [0; 64]).is_ok_and(|read| read > 0) {}
        for signal in pending.pending().filter(|signal| *signal != SIGCHLD) {
            if let Some(signal) = Signal::from_named_raw(signal) {
                let _ = kill_process(pid, signal);
            }
        }
        if told.contains(&true)
            && let Some(watched) = &mut watched
            && let Err(error) = watched.changed(&told)
        {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
    }
}
