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
    /// Whether all that is asked was shown: what allows counts only then.
    pub(crate) read: bool,
}

/// A card as it stands on a screen.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    /// The rows: never more than fit, and what is left out says so.
    pub(crate) rows: Vec<Line>,
    /// Nothing that is asked is left out.
    pub(crate) whole: bool,
}

impl Prompt<'_> {
    /// The card on a screen of this size: all of it where that fits with the choices in any of their forms.
    pub(crate) fn drawn(&self, size: Size) -> Drawn {
        let Size { width, height } = size;
        let room = height.saturating_sub(1);
        let CardText { head, what, about } = self.text;
        let fixed = head.len() + about.len();
        let fitting = |least: usize, read: bool| {
            let bottoms = [Self::full, Self::compact, Self::keys];
            bottoms
                .into_iter()
                .map(|bottom| bottom(self, width, read))
                .find(|bottom| least + bottom.len() <= room)
        };
        if let Some(bottom) = fitting(self.text.rows(), true) {
            let rows = [head.as_slice(), what, about, &bottom].concat();
            return Drawn { rows, whole: true };
        }
        let rows = match fitting(fixed + LEAST, self.read) {
            Some(bottom) => {
                let what = shortened(what.clone(), room - fixed - bottom.len(), width);
                [head.as_slice(), &what, about, &bottom].concat()
            }
            None => {
                let bottom = self.keys(width, self.read);
                let card = [head.as_slice(), what, about].concat();
                [shortened(card, room.saturating_sub(bottom.len()), width), bottom].concat()
            }
        };
        Drawn { rows, whole: false }
    }

    fn full(&self, width: usize, read: bool) -> Vec<Line> {
        let mut rows = vec![Line::new()];
        rows.extend(self.notice(width));
        rows.extend(self.choices.lines(self.live, read, width));
        rows.extend(self.choices.footer(self.live, read, width));
        rows
    }

    fn compact(&self, width: usize, read: bool) -> Vec<Line> {
        let mut rows = self.notice(width);
        rows.extend(self.choices.compact(self.live, read, width));
        rows.extend(self.choices.footer(self.live, read, width));
        rows
    }

    fn keys(&self, width: usize, read: bool) -> Vec<Line> {
        self.choices.keys(self.live, read, width)
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
    let mark = format!("  … {left} more lines: press f to read them");
    rows.push(Line::of(Tone::Warn, &mark).cut(width));
    rows
}

#[cfg(test)]
mod tests;
