//! The controlling terminal, opened by itself: answers come from a person, never from a pipe that
//! happens to be the standard input.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, isatty, tcflush,
    tcgetattr, tcgetsid, tcgetwinsize, tcsetattr, ttyname,
};

use super::prompt::ScreenSize;
use super::status::{ProgramState, ProgramStatus, StatusSupport};

/// Marks pasted text, hides the cursor; and the other way round.
const KEYS_ON: &str = "\x1b[?2004h\x1b[?25l";
const KEYS_OFF: &str = "\x1b[?2004l\x1b[?25h";
const SECOND_SCREEN: &str = "\x1b[?1049h\x1b[2J\x1b[H";
const FIRST_SCREEN: &str = "\x1b[?1049l";

/// The terminal.
#[derive(Debug)]
pub(crate) struct Tty {
    file: File,
    /// What has to be put back.
    saved: Mutex<SavedTerminal>,
    /// What it was told of what goes on.
    status: Mutex<ProgramStatus>,
    /// What goes on while nobody is asked.
    between: ProgramState,
}

#[derive(Debug, Default)]
struct SavedTerminal {
    settings: Option<Termios>,
    second_screen: bool,
}

/// What there is to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PollResult {
    /// Something was typed.
    pub(crate) input: bool,
    /// Somebody wants the terminal's attention.
    pub(crate) woken: bool,
}

impl Tty {
    /// Opens the terminal that this process belongs to. `between`: what goes on while nobody is asked.
    pub(crate) fn open(between: ProgramState) -> io::Result<Self> {
        let stdin = io::stdin();
        // Lists and fields read from the standard input where it is a terminal: it must be this one.
        if isatty(&stdin) && tcgetsid(&stdin).is_err() {
            return Err(io::Error::other("the standard input is another terminal than the one mayi runs in"));
        }
        let path = own_device_path()
            .filter(|_| cfg!(target_os = "macos"))
            .unwrap_or_else(|| PathBuf::from("/dev/tty"));
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        tcgetattr(&file)?;
        Ok(Self { file, saved: Mutex::default(), status: Mutex::default(), between })
    }

    /// The same terminal for dialoguer, which brings its own keys.
    pub(crate) fn dialoguer_term(&self) -> io::Result<console::Term> {
        Ok(console::Term::read_write_pair(self.file.try_clone()?, self.file.try_clone()?))
    }

    /// How large it is.
    pub(crate) fn size(&self) -> ScreenSize {
        match tcgetwinsize(&self.file) {
            Ok(size) if size.ws_row > 0 && size.ws_col > 0 => {
                ScreenSize { height: size.ws_row.into(), width: size.ws_col.into() }
            }
            _ => ScreenSize { height: 24, width: 80 },
        }
    }

    /// Takes keys one by one, without showing them. What was typed before is thrown away.
    pub(crate) fn take_keys(&self) -> io::Result<()> {
        let mut changed = self.lock_saved();
        if changed.settings.is_some() {
            return Ok(());
        }
        let before = tcgetattr(&self.file)?;
        let mut keys = before.clone();
        // Ctrl-C arrives as a key: who asks decides what it means.
        keys.local_modes -= LocalModes::ICANON
            | LocalModes::ECHO
            | LocalModes::ECHONL
            | LocalModes::ISIG
            | LocalModes::IEXTEN;
        keys.input_modes -= InputModes::IXON;
        keys.special_codes[SpecialCodeIndex::VMIN] = 1;
        keys.special_codes[SpecialCodeIndex::VTIME] = 0;
        changed.settings = Some(before);
        tcsetattr(&self.file, OptionalActions::Flush, &keys)?;
        drop(changed);
        self.write(KEYS_ON)?;
        // What it says comes as keys do, so it is asked while these are read here.
        let query = self.lock_status().start_query(std::env::var("TERM").ok().as_deref());
        query.map_or(Ok(()), |query| self.write(query))
    }

    /// Tells a terminal that asks for it that a question waits for an answer; `words`: of mayi's own.
    pub(crate) fn report_blocked(&self, words: &'static str) -> io::Result<()> {
        let told = self.lock_status().set_state(ProgramState::Blocked, words);
        told.map_or(Ok(()), |told| self.write(&told))
    }

    /// The terminal has said what it takes.
    pub(crate) fn set_status_support(&self, takes: StatusSupport) -> io::Result<()> {
        let told = self.lock_status().set_support(takes);
        told.map_or(Ok(()), |told| self.write(&told))
    }

    /// For how long it may still say whether it knows that, where whoever reads next should not have it.
    pub(crate) fn reply_time_left(&self) -> Option<Duration> {
        self.lock_saved().settings.as_ref()?;
        self.lock_status().reply_time_left()
    }

    /// Nobody is asked any more. Safe to call at any time, from anywhere, and twice.
    pub(crate) fn report_idle(&self) {
        self.report_state(ProgramState::Idle);
    }

    fn report_state(&self, state: ProgramState) {
        let told = self.lock_status().set_state(state, "");
        let _ = told.map_or(Ok(()), |told| self.write(&told));
    }

    /// Puts everything back as it was. Safe to call at any time, from anywhere, and twice.
    pub(crate) fn restore(&self) {
        let mut changed = self.lock_saved();
        if std::mem::take(&mut changed.second_screen) {
            let _ = self.write(FIRST_SCREEN);
        }
        if let Some(before) = changed.settings.take() {
            self.report_state(self.between);
            let _ = self.write(KEYS_OFF);
            let _ = tcsetattr(&self.file, OptionalActions::Flush, &before);
        }
    }

    /// Goes to the second screen, where lists and long texts leave nothing behind. `keys`: whether
    /// keys still come one by one, or dialoguer takes over.
    pub(crate) fn second_screen(&self, keys: bool) -> io::Result<()> {
        self.lock_saved().second_screen = true;
        self.write(SECOND_SCREEN)?;
        if keys { Ok(()) } else { self.write(KEYS_OFF) }
    }

    /// Comes back from it.
    pub(crate) fn first_screen(&self) -> io::Result<()> {
        if std::mem::take(&mut self.lock_saved().second_screen) {
            self.write(FIRST_SCREEN)?;
            self.write(KEYS_ON)?;
        }
        Ok(())
    }

    /// Throws away what was typed and not read.
    pub(crate) fn discard_input(&self) -> io::Result<()> {
        Ok(tcflush(&self.file, QueueSelector::IFlush)?)
    }

    /// Writes all of `text`.
    pub(crate) fn write(&self, text: &str) -> io::Result<()> {
        (&self.file).write_all(text.as_bytes())
    }

    /// Waits for a key, if `keys`, for `wake` or for the time to pass.
    pub(crate) fn wait(
        &self,
        wake: BorrowedFd<'_>,
        keys: bool,
        most: Option<Duration>,
    ) -> io::Result<PollResult> {
        let wanted = if keys { PollFlags::IN } else { PollFlags::empty() };
        let mut fds = [PollFd::from_borrowed_fd(wake, PollFlags::IN), PollFd::new(&self.file, wanted)];
        let most = most.and_then(|most| Timespec::try_from(most).ok());
        match poll(&mut fds, most.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [wake, tty] = fds.map(|fd| fd.revents());
        if tty.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            return Err(terminal_gone_error());
        }
        Ok(PollResult { input: keys && tty.contains(PollFlags::IN), woken: !wake.is_empty() })
    }

    /// Whether something comes within `most`.
    pub(crate) fn has_input(&self, most: Duration) -> io::Result<bool> {
        let mut fds = [PollFd::new(&self.file, PollFlags::IN)];
        match poll(&mut fds, Timespec::try_from(most).ok().as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [tty] = fds.map(|fd| fd.revents());
        if tty.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            return Err(terminal_gone_error());
        }
        Ok(tty.contains(PollFlags::IN))
    }

    /// Reads what was typed.
    pub(crate) fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        match (&self.file).read(bytes) {
            Ok(0) => Err(terminal_gone_error()),
            Ok(count) => Ok(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(0),
            Err(error) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => {
                Err(terminal_gone_error())
            }
            Err(error) => Err(error),
        }
    }

    fn lock_status(&self) -> std::sync::MutexGuard<'_, ProgramStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_saved(&self) -> std::sync::MutexGuard<'_, SavedTerminal> {
        self.saved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        self.restore();
        self.report_idle();
    }
}

fn terminal_gone_error() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "the terminal is gone")
}

/// The terminal's own name: `/dev/tty` itself can't be waited for on macOS.
fn own_device_path() -> Option<PathBuf> {
    let name = |fd: BorrowedFd<'_>| tcgetsid(fd).and_then(|_| ttyname(fd, Vec::new())).ok();
    let found =
        [rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr()].into_iter().find_map(name);
    found.map(|name| PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes())))
}
