//! The inner stage: process 1 of its namespace. It gives up what the command must not have, starts it, and collects what ends.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus};

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, getpid, getrlimit, kill_process, kill_process_group,
    set_child_subreaper, setrlimit, setsid, wait,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, remove_capability_from_bounding_set,
    set_capabilities,
};
use signal_hook::iterator::Signals;

use super::stage::Task;
use super::{filters, landlock, mounts, signals};
use crate::{FAILED, SandboxError, exit_code};

/// Confines this process, runs `words`, and returns with the code it ended with.
pub(super) fn run(task: &Task, words: &[OsString]) -> Result<u8, SandboxError> {
    if task.full {
        mounts::own_processes()?;
    }
    // No terminal: nothing can be typed into the shell that is behind it.
    setsid().map_err(io::Error::from).map_err(SandboxError::step("begin a session"))?;
    give_up_privileges().map_err(SandboxError::step("give up privileges"))?;
    let allowed = getrlimit(Resource::Nproc).maximum.unwrap_or(u64::MAX);
    let most = Some(task.profile.bounds.processes.min(allowed));
    setrlimit(Resource::Nproc, Rlimit { current: most, maximum: most })
        .map_err(io::Error::from)
        .map_err(SandboxError::step("bound the number of processes"))?;
    std::env::set_current_dir(&task.cwd)
        .map_err(SandboxError::step(format!("work in {}", task.cwd.display())))?;
    landlock::restrict(&task.profile, task.full)?;
    filters::install(task.full)?;
    // In a namespace of its own, whatever is left of the command ends with this process.
    if !task.full {
        set_child_subreaper(Some(getpid()))
            .map_err(io::Error::from)
            .map_err(SandboxError::step("look after processes"))?;
    }
    let ended = start(words);
    if !task.full {
        end_children();
    }
    ended
}

/// Ends what the command has left behind: it is this process's by now.
fn end_children() {
    loop {
        let tasks = std::fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
        let pids = tasks.split_whitespace().filter_map(|pid| pid.parse().ok().and_then(Pid::from_raw));
        for pid in pids {
            let _ = kill_process(pid, Signal::KILL);
        }
        // Whatever these have started comes here in their place.
        if wait(WaitOptions::empty()).is_err() {
            return;
        }
    }
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
            ended = Some(exit_code(ExitStatus::from_raw(status.as_raw())));
        }
    }
    debug_assert_ne!(getpid(), command, "process 1 is not the command");
    ended
}
