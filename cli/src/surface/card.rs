//! A card as lines of text: a pure function of the card and of how the screen is.
//!
//! Who wants what, in one line; the thing itself, as it was written; why, in one line. What the agent says, every reason, the raw
//! input and the digest are one key away ([`super::everything`]).

use mayi_core::approval::{Card, History};

use super::call_text::call_rows;
use super::findings_text::strictest_reason;
use super::line::{Break, Line, Tone};
use super::wording;

/// Where the values begin on rows that have a label.
const LABEL: usize = 9;

/// How the screen is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CardLayout {
    /// Columns.
    pub(crate) width: usize,
    /// Nothing can be underlined: marks are rows of their own.
    pub(crate) carets: bool,
}

/// What a card says, in rows that fit its width. An answer that allows counts once all of it was shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct CardText {
    /// What is asked for in a word, who wants what, and whether that has changed.
    pub(crate) head: Vec<Line>,
    /// Exactly what: the one part that may be shown in part, with a visible mark.
    pub(crate) what: Vec<Line>,
    /// Why it is asked, where, and what to think of before answering.
    pub(crate) about: Vec<Line>,
    /// Nothing of it says what would change: what else is known has to be read before it can be allowed.
    pub(crate) untold: bool,
}

/// How a card has changed since it was shown first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CardChange {
    /// It has not.
    #[default]
    None,
    /// The call is another one.
    Call,
    /// It is the same call under other rules.
    Rules,
}

impl CardChange {
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
    /// The card for a screen that looks like `look`.
    pub(crate) fn new(card: &Card, change: CardChange, look: CardLayout) -> Self {
        let width = look.width;
        let (what, counts) = call_rows(card, look);
        let heading = Line::with_text(Tone::Dim, wording::permission_word(card.permission_type))
            .append_line(wording::card_heading(card))
            .append_text(Tone::Dim, counts.as_deref().unwrap_or_default());
        let mut text = Self {
            head: heading.wrap(width, 2, Break::Words),
            what,
            about: about_rows(card, width),
            untold: card.tool_call.untold,
        };
        let changed = match change {
            CardChange::None => None,
            CardChange::Call => Some("This call has changed since it was shown. Look at it again."),
            CardChange::Rules => Some("The rules have changed since this was shown; the call is the same."),
        };
        let changed = changed.map(|changed| Line::with_text(Tone::Warn, changed));
        text.head.extend(changed.iter().flat_map(|line| line.wrap(width, 2, Break::Words)));
        text
    }

    /// All of its rows.
    pub(crate) fn row_count(&self) -> usize {
        self.head.len() + self.what.len() + self.about.len()
    }
}

/// A row with a label, at most `most` screen rows high.
pub(super) fn labeled_rows(label: &str, value: Line, width: usize, at: Break, most: usize) -> Vec<Line> {
    let mut line = Line::with_text(Tone::Dim, &format!("  {label:<6} "));
    line = line.append_line(value);
    let mut rows = line.wrap(width, LABEL, at);
    if rows.len() > most {
        rows.truncate(most.saturating_sub(1));
        rows.push(Line::with_text(Tone::Dim, &format!("{:LABEL$}… all of it: f", "")).cut_to_width(width));
    }
    rows
}

/// A value of somebody else's, at most `most` screen rows high.
pub(super) fn data_rows(label: &str, value: &str, width: usize, most: usize) -> Vec<Line> {
    labeled_rows(label, Line::with_text(Tone::Plain, value), width, Break::Anywhere, most)
}

/// As many rows as it takes.
pub(super) const UNLIMITED: usize = usize::MAX;

fn about_rows(card: &Card, width: usize) -> Vec<Line> {
    let mut rows = why_line(card).wrap(width, 2, Break::Words);
    rows.extend(parent_rows(card, width));
    // A call without its substance has nothing else that says what it is.
    let titled = wording::is_titled(card) || card.tool_call.title.trim().is_empty();
    if wording::has_no_substance(card) && !titled {
        let line = Line::with_text(Tone::Plain, &card.tool_call.title)
            .append_text(Tone::Dim, " (the agent's words)");
        rows.extend(labeled_rows("title", line, width, Break::Anywhere, UNLIMITED));
    }
    if let Some(says) = card.tool.as_ref().and_then(|tool| tool.description.as_deref()) {
        let says = says.split_whitespace().collect::<Vec<_>>().join(" ");
        if !says.is_empty() {
            rows.push(
                Line::with_text(Tone::Dim, &format!("  the server says (f for all): {says}"))
                    .cut_to_width(width),
            );
        }
    }
    for what in &card.not_shown {
        let line = Line::with_text(Tone::Warn, &format!("not shown: {what}"));
        rows.extend(labeled_rows("!", line, width, Break::Words, UNLIMITED));
    }
    if let Some(when) = card.expires_at {
        let local = when.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S");
        let line = Line::with_text(Tone::Plain, &format!("  until {local}, then it is denied"));
        rows.extend(line.wrap(width, 2, Break::Words));
    }
    rows.extend(warning_rows(card, width));
    rows
}

/// Why, in one line: the strictest reason, where, and how the like was answered before.
fn why_line(card: &Card) -> Line {
    let mut line = Line::with_text(Tone::Plain, "  ").append_line(strictest_reason(card));
    if !card.cwd.is_empty() && !wording::switches_mode(card) {
        line = line.append_together(Tone::Dim, " · in", &card.cwd);
    }
    match &card.history {
        Some(history) => line.append_text(Tone::Dim, &format!(" · {}", history_summary(history))),
        None => line,
    }
}

/// Whose work it is, for a sub-agent, as far as the agent tells.
fn parent_rows(card: &Card, width: usize) -> Vec<Line> {
    let Some(parent) = &card.parent else { return Vec::new() };
    let started = card.parent_title.as_deref().unwrap_or(parent);
    let line = Line::with_text(Tone::Plain, "a sub-agent, started by ").append_text(Tone::Plain, started);
    labeled_rows("for", line.append_text(Tone::Dim, " (the agent's words)"), width, Break::Anywhere, 2)
}

/// How the like was answered before.
fn history_summary(history: &History) -> String {
    let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    match (history.allowed, history.denied) {
        (allowed, 0) => format!("allowed {} before", times(allowed)),
        (0, denied) => format!("denied {} before", times(denied)),
        (allowed, denied) => format!("allowed {}, denied {} before", times(allowed), times(denied)),
    }
}

/// The same with when it was first.
pub(super) fn history_summary_since(history: &History) -> String {
    match history.first_seen {
        Some(first) => {
            let day = first.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d");
            format!("{}, first asked about on {day}", history_summary(history))
        }
        None => history_summary(history),
    }
}

/// Where a server is called, or something from outside is read.
fn warning_rows(card: &Card, width: usize) -> Vec<Line> {
    if !wording::is_from_outside(card) {
        return Vec::new();
    }
    let line = Line::with_text(
        Tone::Plain,
        "Malicious MCP servers or conversation content could try to trick the agent into harmful actions through your tools. ",
    );
    line.append_text(Tone::Strong, "Review each action carefully before approving.").wrap(
        width,
        0,
        Break::Words,
    )
}
