//! All of a card, for `f`: nothing is cut.

use mayi_core::approval::{Card, choice, escape_block};

use super::card::{CardChange, CardLayout, CardText, history_summary_since};
use super::findings_text::all_reason_rows;
use super::line::{Break, Line, Tone};
use super::wording;

/// A card in full.
#[derive(Clone, Debug)]
pub(crate) struct FullCard {
    /// Every line there is to say about it.
    pub(crate) rows: Vec<Line>,
    /// So many of them, from the first, are what is asked: they have to be seen before it can be allowed.
    pub(crate) asked: usize,
}

/// Every line there is to say about `card`.
pub(crate) fn full_card(card: &Card, change: CardChange, look: CardLayout) -> FullCard {
    let width = look.width;
    let text = CardText::new(card, change, look);
    let (asked, untold) = (text.row_count(), text.untold);
    let mut rows = [text.head, text.what, text.about].concat();
    rows.push(Line::new());
    rows.extend(
        Line::with_text(Tone::Dim, "That is all that is asked. Below is what else is known of it.").wrap(
            width,
            0,
            Break::Words,
        ),
    );
    push_section(&mut rows, width, "Where");
    push_value(&mut rows, "folder", &card.cwd, width);
    push_value(&mut rows, "agent", &card.agent_name, width);
    push_value(&mut rows, "session", &card.session_id, width);
    push_section(&mut rows, width, "Every reason");
    rows.extend(all_reason_rows(card, width));
    if let Some(history) = &card.history {
        push_value(&mut rows, "before", &history_summary_since(history), width);
    }
    if !card.not_shown.is_empty() {
        push_section(&mut rows, width, "Not shown");
        card.not_shown.iter().for_each(|what| push_block(&mut rows, what, width));
    }
    push_server_words(&mut rows, card, width);
    push_section(&mut rows, width, "What the agent says of it");
    push_value(&mut rows, "title", &card.tool_call.title, width);
    push_value(&mut rows, "kind", &card.tool_call.kind, width);
    push_value(&mut rows, "tool", card.tool_call.name.as_deref().unwrap_or_default(), width);
    push_value(&mut rows, "call", card.tool_call.tool_call_id.as_deref().unwrap_or_default(), width);
    let options: Vec<_> =
        card.options.iter().filter(|option| option.option_id.starts_with(choice::AGENT)).collect();
    if !options.is_empty() {
        push_section(&mut rows, width, "The agent's own options");
        for option in options {
            let danger = option.danger.as_deref().map(|danger| format!("; {danger}")).unwrap_or_default();
            push_value(
                &mut rows,
                &option.name,
                &format!("{}{danger}", wording::option_kind(option.kind)),
                width,
            );
        }
    }
    push_section(&mut rows, width, "Raw input");
    let pretty = serde_json::to_string_pretty(&card.tool_call.raw_input).unwrap_or_default();
    push_block(&mut rows, &pretty, width);
    push_section(&mut rows, width, "Bound to this answer");
    push_value(&mut rows, "approval", &card.approval_id.to_string(), width);
    push_value(&mut rows, "digest", card.digest.as_str(), width);
    let asked = if untold { rows.len() } else { asked };
    FullCard { rows, asked }
}

/// The server's own words, whole.
fn push_server_words(rows: &mut Vec<Line>, card: &Card, width: usize) {
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
    push_section(rows, width, "What the server says");
    for (label, text) in said.iter().filter(|(_, text)| !text.is_empty()) {
        rows.push(Line::with_text(Tone::Dim, &format!("  {label}:")).cut_to_width(width));
        push_block(rows, text, width);
    }
}

fn push_section(rows: &mut Vec<Line>, width: usize, title: &str) {
    rows.push(Line::new());
    rows.extend(Line::with_text(Tone::Strong, title).wrap(width, 0, Break::Words));
}

fn push_value(rows: &mut Vec<Line>, label: &str, value: &str, width: usize) {
    if !value.is_empty() {
        let line = Line::with_text(Tone::Dim, &format!("  {label}: ")).append_text(Tone::Plain, value);
        rows.extend(line.wrap(width, 4, Break::Anywhere));
    }
}

fn push_block(rows: &mut Vec<Line>, text: &str, width: usize) {
    for line in escape_block(text).split('\n') {
        let indent = 2 + line.len() - line.trim_start_matches(' ').len();
        rows.extend(Line::with_text(Tone::Plain, &format!("  {line}")).wrap(width, indent, Break::Anywhere));
    }
}
