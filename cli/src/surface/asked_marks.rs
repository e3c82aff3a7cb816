//! The line of a command as it was written, with what is asked about marked in it.

use mayi_core::approval::{MarkedLine, escape_block};

use super::line::{Break, Line, Tone};

/// The rows of it, as a shell shows them: `>` before further lines of one command. `carets`: marks are rows of their own,
/// where nothing can be underlined.
pub(super) fn shell_rows(marked: &MarkedLine<'_>, width: usize, carets: bool) -> Vec<Line> {
    let mut lines = vec![Line::with_text(Tone::Dim, "  $ ")];
    for piece in marked.chars.chunk_by(|(_, one), (_, other)| one == other) {
        let tone = if piece.iter().all(|(_, asked)| *asked) { Tone::Asked } else { Tone::Strong };
        let text: String = piece.iter().map(|(c, _)| c).collect();
        for (at, part) in escape_block(&text).split('\n').enumerate() {
            if at > 0 {
                lines.push(Line::with_text(Tone::Dim, "  > "));
            }
            if let Some(line) = lines.last_mut() {
                *line = std::mem::take(line).append_text(tone, part);
            }
        }
    }
    let carets = carets && !marked.is_whole();
    let mut rows = Vec::new();
    for row in lines.iter().flat_map(|line| line.wrap(width, 4, Break::Blanks)) {
        let under = row.caret_line(Tone::Asked);
        rows.push(row);
        rows.extend(under.filter(|_| carets));
    }
    rows
}
