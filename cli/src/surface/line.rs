//! Lines for a terminal: pieces of text with a tone, escaped on the way in, wrapped and cut by how
//! wide they look.

use console::Style;
use mayi_core::approval::escape_line;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// What matters most.
    Strong,
    /// What can be skipped.
    Dim,
    /// Something was allowed.
    Good,
    /// Something was denied, or failed.
    Bad,
    /// Look twice.
    Warn,
    /// A line that a diff adds.
    Added,
    /// A line that a diff removes.
    Removed,
    /// The highlighted choice.
    Focus,
    /// What is asked about, within a longer text.
    Asked,
}

impl Tone {
    fn style(self) -> Style {
        let style = Style::new();
        match self {
            Self::Plain => style,
            Self::Strong => style.bold(),
            Self::Dim => style.dim(),
            Self::Good | Self::Added => style.green(),
            Self::Bad | Self::Removed => style.red(),
            Self::Warn => style.yellow(),
            Self::Focus => style.cyan().bold(),
            Self::Asked => style.bold().underlined(),
        }
    }
}

/// Where a line that is too long may be broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// Between words, where that is possible: prose.
    Words,
    /// After a blank, where that is possible, and every blank stays: commands.
    Blanks,
    /// Anywhere: files, values.
    Anywhere,
}

/// One line. Whatever goes in is escaped: nothing in it moves the cursor or hides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    spans: Vec<(Tone, String)>,
}

impl Line {
    /// An empty line.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A line that says `text`.
    #[must_use]
    pub fn with_text(tone: Tone, text: &str) -> Self {
        Self::new().append_text(tone, text)
    }

    /// The same line with more at its end.
    #[must_use]
    pub fn append_text(mut self, tone: Tone, text: &str) -> Self {
        if !text.is_empty() {
            self.spans.push((tone, escape_line(text)));
        }
        self
    }

    /// The same line with `own` words of mayi's and a text at its end, which stay together in one row.
    #[must_use]
    pub fn append_together(mut self, tone: Tone, own: &str, text: &str) -> Self {
        self.spans.push((tone, format!("{own}\u{a0}{}", escape_line(text))));
        self
    }

    /// The same line with `more` at its end.
    #[must_use]
    pub fn append_line(mut self, more: Self) -> Self {
        self.spans.extend(more.spans);
        self
    }

    /// How many columns it takes.
    #[must_use]
    pub fn width(&self) -> usize {
        self.spans.iter().map(|(_, text)| text.width()).sum()
    }

    /// All of it in one tone.
    #[must_use]
    pub fn with_tone(mut self, tone: Tone) -> Self {
        for span in &mut self.spans {
            span.0 = tone;
        }
        self
    }

    /// The text alone.
    #[must_use]
    pub fn plain_text(&self) -> String {
        self.spans.iter().map(|(_, text)| text.as_str()).collect()
    }

    /// As it is written to a terminal.
    #[must_use]
    pub fn paint(&self, color: bool) -> String {
        let paint = |(tone, text): &(Tone, String)| match tone {
            Tone::Plain => text.clone(),
            _ if !color => text.clone(),
            tone => tone.style().force_styling(true).apply_to(text).to_string(),
        };
        self.spans.iter().map(paint).collect()
    }

    /// In rows of at most `width` columns; all but the first begin with `hang` spaces.
    #[must_use]
    pub fn wrap(&self, width: usize, hang: usize, at: Break) -> Vec<Self> {
        let width = width.max(2);
        let hang = hang.min(width / 2).min(width - 2);
        let mut rows = Vec::new();
        let mut row: Vec<(Tone, char)> = Vec::new();
        let mut used = 0;
        for (tone, c) in self.spans.iter().flat_map(|(tone, text)| text.chars().map(|c| (*tone, c))) {
            let wide = c.width().unwrap_or(0);
            while used + wide > width {
                let rest = match at {
                    Break::Words if c != ' ' => last_word(&mut row, hang, false),
                    Break::Blanks if c != ' ' => last_word(&mut row, hang, true),
                    _ => Vec::new(),
                };
                rows.push(Self::from_chars(&row));
                row = vec![(Tone::Plain, ' '); hang];
                row.extend(rest);
                used = row.iter().map(|(_, c)| c.width().unwrap_or(0)).sum();
            }
            // A blank between two rows of prose is shown by neither.
            if at == Break::Words && c == ' ' && !rows.is_empty() && row.len() == hang {
                continue;
            }
            row.push((tone, c));
            used += wide;
        }
        rows.push(Self::from_chars(&row));
        rows
    }

    /// Carets under what is in `tone`, if anything is.
    #[cfg(unix)]
    #[must_use]
    pub(crate) fn caret_line(&self, tone: Tone) -> Option<Self> {
        let under = |(of, text): &(Tone, String)| if *of == tone { "^" } else { " " }.repeat(text.width());
        let row: String = self.spans.iter().map(under).collect();
        let row = row.trim_end();
        (!row.is_empty()).then(|| Self::with_text(Tone::Dim, row))
    }

    /// In one row of at most `width` columns; what is left out leaves a visible mark.
    #[must_use]
    pub fn cut_to_width(&self, width: usize) -> Self {
        if self.width() <= width {
            return self.clone();
        }
        let mut used = 0;
        let mut row = Vec::new();
        for (tone, c) in self.spans.iter().flat_map(|(tone, text)| text.chars().map(|c| (*tone, c))) {
            used += c.width().unwrap_or(0);
            if used + 1 > width {
                break;
            }
            row.push((tone, c));
        }
        Self::from_chars(&row).append_text(Tone::Dim, "…")
    }

    fn from_chars(chars: &[(Tone, char)]) -> Self {
        let mut spans: Vec<(Tone, String)> = Vec::new();
        for (tone, c) in chars {
            match spans.last_mut() {
                Some((last, text)) if last == tone => text.push(*c),
                _ => spans.push((*tone, c.to_string())),
            }
        }
        Self { spans }
    }
}

/// Takes the word that a row ends in the middle of, unless it is all there is, and the blank before it, unless `keep`.
fn last_word(row: &mut Vec<(Tone, char)>, hang: usize, keep: bool) -> Vec<(Tone, char)> {
    match row.iter().rposition(|(_, c)| *c == ' ') {
        Some(at) if at >= hang && at > 0 => {
            let word = row.split_off(at + 1);
            if !keep {
                row.truncate(at);
            }
            word
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Break, Line, Tone};

    fn wrapped_rows(text: &str, width: usize, hang: usize, at: Break) -> Vec<String> {
        Line::with_text(Tone::Plain, text).wrap(width, hang, at).iter().map(Line::plain_text).collect()
    }

    #[test]
    fn given_prose_then_it_breaks_between_words() {
        assert_eq!(wrapped_rows("one two three", 8, 2, Break::Words), ["one two", "  three"]);
        assert_eq!(wrapped_rows("one two", 7, 0, Break::Words), ["one two"]);
        assert_eq!(wrapped_rows("abcdefghij k", 4, 0, Break::Words), ["abcd", "efgh", "ij k"]);
    }

    #[test]
    fn given_a_command_then_it_breaks_at_the_edge_and_nothing_is_lost() {
        assert_eq!(wrapped_rows("abc def", 4, 1, Break::Anywhere), ["abc ", " def"]);
    }

    #[test]
    fn given_a_line_for_a_shell_then_it_breaks_after_blanks_and_nothing_is_lost() {
        assert_eq!(wrapped_rows("cp one two  three", 10, 2, Break::Blanks), ["cp one two", "    three"]);
        assert_eq!(wrapped_rows("cp one two", 9, 2, Break::Blanks), ["cp one ", "  two"]);
        assert_eq!(wrapped_rows("cp abcdefghijkl m", 8, 1, Break::Blanks), ["cp ", " abcdefg", " hijkl m"]);
    }

    #[test]
    fn given_wide_characters_then_no_row_is_wider_than_the_screen() {
        for width in 2..9 {
            for row in Line::with_text(Tone::Plain, "世界 x世世世y").wrap(width, 2, Break::Anywhere) {
                assert!(row.width() <= width, "{row:?} at {width}");
            }
        }
    }

    #[test]
    fn given_a_line_that_is_cut_then_it_says_so() {
        assert_eq!(Line::with_text(Tone::Plain, "abcdef").cut_to_width(4).plain_text(), "abc…");
        assert_eq!(Line::with_text(Tone::Plain, "世界世").cut_to_width(4).plain_text(), "世…");
        assert_eq!(Line::with_text(Tone::Plain, "abcd").cut_to_width(4).plain_text(), "abcd");
    }

    /// S2.8: control characters, ANSI sequences, bidirectional overrides and
    /// invisible characters are shown escaped.
    #[test]
    fn given_text_that_would_move_the_cursor_then_it_is_escaped() {
        assert_eq!(
            Line::with_text(Tone::Plain, "a\u{1b}[2J\u{202e}\nb").paint(false),
            "a\\x1b[2J\\u{202e}\\nb"
        );
    }
}
