//! The supervisor: mayi's own program in another role, between mayi and a program that mayi starts for others.
//!
//! It is a subreaper: what loses its parents below it becomes its own child, so nothing that the program starts leaves it,
//! however it forks. It ends all of that when mayi says so, and when mayi is gone. It is a process without threads, and
//! reads neither configuration nor environment, so that it is there at once.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mayi_core::gate::{ProcessTree, SUPERVISOR};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, getppid, kill_process, kill_process_group, pidfd_open,
    set_child_subreaper, wait,
};
use signal_hook::consts::{SIGCHLD, SIGTERM, SIGUSR1};

use super::supervisor_events::SupervisorMessage;

/// What is left may end by itself for so long, once it has been told to.
const PATIENCE: Duration = Duration::from_millis(300);

/// So long what is left is killed again and again: longer lives only what the system does not let go of, or what is
/// another user's.
const KILLS: Duration = Duration::from_secs(3);

/// How often to look, while something ends.
const LOOK: Duration = Duration::from_millis(10);

/// How often to look for mayi, on a system that does not tell when it ends.
const LOOK_FOR_MAYI: Duration = Duration::from_millis(250);

/// Is a supervisor until all that it looks after has ended. `words` are the id of mayi's process, the number that the
/// pipe for [`SupervisorMessage`] has there, and the program with its arguments.
pub(super) fn run_supervisor(words: impl Iterator<Item = OsString>) -> ExitCode {
    match Supervisor::start_program(words) {
        Ok(mut supervisor) => supervisor.run(),
        // For people who start it by hand.
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "mayi: only mayi starts a supervisor, and its programs with it: {error}"
            );
            ExitCode::from(2)
        }
    }
}

struct Supervisor {
    mayi: Pid,
    /// Says when mayi ends, where the system can.
    mayi_ended: Option<OwnedFd>,
    /// Where mayi hears of the program.
    messages: File,
    /// The program, while it runs.
    program: Option<Pid>,
    signals: Signals,
}

/// What was signalled. A handler is not inherited by the program, as a mask of signals would be.
struct Signals {
    wakes: UnixStream,
    end: Arc<AtomicBool>,
    kill: Arc<AtomicBool>,
}

impl Signals {
    fn register_handlers() -> io::Result<Self> {
        let (wakes, wake) = UnixStream::pair()?;
        wakes.set_nonblocking(true)?;
        let (end, kill) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        signal_hook::flag::register(SIGTERM, Arc::clone(&end))?;
        signal_hook::flag::register(SIGUSR1, Arc::clone(&kill))?;
        for signal in [SIGTERM, SIGUSR1, SIGCHLD] {
            signal_hook::low_level::pipe::register(signal, wake.try_clone()?)?;
        }
        Ok(Self { wakes, end, kill })
    }

    fn drain_wakeups(&self) {
        let mut some = [0; 64];
        while io::Read::read(&mut &self.wakes, &mut some).is_ok_and(|read| read > 0) {}
    }
}

impl Supervisor {
    /// Starts the program, and tells mayi what became of that.
    fn start_program(mut words: impl Iterator<Item = OsString>) -> io::Result<Self> {
        let mut number = || words.next()?.to_str()?.parse::<i32>().ok();
        let (Some(mayi), Some(pipe)) = (number().and_then(Pid::from_raw), number()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let program = words.next().ok_or(io::ErrorKind::InvalidInput)?;
        // What an agent starts by this name would be judged as a supervisor, and not as what is run below it.
        check_same_program(mayi)?;
        set_child_subreaper(Some(getpid()))?;
        let signals = Signals::register_handlers()?;
        let ends = pidfd_open(mayi, PidfdFlags::empty()).ok();
        if getppid() != Some(mayi) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let pipe = format!("/proc/{}/fd/{pipe}", mayi.as_raw_nonzero());
        // It is only a few bytes, and must not wait for anybody who has filled the pipe.
        let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let told = OpenOptions::new().write(true).custom_flags(nonblocking).open(pipe)?;
        let _ = std::fs::write("/proc/self/comm", SUPERVISOR);
        let mut supervisor = Self { mayi, mayi_ended: ends, messages: told, program: None, signals };
        let mut command = Command::new(program);
        match command.args(words).process_group(0).spawn() {
            Ok(child) => supervisor.program = Some(Pid::from_child(&child)),
            Err(error) => {
                supervisor.send_message(SupervisorMessage::Failed(error.raw_os_error().unwrap_or_default()))
            }
        }
        // Else nobody would see that the program has closed them.
        let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
        rustix::stdio::dup2_stdin(&nothing)?;
        rustix::stdio::dup2_stdout(&nothing)?;
        rustix::stdio::dup2_stderr(&nothing)?;
        if supervisor.program.is_some() {
            supervisor.send_message(SupervisorMessage::Started);
        }
        Ok(supervisor)
    }

    fn run(&mut self) -> ExitCode {
        while !self.reap_children() {
            if self.signals.kill.swap(false, Ordering::Relaxed) {
                self.kill();
            }
            if self.signals.end.load(Ordering::Relaxed) || self.is_alone() {
                return self.end_descendants();
            }
            self.wait(None);
        }
        ExitCode::SUCCESS
    }

    /// Kills the program, and what is in its group still.
    fn kill(&self) {
        if let Some(program) = self.program {
            let _ = kill_process_group(program, Signal::KILL);
        }
    }

    /// Whether mayi has ended: whoever has lost its parent has got another one.
    fn is_alone(&self) -> bool {
        getppid() != Some(self.mayi)
    }

    /// Ends all that is left: told to at first, and killed then.
    fn end_descendants(&mut self) -> ExitCode {
        let begun = Instant::now();
        signal_descendants(&[Signal::TERM, Signal::CONT]);
        while !self.reap_children() {
            let past = begun.elapsed();
            if past >= PATIENCE + KILLS {
                return ExitCode::FAILURE;
            }
            if past >= PATIENCE {
                signal_descendants(&[Signal::KILL]);
            }
            self.wait(Some(LOOK));
        }
        ExitCode::SUCCESS
    }

    /// Takes leave of what has ended, and says whether nothing is left.
    fn reap_children(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if Some(pid) == self.program => {
                    self.program = None;
                    self.send_message(SupervisorMessage::Ended(status.as_raw()));
                }
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }

    /// Waits until something has happened, or for so long.
    fn wait(&self, limit: Option<Duration>) {
        let limit = limit.or_else(|| self.mayi_ended.is_none().then_some(LOOK_FOR_MAYI));
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        let mut files = vec![PollFd::new(&self.signals.wakes, PollFlags::IN)];
        // Once it has ended, it would wake at once for ever.
        files.extend(
            self.mayi_ended
                .as_ref()
                .filter(|_| !self.is_alone())
                .map(|ends| PollFd::new(ends, PollFlags::IN)),
        );
        let _ = poll(&mut files, limit.as_ref());
        self.signals.drain_wakeups();
    }

    fn send_message(&mut self, what: SupervisorMessage) {
        let _ = self.messages.write_all(what.to_line().as_bytes());
    }
}

/// Sends these to all that is below this process.
fn signal_descendants(signals: &[Signal]) {
    let own = getpid().as_raw_nonzero().get().cast_unsigned();
    let Ok(tree) = ProcessTree::snapshot() else { return };
    for pid in tree.descendants_of(&[own]).into_iter().filter_map(|pid| Pid::from_raw(pid.cast_signed())) {
        for signal in signals {
            let _ = kill_process(pid, *signal);
        }
    }
}

/// Whether this process runs the same program as this one.
///
/// # Errors
/// If it does not.
fn check_same_program(pid: Pid) -> io::Result<()> {
    let program =
        |of: &str| std::fs::metadata(format!("/proc/{of}/exe")).map(|meta| (meta.dev(), meta.ino()));
    if program(&pid.as_raw_nonzero().to_string())? == program("self")? {
        return Ok(());
    }
    Err(io::ErrorKind::PermissionDenied.into())
}
