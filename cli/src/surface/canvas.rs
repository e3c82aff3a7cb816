//! The rows at the bottom of the terminal that a card takes, drawn in place.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

use super::line::{Break, Line};
use super::tty::Tty;

/// What is drawn, so that it can be taken away again.
pub(crate) struct Canvas {
    tty: Arc<Tty>,
    color: bool,
    /// A terminal that can't move its cursor: nothing is taken away.
    dumb: bool,
    /// How wide each row is that stands there now.
    drawn: Vec<usize>,
}

impl Canvas {
    pub(crate) fn new(tty: Arc<Tty>, color: bool) -> Self {
        Self { tty, color, dumb: console::is_dumb(), drawn: Vec::new() }
    }

    /// Whether nothing can be underlined.
    pub(crate) fn is_plain(&self) -> bool {
        self.dumb || !self.color
    }

    /// Draws `lines` in place of what was drawn before.
    pub(crate) fn draw_lines(&mut self, lines: &[Line]) -> io::Result<()> {
        let mut out = self.erase_sequence();
        for line in lines {
            let _ = write!(out, "{}\r\n", line.paint(self.color));
        }
        self.drawn = lines.iter().map(Line::width).collect();
        self.tty.write(&out)
    }

    /// Takes away what is drawn, and leaves `lines` for good.
    pub(crate) fn leave_lines(&mut self, lines: &[Line]) -> io::Result<()> {
        let mut out = self.erase_sequence();
        let width = self.tty.size().width;
        for line in lines.iter().flat_map(|line| line.wrap(width, 2, Break::Words)) {
            let _ = write!(out, "{}\r\n", line.paint(self.color));
        }
        self.tty.write(&out)
    }

    /// Fills the second screen.
    pub(crate) fn fill_screen(&self, lines: &[Line]) -> io::Result<()> {
        let mut out = String::from("\x1b[H\x1b[2J");
        let rows: Vec<String> = lines.iter().map(|line| line.paint(self.color)).collect();
        out.push_str(&rows.join("\r\n"));
        self.tty.write(&out)
    }

    /// The sequence that takes the rows away. The terminal may have become narrower since, and a
    /// row takes several then.
    fn erase_sequence(&mut self) -> String {
        let width = self.tty.size().width.max(1);
        let rows: usize = self.drawn.drain(..).map(|wide| wide.div_ceil(width).max(1)).sum();
        match rows {
            0 => String::new(),
            _ if self.dumb => String::new(),
            rows => format!("\x1b[{rows}A\r\x1b[J"),
        }
    }
}
