//! A change to a file, as a unified diff with line numbers.

use std::time::Duration;

use mayi_core::approval::{escape_block, escape_line};
use similar::{ChangeTag, TextDiff};

use super::line::{Break, Line, Tone};

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// A diff of huge texts is finished coarsely after this time.
const PATIENCE: Duration = Duration::from_millis(200);

/// A diff, ready to be shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiffView {
    /// Lines that are added.
    #[cfg_attr(not(unix), allow(dead_code, reason = "only cards in a terminal say it"))]
    pub(crate) added: usize,
    /// Lines that are removed.
    #[cfg_attr(not(unix), allow(dead_code, reason = "only cards in a terminal say it"))]
    pub(crate) removed: usize,
    /// What to show.
    pub(crate) rows: Vec<Line>,
}

struct DiffRow {
    tag: ChangeTag,
    number: Option<usize>,
    text: String,
    unended: bool,
}

/// Compares the two texts of a file; `old` is none for a new one. `from`: the line of the file at which they begin; none: not
/// known, and no number is said.
pub(crate) fn diff_texts(old: Option<&str>, new: &str, from: Option<u32>, width: usize) -> DiffView {
    // A part of a file has no end of its own: what is said is only that one of the two has one and the other has not.
    let ends = old.is_none_or(|old| old.ends_with('\n') != new.ends_with('\n'));
    let old = old.unwrap_or_default();
    let first = from.map(|from| usize::try_from(from).unwrap_or(usize::MAX));
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let digits = (diff.old_len().max(diff.new_len()).max(1) + first.unwrap_or(1) - 1).to_string().len();
    // Line ends are shown where they are not the same everywhere.
    let all_crlf = [old, new].iter().all(|text| text.lines().count() == text.matches("\r\n").count());
    let mut out = DiffView::default();
    for (at, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if at > 0 {
            out.rows.push(Line::with_text(Tone::Dim, &format!("  {:>digits$} ⋮", "")).cut_to_width(width));
        }
        let mut rows: Vec<DiffRow> = Vec::new();
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let text = change.value();
            let text = text.strip_suffix('\n').unwrap_or(text);
            let text = if all_crlf { text.strip_suffix('\r').unwrap_or(text) } else { text };
            let index =
                change.new_index().filter(|_| change.tag() != ChangeTag::Delete).or(change.old_index());
            rows.push(DiffRow {
                tag: change.tag(),
                number: first.map(|first| index.unwrap_or(0) + first),
                text: text.to_owned(),
                unended: ends && change.missing_newline() && !text.is_empty(),
            });
        }
        let exact = looks_alike(&rows);
        for row in &rows {
            match row.tag {
                ChangeTag::Insert => out.added += 1,
                ChangeTag::Delete => out.removed += 1,
                ChangeTag::Equal => {}
            }
            push_diff_row(&mut out.rows, row, digits, exact && row.tag != ChangeTag::Equal, width);
        }
    }
    out
}

/// Whether a removed and an added line would look the same, as with tabs for blanks.
fn looks_alike(rows: &[DiffRow]) -> bool {
    let of = |tag| rows.iter().filter(move |row| row.tag == tag);
    let shown = |row: &DiffRow| escape_block(row.text.trim_end());
    let removed: std::collections::HashSet<String> = of(ChangeTag::Delete).map(shown).collect();
    of(ChangeTag::Insert).any(|row| removed.contains(&shown(row)))
}

fn push_diff_row(rows: &mut Vec<Line>, row: &DiffRow, digits: usize, exact: bool, width: usize) {
    let (sign, tone) = match row.tag {
        ChangeTag::Insert => ("+", Tone::Added),
        ChangeTag::Delete => ("-", Tone::Removed),
        ChangeTag::Equal => (" ", Tone::Plain),
    };
    let mut text = if exact { escape_line(&row.text) } else { escape_block(&row.text) };
    if exact {
        // Blanks at the end can't be seen otherwise.
        let kept = text.trim_end_matches(' ').len();
        text = format!("{}{}", text.get(..kept).unwrap_or_default(), "·".repeat(text.len() - kept));
    }
    let number = row.number.map(|number| number.to_string()).unwrap_or_default();
    let number = format!("  {number:>digits$} ");
    let line = Line::with_text(Tone::Dim, &number).append_text(tone, &format!("{sign} {text}"));
    rows.extend(line.wrap(width, digits + 5, Break::Anywhere));
    if row.unended && row.tag != ChangeTag::Equal {
        rows.push(
            Line::with_text(Tone::Dim, &format!("  {:>digits$} \\ no line end", "")).cut_to_width(width),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::diff_texts;
    use crate::surface::Line;

    fn shown_rows(old: Option<&str>, new: &str) -> String {
        diff_texts(old, new, Some(1), 40).rows.iter().map(Line::plain_text).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn given_a_change_then_it_is_shown_with_three_lines_around_it() {
        let old: String = (1..=20).map(|n| format!("line {n}\n")).collect();
        let new = old.replace("line 10\n", "line ten\nand more\n").replace("line 20\n", "");
        insta::assert_snapshot!(shown_rows(Some(&old), &new), @r"
         7   line 7
         8   line 8
         9   line 9
        10 - line 10
        10 + line ten
        11 + and more
        12   line 11
        13   line 12
        14   line 13
           ⋮
        18   line 17
        19   line 18
        20   line 19
        20 - line 20
        ");
    }

    #[test]
    fn given_a_part_of_a_file_then_its_lines_have_the_numbers_of_the_file_and_no_end_is_missed() {
        let shown = |from| {
            let rows = diff_texts(Some("line two"), "line 2", from, 40).rows;
            rows.iter().map(Line::plain_text).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(shown(Some(2)), "  2 - line two\n  2 + line 2");
        assert_eq!(shown(None), "    - line two\n    + line 2");
    }

    #[test]
    fn given_a_new_file_then_every_line_is_added() {
        insta::assert_snapshot!(shown_rows(None, "a\n\nb"), @r"
        1 + a
        2 + 
        3 + b
          \ no line end
        ");
    }

    /// Attack 36.
    #[test]
    fn given_changes_that_look_alike_then_they_are_spelled_out() {
        assert_eq!(shown_rows(Some("a\tb\n"), "a    b\n"), "  1 - a\\tb\n  1 + a    b");
        assert_eq!(shown_rows(Some("a\r\n"), "a\n"), "  1 - a\\r\n  1 + a");
        assert_eq!(shown_rows(Some("a\n"), "a  \n"), "  1 - a\n  1 + a··");
        assert_eq!(shown_rows(Some("a\r\n"), "b\r\n"), "  1 - a\n  1 + b");
    }
}
