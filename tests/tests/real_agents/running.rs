//! `mayi run` while it runs.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Nothing takes longer, on the slowest of machines.
const DEADLINE: Duration = Duration::from_secs(120);

/// A run that has not been waited for.
pub(crate) struct Running {
    pid: Pid,
    out: Receiver<String>,
    err: Receiver<String>,
    status: Receiver<i32>,
    seen: Vec<String>,
    end: Instant,
    ended: bool,
}

/// What a run left on its streams.
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) lines: Vec<String>,
    pub(crate) err: String,
}

impl Running {
    /// Starts it with nothing on its standard input, and in the process group of the test: who ends a test that hangs
    /// ends that whole group.
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let pid = Pid::from_child(&child);
        let (line, out) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for bytes in stdout.split(b'\n').map_while(Result::ok) {
                let _ = line.send(String::from_utf8_lossy(&bytes).into_owned());
            }
        });
        let (all, err) = channel();
        let mut stderr = child.stderr.take().unwrap();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stderr.read_to_end(&mut bytes);
            let _ = all.send(String::from_utf8_lossy(&bytes).into_owned());
        });
        let (ended, status) = channel();
        std::thread::spawn(move || {
            let status = child.wait().unwrap();
            // As a shell has it.
            let _ = ended.send(status.code().unwrap_or(128 + status.signal().unwrap_or_default()));
        });
        Self { pid, out, err, status, seen: Vec::new(), end: Instant::now() + DEADLINE, ended: false }
    }

    /// Waits for a line of its output that holds `part`.
    pub(crate) fn sees(&mut self, part: &str) {
        loop {
            match self.out.recv_timeout(self.left()) {
                Ok(line) => {
                    let found = line.contains(part);
                    self.seen.push(line);
                    if found {
                        return;
                    }
                }
                Err(error) => panic!("waited in vain for {part:?} ({error}) after\n{}", self.seen.join("\n")),
            }
        }
    }

    /// What Ctrl-C does: the agent, in a session of its own, does not get it.
    pub(crate) fn interrupt(&self) {
        kill_process(self.pid, Signal::INT).unwrap();
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Output {
        loop {
            match self.out.recv_timeout(self.left()) {
                Ok(line) => self.seen.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("it does not end; so far it wrote\n{}", self.seen.join("\n"))
                }
            }
        }
        let err = self.err.recv_timeout(self.left()).unwrap();
        let code = self.status.recv_timeout(self.left()).unwrap();
        self.ended = true;
        Output { code, lines: std::mem::take(&mut self.seen), err }
    }

    fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended && self.status.try_recv().is_err() {
            let _ = kill_process(self.pid, Signal::KILL);
            let _ = self.status.recv_timeout(Duration::from_secs(10));
        }
    }
}
