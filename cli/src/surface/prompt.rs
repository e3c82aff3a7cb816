//! A card with its choices, fitted to the screen.

use super::card::CardText;
use super::choices::Choices;
use super::line::{Break, Line, Tone};

/// The least that is shown of what a call does, before the choices are squeezed.
const LEAST: usize = 4;

/// How large the screen is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScreenSize {
    /// Rows.
    pub(crate) height: usize,
    /// Columns.
    pub(crate) width: usize,
}

/// What is on the screen besides the card.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CardPrompt<'a> {
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
pub(crate) struct DrawnCard {
    /// The rows: never more than fit, and what is left out says so.
    pub(crate) rows: Vec<Line>,
    /// Nothing that is asked is left out, and something says what that is.
    pub(crate) whole: bool,
}

impl CardPrompt<'_> {
    /// The card on a screen of this size: all of it where that fits with the choices in any of their forms.
    pub(crate) fn draw_card(&self, size: ScreenSize) -> DrawnCard {
        let ScreenSize { width, height } = size;
        let room = height.saturating_sub(1);
        let CardText { head, what, about, .. } = self.text;
        let fixed = head.len() + about.len();
        let fitting = |least: usize, read: bool| {
            let bottoms = [Self::full_choices, Self::compact_choices, Self::choice_keys];
            bottoms
                .into_iter()
                .map(|bottom| bottom(self, width, read))
                .find(|bottom| least + bottom.len() <= room)
        };
        let whole = !self.text.untold;
        if let Some(bottom) = fitting(self.text.row_count(), self.read || whole) {
            let rows = [head.as_slice(), what, about, &bottom].concat();
            return DrawnCard { rows, whole };
        }
        let rows = match fitting(fixed + LEAST, self.read) {
            Some(bottom) => {
                let what = shorten_rows(what.clone(), room - fixed - bottom.len(), width);
                [head.as_slice(), &what, about, &bottom].concat()
            }
            None => {
                let bottom = self.choice_keys(width, self.read);
                let card = [head.as_slice(), what, about].concat();
                [shorten_rows(card, room.saturating_sub(bottom.len()), width), bottom].concat()
            }
        };
        DrawnCard { rows, whole: false }
    }

    fn full_choices(&self, width: usize, read: bool) -> Vec<Line> {
        let mut rows = vec![Line::new()];
        rows.extend(self.notice_rows(width));
        rows.extend(self.choices.choice_lines(self.live, read, width));
        rows.extend(self.choices.footer_lines(self.live, read, width));
        rows
    }

    fn compact_choices(&self, width: usize, read: bool) -> Vec<Line> {
        let mut rows = self.notice_rows(width);
        rows.extend(self.choices.compact_lines(self.live, read, width));
        rows.extend(self.choices.footer_lines(self.live, read, width));
        rows
    }

    fn choice_keys(&self, width: usize, read: bool) -> Vec<Line> {
        self.choices.key_lines(self.live, read, width)
    }

    /// The card alone, in at most `height` rows: above a list or a field.
    pub(crate) fn card_rows(&self, size: ScreenSize) -> Vec<Line> {
        let text = self.text.clone();
        let mut rows = text.head;
        let left = size.height.saturating_sub(rows.len() + text.about.len());
        rows.extend(shorten_rows(text.what, left.max(LEAST), size.width));
        rows.extend(text.about);
        shorten_rows(rows, size.height, size.width)
    }

    fn notice_rows(&self, width: usize) -> Vec<Line> {
        let line = self.notice.map(|notice| Line::with_text(Tone::Bad, notice));
        line.iter().flat_map(|line| line.wrap(width, 2, Break::Words)).collect()
    }
}

/// At most `most` of `rows`, with a visible mark in place of the others.
fn shorten_rows(mut rows: Vec<Line>, most: usize, width: usize) -> Vec<Line> {
    if rows.len() <= most {
        return rows;
    }
    let kept = most.saturating_sub(1);
    let left = rows.len() - kept;
    rows.truncate(kept);
    let mark = format!("  … {left} more lines: press f to read them");
    rows.push(Line::with_text(Tone::Warn, &mark).cut_to_width(width));
    rows
}

#[cfg(test)]
mod tests;
