//! A real terminal: a program runs in it, keys go in, and its screen can be read.

use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::{ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use pty_process::blocking::{Command, Pts, Pty, open};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{Termios, tcgetattr};

/// Nothing that is waited for takes longer, even on a busy machine.
const DEADLINE: Duration = Duration::from_secs(30);

/// Written behind everything that a program has written: a title, which no screen shows.
const LAST: &[u8] = b"\x1b]0;the end\x07";

/// A program in a terminal.
pub(crate) struct Terminal {
    pty: Option<Arc<Pty>>,
    /// Kept open, so that the settings can be looked at after the program has ended.
    pts: Pts,
    stop: UnixStream,
    stdin: Option<ChildStdin>,
    pid: Pid,
    exit: Receiver<ExitStatus>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    before: Termios,
}

struct Seen {
    parser: vt100::Parser,
    raw: Vec<u8>,
}

#[allow(dead_code, reason = "each file of tests needs another part of it")]
impl Terminal {
    /// Starts `program` in a terminal. `pipe`: its standard input is a pipe, not the terminal.
    pub(crate) fn start(mut program: std::process::Command, (rows, columns): (u16, u16), pipe: bool) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(pty_process::Size::new(rows, columns)).unwrap();
        let before = tcgetattr(&pty).unwrap();
        if !program.get_envs().any(|(name, _)| name == "TERM") {
            program.env("TERM", "xterm-256color");
        }
        if !program.get_envs().any(|(name, _)| name == "NO_COLOR") {
            program.env_remove("NO_COLOR");
        }
        let mut command = Command::from(program);
        if pipe {
            command = command.stdin(Stdio::piped());
        }
        let mut child = command.spawn_borrowed(&pts).unwrap();
        let stdin = child.stdin.take();
        let pid = Pid::from_child(&child);
        let (ended, exit) = channel();
        std::thread::spawn(move || {
            let _ = ended.send(child.wait().unwrap());
        });
        let parser = vt100::Parser::new(size(rows), size(columns), 0);
        let seen = Arc::new((Mutex::new(Seen { parser, raw: Vec::new() }), Condvar::new()));
        let pty = Arc::new(pty);
        let (stop, stopped) = UnixStream::pair().unwrap();
        let (reader, writer) = (Arc::clone(&pty), Arc::clone(&seen));
        std::thread::spawn(move || read(&reader, &stopped, &writer));
        Self { pty: Some(pty), pts, stop, stdin, pid, exit, seen, before }
    }

    /// Types `keys`.
    pub(crate) fn send(&self, keys: &str) {
        let pty = self.pty.as_ref().unwrap();
        (&**pty).write_all(keys.as_bytes()).unwrap();
    }

    /// Writes a line to the standard input, where that is a pipe.
    pub(crate) fn tell(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// The same, and waits until `surface_pty` has done what the line says.
    pub(crate) fn told(&mut self, line: &str) {
        self.tell(line);
        let heard = format!("\u{1b}]0;heard {line}\u{7}");
        let (seen, changed) = &*self.seen;
        let missing = |seen: &mut Seen| !seen.raw.windows(heard.len()).any(|raw| raw == heard.as_bytes());
        let (seen, waited) = changed.wait_timeout_while(seen.lock().unwrap(), DEADLINE, missing).unwrap();
        drop(seen);
        assert!(!waited.timed_out(), "{line}: not heard");
    }

    /// Types `keys`, again and again, until `text` is on the screen.
    pub(crate) fn insist(&self, keys: &str, text: &str) {
        let (seen, changed) = &*self.seen;
        for _ in 0..DEADLINE.as_secs() {
            self.send(keys);
            let seen = seen.lock().unwrap();
            let missing = |seen: &mut Seen| !seen.parser.screen().contents().contains(text);
            let (seen, waited) = changed.wait_timeout_while(seen, Duration::from_secs(1), missing).unwrap();
            drop(seen);
            if !waited.timed_out() {
                return;
            }
        }
        panic!("typed {keys:?} in vain for {text:?}; the screen is\n{}", self.screen());
    }

    /// Closes the standard input, where that is a pipe.
    pub(crate) fn end_of_input(&mut self) {
        drop(self.stdin.take());
    }

    /// Waits until the screen is as `check` says.
    pub(crate) fn until(&self, what: &str, check: impl Fn(&vt100::Screen) -> bool) {
        let (seen, changed) = &*self.seen;
        let end = Instant::now() + DEADLINE;
        let mut seen = seen.lock().unwrap();
        while !check(seen.parser.screen()) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(
                !left.is_zero(),
                "waited for {what} in vain; the screen is\n{}",
                seen.parser.screen().contents()
            );
            seen = changed.wait_timeout(seen, left).unwrap().0;
        }
    }

    /// Waits until `text` is on the screen.
    pub(crate) fn sees(&self, text: &str) {
        self.until(&format!("{text:?}"), |screen| screen.contents().contains(text));
    }

    /// Waits until a line is read at `prompt`: it stands alone in the cursor's row. An earlier prompt
    /// that is still on the screen doesn't count, as keys are thrown away that come before it is drawn.
    pub(crate) fn reads_at(&self, prompt: &str) {
        self.until(&format!("a line to be read at {prompt:?}"), |screen| {
            let row = usize::from(screen.cursor_position().0);
            screen.rows(0, screen.size().1.get()).nth(row).is_some_and(|text| text.trim_end() == prompt)
        });
    }

    /// Waits until `text` was written, whether a screen shows it or not.
    pub(crate) fn until_raw(&self, text: &str) {
        self.until_raw_count(text, 1);
    }

    /// Waits until it was written so many times.
    pub(crate) fn until_raw_count(&self, text: &str, times: usize) {
        let (seen, changed) = &*self.seen;
        let missing = |seen: &mut Seen| {
            let found = seen.raw.windows(text.len()).filter(|raw| *raw == text.as_bytes()).count();
            found < times
        };
        let (seen, waited) = changed.wait_timeout_while(seen.lock().unwrap(), DEADLINE, missing).unwrap();
        let raw = String::from_utf8_lossy(&seen.raw).into_owned();
        drop(seen);
        assert!(!waited.timed_out(), "{text:?} was not written {times} times in {raw:?}");
    }

    /// Waits until `text` has left the screen.
    pub(crate) fn sees_no_more(&self, text: &str) {
        self.until(&format!("{text:?} to go"), |screen| !screen.contents().contains(text));
    }

    /// What is on the screen.
    pub(crate) fn screen(&self) -> String {
        self.seen.0.lock().unwrap().parser.screen().contents()
    }

    /// The rows of the screen, each with carets below what is underlined in it.
    pub(crate) fn marked_screen(&self) -> String {
        let seen = self.seen.0.lock().unwrap();
        let screen = seen.parser.screen();
        let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
        let mut text = String::new();
        for (row, line) in (0..rows).zip(screen.rows(0, columns)) {
            let under = |column| screen.cell(row, column).is_some_and(vt100::Cell::underline);
            let marks: String = (0..columns).map(|column| if under(column) { '^' } else { ' ' }).collect();
            text.push_str(line.trim_end());
            text.push('\n');
            if !marks.trim_end().is_empty() {
                text.push_str(marks.trim_end());
                text.push('\n');
            }
        }
        text.trim_end().to_owned()
    }

    /// What is underlined on the screen, one run after the other.
    pub(crate) fn underlined(&self) -> Vec<String> {
        let seen = self.seen.0.lock().unwrap();
        let screen = seen.parser.screen();
        let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
        let mut runs = Vec::new();
        for row in 0..rows {
            let mut run = String::new();
            for column in 0..=columns {
                match screen.cell(row, column).filter(|cell| cell.underline()) {
                    Some(cell) => run.push_str(cell.contents()),
                    None if run.is_empty() => {}
                    None => runs.push(std::mem::take(&mut run)),
                }
            }
        }
        runs
    }

    /// Whether a row runs into the next one, because it is wider than the screen.
    pub(crate) fn runs_over(&self) -> bool {
        let seen = self.seen.0.lock().unwrap();
        let rows = seen.parser.screen().size().0;
        (0..rows.get()).any(|row| seen.parser.screen().row_wrapped(row))
    }

    /// Every byte that was written to the terminal.
    pub(crate) fn raw(&self) -> String {
        String::from_utf8_lossy(&self.seen.0.lock().unwrap().raw).into_owned()
    }

    /// Makes the terminal another size.
    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        self.seen.0.lock().unwrap().parser.screen_mut().set_size(size(rows), size(columns));
        self.pty.as_ref().unwrap().resize(pty_process::Size::new(rows, columns)).unwrap();
    }

    /// Its number.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).unwrap();
    }

    /// Ends the program as the system does, if it has not ended.
    pub(crate) fn kill(&self) {
        let _ = kill_process(self.pid, Signal::KILL);
    }

    /// Takes the terminal away.
    pub(crate) fn hang_up(&mut self) {
        drop(self.pty.take());
        let _ = self.stop.write_all(&[1]);
    }

    /// Waits for the program to end, and for all that it has written.
    pub(crate) fn exit(&self) -> ExitStatus {
        let status = self
            .exit
            .recv_timeout(DEADLINE)
            .unwrap_or_else(|_| panic!("it does not end; the screen is\n{}", self.screen()));
        if self.pty.is_some() && rustix::io::write(self.pts.as_fd(), LAST).is_ok() {
            let (seen, changed) = &*self.seen;
            let missing = |seen: &mut Seen| !seen.raw.ends_with(LAST);
            let waited = changed.wait_timeout_while(seen.lock().unwrap(), DEADLINE, missing).unwrap();
            assert!(!waited.1.timed_out(), "its last words are missing");
        }
        status
    }

    /// Whether the terminal is as it was before the program started.
    pub(crate) fn as_before(&self) -> bool {
        let now = tcgetattr(&**self.pty.as_ref().unwrap()).unwrap();
        let seen = self.seen.0.lock().unwrap();
        let screen = seen.parser.screen();
        now.local_modes == self.before.local_modes
            && now.input_modes == self.before.input_modes
            && now.output_modes == self.before.output_modes
            && !screen.hide_cursor()
            && !screen.bracketed_paste()
            && !screen.alternate_screen()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.kill();
        self.hang_up();
    }
}

fn size(cells: u16) -> NonZero<u16> {
    NonZero::new(cells).unwrap()
}

/// Reads what the program writes, until it is stopped.
fn read(pty: &Arc<Pty>, stopped: &UnixStream, seen: &(Mutex<Seen>, Condvar)) {
    let mut bytes = [0; 4096];
    loop {
        let mut fds =
            [PollFd::from_borrowed_fd(pty.as_fd(), PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
        let ready = poll(&mut fds, None);
        if ready.is_err() || !fds[1].revents().is_empty() {
            return;
        }
        let Ok(count) = (&**pty).read(&mut bytes) else {
            return;
        };
        let mut now = seen.0.lock().unwrap();
        now.raw.extend_from_slice(&bytes[..count]);
        now.parser.process(&bytes[..count]);
        seen.1.notify_all();
    }
}
