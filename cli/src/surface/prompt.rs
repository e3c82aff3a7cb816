//! A card with its choices, fitted to the screen.

use super::card::CardText;
use super::choices::Choices;
use super::line::{Break, Line, Tone};

/// The least that is shown of what a call does, before the choices are squeezed.
const LEAST: usize = 4;

/// How large the screen is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// Rows.
    pub(crate) height: usize,
    /// Columns.
    pub(crate) width: usize,
}

/// What is on the screen besides the card.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prompt<'a> {
    /// What the card says, in rows that fit.
    pub(crate) text: &'a CardText,
    /// Its choices.
    pub(crate) choices: &'a Choices,
    /// Why an answer was refused.
    pub(crate) notice: Option<&'a str>,
    /// Whether keys do something.
    pub(crate) live: bool,
}

impl Prompt<'_> {
    /// The rows: never more than fit, and what is left out says so.
    pub(crate) fn lines(&self, size: Size) -> Vec<Line> {
        let Size { width, height } = size;
        let mut bottom = vec![Line::new()];
        bottom.extend(self.notice(width));
        bottom.extend(self.choices.lines(self.live, width));
        bottom.extend(self.choices.footer(self.live, width));
        let text = self.text.clone();
        let fixed = text.head.len() + text.about.len() + text.warning.len();
        let room = height.saturating_sub(1);
        if fixed + bottom.len() + text.what.len().min(LEAST) <= room {
            let left = room - fixed - bottom.len();
            let mut rows = text.head;
            rows.extend(shortened(text.what, left, width));
            rows.extend(text.about);
            rows.extend(text.warning);
            rows.extend(bottom);
            return rows;
        }
        let mut bottom = self.notice(width);
        bottom.extend(self.choices.compact(self.live, width));
        bottom.extend(self.choices.footer(self.live, width));
        if bottom.len() + LEAST > room {
            bottom = self.choices.keys(self.live, width);
        }
        let room = room.saturating_sub(bottom.len());
        let fixed = text.head.len() + text.about.len();
        let mut rows = text.head;
        if fixed + LEAST <= room {
            rows.extend(shortened(text.what, room - fixed, width));
            rows.extend(text.about);
        } else {
            rows.extend(text.what);
            rows.extend(text.about);
            rows = shortened(rows, room, width);
        }
        rows.extend(bottom);
        rows
    }

    /// The card alone, in at most `height` rows: above a list or a field.
    pub(crate) fn top(&self, size: Size) -> Vec<Line> {
        let text = self.text.clone();
        let mut rows = text.head;
        let left = size.height.saturating_sub(rows.len() + text.about.len());
        rows.extend(shortened(text.what, left.max(LEAST), size.width));
        rows.extend(text.about);
        shortened(rows, size.height, size.width)
    }

    fn notice(&self, width: usize) -> Vec<Line> {
        let line = self.notice.map(|notice| Line::of(Tone::Bad, notice));
        line.iter().flat_map(|line| line.wrap(width, 2, Break::Words)).collect()
    }
}

/// At most `most` of `rows`, with a visible mark in place of the others.
fn shortened(mut rows: Vec<Line>, most: usize, width: usize) -> Vec<Line> {
    if rows.len() <= most {
        return rows;
    }
    let kept = most.saturating_sub(1);
    let left = rows.len() - kept;
    rows.truncate(kept);
    let mark = format!("  … {left} more lines: press f to show everything");
    rows.push(Line::of(Tone::Warn, &mark).cut(width));
    rows
}

#[cfg(test)]
mod tests;
