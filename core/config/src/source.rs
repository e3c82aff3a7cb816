//! A text with mistakes in it, as it is shown: control and invisible characters as escapes, with the
//! places where they move what comes after them.

use std::ops::Range;
use std::sync::Arc;

use mayi_kept::approval::escape_line;

/// A text that is read, and how it is shown.
#[derive(Clone, Debug)]
pub(super) struct SourceText {
    name: String,
    shown: Arc<str>,
    /// Where the text and what is shown begin to differ, and by how many bytes from there on.
    shifts: Vec<(usize, usize)>,
    /// Where its lines end.
    ends: Vec<usize>,
    /// Where lines are missing, and how many.
    missing: Vec<(usize, u32)>,
}

impl SourceText {
    pub(super) fn new(name: &str, text: &str) -> Self {
        let plain = |b: u8| matches!(b, b'\n' | b'\t' | b' '..=b'~');
        if text.bytes().all(plain) {
            let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at).collect();
            return Self {
                name: escape_line(name),
                shown: text.into(),
                shifts: Vec::new(),
                ends,
                missing: Vec::new(),
            };
        }
        let mut shown = String::with_capacity(text.len());
        let mut shifts = Vec::new();
        let mut ends = Vec::new();
        let mut buffer = [0; 4];
        for (at, c) in text.char_indices() {
            if c == '\n' {
                ends.push(at);
            }
            if matches!(c, '\n' | '\t' | ' '..='~')
                || c == '\r' && text.as_bytes().get(at + 1) == Some(&b'\n')
            {
                shown.push(c);
                continue;
            }
            let escaped = escape_line(c.encode_utf8(&mut buffer));
            shown.push_str(&escaped);
            if escaped.len() > c.len_utf8() {
                let after = at + c.len_utf8();
                shifts.push((after, shown.len() - after));
            }
        }
        Self { name: escape_line(name), shown: shown.into(), shifts, ends, missing: Vec::new() }
    }

    /// The same of a text in which lines are missing: at each place, so many.
    pub(super) fn with_missing_lines(self, missing: Vec<(usize, u32)>) -> Self {
        Self { missing, ..self }
    }

    /// What the text is called.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The text as it is shown.
    pub(super) fn displayed_text(&self) -> Arc<str> {
        Arc::clone(&self.shown)
    }

    /// Where `span` is in what is shown.
    pub(super) fn displayed_span(&self, span: &Range<usize>) -> Range<usize> {
        let moved = |at: usize| {
            let before = self.shifts.partition_point(|(from, _)| *from <= at);
            let shift = before.checked_sub(1).and_then(|last| self.shifts.get(last)).map_or(0, |(_, by)| *by);
            (at + shift).min(self.shown.len())
        };
        moved(span.start)..moved(span.end)
    }

    /// The line that `offset` is on, from 1.
    pub(super) fn line_at(&self, offset: usize) -> u32 {
        let there = u32::try_from(self.ends.partition_point(|end| *end < offset) + 1).unwrap_or(u32::MAX);
        let missing = self.missing.iter().take_while(|(at, _)| *at <= offset).map(|(_, lines)| *lines);
        missing.fold(there, u32::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::SourceText;

    /// Attack 55.
    #[test]
    fn given_text_that_hides_something_then_spans_still_point_at_what_they_meant() {
        let text = "a = \"\u{1b}[2J\u{202e}\"\nbäd = 1\tx\r\n";
        let source = SourceText::new("f\u{7}", text);
        let shown = source.displayed_text();
        assert_eq!(&*shown, "a = \"\\x1b[2J\\u{202e}\"\nbäd = 1\tx\r\n");
        assert_eq!(source.name(), "f\\x07");
        for word in ["a", "[2J", "bäd", "1", "x"] {
            let at = text.find(word).unwrap();
            assert_eq!(&shown[source.displayed_span(&(at..at + word.len()))], word);
        }
        assert_eq!(source.displayed_span(&(0..text.len())), 0..shown.len());
        assert_eq!(
            (source.line_at(0), source.line_at(text.find('b').unwrap()), source.line_at(text.len())),
            (1, 2, 3)
        );
    }
}
