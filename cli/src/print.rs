//! The one place that writes lists and messages: data to standard output, the rest to standard error.

use std::io::{self, Write};

use serde::Serialize;

/// Writes a line of data.
///
/// # Errors
/// If nobody reads it any more, or it can't be written.
pub(crate) fn stdout_line(text: impl AsRef<str>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", text.as_ref())?;
    Ok(())
}

/// Writes bytes of data as they are.
///
/// # Errors
/// As [`stdout_line`].
pub(crate) fn stdout_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// Writes one JSON object as a line.
///
/// # Errors
/// As [`stdout_line`].
pub(crate) fn stdout_json(value: &impl Serialize) -> io::Result<()> {
    let text = json_line(value).map_err(io::Error::other)?;
    stdout_line(text)
}

/// The version of the shapes that have one.
const VERSION: u32 = 1;

/// An object with its version (S1.2).
#[derive(Serialize)]
pub(crate) struct Versioned<T> {
    version: u32,
    #[serde(flatten)]
    what: T,
}

impl<T> Versioned<T> {
    pub(crate) fn new(what: T) -> Self {
        Self { version: VERSION, what }
    }
}

/// One JSON object on one line, for every reader: JSON allows three characters in its strings that
/// some readers take for the end of a line, so they are written as escapes.
///
/// # Errors
/// If it can't be written as JSON.
pub(crate) fn json_line(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)?;
    if !text.contains(['\u{85}', '\u{2028}', '\u{2029}']) {
        return Ok(text);
    }
    Ok(text.replace('\u{85}', r"\u0085").replace('\u{2028}', r"\u2028").replace('\u{2029}', r"\u2029"))
}

/// Says something that is not data. If standard error is gone, there is nobody to tell.
pub(crate) fn stderr_line(text: impl AsRef<str>) {
    let _ = writeln!(io::stderr().lock(), "{}", text.as_ref());
}

/// Rows in columns, as wide as their widest cell; the last one is as it comes.
#[must_use]
pub(crate) fn align_columns(rows: &[Vec<String>]) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let wide = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| unicode_width::UnicodeWidthStr::width(cell.as_str()))
            .max()
    };
    let widths: Vec<usize> = (0..count).map(|column| wide(column).unwrap_or(0)).collect();
    rows.iter()
        .map(|row| {
            let mut text = String::new();
            for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
                text.push_str(cell);
                if at + 1 < row.len() {
                    let fill = width.saturating_sub(unicode_width::UnicodeWidthStr::width(cell.as_str())) + 2;
                    text.extend(std::iter::repeat_n(' ', fill));
                }
            }
            text.trim_end().to_owned()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    /// S1.2: JSON lines in, JSON lines out, for readers that know more ends of lines.
    #[test]
    fn given_unicode_line_ends_then_an_object_stays_on_one_line() {
        let line = super::json_line(&"a\u{2028}b\u{85}c\u{2029}").unwrap();
        assert_eq!(line, r#""a\u2028b\u0085c\u2029""#);
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), "a\u{2028}b\u{85}c\u{2029}");
    }

    #[test]
    fn given_rows_then_their_columns_line_up() {
        let rows = [
            vec!["a".into(), "bb".into(), "c".into()],
            vec!["世界".into(), String::new(), "d".into()],
            vec!["x".into()],
        ];
        assert_eq!(super::align_columns(&rows), ["a     bb  c", "世界      d", "x"]);
    }
}
