//! The choices that need a list or a field: they end in an answer, or back at a card.

use std::io;

use mayi_core::approval::{ApprovalResponse, Card, Remember, RememberScope, choice};
use mayi_core::policy::pattern::Places;
use mayi_core::policy::{Level, Pattern};

use super::answers::{Next, allowed, denied};
use super::desk::Desk;
use super::line::{Break, Line, Tone};
use super::lists::Lists;
use super::prompt::Size;
use super::wording;

impl Desk {
    pub(super) fn deny_because(&self, lists: &Lists, card: &Card, size: Size) -> io::Result<Next> {
        self.above(size, 3, &[], Break::Words)?;
        let Some(reason) = lists.text("Why not? The agent is told", "", |_| Ok(()))? else {
            return Ok(Next::Show(card.approval_id));
        };
        let mut response = ApprovalResponse::pick(card, choice::DENY);
        response.reason = Some(reason.clone());
        Ok(Next::Answer(response, denied("denied", Some(&reason))))
    }

    pub(super) fn always(&self, lists: &Lists, card: &Card, size: Size) -> io::Result<Next> {
        // Patterns are shown in full above the list, where they may take several rows.
        let mut shown = vec![Line::of(Tone::Strong, "Always allow what matches:")];
        let mut items = vec!["Back".to_owned()];
        for (at, suggestion) in card.suggestions.iter().enumerate() {
            let number = at + 1;
            for (row, pattern) in suggestion.patterns.iter().enumerate() {
                let mark = if row == 0 { format!("  {number}  ") } else { "     ".to_owned() };
                let line = Line::of(Tone::Dim, &mark).then(Tone::Strong, pattern);
                shown.push(line.then(Tone::Dim, &format!("  {}", wording::pattern_covers(pattern))));
            }
            items.push(item(&format!("{number}  {}", suggestion.patterns.join(" and ")), size));
        }
        let server = card.server.as_ref().map(|server| server.name.as_str()).unwrap_or_default();
        for level in &card.levels {
            items.push(item(&wording::of_level(server, *level), size));
        }
        items.push("Edit a pattern …".to_owned());
        self.above(size, items.len() + 2, &shown, Break::Anywhere)?;
        let chosen = lists.pick("Which?", &items, items.len())?.unwrap_or(0);
        let of_list = chosen.checked_sub(1 + card.suggestions.len()).and_then(|at| card.levels.get(at));
        let level = of_list.copied();
        let patterns = if chosen == 0 {
            None
        } else if level.is_some() {
            Some(Vec::new())
        } else if let Some(suggestion) = card.suggestions.get(chosen - 1) {
            Some(suggestion.patterns.clone())
        } else {
            self.edited(lists, card, size)?
        };
        let Some(patterns) = patterns else {
            return Ok(Next::Show(card.approval_id));
        };
        let what = level.map_or_else(|| patterns.join(" and "), |level| wording::of_level(server, level));
        let Some((remember, how)) = self.how_long(lists, size, patterns, level, &what)? else {
            return Ok(Next::Show(card.approval_id));
        };
        let said = allowed(&format!("allowed {how}, by {what}"));
        let mut response = ApprovalResponse::pick(card, choice::ALLOW_ALWAYS);
        response.remember = Some(remember);
        Ok(Next::Answer(response, said))
    }

    /// Where, and for how long, `patterns` are allowed.
    fn how_long(
        &self,
        lists: &Lists,
        size: Size,
        patterns: Vec<String>,
        level: Option<Level>,
        what: &str,
    ) -> io::Result<Option<(Remember, &'static str)>> {
        let shown: Vec<Line> = if level.is_some() {
            vec![Line::of(Tone::Strong, what)]
        } else {
            patterns.iter().map(|pattern| Line::of(Tone::Strong, pattern)).collect()
        };
        let good = match level {
            Some(_) => "For good, everywhere",
            None => "For good, everywhere: a rule in your configuration",
        };
        let items = ["Back", good, "In this folder", "In this folder, for an hour"].map(str::to_owned);
        self.above(size, items.len() + 2, &shown, Break::Anywhere)?;
        let workspace =
            |patterns| Remember { level, ..Remember::patterns(RememberScope::Workspace, patterns) };
        Ok(match lists.pick("For how long?", &items, items.len())?.unwrap_or(0) {
            1 => {
                let user = Remember { level, ..Remember::patterns(RememberScope::User, patterns) };
                Some((user, "from now on"))
            }
            2 => Some((workspace(patterns), "in this folder from now on")),
            3 => {
                let hour = Remember { expires_in: Some("1h".to_owned()), ..workspace(patterns) };
                Some((hour, "in this folder for an hour"))
            }
            _ => None,
        })
    }

    /// The first suggestion's patterns, each as the person wants it. Whether they cover the call
    /// is the gate's to say.
    fn edited(&self, lists: &Lists, card: &Card, size: Size) -> io::Result<Option<Vec<String>>> {
        let Some(suggestion) = card.suggestions.first() else {
            return Ok(None);
        };
        let all = suggestion.patterns.len();
        let places = Places { home: std::env::home_dir(), ..Places::default() };
        let mut patterns = Vec::new();
        for (at, pattern) in suggestion.patterns.iter().enumerate() {
            self.above(size, 4, &[Line::of(Tone::Dim, "Empty: back.")], Break::Words)?;
            let prompt = if all > 1 { format!("Pattern {} of {all}", at + 1) } else { "Pattern".to_owned() };
            let check =
                |text: &str| Pattern::parse(text, &places).map(|_| ()).map_err(|error| error.to_string());
            match lists.text(&prompt, pattern, check)? {
                Some(pattern) => patterns.push(pattern),
                None => return Ok(None),
            }
        }
        Ok(Some(patterns))
    }

    pub(super) fn agent_options(&self, lists: &Lists, card: &Card, size: Size) -> io::Result<Next> {
        let mut shown = vec![Line::of(Tone::Strong, "The agent's own options, in its own words:")];
        let mut items = vec!["Back".to_owned()];
        let options = || card.options.iter().filter(|option| option.option_id.starts_with(choice::AGENT));
        for (at, option) in options().enumerate() {
            let mut line = Line::of(Tone::Dim, &format!("  {}  ", at + 1)).then(Tone::Strong, &option.name);
            line = line.then(
                Tone::Dim,
                &format!("  {} ({}; {})", wording::option_kind(&option.kind), option.kind, option.scope),
            );
            if let Some(danger) = &option.danger {
                line = line.then(Tone::Bad, &format!("  ! {danger}"));
            }
            shown.push(line);
            items.push(item(&format!("{}  {}", at + 1, option.name), size));
        }
        self.above(size, items.len() + 2, &shown, Break::Words)?;
        let chosen = lists.pick("Which?", &items, items.len())?.unwrap_or(0);
        let Some(option) = chosen.checked_sub(1).and_then(|at| options().nth(at)) else {
            return Ok(Next::Show(card.approval_id));
        };
        let response = ApprovalResponse::pick(card, &option.option_id);
        let said = format!("answered with the agent's option \"{}\"", option.name);
        let said = if option.kind.starts_with("allow") { allowed(&said) } else { denied(&said, None) };
        Ok(Next::Answer(response, said))
    }

    pub(super) fn bypass(&self, lists: &Lists, card: &Card, size: Size) -> io::Result<Next> {
        let agent = &card.agent_name;
        let text = format!(
            "This call runs, and from now on {agent} is not asked about any more, in this session and in later ones, until you say `mayi bypass {agent} off`. What is denied stays denied, and what is always asked about is still asked."
        );
        self.above(size, 3, &[Line::of(Tone::Warn, &text)], Break::Words)?;
        if !lists.confirm(&item(&format!("Bypass permissions for {agent}?"), size))? {
            return Ok(Next::Show(card.approval_id));
        }
        let mut response = ApprovalResponse::pick(card, choice::ALLOW_ONCE);
        response.bypass_all = true;
        Ok(Next::Answer(response, allowed(&format!("allowed, and {agent} is bypassed from now on"))))
    }

    pub(super) fn list(&self, lists: &Lists, card: &Card, size: Size) -> io::Result<Next> {
        let cards: Vec<&Card> = self.waiting.iter().map(|waiting| &waiting.card).collect();
        let items: Vec<String> = std::iter::once("Back".to_owned())
            .chain(
                cards
                    .iter()
                    .enumerate()
                    .map(|(at, card)| item(&format!("{}  {}", at + 1, wording::summary(card).text()), size)),
            )
            .collect();
        let chosen = lists.pick("What waits", &items, size.height.saturating_sub(3))?.unwrap_or(0);
        let chosen = chosen.checked_sub(1).and_then(|at| cards.get(at));
        Ok(Next::Show(chosen.map_or(card.approval_id, |card| card.approval_id)))
    }

    /// Draws the card on the second screen, then `lines`, and leaves `below` rows for a list.
    fn above(&self, size: Size, below: usize, lines: &[Line], at: Break) -> io::Result<()> {
        let lines: Vec<Line> = lines.iter().flat_map(|line| line.wrap(size.width, 5, at)).collect();
        let room = size.height.saturating_sub(below + lines.len() + 2);
        let mut rows =
            self.prompt().map(|prompt| prompt.top(Size { height: room, ..size })).unwrap_or_default();
        rows.push(Line::new());
        rows.extend(lines);
        rows.push(Line::new());
        self.canvas.fill(&rows)
    }
}

/// A row of a list: one row high, whatever is in it.
fn item(text: &str, size: Size) -> String {
    Line::of(Tone::Plain, text).cut(size.width.saturating_sub(6)).text()
}
