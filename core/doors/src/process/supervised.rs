//! Programs under a supervisor.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use process_wrap::tokio::ChildWrapper;
use rustix::process::{Pid, Signal, geteuid, getpid, kill_process, set_child_subreaper};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines, Take};
use tokio::net::unix::pipe::Receiver;
use tokio::process::Command;
use tokio::sync::{Notify, oneshot, watch};

use super::supervisor_events::SupervisorMessage;
use super::unsupervised::take_streams;
use super::{PendingStart, ProcessFamily, StartedProgram, WORD, orphans, stdin_mode, wrap_command};
use crate::task::spawn;

/// This program, also if another one lies under its path by now.
const OWN: &str = "/proc/self/exe";

/// A supervisor that was told to end has ended after so long, or is killed: it may have been stopped.
const LONGEST: Duration = Duration::from_millis(4500);

/// Whether what is started has a supervisor.
static SUPERVISED: AtomicBool = AtomicBool::new(false);

type MessageLines = Lines<BufReader<Take<Receiver>>>;

/// From now on, programs have one.
pub(super) fn enable_supervision() {
    // A supervisor looks into this process, by `/proc`. What loses it becomes a child of this one, and stays within it.
    let open = std::fs::metadata("/proc/self/fd").is_ok_and(|meta| meta.uid() == geteuid().as_raw());
    let fit = open && std::fs::metadata(OWN).is_ok() && set_child_subreaper(Some(getpid())).is_ok();
    if !fit {
        tracing::warn!(
            "there is no /proc that shows mayi to itself: what agents leave behind may stay, and answer"
        );
    }
    SUPERVISED.store(fit, Ordering::Relaxed);
}

/// Whether what is started has a supervisor.
pub(super) fn is_supervising() -> bool {
    SUPERVISED.load(Ordering::Relaxed)
}

/// Starts the program.
pub(super) fn start(command: &Command, reads: bool) -> io::Result<StartedProgram> {
    let (reader, writer) = io::pipe()?;
    let reader = Receiver::from_owned_fd(OwnedFd::from(reader))?;
    let mut child = orphans::start(wrap_command(supervisor_of(command, reads, writer.as_raw_fd())))?;
    let (kill, end) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (left, gone) = watch::channel(false);
    let (ended, exited) = watch::channel(None);
    let family = ProcessFamily {
        leader: child.id(),
        supervised: true,
        kill: Arc::clone(&kill),
        end: Arc::clone(&end),
        ended: false,
        leader_ended: gone,
    };
    let (stdin, stdout, stderr) = take_streams(child.as_mut())?;
    let (begins, began) = oneshot::channel();
    let lines = BufReader::new(AsyncReadExt::take(reader, 256)).lines();
    let watched = SupervisorWatch { pid: child.id(), lines, kill, end, ended, on_started: Some(begins) };
    spawn(async move {
        watched.run(child, writer).await;
        let _ = left.send(true);
    });
    Ok(StartedProgram { stdin, stdout, stderr, family, exited, pending_start: PendingStart(began) })
}

/// What starts the program below a supervisor, in the same folder and with the same variables.
fn supervisor_of(command: &Command, reads: bool, pipe: i32) -> Command {
    let command = command.as_std();
    let mut supervisor = Command::new(OWN);
    supervisor
        .arg0("mayi")
        .args([WORD, &getpid().as_raw_nonzero().to_string(), &pipe.to_string()])
        .arg(command.get_program())
        .args(command.get_args())
        .stdin(stdin_mode(reads))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    if let Some(folder) = command.get_current_dir() {
        supervisor.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => supervisor.env(name, value),
            None => supervisor.env_remove(name),
        };
    }
    supervisor
}

/// A supervisor, as whoever has started it sees it.
struct SupervisorWatch {
    pid: Option<u32>,
    lines: MessageLines,
    kill: Arc<Notify>,
    end: Arc<Notify>,
    ended: watch::Sender<Option<ExitStatus>>,
    on_started: Option<oneshot::Sender<io::Result<()>>>,
}

impl SupervisorWatch {
    async fn run(mut self, mut child: Box<dyn ChildWrapper>, writer: io::PipeWriter) {
        let mut writer = Some(writer);
        let mut telling = true;
        let far = tokio::time::Instant::now() + Duration::from_secs(365 * 24 * 3600);
        let mut deadline = far;
        let status = loop {
            tokio::select! {
                biased;
                line = self.lines.next_line(), if telling => {
                    // It has this end by itself now, and nobody else is to hold it open.
                    writer = None;
                    match line.ok().flatten().as_deref().map(SupervisorMessage::read) {
                        Some(told) => self.on_message(told),
                        None => telling = false,
                    }
                }
                status = child.wait() => break status,
                () = self.kill.notified() => self.send_signal(Signal::USR1),
                () = self.end.notified() => deadline = tokio::time::Instant::now() + LONGEST,
                () = tokio::time::sleep_until(deadline) => {
                    deadline = far;
                    if let Some(pid) = self.pid {
                        let _ = tokio::task::spawn_blocking(move || orphans::kill(pid)).await;
                    }
                }
            }
        };
        drop(writer);
        // What it told last is in the pipe, unless somebody holds that open.
        let rest = async {
            while let Ok(Some(line)) = self.lines.next_line().await {
                self.on_message(SupervisorMessage::read(&line));
            }
        };
        let _ = tokio::time::timeout(Duration::from_millis(100), rest).await;
        orphans::forget_child(self.pid);
        match status {
            Ok(status) if status.success() => {}
            status => {
                // Whoever has killed it has not got loose by that.
                let _ = tokio::task::spawn_blocking(orphans::kill_strays).await;
                if self.ended.borrow().is_none()
                    && let Ok(status) = status
                {
                    let _ = self.ended.send(Some(status));
                }
            }
        }
    }

    fn on_message(&mut self, told: Option<SupervisorMessage>) {
        let began = match told {
            Some(SupervisorMessage::Started) => Ok(()),
            Some(SupervisorMessage::Failed(error)) => Err(io::Error::from_raw_os_error(error)),
            Some(SupervisorMessage::Ended(status)) => {
                let _ = self.ended.send(Some(ExitStatus::from_raw(status)));
                return;
            }
            None => return,
        };
        if let Some(begins) = self.on_started.take() {
            let _ = begins.send(began);
        }
    }

    fn send_signal(&self, signal: Signal) {
        let pid = self.pid.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        if let Some(pid) = pid {
            let _ = kill_process(pid, signal);
        }
    }
}
