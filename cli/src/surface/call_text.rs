//! Exactly what a call would do, as it was written: commands, paths, arguments, diffs.

use std::path::Path;

use mayi_core::approval::{
    Card, CardAccess, MarkedLine, change_lines, escape_block, relative_path, written_line,
};
use serde_json::Value;

use super::asked_marks::shell_rows;
use super::card::{CardLayout, UNLIMITED, data_rows, labeled_rows};
use super::diff::{DiffView, diff_texts};
use super::line::{Break, Line, Tone};
use super::wording;

/// The line of a command, every access that does not stand in it or in the first row of the card, every argument, and the
/// content. Also what the first row says of a change: how much it is.
pub(super) fn call_rows(card: &Card, look: CardLayout) -> (Vec<Line>, Option<String>) {
    let width = look.width;
    let mut rows = Vec::new();
    let mut content = card_content(card, width);
    let named = wording::is_in_heading(card);
    let mut counts = None;
    if let Some(line) = written_line(card) {
        let marked = MarkedLine::new(line, card);
        rows.extend(shell_rows(&marked, width, look.carets));
        for (access, asked) in &marked.apart {
            match access.access.as_str() {
                "shell" if *asked => rows.extend(data_rows("runs", &access.display, width, UNLIMITED)),
                "shell" => {}
                word => rows.extend(access_rows(word, access, card, None, width)),
            }
        }
    } else if named {
        counts = card.accesses.first().and_then(|access| content.counts_of(card, access));
    } else {
        for access in card.accesses.iter().filter(|access| card.server.is_none() || access.access != "mcp") {
            let counts = content.counts_of(card, access);
            rows.extend(access_rows(&access.access, access, card, counts.as_deref(), width));
        }
    }
    for (name, value) in &card.env {
        rows.extend(data_rows("with", &format!("{name}={value}"), width, UNLIMITED));
    }
    // The arguments of a tool are the call; what else came in beside what is shown is on demand.
    let is_tool = card.accesses.iter().any(|access| matches!(access.access.as_str(), "mcp" | "tool"));
    if written_line(card).is_none() {
        let open = match &card.tool_call.open_input {
            None if is_tool || (!named && content.diffs.is_empty()) => Some(&card.tool_call.raw_input),
            open => open.as_ref(),
        };
        open.iter().for_each(|input| rows.extend(argument_rows(input, width)));
    }
    rows.extend(content.content_rows(card, width));
    (rows, counts)
}

fn access_rows(
    word: &str,
    access: &CardAccess,
    card: &Card,
    counts: Option<&str>,
    width: usize,
) -> Vec<Line> {
    let is_file = matches!(word, "read" | "write" | "create" | "edit" | "delete" | "move");
    let name = if is_file { relative_path(&access.display, &card.cwd) } else { &access.display };
    let line = Line::with_text(Tone::Strong, name).append_text(Tone::Dim, counts.unwrap_or_default());
    labeled_rows(word, line, width, Break::Anywhere, UNLIMITED)
}

/// A tool's arguments, a member a row, and deeper ones below it.
fn argument_rows(input: &Value, width: usize) -> Vec<Line> {
    let mut rows = Vec::new();
    match input {
        Value::Null => {}
        Value::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                let text = match value {
                    Value::Object(_) | Value::Array(_) => {
                        serde_json::to_string_pretty(value).unwrap_or_default()
                    }
                    other => other.to_string(),
                };
                for (at, line) in text.split('\n').enumerate() {
                    let line = match at {
                        0 => {
                            Line::with_text(Tone::Dim, &format!("  {name}: ")).append_text(Tone::Strong, line)
                        }
                        _ => Line::with_text(Tone::Strong, &format!("  {line}")),
                    };
                    rows.extend(line.wrap(width, 4, Break::Blanks));
                }
            }
        }
        other => rows.extend(data_rows("with", &other.to_string(), width, UNLIMITED)),
    }
    rows
}

/// Diffs and texts that came with the call.
#[derive(Default)]
struct CardContent<'a> {
    diffs: Vec<(&'a str, String, DiffView)>,
    texts: Vec<&'a str>,
}

fn card_content(card: &Card, width: usize) -> CardContent<'_> {
    let mut content = CardContent::default();
    let mut lines = change_lines(card).into_iter();
    for item in card.tool_call.content.as_array().into_iter().flatten() {
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        if text("type") == Some("diff") {
            let old = text("oldText");
            let diffed = diff_texts(old, text("newText").unwrap_or_default(), lines.next().flatten(), width);
            let counts = match (old, diffed.added) {
                (None, 1) => " (new, 1 line)".to_owned(),
                (None, added) => format!(" (new, {added} lines)"),
                (Some(_), added) => format!(" (+{added} −{})", diffed.removed),
            };
            content.diffs.push((text("path").unwrap_or_default(), counts, diffed));
        } else {
            content.texts.extend(item.pointer("/content/text").and_then(Value::as_str));
        }
    }
    content
}

impl CardContent<'_> {
    /// How much of the file changes, if the only diff is about `access`: its path need not be shown twice then.
    fn counts_of(&mut self, card: &Card, access: &CardAccess) -> Option<String> {
        let [(path, counts, _)] = self.diffs.as_mut_slice() else {
            return None;
        };
        let same = Path::new(&card.cwd).join(*path) == Path::new(&access.display);
        (same && !counts.is_empty()).then(|| std::mem::take(counts))
    }

    fn content_rows(self, card: &Card, width: usize) -> Vec<Line> {
        let mut rows = Vec::new();
        for (path, counts, diffed) in self.diffs {
            if !counts.is_empty() {
                let line = Line::with_text(Tone::Plain, relative_path(path, &card.cwd))
                    .append_text(Tone::Dim, &counts);
                rows.extend(labeled_rows("diff", line, width, Break::Anywhere, UNLIMITED));
            }
            rows.extend(diffed.rows);
        }
        for text in self.texts {
            for (at, line) in escape_block(text).trim_end().split('\n').enumerate() {
                rows.extend(data_rows(if at == 0 { "says" } else { "" }, line, width, UNLIMITED));
            }
        }
        rows
    }
}
