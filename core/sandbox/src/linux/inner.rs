//! The inner stage: process 1 of its namespace. It gives up what the command must not have, starts it, and collects what ends.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, getpid, kill_process_group, setrlimit, setsid, wait,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities,
};
use signal_hook::iterator::Signals;

use super::stage::Task;
use super::{filters, landlock, mounts, outer, signals};
use crate::{FAILED, SandboxError};

/// Confines this process, runs `words`, and returns with the code it ended with.
pub(super) fn run(task: &Task, words: &[OsString]) -> Result<u8, SandboxError> {
    outer::end_with_parent().map_err(SandboxError::step("end with mayi"))?;
    if task.full {
        mounts::own_processes()?;
    }
    // No terminal: nothing can be typed into the shell that is behind it.
    setsid().map_err(io::Error::from).map_err(SandboxError::step("begin a session"))?;
    give_up_privileges().map_err(SandboxError::step("give up privileges"))?;
    let most = Some(task.profile.bounds.processes);
    setrlimit(Resource::Nproc, Rlimit { current: most, maximum: most })
        .map_err(io::Error::from)
        .map_err(SandboxError::step("bound the number of processes"))?;
    std::env::set_current_dir(&task.cwd)
        .map_err(SandboxError::step(format!("work in {}", task.cwd.display())))?;
    landlock::restrict(&task.profile, task.full)?;
    filters::install(task.profile.network, task.full)?;
    start(words)
}

/// Root within a namespace is root for files that belong to root: what it may do beyond that is given up, for good.
fn give_up_privileges() -> io::Result<()> {
    clear_ambient_capability_set()?;
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            // A kernel that does not know it.
            Err(rustix::io::Errno::INVAL) => {}
            // Whoever has nothing can't have anything taken away, and gets nothing by starting a program either.
            Err(rustix::io::Errno::PERM) => break,
            done => done?,
        }
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(())
}

/// Starts the command, hands signals on to it, and collects whatever ends, until it has ended itself.
fn start(words: &[OsString]) -> Result<u8, SandboxError> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(SandboxError::Shortfall("no command is named".to_owned()));
    };
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    // Before it is started, so that its end is not missed.
    let waited = [signal_hook::consts::SIGCHLD];
    let mut heard = Signals::new(signals::FORWARDED.iter().chain(&waited))
        .map_err(SandboxError::step("wait for signals"))?;
    let child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let _ = writeln!(io::stderr(), "mayi: {}: {error}", program.display());
            return Ok(if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 });
        }
    };
    let pid = Pid::from_child(&child);
    if let Some(code) = collect(pid) {
        return Ok(code);
    }
    for signal in heard.forever() {
        if signal == signal_hook::consts::SIGCHLD {
            if let Some(code) = collect(pid) {
                return Ok(code);
            }
        } else if let Some(signal) = Signal::from_named_raw(signal) {
            let _ = kill_process_group(pid, signal);
        }
    }
    Ok(FAILED)
}

/// Collects all that has ended; the code of the command, if that is among it.
fn collect(command: Pid) -> Option<u8> {
    let mut ended = None;
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        if pid == command && (status.exited() || status.signaled()) {
            let code = status.exit_status().or_else(|| Some(128 + status.terminating_signal()?));
            ended = Some(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(FAILED));
        }
    }
    debug_assert_ne!(getpid(), command, "process 1 is not the command");
    ended
}
