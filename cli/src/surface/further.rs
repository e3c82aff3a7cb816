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

/// Rows that a list of cards leaves for what stands around it.
const LEAST_ABOVE: usize = 6;

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

    /// Where, and for how long, exactly this is denied from now on.
    pub(super) fn never(&self, lists: &Lists, card: &Card, size: Size) -> io::Result<Next> {
        let mut shown = vec![Line::of(Tone::Strong, "Always deny exactly this:")];
        for access in wording::asked(card) {
            shown.push(Line::of(Tone::Dim, "  ").then(Tone::Strong, &access));
        }
        let mut items =
            vec![("Back", None), ("Until this session ends", Some((RememberScope::Session, None)))];
        // Agents given by a command have no name that it could be remembered for.
        if wording::has_name(card) {
            items.push(("In this folder", Some((RememberScope::Workspace, None))));
            items.push(("In this folder, for an hour", Some((RememberScope::Workspace, Some("1h")))));
            items.push(("For good, everywhere", Some((RememberScope::User, None))));
        }
        self.above(size, items.len() + 2, &shown, Break::Anywhere)?;
        let names: Vec<String> = items.iter().map(|(name, _)| (*name).to_owned()).collect();
        let chosen = lists.pick("For how long?", &names, names.len())?.unwrap_or(0);
        let Some((name, Some((scope, limit)))) = items.get(chosen) else {
            return Ok(Next::Show(card.approval_id));
        };
        let mut response = ApprovalResponse::pick(card, choice::DENY);
        let expires_in = limit.map(str::to_owned);
        response.remember = Some(Remember { expires_in, ..Remember::patterns(*scope, Vec::new()) });
        Ok(Next::Answer(response, denied(&format!("denied, and the same {}", lower(name)), None)))
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
            items.push(item(&suggestion.patterns.join(" and "), size));
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
        let Some((remember, how)) = self.how_long(lists, card, size, patterns, level)? else {
            return Ok(Next::Show(card.approval_id));
        };
        let said = allowed(&format!("allowed {how}, by {what}"));
        let mut response = ApprovalResponse::pick(card, choice::ALLOW_ALWAYS);
        response.remember = Some(remember);
        Ok(Next::Answer(response, said))
    }

    /// Where, and for how long, `patterns` or a `level` are allowed: only ways that are not refused afterwards.
    fn how_long(
        &self,
        lists: &Lists,
        card: &Card,
        size: Size,
        patterns: Vec<String>,
        level: Option<Level>,
    ) -> io::Result<Option<(Remember, &'static str)>> {
        let server = card.server.as_ref().map(|server| server.name.as_str()).unwrap_or_default();
        let what = level.map_or_else(|| patterns.clone(), |level| vec![wording::of_level(server, level)]);
        let shown: Vec<Line> = what.iter().map(|what| Line::of(Tone::Strong, what)).collect();
        let mut ways = Vec::new();
        if wording::has_name(card) {
            let good = match level {
                Some(_) => "For good, everywhere",
                None => "For good, everywhere: a rule in your configuration",
            };
            ways.push((good, RememberScope::User, None, "from now on"));
            ways.push(("In this folder", RememberScope::Workspace, None, "in this folder from now on"));
            let hour = Some("1h".to_owned());
            ways.push((
                "In this folder, for an hour",
                RememberScope::Workspace,
                hour,
                "in this folder for an hour",
            ));
        }
        if wording::has_session(card) {
            ways.push(("Until this session ends", RememberScope::Session, None, "for this session"));
        }
        let rows = ways.iter().map(|(way, ..)| (*way).to_owned());
        let items: Vec<String> = std::iter::once("Back".to_owned()).chain(rows).collect();
        self.above(size, items.len() + 2, &shown, Break::Anywhere)?;
        let chosen = lists.pick("For how long?", &items, items.len())?.unwrap_or(0);
        let way = chosen.checked_sub(1).and_then(|at| ways.into_iter().nth(at));
        Ok(way.map(|(_, scope, expires_in, how)| {
            (Remember { level, expires_in, ..Remember::patterns(scope, patterns) }, how)
        }))
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
            items.push(item(&option.name, size));
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

    /// What a bypass is, and for how long it should hold. The list begins on Back: picking from it is the second step that
    /// a bypass takes.
    pub(super) fn bypass(&self, lists: &Lists, card: &Card, size: Size) -> io::Result<Next> {
        let agent = &card.agent_name;
        let good = wording::is_named(card);
        self.above(size, 5, &[Line::of(Tone::Warn, &wording::bypass_means(agent, good))], Break::Words)?;
        let mut ways = Vec::new();
        if wording::has_session(card) {
            ways.push(("For this session: until it ends", "in this session", false));
        }
        if good {
            ways.push(("For good, in every session: a setting of yours", "from now on", true));
        }
        let rows = ways.iter().map(|(way, ..)| (*way).to_owned());
        let items: Vec<String> = std::iter::once("Back".to_owned()).chain(rows).collect();
        let asked = item(&format!("Bypass permissions for {agent}?"), size);
        let chosen = lists.pick(&asked, &items, items.len())?.unwrap_or(0);
        let Some((_, how, all)) = chosen.checked_sub(1).and_then(|at| ways.get(at)) else {
            return Ok(Next::Show(card.approval_id));
        };
        let mut response = ApprovalResponse::pick(card, choice::ALLOW_ONCE);
        (response.bypass_all, response.bypass_session) = (*all, !*all);
        Ok(Next::Answer(response, allowed(&format!("allowed, and {agent} is bypassed {how}"))))
    }

    /// One answer for all that are alike, each once: they are listed above it.
    pub(super) fn together(&self, lists: &Lists, card: &Card, size: Size) -> io::Result<Next> {
        let cards: Vec<Card> = self.alike_to(card.approval_id).into_iter().cloned().collect();
        let shown: Vec<Line> =
            cards.iter().map(|card| Line::of(Tone::Plain, "  ").join(wording::summary(card))).collect();
        let many = cards.len();
        let items = ["Back".to_owned(), format!("Allow all {many}, each once"), format!("Deny all {many}")];
        // What does not fit is not answered unseen.
        if shown.len() + items.len() + LEAST_ABOVE > size.height {
            self.above(
                size,
                4,
                &[Line::of(Tone::Warn, "They do not fit here: make the window larger.")],
                Break::Words,
            )?;
            lists.pick("All alike", &["Back".to_owned()], 1)?;
            return Ok(Next::Show(card.approval_id));
        }
        self.above(size, items.len() + 2, &shown, Break::Anywhere)?;
        Ok(match lists.pick("All alike", &items, items.len())?.unwrap_or(0) {
            1 => Next::Answers(cards, choice::ALLOW_ONCE, allowed("allowed once")),
            2 => Next::Answers(cards, choice::DENY, denied("denied", None)),
            _ => Next::Show(card.approval_id),
        })
    }

    pub(super) fn list(&self, lists: &Lists, card: &Card, size: Size) -> io::Result<Next> {
        let cards: Vec<&Card> = self.waiting.iter().map(|waiting| &waiting.card).collect();
        let items: Vec<String> = std::iter::once("Back".to_owned())
            .chain(cards.iter().map(|card| item(&wording::summary(card).text(), size)))
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

/// With a small letter first, as within a sentence.
fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// A row of a list: one row high, whatever is in it, beside its mark and number.
fn item(text: &str, size: Size) -> String {
    Line::of(Tone::Plain, text).cut(size.width.saturating_sub(9)).text()
}
