//! The worker's process: a fork of its parent, or the same program started once more.

use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader, PipeWriter};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, waitpid};

/// The word behind `hook` by which the program is a worker; the id of its parent stands behind it.
const WORKER: &str = "--worker";

/// Where a worker that is started finds the home folder that the harness's environment names, which may be another than the user's.
pub const SAID_HOME: &str = "MAYI_HOOK_SAID_HOME";

/// The same for where the user's settings lie: there programs find them that the harness starts.
const SAID_SETTINGS: &str = "MAYI_HOOK_SAID_XDG_CONFIG_HOME";

/// What a worker does: it gets the words behind `hook`, and the home folder that the harness's environment names.
pub type WorkerMain = fn(&[OsString], Option<&OsStr>) -> !;

/// What takes mayi's folders elsewhere: a repository can set it in a harness's settings. (`MAYI_MODE` only tightens.)
const MISLEADING: &[&str] = &[
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_DIRS",
    "RUST_LOG",
    "RUST_BACKTRACE",
];

/// A worker that runs. Its parent is to wait for it once only ([`end`](Self::end)), so that its id stays its own until then.
pub(super) struct WorkerProcess {
    id: Pid,
    /// What it says.
    pub pipe: PipeReader,
}

impl WorkerProcess {
    /// Begins `worker` with `words`.
    ///
    /// # Errors
    /// In one line, why there is none.
    pub(super) fn begin(words: &[OsString], worker: WorkerMain) -> Result<Self, String> {
        let (pipe, writer) =
            io::pipe().map_err(|error| format!("its worker can't be listened to: {error}"))?;
        #[cfg(target_os = "linux")]
        if is_alone() {
            return Self::fork(words, worker, pipe, writer).map_err(not_started);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = worker;
        let id = Self::start(words, writer).map_err(not_started)?;
        Ok(Self { id, pipe })
    }

    /// A fork: it has the program's memory as it is, where one that is started has all of it mapped and linked again.
    #[cfg(target_os = "linux")]
    fn fork(
        words: &[OsString],
        worker: WorkerMain,
        pipe: PipeReader,
        writer: PipeWriter,
    ) -> io::Result<Self> {
        let parent = getpid();
        match fork::fork()? {
            fork::Fork::Parent(id) => {
                let id = Pid::from_raw(id).ok_or(io::ErrorKind::InvalidData)?;
                Ok(Self { id, pipe })
            }
            fork::Fork::Child => {
                drop(pipe);
                if !end_with(parent) || take_streams(writer).is_err() {
                    // To its parent, one that ended without an answer.
                    std::process::exit(1);
                }
                // For whoever looks at processes: its command line is its parent's. It works without a name too.
                let _ = std::fs::write("/proc/self/comm", "mayi-worker");
                worker(words, std::env::var_os("HOME").as_deref())
            }
        }
    }

    /// The same program once more.
    fn start(words: &[OsString], writer: PipeWriter) -> io::Result<Pid> {
        let program = if cfg!(target_os = "linux") {
            // Also if the file was replaced since this process began: then it is still the same program.
            "/proc/self/exe".into()
        } else {
            std::env::current_exe()?
        };
        let mut command = Command::new(program);
        command.arg("hook").arg(WORKER).arg(getpid().to_string()).args(words);
        command.stdin(Stdio::inherit()).stdout(writer).stderr(Stdio::null());
        if let Some(home) = std::env::var_os("HOME") {
            command.env(SAID_HOME, home);
        }
        let ours = |name: &OsString| {
            name.to_str().is_some_and(|name| name.starts_with("MAYI_") && name != "MAYI_MODE")
        };
        for name in std::env::vars_os().map(|(name, _)| name).filter(ours).filter(|name| name != SAID_HOME) {
            command.env_remove(name);
        }
        if let Some(settings) = std::env::var_os("XDG_CONFIG_HOME") {
            command.env(SAID_SETTINGS, settings);
        }
        for name in MISLEADING {
            command.env_remove(name);
        }
        #[allow(clippy::zombie_processes, reason = "it is waited for by its id")]
        let id = command.spawn()?.id();
        Pid::from_raw(id.cast_signed()).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Ends the worker, also one that is stopped. Says how it ended, if it does so by itself within `patience`.
    pub(super) fn end(self, patience: Duration) -> Option<String> {
        let end = Instant::now() + patience;
        while Instant::now() < end {
            match waitpid(Some(self.id), WaitOptions::NOHANG) {
                Ok(Some((_, status))) => return Some(describe_end(status)),
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                // It is nobody's any more, and its id may be another's.
                Err(_) => return None,
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // Only one that is still to be waited for has its id for itself.
        if let Ok(None) = waitpid(Some(self.id), WaitOptions::NOHANG) {
            let _ = kill_process(self.id, Signal::KILL);
            let _ = waitpid(Some(self.id), WaitOptions::empty());
        }
        None
    }
}

fn not_started(error: io::Error) -> String {
    format!("its worker can't be started: {error}")
}

/// Whether this process has one thread and no more, as far as the system tells: then a fork has all that there is.
#[cfg(target_os = "linux")]
fn is_alone() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    // Two for the folder itself, and one for each thread's within it.
    std::fs::metadata("/proc/self/task").is_ok_and(|task| task.nlink() == 3)
}

/// The words behind `hook` of a worker that was started, by all words of the program's; `None`: it is none. From here on it ends with
/// its parent. One that has no parent any more ends at once, and says nothing: nobody would hear it.
#[must_use]
pub fn worker_words(program: impl IntoIterator<Item = OsString>) -> Option<Vec<OsString>> {
    let mut words = program.into_iter().skip(1);
    if words.next()? != "hook" || words.next()? != WORKER {
        return None;
    }
    let id = words.next().and_then(|id| id.to_str()?.parse::<u32>().ok());
    let parent = id.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    if !parent.is_some_and(end_with) {
        std::process::exit(1);
    }
    Some(words.collect())
}

/// This process ends with the one that has forked or started it, whose id is `parent`. False: that has ended already, and nobody
/// would be told.
fn end_with(parent: Pid) -> bool {
    // Where that can't be had, it ends when it has answered.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    getppid() == Some(parent)
}

/// From here on, this process may go on without its parent.
pub fn outlive_parent() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(None);
}

/// Standard output goes to the parent from here on, and standard error nowhere: the harness's own are the parent's.
#[cfg(target_os = "linux")]
fn take_streams(writer: PipeWriter) -> io::Result<()> {
    let nowhere = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(writer)?;
    rustix::stdio::dup2_stderr(nowhere)?;
    Ok(())
}

fn describe_end(status: WaitStatus) -> String {
    match (status.terminating_signal(), status.exit_status()) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "unknown".to_owned(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// A parent that ended between the fork and the first thing that its worker does: the worker has another parent by then.
    #[test]
    fn given_another_parent_than_the_one_that_forked_then_there_is_nobody_to_work_for() {
        let real = getppid();
        let (mine, other) = (real.is_some_and(end_with), end_with(getpid()));
        outlive_parent();
        assert!((mine, other) == (true, false));
    }
}
