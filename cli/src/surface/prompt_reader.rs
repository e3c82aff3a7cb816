//! Reading a whole prompt at the terminal.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use rustix::termios::{OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcsetattr};
use rustyline::Editor;
use rustyline::config::{Behavior, BellStyle, Builder};
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;

use super::Screen;

/// What stands before each prompt.
const PROMPT: &str = "you: ";

/// Pasted text comes as typed text again, and on a row of its own.
const PASTES_OFF: &[u8] = b"\x1b[?2004l\r\n";

/// Whether this process belongs to a terminal.
#[must_use]
pub fn terminal_is_there() -> bool {
    open_terminal().is_ok()
}

/// The lines of one conversation: keys as a shell has them, and what was said before at the key up.
pub struct PromptReader {
    editor: Mutex<Editor<(), MemHistory>>,
    /// How the terminal was before the first of them.
    before: Termios,
}

impl PromptReader {
    /// Reads at the terminal that this process belongs to, whatever the standard input is.
    ///
    /// # Errors
    /// If it can't be set up.
    pub fn new() -> io::Result<Self> {
        let config =
            Builder::new().behavior(Behavior::PreferTerm).bell_style(BellStyle::None).auto_add_history(true);
        let editor = Editor::with_history(config.build(), MemHistory::new()).map_err(io::Error::other)?;
        Ok(Self { editor: Mutex::new(editor), before: tcgetattr(open_terminal()?)? })
    }

    /// Asks for the next prompt. None at Ctrl-D in an empty line, and at Ctrl-C.
    ///
    /// # Errors
    /// If there is no terminal.
    pub fn read(&self, screen: &Screen) -> io::Result<Option<String>> {
        screen.end_line()?;
        // What was typed before the prompt was there was meant for something else.
        tcflush(&open_terminal()?, QueueSelector::IFlush)?;
        match self.editor.lock().unwrap_or_else(PoisonError::into_inner).readline(PROMPT) {
            Ok(line) => Ok(Some(line)),
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Gives the terminal back while somebody still reads from it, and nothing can stop that: the process ends.
    pub fn restore_terminal(&self) {
        if let Ok(terminal) = open_terminal() {
            let _ = (&terminal).write_all(PASTES_OFF);
            let _ = tcsetattr(&terminal, OptionalActions::Flush, &self.before);
        }
    }
}

fn open_terminal() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open("/dev/tty")
}
