//! Programs without a supervisor: they end with their process group, and leave it by `setsid`.

use std::io;
use std::sync::Arc;

use process_wrap::tokio::ChildWrapper;
use tokio::process::Command;
use tokio::sync::{Notify, watch};

use super::{PendingStart, ProcessFamily, StartedProgram, wrap_command};
use crate::task::spawn;

/// Starts the program, whose standard streams were chosen.
pub(super) fn start(command: Command) -> io::Result<StartedProgram> {
    #[cfg(target_os = "linux")]
    let mut child = super::orphans::start(wrap_command(command))?;
    #[cfg(not(target_os = "linux"))]
    let mut child = wrap_command(command).spawn()?;
    let (stdin, stdout, stderr) = take_streams(child.as_mut())?;
    let (kill, end) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (left, gone) = watch::channel(false);
    let (ended, exited) = watch::channel(None);
    let leader = child.id();
    let family = ProcessFamily {
        leader,
        supervised: false,
        kill: Arc::clone(&kill),
        end: Arc::clone(&end),
        ended: false,
        leader_ended: gone,
    };
    spawn(async move {
        let status = loop {
            tokio::select! {
                status = child.wait() => break status,
                () = kill.notified() => drop(child.start_kill()),
                // Where there are process groups it has been killed already.
                () = end.notified() => drop(child.start_kill()),
            }
        };
        #[cfg(target_os = "linux")]
        super::orphans::forget_child(leader);
        if let Ok(status) = status {
            let _ = ended.send(Some(status));
        }
        let _ = left.send(true);
    });
    Ok(StartedProgram {
        stdin,
        stdout,
        stderr,
        family,
        exited,
        pending_start: PendingStart::already_running(),
    })
}

/// The ends of its standard streams.
pub(super) fn take_streams(
    child: &mut dyn ChildWrapper,
) -> io::Result<(Option<tokio::process::ChildStdin>, tokio::process::ChildStdout, tokio::process::ChildStderr)>
{
    let stdin = child.stdin().take();
    match (child.stdout().take(), child.stderr().take()) {
        (Some(stdout), Some(stderr)) => Ok((stdin, stdout, stderr)),
        _ => Err(io::Error::other("its standard streams could not be opened")),
    }
}
