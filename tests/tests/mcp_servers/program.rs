//! A program that runs, with its lines.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::FileExt as _;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use mayi_tests::{LIMIT, until};
use rustix::process::{Pid, Signal, kill_process};

/// Who is told to end has ended after this time, on the slowest of machines.
const ENDING: Duration = Duration::from_secs(20);

pub(crate) struct Program {
    pid: Pid,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: File,
    ended: Receiver<()>,
    by_signal: bool,
}

impl Program {
    pub(crate) fn start(mut command: Command) -> Self {
        let stderr = tempfile::tempfile().unwrap();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr.try_clone().unwrap());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{error}: {command:?}"));
        let pid = Pid::from_child(&child);
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (line, lines) = channel();
        std::thread::spawn(move || {
            for text in stdout.lines().map_while(Result::ok) {
                let _ = line.send(text);
            }
        });
        let (end, ended) = channel();
        std::thread::spawn(move || {
            let _ = child.wait();
            let _ = end.send(());
        });
        Self { pid, stdin, lines, stderr, ended, by_signal: false }
    }

    /// The end of standard input does not end it.
    pub(crate) fn ended_by_signal(mut self) -> Self {
        self.by_signal = true;
        self
    }

    pub(crate) fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).unwrap_or_else(|error| {
            panic!("{error}, so it does not get {line}: {}", self.errors());
        });
    }

    /// Ends its standard input.
    pub(crate) fn close(&mut self) {
        self.stdin = None;
    }

    /// The next line; none if it has no more, or takes too long.
    pub(crate) fn line(&mut self) -> Option<String> {
        self.lines.recv_timeout(LIMIT).ok()
    }

    /// What it wrote on standard error.
    pub(crate) fn errors(&self) -> String {
        let length = self.stderr.metadata().map_or(0, |meta| usize::try_from(meta.len()).unwrap_or(0));
        let mut bytes = vec![0; length];
        self.stderr.read_exact_at(&mut bytes, 0).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[track_caller]
    pub(crate) fn until_it_warns(&self, what: &str) {
        until(LIMIT, || {
            let errors = self.errors();
            if errors.contains(what) { Ok(()) } else { Err(format!("no {what:?} in {errors}")) }
        });
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.close();
        if self.by_signal || self.ended.recv_timeout(ENDING).is_err() {
            let _ = kill_process(self.pid, Signal::TERM);
            if self.ended.recv_timeout(ENDING).is_err() {
                let _ = kill_process(self.pid, Signal::KILL);
            }
        }
    }
}
