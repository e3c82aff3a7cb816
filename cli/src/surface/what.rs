//! Exactly what a call would do: commands, paths, arguments, diffs.

use std::path::Path;

use mayi_core::approval::{Card, CardAccess, places, visible_block};
use serde_json::Value;

use super::card::{UNLIMITED, data, row};
use super::diff::{Diffed, diff};
use super::line::{Break, Line, Tone};

/// Every access, every argument that is short, and the content.
pub(super) fn what(card: &Card, width: usize) -> Vec<Line> {
    let mut rows = Vec::new();
    if let Some(server) = &card.server {
        let line = Line::of(Tone::Plain, "  Run ").then(Tone::Strong, &server.tool);
        let line = line.then(Tone::Plain, " from ").then(Tone::Strong, &server.name);
        rows.extend(line.wrap(width, 4, Break::Anywhere));
        rows.extend(arguments(&card.tool_call.raw_input, width));
    }
    let mut content = content(card, width);
    let commands: Vec<&str> =
        card.accesses.iter().filter(|a| a.access == "shell").map(|a| a.display.as_str()).collect();
    let whole = whole_line(card).filter(|line| !commands.is_empty() && commands.as_slice() != [*line]);
    rows.extend(whole.iter().flat_map(|line| command(line, width)));
    for access in &card.accesses {
        match access.access.as_str() {
            "mcp" if card.server.is_some() && card.accesses.len() == 1 => {}
            "shell" if whole.is_none() => rows.extend(command(&access.display, width)),
            "shell" => rows.extend(data("runs", &access.display, width, UNLIMITED)),
            word => {
                let counts = content.counts_of(card, access).unwrap_or_default();
                let line = Line::of(Tone::Strong, &access.display).then(Tone::Dim, &counts);
                rows.extend(row(word, line, width, Break::Anywhere, UNLIMITED));
            }
        }
    }
    for (name, value) in &card.env {
        rows.extend(data("with", &format!("{name}={value}"), width, UNLIMITED));
    }
    rows.extend(content.rows(width));
    rows
}

/// The line as it was sent, where the input has one.
pub(super) fn whole_line(card: &Card) -> Option<&str> {
    card.tool_call.raw_input.get("command").and_then(Value::as_str)
}

/// A command as a shell shows it: `>` before further lines of one command.
fn command(text: &str, width: usize) -> Vec<Line> {
    let shown = visible_block(text);
    let row = |(at, line): (usize, &str)| {
        let mark = if at == 0 { "  $ " } else { "  > " };
        Line::of(Tone::Dim, mark).then(Tone::Strong, line).wrap(width, 4, Break::Blanks)
    };
    shown.split('\n').enumerate().flat_map(row).collect()
}

/// A tool's arguments, if they are short; else how long they are.
fn arguments(input: &Value, width: usize) -> Vec<Line> {
    if input.is_null() {
        return Vec::new();
    }
    let text = input.to_string();
    let rows = data("with", &text, width, UNLIMITED);
    if rows.len() <= 2 {
        return rows;
    }
    let line = format!("arguments of {} characters: press f to show them", text.chars().count());
    row("with", Line::of(Tone::Dim, &line), width, Break::Words, UNLIMITED)
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
            let diffed =
                diff(text("oldText"), text("newText").unwrap_or_default(), lines.next().flatten(), width);
            let new = if text("oldText").is_none() { " new file" } else { "" };
            let counts = format!("{new} (+{} −{})", diffed.added, diffed.removed);
            content.diffs.push((text("path").unwrap_or_default(), counts, diffed));
        } else {
            content.texts.extend(item.pointer("/content/text").and_then(Value::as_str));
        }
    }
    content
}

impl Content<'_> {
    /// How much of the file changes, if the only diff is about `access`: its path need not be
    /// shown twice then.
    fn counts_of(&mut self, card: &Card, access: &CardAccess) -> Option<String> {
        let [(path, counts, _)] = self.diffs.as_mut_slice() else {
            return None;
        };
        let same = Path::new(&card.cwd).join(*path) == Path::new(&access.display);
        (same && !counts.is_empty()).then(|| std::mem::take(counts))
    }

    fn rows(self, width: usize) -> Vec<Line> {
        let mut rows = Vec::new();
        for (path, counts, diffed) in self.diffs {
            if !counts.is_empty() {
                let line = Line::of(Tone::Plain, path).then(Tone::Dim, &counts);
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
