//! Reading a whole prompt at the terminal.

use std::fs::{File, OpenOptions};
use std::io;

use console::Term;
use dialoguer::{Input, theme::SimpleTheme};

use super::Screen;

/// Whether this process belongs to a terminal.
#[must_use]
pub fn terminal_is_there() -> bool {
    open().is_ok()
}

/// Asks for the next prompt at the terminal. None at the end of input.
///
/// # Errors
/// If there is no terminal.
pub fn read_prompt(screen: &Screen) -> io::Result<Option<String>> {
    screen.end_line()?;
    let file = open()?;
    let term = Term::read_write_pair(file.try_clone()?, file);
    let line = Input::<String>::with_theme(&SimpleTheme)
        .with_prompt("you")
        .allow_empty(true)
        .interact_text_on(&term);
    match line {
        Ok(line) => Ok(Some(line)),
        // Ctrl-C and Ctrl-D at the prompt both mean that it is over.
        Err(_) => Ok(None),
    }
}

fn open() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open("/dev/tty")
}
