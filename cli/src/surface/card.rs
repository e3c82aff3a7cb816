//! A card as lines of text: a pure function of the card and the size of the screen.

use mayi_core::approval::Card;
use mayi_core::approval::History;

use super::line::{Break, Line, Tone};
use super::what::{what, whole_line};
use super::why::why;
use super::wording;

/// Where the values begin on rows that have a label.
const LABEL: usize = 9;

/// What a card says, in rows that fit its width.
#[derive(Clone, Debug, Default)]
pub(crate) struct CardText {
    /// Who wants what, and whether that has changed.
    pub(crate) head: Vec<Line>,
    /// Exactly what: the one part that may be shown in part, with a visible mark.
    pub(crate) what: Vec<Line>,
    /// Where, and why it is asked.
    pub(crate) about: Vec<Line>,
    /// What to think of before answering.
    pub(crate) warning: Vec<Line>,
}

/// How a card has changed since it was shown first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Change {
    /// It has not.
    #[default]
    None,
    /// The call is another one.
    Call,
    /// It is the same call under other rules.
    Rules,
}

impl Change {
    /// What `new` changes, and the person has seen `old`.
    pub(crate) fn between(old: &Card, new: &Card) -> Self {
        let same = old.tool_call == new.tool_call
            && old.accesses == new.accesses
            && old.cwd == new.cwd
            && old.env == new.env
            && old.server == new.server
            && old.tool == new.tool;
        if same { Self::Rules } else { Self::Call }
    }
}

impl CardText {
    /// The card for a screen that is `width` columns wide.
    pub(crate) fn new(card: &Card, change: Change, width: usize) -> Self {
        let mut text = Self::default();
        text.head.extend(wording::heading(card).wrap(width, 2, Break::Words));
        let changed = match change {
            Change::None => None,
            Change::Call => Some("This call has changed since it was shown. Look at it again."),
            Change::Rules => Some("The rules have changed since this was shown; the call is the same."),
        };
        let changed = changed.map(|changed| Line::of(Tone::Warn, changed));
        text.head.extend(changed.iter().flat_map(|line| line.wrap(width, 2, Break::Words)));
        text.what = what(card, width);
        text.about = about(card, width);
        text.warning = warning(card, width);
        text
    }
}

/// A row with a label, at most `most` screen rows high.
pub(super) fn row(label: &str, value: Line, width: usize, at: Break, most: usize) -> Vec<Line> {
    let mut line = Line::of(Tone::Dim, &format!("  {label:<6} "));
    line = line.join(value);
    let mut rows = line.wrap(width, LABEL, at);
    if rows.len() > most {
        rows.truncate(most.saturating_sub(1));
        rows.push(Line::of(Tone::Dim, &format!("{:LABEL$}… press f to show all of it", "")).cut(width));
    }
    rows
}

/// A value of somebody else's, at most `most` screen rows high.
pub(super) fn data(label: &str, value: &str, width: usize, most: usize) -> Vec<Line> {
    row(label, Line::of(Tone::Plain, value), width, Break::Anywhere, most)
}

/// As many rows as it takes.
pub(super) const UNLIMITED: usize = usize::MAX;

fn about(card: &Card, width: usize) -> Vec<Line> {
    let mut rows = Vec::new();
    match (card.server.is_some(), wording::by_command(card)) {
        (true, true) => rows.extend(data("agent", wording::OF_COMMAND, width, 2)),
        (true, false) => rows.extend(data("agent", &card.agent_name, width, 2)),
        (false, false) if !wording::is_named(card) => rows.extend(data("agent", &card.agent_name, width, 2)),
        (false, _) => {}
    }
    rows.extend(parent(card, width));
    if !card.cwd.is_empty() && !wording::switches_mode(card) {
        rows.extend(data("in", &card.cwd, width, 3));
    }
    if let Some(name) = card.tool_call.name.as_deref().filter(|name| !shown_already(card, name)) {
        rows.extend(data("tool", name, width, 2));
    }
    if !shown_already(card, &card.tool_call.title) {
        let line = Line::of(Tone::Plain, &card.tool_call.title).then(Tone::Dim, " (the agent's words)");
        rows.extend(row("title", line, width, Break::Anywhere, 2));
    }
    rows.extend(server_says(card, width, 4));
    rows.extend(why(card, width, Some(3)));
    if let Some(history) = &card.history {
        rows.extend(row("before", Line::of(Tone::Dim, &before(history)), width, Break::Words, 2));
    }
    for what in &card.not_shown {
        let line = Line::of(Tone::Warn, &format!("not shown: {what}"));
        rows.extend(row("!", line, width, Break::Words, 3));
    }
    if let Some(when) = card.expires_at {
        let local = when.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S");
        let line = Line::of(Tone::Plain, &format!("{local}, then it is denied"));
        rows.extend(row("until", line, width, Break::Words, 2));
    }
    rows
}

/// Whose work it is, for a sub-agent, as far as the agent tells.
fn parent(card: &Card, width: usize) -> Vec<Line> {
    let Some(parent) = &card.parent else { return Vec::new() };
    let started = card.parent_title.as_deref().unwrap_or(parent);
    let line = Line::of(Tone::Plain, "a sub-agent, started by ").then(Tone::Plain, started);
    row("for", line.then(Tone::Dim, " (the agent's words)"), width, Break::Anywhere, 2)
}

/// What the server says of itself and of the tool, at most `most` rows of each: its words, and not to be relied on.
pub(super) fn server_says(card: &Card, width: usize, most: usize) -> Vec<Line> {
    let server = card.server.as_ref();
    let title = server.and_then(|server| server.title.clone());
    let server = server.and_then(|server| server.description.clone());
    let tool = card.tool.as_ref();
    let hints = tool.map(|tool| &tool.annotations).filter(|hints| !hints.is_null()).map(ToString::to_string);
    let said = [
        ("tool", tool.and_then(|tool| tool.description.clone().or_else(|| tool.title.clone()))),
        ("hint", hints),
        ("name", title),
        ("self", server),
    ];
    let mut rows: Vec<Line> = said
        .into_iter()
        .filter_map(|(label, text)| Some((label, text.filter(|text| !text.trim().is_empty())?)))
        .flat_map(|(label, text)| {
            let line = Line::of(Tone::Dim, &text.split_whitespace().collect::<Vec<_>>().join(" "));
            row(&format!("  {label}"), line, width, Break::Words, most)
        })
        .collect();
    if !rows.is_empty() {
        rows.insert(0, Line::of(Tone::Dim, "  the server says:").cut(width));
    }
    rows
}

/// How the like was answered before.
fn before(history: &History) -> String {
    let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let said = match (history.allowed, history.denied) {
        (allowed, 0) => format!("allowed {}", times(allowed)),
        (0, denied) => format!("denied {}", times(denied)),
        (allowed, denied) => format!("allowed {}, denied {}", times(allowed), times(denied)),
    };
    match history.first_seen {
        Some(first) => {
            let day = first.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d");
            format!("{said}, first asked about on {day}")
        }
        None => said,
    }
}

/// Whether `text` says nothing that the card does not show anyway.
fn shown_already(card: &Card, text: &str) -> bool {
    let text = text.trim().trim_matches('`');
    text.is_empty()
        || card.accesses.iter().any(|access| access.display == text)
        || whole_line(card) == Some(text)
        || card.server.as_ref().is_some_and(|server| {
            server.tool == text || format!("mcp__{}__{}", server.name, server.tool) == text
        })
}

fn warning(card: &Card, width: usize) -> Vec<Line> {
    let lines = if card.server.is_some() {
        vec![
            Line::of(
                Tone::Plain,
                "Malicious MCP servers or conversation content could try to trick the agent into harmful actions through your tools.",
            ),
            Line::of(Tone::Strong, "Review each action carefully before approving."),
        ]
    } else {
        vec![Line::of(Tone::Dim, "Review it before you allow it.")]
    };
    lines.into_iter().flat_map(|line| line.wrap(width, 0, Break::Words)).collect()
}
