//! Exactly what a call would do, as it was written: commands, paths, arguments, diffs.

use std::path::Path;

use mayi_core::approval::{Card, CardAccess, places, visible_block};
use serde_json::Value;

use super::card::{Look, UNLIMITED, data, row};
use super::diff::{Diffed, diff};
use super::line::{Break, Line, Tone};
use super::marks::{Marked, relative, written_line};
use super::wording;

/// The line of a command, every access that does not stand in it or in the first row of the card, every argument, and the
/// content. Also what the first row says of a change: how much it is.
pub(super) fn what(card: &Card, look: Look) -> (Vec<Line>, Option<String>) {
    let width = look.width;
    let mut rows = Vec::new();
    let mut content = content(card, width);
    let named = wording::is_in_heading(card);
    let mut counts = None;
    if let Some(line) = written_line(card) {
        let marked = Marked::new(line, card);
        rows.extend(marked.rows(width, look.carets));
        for (access, asked) in &marked.apart {
            match access.access.as_str() {
                "shell" if *asked => rows.extend(data("runs", &access.display, width, UNLIMITED)),
                "shell" => {}
                word => rows.extend(touched(word, access, card, None, width)),
            }
        }
    } else if named {
        counts = card.accesses.first().and_then(|access| content.counts_of(card, access));
    } else {
        for access in card.accesses.iter().filter(|access| card.server.is_none() || access.access != "mcp") {
            let counts = content.counts_of(card, access);
            rows.extend(touched(&access.access, access, card, counts.as_deref(), width));
        }
    }
    for (name, value) in &card.env {
        rows.extend(data("with", &format!("{name}={value}"), width, UNLIMITED));
    }
    // The arguments of a tool are the call; what else came in beside what is shown is on demand.
    let is_tool = card.accesses.iter().any(|access| matches!(access.access.as_str(), "mcp" | "tool"));
    if written_line(card).is_none() && (is_tool || (!named && content.diffs.is_empty())) {
        rows.extend(arguments(&card.tool_call.raw_input, width));
    }
    rows.extend(content.rows(card, width));
    (rows, counts)
}

fn touched(word: &str, access: &CardAccess, card: &Card, counts: Option<&str>, width: usize) -> Vec<Line> {
    let is_file = matches!(word, "read" | "write" | "create" | "edit" | "delete" | "move");
    let name = if is_file { relative(&access.display, &card.cwd) } else { &access.display };
    let line = Line::of(Tone::Strong, name).then(Tone::Dim, counts.unwrap_or_default());
    row(word, line, width, Break::Anywhere, UNLIMITED)
}

/// A tool's arguments, a member a row, and deeper ones below it.
fn arguments(input: &Value, width: usize) -> Vec<Line> {
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
                        0 => Line::of(Tone::Dim, &format!("  {name}: ")).then(Tone::Strong, line),
                        _ => Line::of(Tone::Strong, &format!("  {line}")),
                    };
                    rows.extend(line.wrap(width, 4, Break::Blanks));
                }
            }
        }
        other => rows.extend(data("with", &other.to_string(), width, UNLIMITED)),
    }
    rows
}

/// Diffs and texts that came with the call.
#[derive(Default)]
struct Content<'a> {
    diffs: Vec<(&'a str, String, Diffed)>,
    texts: Vec<&'a str>,
}

fn content(card: &Card, width: usize) -> Content<'_> {
    let mut content = Content::default();
    let mut lines = places(card).into_iter();
    for item in card.tool_call.content.as_array().into_iter().flatten() {
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        if text("type") == Some("diff") {
            let old = text("oldText");
            let diffed = diff(old, text("newText").unwrap_or_default(), lines.next().flatten(), width);
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

impl Content<'_> {
    /// How much of the file changes, if the only diff is about `access`: its path need not be shown twice then.
    fn counts_of(&mut self, card: &Card, access: &CardAccess) -> Option<String> {
        let [(path, counts, _)] = self.diffs.as_mut_slice() else {
            return None;
        };
        let same = Path::new(&card.cwd).join(*path) == Path::new(&access.display);
        (same && !counts.is_empty()).then(|| std::mem::take(counts))
    }

    fn rows(self, card: &Card, width: usize) -> Vec<Line> {
        let mut rows = Vec::new();
        for (path, counts, diffed) in self.diffs {
            if !counts.is_empty() {
                let line = Line::of(Tone::Plain, relative(path, &card.cwd)).then(Tone::Dim, &counts);
                rows.extend(row("diff", line, width, Break::Anywhere, UNLIMITED));
            }
            rows.extend(diffed.rows);
        }
        for text in self.texts {
            for (at, line) in visible_block(text).trim_end().split('\n').enumerate() {
                rows.extend(data(if at == 0 { "says" } else { "" }, line, width, UNLIMITED));
            }
        }
        rows
    }
}
