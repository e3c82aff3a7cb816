//! The choices under a card, one key each, and the highlight that moves among them.

use mayi_core::approval::{Card, choice};

use super::line::{Break, Line, Tone};
use super::wording;

/// What a key means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Allow this call.
    AllowOnce,
    /// Allow the like until the session ends.
    AllowSession,
    /// Pick a pattern for a rule.
    Always,
    /// Deny this call.
    Deny,
    /// Deny it, and say why.
    DenyBecause,
    /// Deny the same from now on.
    Never,
    /// Pick one of the agent's own options.
    AgentOptions,
    /// Show all of it.
    Everything,
    /// Ask this agent no more.
    Bypass,
    /// One answer for all that are alike.
    Alike,
    /// Go to another one that waits.
    List,
    /// Explain the keys.
    Help,
}

impl Action {
    /// Whether it allows something, or leads to what does.
    pub(crate) fn leads_to_allow(self) -> bool {
        match self {
            Self::AllowOnce
            | Self::AllowSession
            | Self::Always
            | Self::AgentOptions
            | Self::Bypass
            | Self::Alike => true,
            Self::Deny | Self::DenyBecause | Self::Never | Self::Everything | Self::List | Self::Help => {
                false
            }
        }
    }
}

#[derive(Clone, Debug)]
struct Choice {
    key: char,
    action: Action,
    label: String,
    note: String,
}

impl Choice {
    fn new(key: char, action: Action, label: impl Into<String>) -> Self {
        Self { key, action, label: label.into(), note: String::new() }
    }
}

/// The choices of one card.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    /// Those that can be highlighted.
    rows: Vec<Choice>,
    /// Those that only have a key.
    more: Vec<Choice>,
    focus: usize,
}

impl Choices {
    /// The choices of `card`, while `waiting` others wait. The highlight is on Deny.
    pub(crate) fn new(card: &Card, waiting: usize) -> Self {
        let offers = |id: &str| card.options.iter().any(|option| option.option_id == id);
        let mut rows = Vec::new();
        if offers(choice::ALLOW_ONCE) {
            rows.push(Choice::new('y', Action::AllowOnce, "Allow once"));
        }
        if offers(choice::ALLOW_SESSION) {
            let mut choice = Choice::new('s', Action::AllowSession, "Allow for this session");
            choice.note = format!(": {}", wording::session_covers(card));
            rows.push(choice);
        }
        if offers(choice::ALLOW_ALWAYS) && !card.suggestions.is_empty() {
            // Without a name there is nothing to remember it by beyond the session.
            let label = if wording::has_name(card) {
                "Always allow …"
            } else {
                "Allow by a pattern, for this session …"
            };
            rows.push(Choice::new('a', Action::Always, label));
        }
        rows.push(Choice::new('n', Action::Deny, "Deny"));
        rows.push(Choice::new('r', Action::DenyBecause, "Deny with a reason …"));
        if card.options.iter().any(|option| option.option_id.starts_with(choice::AGENT)) {
            rows.push(Choice::new('o', Action::AgentOptions, "The agent's own options …"));
        }
        let mut more = Vec::new();
        match waiting {
            0 => {}
            1 => more.push(Choice::new('l', Action::List, "1 more waits (l)")),
            many => more.push(Choice::new('l', Action::List, format!("{many} more wait (l)"))),
        }
        more.push(Choice::new('f', Action::Everything, "everything"));
        if !wording::switches_mode(card) {
            more.push(Choice::new('d', Action::Never, "always deny"));
        }
        // Agents given by a command share nothing with named ones, and have no settings: they are bypassed for a session.
        if offers(choice::ALLOW_ONCE) && wording::is_named(card) {
            let label = format!("bypass permissions for {}", card.agent_name);
            more.push(Choice::new('b', Action::Bypass, label));
        } else if offers(choice::ALLOW_ONCE) && wording::has_session(card) {
            more.push(Choice::new('b', Action::Bypass, "bypass permissions in this session"));
        }
        more.push(Choice::new('?', Action::Help, "help"));
        let mut choices = Self { rows, more, focus: 0 };
        choices.focus_deny();
        choices
    }

    /// The same where `line` more wait behind those that are shown.
    pub(crate) fn with_line(mut self, line: usize) -> Self {
        if let Some(list) =
            self.more.iter_mut().find(|choice| choice.action == Action::List).filter(|_| line > 0)
        {
            list.label = list.label.replace(" (l)", &format!(", and {line} in line (l)"));
        }
        self
    }

    /// The same where `alike` of what waits, this one among it, may be answered together.
    pub(crate) fn with_alike(mut self, alike: usize) -> Self {
        if alike > 1 {
            self.more.insert(0, Choice::new('t', Action::Alike, format!("all {alike} alike together")));
        }
        self
    }

    /// Says how many others wait now, and how many are alike.
    pub(crate) fn set_waiting(&mut self, card: &Card, waiting: usize, line: usize, alike: usize) {
        let focus = self.focus;
        *self = Self::new(card, waiting).with_line(line).with_alike(alike);
        self.focus = focus;
    }

    /// The keys that do something here.
    pub(crate) fn offered_keys(&self) -> Vec<char> {
        self.rows.iter().chain(&self.more).map(|choice| choice.key).collect()
    }

    /// What `key` means here.
    pub(crate) fn by_key(&self, key: char) -> Option<Action> {
        let key = key.to_ascii_lowercase();
        self.rows.iter().chain(&self.more).find(|choice| choice.key == key).map(|choice| choice.action)
    }

    /// The highlighted one.
    pub(crate) fn focused_action(&self) -> Action {
        self.rows.get(self.focus).map_or(Action::Deny, |choice| choice.action)
    }

    /// Moves the highlight, round and round.
    pub(crate) fn move_focus(&mut self, down: bool) {
        let rows = self.rows.len().max(1);
        self.focus = if down { self.focus + 1 } else { self.focus + rows - 1 } % rows;
    }

    /// Puts the highlight where nothing can happen.
    pub(crate) fn focus_deny(&mut self) {
        self.focus = self.rows.iter().position(|choice| choice.action == Action::Deny).unwrap_or(0);
    }

    /// The choices, one a row. They are dimmed, and none is highlighted, while keys do nothing; those that allow also while
    /// not all of the card was `read`.
    pub(crate) fn choice_lines(&self, live: bool, read: bool, width: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        for (at, choice) in self.rows.iter().enumerate() {
            let focused = live && at == self.focus;
            let unread = choice.action.leads_to_allow() && !read;
            let note = if unread && at == 0 { ": when all of it was read, with f" } else { &choice.note };
            let line = Line::with_text(Tone::Focus, if focused { "› " } else { "  " })
                .append_text(if focused { Tone::Focus } else { Tone::Strong }, &choice.key.to_string())
                .append_text(if focused { Tone::Focus } else { Tone::Plain }, &format!("  {}", choice.label))
                .append_text(Tone::Dim, note);
            let line = if live && (focused || !unread) { line } else { line.with_tone(Tone::Dim) };
            lines.extend(line.wrap(width, 5, Break::Words));
        }
        lines
    }

    /// The same in as few rows as they fit.
    pub(crate) fn compact_lines(&self, live: bool, read: bool, width: usize) -> Vec<Line> {
        let item = |(at, choice): (usize, &Choice)| {
            let focused = live && at == self.focus;
            let mark = if focused { "›" } else { "" };
            let text = format!("{mark}{} {}", choice.key, choice.label.trim_end_matches(" …"));
            let tone = if choice.action.leads_to_allow() && !read { Tone::Dim } else { Tone::Plain };
            Line::with_text(if focused { Tone::Focus } else { tone }, &text)
        };
        side_by_side(self.rows.iter().enumerate().map(item), live, width)
    }

    /// The keys alone, where there is room for nothing else.
    pub(crate) fn key_lines(&self, live: bool, read: bool, width: usize) -> Vec<Line> {
        let mut line = Line::with_text(Tone::Dim, "keys ");
        for (at, choice) in self.rows.iter().chain(&self.more).enumerate() {
            let focused = live && at == self.focus;
            let text = if focused { format!(" ›{}", choice.key) } else { format!(" {}", choice.key) };
            let tone = if choice.action.leads_to_allow() && !read { Tone::Dim } else { Tone::Plain };
            line = line.append_text(if focused { Tone::Focus } else { tone }, &text);
        }
        let line = if live { line } else { line.with_tone(Tone::Dim) };
        line.wrap(width, 0, Break::Words)
    }

    /// The last row: how many wait, and the other keys.
    pub(crate) fn footer_lines(&self, live: bool, read: bool, width: usize) -> Vec<Line> {
        let item = |choice: &Choice| match choice.action {
            Action::List => Line::with_text(Tone::Warn, &choice.label),
            // What has to be pressed first stands out.
            Action::Everything if !read => Line::with_text(Tone::Warn, &choice.key.to_string())
                .append_text(Tone::Warn, &format!(" {}", choice.label)),
            action => {
                let tone = if action.leads_to_allow() && !read { Tone::Dim } else { Tone::Plain };
                Line::with_text(tone, &choice.key.to_string())
                    .append_text(Tone::Dim, &format!(" {}", choice.label))
            }
        };
        side_by_side(self.more.iter().map(item), live, width)
    }
}

/// Items in rows, with dots between them; an item is broken only where it is wider than the screen.
fn side_by_side(items: impl Iterator<Item = Line>, live: bool, width: usize) -> Vec<Line> {
    let mut rows: Vec<Line> = Vec::new();
    for item in items {
        let item = if live { item } else { item.with_tone(Tone::Dim) };
        match rows.last_mut() {
            Some(row) if row.width() + 3 + item.width() <= width => {
                *row = std::mem::take(row).append_text(Tone::Dim, " · ").append_line(item);
            }
            _ => rows.extend(item.wrap(width, 2, Break::Words)),
        }
    }
    rows
}
