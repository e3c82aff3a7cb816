//! Processes that mayi starts for others: agents, their commands, MCP servers. Each is a session of its own without a
//! terminal, and ends with everything that it started.
//!
//! On Linux each has a supervisor, if the program can be one ([`supervise_all`]): what it starts does not leave it by
//! whatever forks, and ends also if mayi is killed. Elsewhere its process group is what ends with it.

#[cfg(target_os = "linux")]
mod orphans;
#[cfg(target_os = "linux")]
mod supervised;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod supervisor_events;
mod unsupervised;

use std::io;
use std::process::{ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use process_wrap::tokio::CommandWrap;
use tokio::io::AsyncBufReadExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::{Notify, oneshot, watch};

/// The word behind which mayi's program is a supervisor.
const WORD: &str = "supervise";

/// From now on what this process starts for others has a supervisor, where the system can have one. Its program has to
/// call [`run_if_supervisor`] first of all.
pub fn supervise_all() {
    #[cfg(target_os = "linux")]
    supervised::enable_supervision();
}

/// Whether this process was started as a supervisor: then it is one until all that it looks after has ended.
#[must_use]
pub fn run_if_supervisor() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != WORD {
        return None;
    }
    #[cfg(target_os = "linux")]
    return Some(supervisor::run_supervisor(words));
    #[cfg(not(target_os = "linux"))]
    None
}

/// Takes mayi's own settings out of the environment: what mayi starts is not to inherit them.
pub fn without_own_variables(command: &mut Command) {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("MAYI_")) {
        command.env_remove(name);
    }
}

/// A program that was started.
pub struct StartedProgram {
    /// Its standard input, unless it has none.
    pub stdin: Option<ChildStdin>,
    /// Its standard output.
    pub stdout: ChildStdout,
    /// Its standard error.
    pub stderr: ChildStderr,
    /// It, and everything that it starts.
    pub family: ProcessFamily,
    /// How the program itself has ended. What it started may live longer. Nobody sends any more if it can't be told.
    pub exited: watch::Receiver<Option<ExitStatus>>,
    /// Whether it runs at all.
    pub pending_start: PendingStart,
}

/// A program that was started a moment ago.
pub struct PendingStart(oneshot::Receiver<io::Result<()>>);

impl PendingStart {
    /// One that runs.
    fn already_running() -> Self {
        let (runs, begins) = oneshot::channel();
        let _ = runs.send(Ok(()));
        Self(begins)
    }

    /// Waits until it runs.
    ///
    /// # Errors
    /// If it could not be started after all.
    pub async fn wait_started(self) -> io::Result<()> {
        let told = tokio::time::timeout(BEGINS, self.0).await.map_err(|_| io::ErrorKind::TimedOut)?;
        told.map_err(|_| io::Error::other("its supervisor has ended"))?
    }
}

/// A program runs at once; on a machine that is very busy, within this time.
const BEGINS: Duration = Duration::from_secs(30);

/// Starts a program whose standard output and error are read; it reads what is sent to it only if it `reads`. The
/// command's folder and variables count, unless it clears all of them.
///
/// # Errors
/// If it can't be started. It may also turn out a moment later ([`StartedProgram::pending_start`]).
pub fn start(mut command: Command, reads: bool) -> io::Result<StartedProgram> {
    command.stdin(stdin_mode(reads)).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(target_os = "linux")]
    if supervised::is_supervising() {
        return supervised::start(&command, reads);
    }
    unsupervised::start(command)
}

fn stdin_mode(reads: bool) -> Stdio {
    if reads { Stdio::piped() } else { Stdio::null() }
}

/// A process and everything that it started. It can outlive the process, and ends when this is dropped.
pub struct ProcessFamily {
    #[cfg_attr(not(unix), expect(dead_code, reason = "what ends elsewhere is a job"))]
    leader: Option<u32>,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no supervisors"))]
    supervised: bool,
    /// The program itself is to be killed.
    kill: Arc<Notify>,
    /// All of it is to end.
    end: Arc<Notify>,
    ended: bool,
    /// The process that is waited for has ended: with a supervisor that is the last one.
    leader_ended: watch::Receiver<bool>,
}

impl ProcessFamily {
    /// Kills the program, and what is in its process group.
    pub fn kill(&self) {
        self.kill.notify_one();
    }

    /// Has all of it end, once; returns before that.
    pub fn request_end(&mut self) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        self.end.notify_one();
        // At once, since mayi itself may be about to end, and with it whoever would hear of it.
        #[cfg(unix)]
        if let Some(leader) =
            self.leader.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw)
        {
            use rustix::process::{Signal, kill_process, kill_process_group};
            if !self.supervised {
                let _ = kill_process_group(leader, Signal::KILL);
            } else if !*self.leader_ended.borrow() {
                // It may have been stopped.
                let _ = kill_process(leader, Signal::TERM).and_then(|()| kill_process(leader, Signal::CONT));
            }
        }
    }

    /// Ends all of it, and waits for that, within bounds.
    pub async fn end_and_wait(&mut self) {
        self.request_end();
        let _ = tokio::time::timeout(LONGEST, self.leader_ended.wait_for(|gone| *gone)).await;
    }
}

/// So long an end is waited for: somewhat longer than a supervisor takes at most, and whoever takes its place.
const LONGEST: Duration = Duration::from_secs(8);

impl Drop for ProcessFamily {
    fn drop(&mut self) {
        self.request_end();
    }
}

/// A command that is a session of its own, and has no terminal to answer from.
fn wrap_command(command: Command) -> CommandWrap {
    let mut wrap = CommandWrap::from(command);
    #[cfg(unix)]
    wrap.wrap(process_wrap::tokio::ProcessSession);
    #[cfg(windows)]
    wrap.wrap(process_wrap::tokio::JobObject);
    wrap
}

/// Reads a line, or 64 KiB of one: an agent that never ends its line must not fill the memory.
pub async fn read_some_line<R: tokio::io::AsyncBufRead + Unpin>(
    reader: &mut R,
    line: &mut Vec<u8>,
) -> io::Result<usize> {
    let mut limited = tokio::io::AsyncReadExt::take(reader, 64 * 1024);
    limited.read_until(b'\n', line).await
}
