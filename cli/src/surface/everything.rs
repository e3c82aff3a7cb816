//! All of a card, for `f`: nothing is cut.

use mayi_core::approval::{Card, choice, visible_block};

use super::card::{CardText, Change, Look, before_since};
use super::line::{Break, Line, Tone};
use super::why::every;
use super::wording;

/// A card in full.
#[derive(Clone, Debug)]
pub(crate) struct Everything {
    /// Every line there is to say about it.
    pub(crate) rows: Vec<Line>,
    /// So many of them, from the first, are what is asked: they have to be seen before it can be allowed.
    pub(crate) asked: usize,
}

/// Every line there is to say about `card`.
pub(crate) fn everything(card: &Card, change: Change, look: Look) -> Everything {
    let width = look.width;
    let text = CardText::new(card, change, look);
    let asked = text.rows();
    let mut rows = [text.head, text.what, text.about].concat();
    rows.push(Line::new());
    rows.extend(Line::of(Tone::Dim, "That is all that is asked. Below is what else is known of it.").wrap(
        width,
        0,
        Break::Words,
    ));
    section(&mut rows, width, "Where");
    value(&mut rows, "folder", &card.cwd, width);
    value(&mut rows, "agent", &card.agent_name, width);
    value(&mut rows, "session", &card.session_id, width);
    section(&mut rows, width, "Every reason");
    rows.extend(every(card, width));
    if let Some(history) = &card.history {
        value(&mut rows, "before", &before_since(history), width);
    }
    if !card.not_shown.is_empty() {
        section(&mut rows, width, "Not shown");
        card.not_shown.iter().for_each(|what| block(&mut rows, what, width));
    }
    of_server(&mut rows, card, width);
    section(&mut rows, width, "What the agent says of it");
    value(&mut rows, "title", &card.tool_call.title, width);
    value(&mut rows, "kind", &card.tool_call.kind, width);
    value(&mut rows, "tool", card.tool_call.name.as_deref().unwrap_or_default(), width);
    value(&mut rows, "call", card.tool_call.tool_call_id.as_deref().unwrap_or_default(), width);
    let options: Vec<_> =
        card.options.iter().filter(|option| option.option_id.starts_with(choice::AGENT)).collect();
    if !options.is_empty() {
        section(&mut rows, width, "The agent's own options");
        for option in options {
            let danger = option.danger.as_deref().map(|danger| format!("; {danger}")).unwrap_or_default();
            value(&mut rows, &option.name, &format!("{}{danger}", wording::option_kind(&option.kind)), width);
        }
    }
    section(&mut rows, width, "Raw input");
    let pretty = serde_json::to_string_pretty(&card.tool_call.raw_input).unwrap_or_default();
    block(&mut rows, &pretty, width);
    section(&mut rows, width, "Bound to this answer");
    value(&mut rows, "approval", &card.approval_id.to_string(), width);
    value(&mut rows, "digest", card.digest.as_str(), width);
    Everything { rows, asked }
}

/// The server's own words, whole.
fn of_server(rows: &mut Vec<Line>, card: &Card, width: usize) {
    let server = card.server.as_ref();
    let text = |text: Option<&String>| text.cloned().unwrap_or_default();
    let tool = card.tool.as_ref();
    let said = [
        ("its name", text(server.and_then(|server| server.title.as_ref()))),
        ("of itself", text(server.and_then(|server| server.description.as_ref()))),
        ("the tool's name", text(tool.and_then(|tool| tool.title.as_ref()))),
        ("of the tool", text(tool.and_then(|tool| tool.description.as_ref()))),
        (
            "hints",
            tool.map(|tool| &tool.annotations)
                .filter(|hints| !hints.is_null())
                .map(|hints| serde_json::to_string_pretty(hints).unwrap_or_default())
                .unwrap_or_default(),
        ),
    ];
    if said.iter().all(|(_, text)| text.is_empty()) {
        return;
    }
    section(rows, width, "What the server says");
    for (label, text) in said.iter().filter(|(_, text)| !text.is_empty()) {
        rows.push(Line::of(Tone::Dim, &format!("  {label}:")).cut(width));
        block(rows, text, width);
    }
}

fn section(rows: &mut Vec<Line>, width: usize, title: &str) {
    rows.push(Line::new());
    rows.extend(Line::of(Tone::Strong, title).wrap(width, 0, Break::Words));
}

fn value(rows: &mut Vec<Line>, label: &str, value: &str, width: usize) {
    if !value.is_empty() {
        let line = Line::of(Tone::Dim, &format!("  {label}: ")).then(Tone::Plain, value);
        rows.extend(line.wrap(width, 4, Break::Anywhere));
    }
}

fn block(rows: &mut Vec<Line>, text: &str, width: usize) {
    for line in visible_block(text).split('\n') {
        let indent = 2 + line.len() - line.trim_start_matches(' ').len();
        rows.extend(Line::of(Tone::Plain, &format!("  {line}")).wrap(width, indent, Break::Anywhere));
    }
}
