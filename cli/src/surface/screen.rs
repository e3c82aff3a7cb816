//! The one place that writes what an agent says, so that it never runs into a question.

use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mayi_core::approval::escape_block;

use super::line::{Break, Line};
use crate::progress::Progress;

/// As much text is held back while a question is open; more is counted, and said so.
const MOST_HELD: usize = 1024 * 1024;

/// In narrower terminals than this, lines are not broken between words.
const NARROWEST: usize = 20;

/// Standard output and standard error of this process. All clones are the same screen.
#[derive(Clone)]
pub struct Screen {
    inner: Arc<Mutex<Inner>>,
}

struct Inner {
    color: bool,
    out: OutputStream,
    err: OutputStream,
    /// What waits for the question to be answered; none while no question is open.
    held: Option<HeldOutput>,
    /// A carriage return that may belong to a line end.
    carriage_return: bool,
    /// What is waited for, as it says.
    busy: Option<Progress>,
}

struct OutputStream {
    to: Box<dyn Write + Send>,
    terminal: bool,
    /// The last text ended in the middle of a line.
    open_line: bool,
}

#[derive(Default)]
struct HeldOutput {
    pieces: Vec<(StdStream, String)>,
    bytes: usize,
    left_out: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StdStream {
    Out,
    Err,
}

impl Screen {
    /// The screen of this process. Text goes out unchanged where the standard output is no
    /// terminal.
    #[must_use]
    pub fn new(color: bool, stdout_is_terminal: bool) -> Self {
        let out = OutputStream { to: Box::new(io::stdout()), terminal: stdout_is_terminal, open_line: false };
        let err = OutputStream {
            to: Box::new(io::stderr()),
            terminal: io::stderr().is_terminal(),
            open_line: false,
        };
        Self::with_outputs(color, out, err)
    }

    fn with_outputs(color: bool, out: OutputStream, err: OutputStream) -> Self {
        let inner = Inner { color, out, err, held: None, carriage_return: false, busy: None };
        Self { inner: Arc::new(Mutex::new(inner)) }
    }

    /// Writes a piece of what the agent says, escaped if a terminal shows it.
    ///
    /// # Errors
    /// If it can't be written: whoever reads it is gone.
    pub fn agent_text(&self, text: &str) -> io::Result<()> {
        let mut inner = self.lock();
        inner.busy = None;
        if !inner.out.terminal {
            return inner.out.write(text);
        }
        let text = inner.escape_piece(text);
        inner.write_or_hold(StdStream::Out, text)
    }

    /// Says on a terminal that `what` goes on, until the agent says something, a question is open, or [`Self::clear_busy`].
    pub(crate) fn show_busy(&self, what: String) {
        let mut inner = self.lock();
        // The line before goes first.
        inner.busy = None;
        let watched = inner.out.terminal && inner.err.terminal;
        if watched && inner.held.is_none() && inner.out.end_line().is_ok() {
            inner.busy = Some(Progress::with_visibility(true, what));
        }
    }

    /// Nothing is waited for any more.
    pub(crate) fn clear_busy(&self) {
        self.lock().busy = None;
    }

    /// Writes one line of mayi's own to the standard error.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn write_note(&self, text: &str) -> io::Result<()> {
        let mut inner = self.lock();
        let text = if inner.err.terminal { escape_block(text) } else { text.to_owned() };
        inner.write_or_hold(StdStream::Err, text + "\n")
    }

    /// As [`Self::write_note`], with tones.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn write_line(&self, line: &Line) -> io::Result<()> {
        let mut inner = self.lock();
        let color = inner.color && inner.err.terminal;
        // A terminal would break it within a word.
        let width = console::Term::stderr().size_checked().map(|(_, width)| usize::from(width));
        let rows = match width.filter(|width| inner.err.terminal && *width > NARROWEST) {
            Some(width) => line.wrap(width, 2, Break::Words),
            None => vec![line.clone()],
        };
        let text: String = rows.iter().map(|row| row.paint(color) + "\n").collect();
        inner.write_or_hold(StdStream::Err, text)
    }

    /// Ends a line that the agent has left open, also where no terminal shows it: a message is over.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn end_message(&self) -> io::Result<()> {
        let mut guard = self.lock();
        let inner = &mut *guard;
        match &mut inner.held {
            Some(held) if inner.out.terminal => {
                if held.open_line() {
                    held.hold_text(StdStream::Out, "\n".to_owned());
                }
                Ok(())
            }
            _ if inner.out.open_line => inner.out.write("\n"),
            _ => Ok(()),
        }
    }

    /// Ends a line that the agent has left open, on a terminal.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn end_line(&self) -> io::Result<()> {
        let mut inner = self.lock();
        if inner.held.is_some() { Ok(()) } else { inner.out.end_line() }
    }

    /// Holds back what would be written to a terminal: a question is open.
    ///
    /// # Errors
    /// If what came before can't be written.
    pub fn begin_prompt(&self) -> io::Result<()> {
        let mut inner = self.lock();
        inner.busy = None;
        inner.out.end_line()?;
        inner.held.get_or_insert_default();
        Ok(())
    }

    /// Writes what was held back, in order.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn end_prompt(&self) -> io::Result<()> {
        let mut inner = self.lock();
        let Some(held) = inner.held.take() else {
            return Ok(());
        };
        for (stream, text) in held.pieces {
            inner.write_or_hold(stream, text)?;
        }
        if held.left_out > 0 {
            let note =
                format!("({} more bytes came while a question was open, and are not shown)\n", held.left_out);
            inner.write_or_hold(StdStream::Err, note)?;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Escapes a piece of a longer text: a line end may be cut in two.
    fn escape_piece(&mut self, text: &str) -> String {
        let mut whole = String::with_capacity(text.len() + 1);
        if std::mem::take(&mut self.carriage_return) {
            whole.push('\r');
        }
        whole.push_str(text);
        if whole.ends_with('\r') {
            whole.pop();
            self.carriage_return = true;
        }
        escape_block(&whole)
    }

    fn write_or_hold(&mut self, stream: StdStream, text: String) -> io::Result<()> {
        let terminal = match stream {
            StdStream::Out => self.out.terminal,
            StdStream::Err => self.err.terminal,
        };
        if let Some(held) = self.held.as_mut().filter(|_| terminal) {
            held.hold_text(stream, text);
            return Ok(());
        }
        let (out, err) = (&mut self.out, &mut self.err);
        let mut write = || match stream {
            StdStream::Out => out.write(&text),
            StdStream::Err => {
                if err.terminal {
                    out.end_line()?;
                }
                err.write(&text)
            }
        };
        match &self.busy {
            Some(busy) => busy.suspend(write),
            None => write(),
        }
    }
}

impl HeldOutput {
    /// Whether the agent's text, as held, ends in the middle of a line.
    fn open_line(&self) -> bool {
        let mut texts = self.pieces.iter().rev().filter(|(stream, _)| *stream == StdStream::Out);
        texts.next().is_some_and(|(_, text)| !text.ends_with('\n'))
    }

    fn hold_text(&mut self, stream: StdStream, text: String) {
        if self.left_out > 0 || self.bytes + text.len() > MOST_HELD {
            self.left_out += text.len();
            return;
        }
        self.bytes += text.len();
        match self.pieces.last_mut() {
            Some((last, all)) if *last == stream => all.push_str(&text),
            _ => self.pieces.push((stream, text)),
        }
    }
}

impl OutputStream {
    fn write(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.open_line = !text.ends_with('\n');
        self.to.write_all(text.as_bytes())?;
        self.to.flush()
    }

    fn end_line(&mut self) -> io::Result<()> {
        if self.terminal && self.open_line { self.write("\n") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_HELD, OutputStream, Screen};
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A screen whose two outputs go to one page, as on a terminal.
    fn screen_on_page(out_terminal: bool) -> (Screen, impl Fn() -> String) {
        let page = Page::default();
        let output = |terminal| OutputStream { to: Box::new(page.clone()), terminal, open_line: false };
        let screen = Screen::with_outputs(false, output(out_terminal), output(true));
        (screen, move || String::from_utf8(page.0.lock().unwrap().clone()).unwrap())
    }

    #[test]
    fn given_a_question_then_text_waits_and_comes_in_order() {
        let (screen, shown) = screen_on_page(true);
        screen.agent_text("I will ").unwrap();
        screen.begin_prompt().unwrap();
        assert_eq!(shown(), "I will \n");
        screen.agent_text("now ").unwrap();
        screen.agent_text("run").unwrap();
        screen.write_note("a note").unwrap();
        screen.agent_text("it\n").unwrap();
        assert_eq!(shown(), "I will \n");
        screen.end_prompt().unwrap();
        assert_eq!(shown(), "I will \nnow run\na note\nit\n");
    }

    #[test]
    fn given_no_terminal_then_text_goes_out_unchanged_and_at_once() {
        let (screen, shown) = screen_on_page(false);
        screen.begin_prompt().unwrap();
        screen.agent_text("a\u{1b}[1mb\r").unwrap();
        screen.agent_text("\nc").unwrap();
        assert_eq!(shown(), "a\u{1b}[1mb\r\nc");
    }

    /// Attack 25: "ANSI, bidirectional text ...: escaped".
    #[test]
    fn given_a_terminal_then_text_is_escaped_also_in_pieces() {
        let (screen, shown) = screen_on_page(true);
        for piece in ["a\r", "\nb\u{1b}", "[2J\r", "c\n"] {
            screen.agent_text(piece).unwrap();
        }
        screen.write_note("x\u{202e}y").unwrap();
        assert_eq!(shown(), "a\nb\\x1b[2J\\rc\nx\\u{202e}y\n");
    }

    #[test]
    fn given_too_much_text_then_it_says_how_much_is_missing() {
        let (screen, shown) = screen_on_page(true);
        screen.begin_prompt().unwrap();
        screen.agent_text(&"x".repeat(MOST_HELD)).unwrap();
        screen.agent_text("12345").unwrap();
        screen.end_prompt().unwrap();
        assert!(shown().ends_with("x\n(5 more bytes came while a question was open, and are not shown)\n"));
    }
}
