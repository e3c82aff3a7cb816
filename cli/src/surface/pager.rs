//! A long text, a screen at a time.

use super::key::Key;
use super::line::{Line, Tone};
use super::prompt::Size;

/// A text that is being looked through.
#[derive(Clone, Debug)]
pub(crate) struct Pager {
    lines: Vec<Line>,
    top: usize,
    /// So many lines, from the first, have to be seen.
    asked: usize,
    /// So many, from the first, were on the screen.
    seen: usize,
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Another part is shown.
    Moved,
    /// The reader has seen enough.
    Closed,
}

impl Pager {
    /// `asked`: so many lines, from the first, have to be seen.
    pub(crate) fn new(lines: Vec<Line>, asked: usize) -> Self {
        Self { lines, top: 0, asked, seen: 0 }
    }

    /// The text in other rows, from about the same place: the screen has another width now. What was not seen to its end by then
    /// is seen from its beginning again.
    pub(crate) fn replace(&mut self, lines: Vec<Line>, asked: usize) {
        self.top = self.top * lines.len() / self.lines.len().max(1);
        self.seen = if self.has_read() { asked } else { 0 };
        (self.lines, self.asked) = (lines, asked);
    }

    /// Whether all that has to be seen was on the screen, without a gap.
    pub(crate) fn has_read(&self) -> bool {
        self.seen >= self.asked
    }

    /// The part where it is now is on a screen of this size.
    pub(crate) fn shown(&mut self, size: Size) {
        if self.top <= self.seen {
            self.seen = self.seen.max(self.top + page(size)).min(self.lines.len());
        }
    }

    /// Moves through the text. Enter stays at the end, so that it never reaches the card.
    pub(crate) fn key(&mut self, key: Key, size: Size) -> Turn {
        let page = page(size);
        let last = self.lines.len().saturating_sub(page);
        match key {
            Key::Char('q' | 'Q' | 'f' | 'F' | '?') | Key::Escape => return Turn::Closed,
            Key::Char(' ') | Key::Enter | Key::PageDown => self.top += page,
            Key::Char('b') | Key::PageUp => self.top = self.top.saturating_sub(page),
            Key::Down | Key::Char('j') => self.top += 1,
            Key::Up | Key::Char('k') => self.top = self.top.saturating_sub(1),
            Key::Char('g') => self.top = 0,
            Key::Char('G') => self.top = last,
            _ => {}
        }
        self.top = self.top.min(last);
        Turn::Moved
    }

    /// The part that is shown now, and where it is.
    pub(crate) fn lines(&self, size: Size) -> Vec<Line> {
        let page = page(size);
        let mut shown: Vec<Line> = self.lines.iter().skip(self.top).take(page).cloned().collect();
        let (first, last, all) = (self.top + 1, self.top + shown.len(), self.lines.len());
        shown.resize(page, Line::new());
        let place = if all > page { format!("{first}–{last} of {all} · ") } else { String::new() };
        let keys = match (all > page, self.has_read()) {
            (true, true) => "space on · b back · q close",
            (true, false) => "space on, to the end of what is asked · b back · q close",
            (false, _) => "q close",
        };
        shown.push(Line::of(Tone::Focus, &place).then(Tone::Dim, keys).cut(size.width));
        shown
    }
}

fn page(size: Size) -> usize {
    size.height.saturating_sub(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::{Pager, Turn};
    use crate::surface::key::Key;
    use crate::surface::line::{Line, Tone};
    use crate::surface::prompt::Size;

    const SIZE: Size = Size { height: 4, width: 40 };

    fn shown(pager: &Pager) -> Vec<String> {
        pager.lines(SIZE).iter().map(Line::text).collect()
    }

    #[test]
    fn given_a_long_text_then_every_line_can_be_reached() {
        let mut pager = Pager::new((1..=7).map(|n| Line::of(Tone::Plain, &n.to_string())).collect(), 0);
        assert_eq!(shown(&pager), ["1", "2", "3", "1–3 of 7 · space on · b back · q close"]);
        pager.key(Key::Char(' '), SIZE);
        assert_eq!(shown(&pager)[..3], ["4", "5", "6"]);
        assert_eq!(pager.key(Key::Enter, SIZE), Turn::Moved);
        assert_eq!(shown(&pager)[..3], ["5", "6", "7"]);
        assert_eq!(pager.key(Key::Enter, SIZE), Turn::Moved);
        pager.key(Key::PageUp, SIZE);
        assert_eq!(shown(&pager)[..3], ["2", "3", "4"]);
        assert_eq!(pager.key(Key::Escape, SIZE), Turn::Closed);
    }

    /// Attack 479.
    #[test]
    fn given_what_has_to_be_seen_then_a_jump_to_the_end_does_not_count() {
        let mut pager = Pager::new((1..=7).map(|n| Line::of(Tone::Plain, &n.to_string())).collect(), 6);
        let mut press = |key| {
            pager.key(key, SIZE);
            pager.shown(SIZE);
            pager.has_read()
        };
        assert!(!press(Key::Char('G')) && !press(Key::Char('g')));
        assert!(!press(Key::Char('G')), "the fourth line was never there");
        assert!(!press(Key::Char('g')) && press(Key::Char(' ')));
        pager.replace(vec![Line::new(); 20], 9);
        assert!(pager.has_read(), "it was read in other rows");
        let mut pager = Pager::new(vec![Line::new(); 7], 6);
        pager.shown(SIZE);
        pager.replace(vec![Line::new(); 20], 2);
        assert!(!pager.has_read());
    }
}
