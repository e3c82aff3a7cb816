//! A card as lines of text: a pure function of the card and of how the screen is.
//!
//! Who wants what, in one line; the thing itself, as it was written; why, in one line. What the agent says, every reason, the raw
//! input and the digest are one key away ([`super::everything`]).

use mayi_core::approval::{Card, History};

use super::line::{Break, Line, Tone};
use super::what::what;
use super::why::strictest;
use super::wording;

/// Where the values begin on rows that have a label.
const LABEL: usize = 9;

/// How the screen is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Columns.
    pub(crate) width: usize,
    /// Nothing can be underlined: marks are rows of their own.
    pub(crate) carets: bool,
}

/// What a card says, in rows that fit its width. An answer that allows counts once all of it was shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct CardText {
    /// Who wants what, and whether that has changed.
    pub(crate) head: Vec<Line>,
    /// Exactly what: the one part that may be shown in part, with a visible mark.
    pub(crate) what: Vec<Line>,
    /// Why it is asked, where, and what to think of before answering.
    pub(crate) about: Vec<Line>,
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
    /// The card for a screen that looks like `look`.
    pub(crate) fn new(card: &Card, change: Change, look: Look) -> Self {
        let width = look.width;
        let (what, counts) = what(card, look);
        let heading = wording::heading(card).then(Tone::Dim, counts.as_deref().unwrap_or_default());
        let mut text = Self { head: heading.wrap(width, 2, Break::Words), what, about: about(card, width) };
        let changed = match change {
            Change::None => None,
            Change::Call => Some("This call has changed since it was shown. Look at it again."),
            Change::Rules => Some("The rules have changed since this was shown; the call is the same."),
        };
        let changed = changed.map(|changed| Line::of(Tone::Warn, changed));
        text.head.extend(changed.iter().flat_map(|line| line.wrap(width, 2, Break::Words)));
        text
    }

    /// All of its rows.
    pub(crate) fn rows(&self) -> usize {
        self.head.len() + self.what.len() + self.about.len()
    }
}

/// A row with a label, at most `most` screen rows high.
pub(super) fn row(label: &str, value: Line, width: usize, at: Break, most: usize) -> Vec<Line> {
    let mut line = Line::of(Tone::Dim, &format!("  {label:<6} "));
    line = line.join(value);
    let mut rows = line.wrap(width, LABEL, at);
    if rows.len() > most {
        rows.truncate(most.saturating_sub(1));
        rows.push(Line::of(Tone::Dim, &format!("{:LABEL$}… all of it: f", "")).cut(width));
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
    let mut rows = because(card).wrap(width, 2, Break::Words);
    rows.extend(parent(card, width));
    // A call without its substance has nothing else that says what it is.
    if wording::has_no_substance(card) && !card.tool_call.title.trim().is_empty() {
        let line = Line::of(Tone::Plain, &card.tool_call.title).then(Tone::Dim, " (the agent's words)");
        rows.extend(row("title", line, width, Break::Anywhere, UNLIMITED));
    }
    if let Some(says) = card.tool.as_ref().and_then(|tool| tool.description.as_deref()) {
        let says = says.split_whitespace().collect::<Vec<_>>().join(" ");
        if !says.is_empty() {
            rows.push(Line::of(Tone::Dim, &format!("  the server says (f for all): {says}")).cut(width));
        }
    }
    for what in &card.not_shown {
        let line = Line::of(Tone::Warn, &format!("not shown: {what}"));
        rows.extend(row("!", line, width, Break::Words, UNLIMITED));
    }
    if let Some(when) = card.expires_at {
        let local = when.to_zoned(jiff::tz::TimeZone::system()).strftime("%H:%M:%S");
        let line = Line::of(Tone::Plain, &format!("  until {local}, then it is denied"));
        rows.extend(line.wrap(width, 2, Break::Words));
    }
    rows.extend(warning(card, width));
    rows
}

/// Why, in one line: the strictest reason, where, and how the like was answered before.
fn because(card: &Card) -> Line {
    let mut line = Line::of(Tone::Plain, "  ").join(strictest(card));
    if !card.cwd.is_empty() && !wording::switches_mode(card) {
        // The two stay together at the end of a row.
        line = line.then(Tone::Dim, &format!(" · in\u{a0}{}", card.cwd));
    }
    match &card.history {
        Some(history) => line.then(Tone::Dim, &format!(" · {}", before(history))),
        None => line,
    }
}

/// Whose work it is, for a sub-agent, as far as the agent tells.
fn parent(card: &Card, width: usize) -> Vec<Line> {
    let Some(parent) = &card.parent else { return Vec::new() };
    let started = card.parent_title.as_deref().unwrap_or(parent);
    let line = Line::of(Tone::Plain, "a sub-agent, started by ").then(Tone::Plain, started);
    row("for", line.then(Tone::Dim, " (the agent's words)"), width, Break::Anywhere, 2)
}

/// How the like was answered before.
fn before(history: &History) -> String {
    let times = |count: u64| if count == 1 { "once".to_owned() } else { format!("{count} times") };
    match (history.allowed, history.denied) {
        (allowed, 0) => format!("allowed {} before", times(allowed)),
        (0, denied) => format!("denied {} before", times(denied)),
        (allowed, denied) => format!("allowed {}, denied {} before", times(allowed), times(denied)),
    }
}

/// The same with when it was first.
pub(super) fn before_since(history: &History) -> String {
    match history.first_seen {
        Some(first) => {
            let day = first.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d");
            format!("{}, first asked about on {day}", before(history))
        }
        None => before(history),
    }
}

/// Where a server is called, or something from outside is read.
fn warning(card: &Card, width: usize) -> Vec<Line> {
    if !wording::is_from_outside(card) {
        return Vec::new();
    }
    let line = Line::of(
        Tone::Plain,
        "Malicious MCP servers or conversation content could try to trick the agent into harmful actions through your tools. ",
    );
    line.then(Tone::Strong, "Review each action carefully before approving.").wrap(width, 0, Break::Words)
}
