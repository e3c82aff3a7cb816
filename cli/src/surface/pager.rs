//! A long text, a screen at a time.

use super::key::Key;
use super::line::{Line, Tone};
use super::prompt::ScreenSize;

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
pub(crate) enum PagerOutcome {
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
    pub(crate) fn replace_lines(&mut self, lines: Vec<Line>, asked: usize) {
        self.top = self.top * lines.len() / self.lines.len().max(1);
        self.seen = if self.has_read() { asked } else { 0 };
        (self.lines, self.asked) = (lines, asked);
    }

    /// Whether all that has to be seen was on the screen, without a gap.
    pub(crate) fn has_read(&self) -> bool {
        self.seen >= self.asked
    }

    /// The part where it is now is on a screen of this size.
    pub(crate) fn mark_seen(&mut self, size: ScreenSize) {
        if self.top <= self.seen {
            self.seen = self.seen.max(self.top + page_height(size)).min(self.lines.len());
        }
    }

    /// Moves through the text. Enter stays at the end, so that it never reaches the card.
    pub(crate) fn press_key(&mut self, key: Key, size: ScreenSize) -> PagerOutcome {
        let page = page_height(size);
        let last = self.lines.len().saturating_sub(page);
        match key {
            Key::Char('q' | 'Q' | 'f' | 'F' | '?') | Key::Escape => return PagerOutcome::Closed,
            Key::Char(' ') | Key::Enter | Key::PageDown => self.top += page,
            Key::Char('b') | Key::PageUp => self.top = self.top.saturating_sub(page),
            Key::Down | Key::Char('j') => self.top += 1,
            Key::Up | Key::Char('k') => self.top = self.top.saturating_sub(1),
            Key::Char('g') => self.top = 0,
            Key::Char('G') => self.top = last,
            _ => {}
        }
        self.top = self.top.min(last);
        PagerOutcome::Moved
    }

    /// The part that is shown now, and where it is.
    pub(crate) fn visible_lines(&self, size: ScreenSize) -> Vec<Line> {
        let page = page_height(size);
        let mut shown: Vec<Line> = self.lines.iter().skip(self.top).take(page).cloned().collect();
        let (first, last, all) = (self.top + 1, self.top + shown.len(), self.lines.len());
        shown.resize(page, Line::new());
        let place = if all > page { format!("{first}–{last} of {all} · ") } else { String::new() };
        let keys = match (all > page, self.has_read()) {
            (true, true) => "space on · b back · q close",
            (true, false) => "space on, to the end of what is asked · b back · q close",
            (false, _) => "q close",
        };
        shown
            .push(Line::with_text(Tone::Focus, &place).append_text(Tone::Dim, keys).cut_to_width(size.width));
        shown
    }
}

fn page_height(size: ScreenSize) -> usize {
    size.height.saturating_sub(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::{Pager, PagerOutcome};
    use crate::surface::key::Key;
    use crate::surface::line::{Line, Tone};
    use crate::surface::prompt::ScreenSize;

    const SIZE: ScreenSize = ScreenSize { height: 4, width: 40 };

    fn shown_lines(pager: &Pager) -> Vec<String> {
        pager.visible_lines(SIZE).iter().map(Line::plain_text).collect()
    }

    #[test]
    fn given_a_long_text_then_every_line_can_be_reached() {
        let mut pager =
            Pager::new((1..=7).map(|n| Line::with_text(Tone::Plain, &n.to_string())).collect(), 0);
        assert_eq!(shown_lines(&pager), ["1", "2", "3", "1–3 of 7 · space on · b back · q close"]);
        pager.press_key(Key::Char(' '), SIZE);
        assert_eq!(shown_lines(&pager)[..3], ["4", "5", "6"]);
        assert_eq!(pager.press_key(Key::Enter, SIZE), PagerOutcome::Moved);
        assert_eq!(shown_lines(&pager)[..3], ["5", "6", "7"]);
        assert_eq!(pager.press_key(Key::Enter, SIZE), PagerOutcome::Moved);
        pager.press_key(Key::PageUp, SIZE);
        assert_eq!(shown_lines(&pager)[..3], ["2", "3", "4"]);
        assert_eq!(pager.press_key(Key::Escape, SIZE), PagerOutcome::Closed);
    }

    /// Attack 479.
    #[test]
    fn given_what_has_to_be_seen_then_a_jump_to_the_end_does_not_count() {
        let mut pager =
            Pager::new((1..=7).map(|n| Line::with_text(Tone::Plain, &n.to_string())).collect(), 6);
        let mut press = |key| {
            pager.press_key(key, SIZE);
            pager.mark_seen(SIZE);
            pager.has_read()
        };
        assert!(!press(Key::Char('G')) && !press(Key::Char('g')));
        assert!(!press(Key::Char('G')), "the fourth line was never there");
        assert!(!press(Key::Char('g')) && press(Key::Char(' ')));
        pager.replace_lines(vec![Line::new(); 20], 9);
        assert!(pager.has_read(), "it was read in other rows");
        let mut pager = Pager::new(vec![Line::new(); 7], 6);
        pager.mark_seen(SIZE);
        pager.replace_lines(vec![Line::new(); 20], 2);
        assert!(!pager.has_read());
    }
}
