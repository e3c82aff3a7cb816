//! The choices that need a list or a field: they end in an answer, or back at a card.

use std::io;

use mayi_core::approval::{ApprovalResponse, Card, Remember, RememberScope, choice, pattern_covers};
use mayi_core::policy::pattern::PatternBases;
use mayi_core::policy::{Level, Pattern};

use super::answers::{ListOutcome, allowed_summary, denied_summary};
use super::desk::TerminalPrompter;
use super::line::{Break, Line, Tone};
use super::lists::ListDialogs;
use super::prompt::ScreenSize;
use super::wording;

/// Rows that a list of cards leaves for what stands around it.
const LEAST_ABOVE: usize = 6;

impl TerminalPrompter {
    pub(super) fn deny_because(
        &self,
        lists: &ListDialogs,
        card: &Card,
        size: ScreenSize,
    ) -> io::Result<ListOutcome> {
        self.draw_above_list(size, 3, &[], Break::Words)?;
        let Some(reason) = lists.ask_text("Why not? The agent is told", "", |_| Ok(()))? else {
            return Ok(ListOutcome::Show(card.approval_id));
        };
        let mut response = ApprovalResponse::pick(card, choice::DENY);
        response.reason = Some(reason.clone());
        Ok(ListOutcome::Answer(response, denied_summary("denied", Some(&reason))))
    }

    /// Where, and for how long, exactly this is denied from now on.
    pub(super) fn deny_always(
        &self,
        lists: &ListDialogs,
        card: &Card,
        size: ScreenSize,
    ) -> io::Result<ListOutcome> {
        let mut shown = vec![Line::with_text(Tone::Strong, "Always deny exactly this:")];
        for access in wording::asked_accesses(card) {
            shown.push(Line::with_text(Tone::Dim, "  ").append_text(Tone::Strong, &access));
        }
        let mut items =
            vec![("Back", None), ("Until this session ends", Some((RememberScope::Session, None)))];
        // Agents given by a command have no name that it could be remembered for.
        if wording::has_name(card) {
            items.push(("In this folder", Some((RememberScope::Workspace, None))));
            items.push(("In this folder, for an hour", Some((RememberScope::Workspace, Some("1h")))));
            items.push(("For good, everywhere", Some((RememberScope::User, None))));
        }
        self.draw_above_list(size, items.len() + 2, &shown, Break::Anywhere)?;
        let names: Vec<String> = items.iter().map(|(name, _)| (*name).to_owned()).collect();
        let chosen = lists.pick_item("For how long?", &names, names.len())?.unwrap_or(0);
        let Some((name, Some((scope, limit)))) = items.get(chosen) else {
            return Ok(ListOutcome::Show(card.approval_id));
        };
        let mut response = ApprovalResponse::pick(card, choice::DENY);
        let expires_in = limit.map(str::to_owned);
        response.remember = Some(Remember { expires_in, ..Remember::of_patterns(*scope, Vec::new()) });
        Ok(ListOutcome::Answer(
            response,
            denied_summary(&format!("denied, and the same {}", lowercase_first(name)), None),
        ))
    }

    pub(super) fn allow_always(
        &self,
        lists: &ListDialogs,
        card: &Card,
        size: ScreenSize,
    ) -> io::Result<ListOutcome> {
        // Patterns are shown in full above the list, where they may take several rows.
        let mut shown = vec![Line::with_text(Tone::Strong, "Always allow what matches:")];
        let mut items = vec!["Back".to_owned()];
        for (at, suggestion) in card.suggestions.iter().enumerate() {
            let number = at + 1;
            for (row, pattern) in suggestion.patterns.iter().enumerate() {
                let mark = if row == 0 { format!("  {number}  ") } else { "     ".to_owned() };
                let line = Line::with_text(Tone::Dim, &mark).append_text(Tone::Strong, pattern);
                shown.push(line.append_text(Tone::Dim, &format!("  {}", pattern_covers(pattern))));
            }
            items.push(list_item(&suggestion.patterns.join(" and "), size));
        }
        let server = card.server.as_ref().map(|server| server.name.as_str()).unwrap_or_default();
        for level in &card.levels {
            items.push(list_item(&wording::level_description(server, *level), size));
        }
        items.push("Edit a pattern …".to_owned());
        self.draw_above_list(size, items.len() + 2, &shown, Break::Anywhere)?;
        let chosen = lists.pick_item("Which?", &items, items.len())?.unwrap_or(0);
        let of_list = chosen.checked_sub(1 + card.suggestions.len()).and_then(|at| card.levels.get(at));
        let level = of_list.copied();
        let patterns = if chosen == 0 {
            None
        } else if level.is_some() {
            Some(Vec::new())
        } else if let Some(suggestion) = card.suggestions.get(chosen - 1) {
            Some(suggestion.patterns.clone())
        } else {
            self.edit_patterns(lists, card, size)?
        };
        let Some(patterns) = patterns else {
            return Ok(ListOutcome::Show(card.approval_id));
        };
        let what =
            level.map_or_else(|| patterns.join(" and "), |level| wording::level_description(server, level));
        let Some((remember, how)) = self.how_long(lists, card, size, patterns, level)? else {
            return Ok(ListOutcome::Show(card.approval_id));
        };
        let said = allowed_summary(&format!("allowed {how}, by {what}"));
        let mut response = ApprovalResponse::pick(card, choice::ALLOW_ALWAYS);
        response.remember = Some(remember);
        Ok(ListOutcome::Answer(response, said))
    }

    /// Where, and for how long, `patterns` or a `level` are allowed: only ways that are not refused afterwards.
    fn how_long(
        &self,
        lists: &ListDialogs,
        card: &Card,
        size: ScreenSize,
        patterns: Vec<String>,
        level: Option<Level>,
    ) -> io::Result<Option<(Remember, &'static str)>> {
        let server = card.server.as_ref().map(|server| server.name.as_str()).unwrap_or_default();
        let what =
            level.map_or_else(|| patterns.clone(), |level| vec![wording::level_description(server, level)]);
        let shown: Vec<Line> = what.iter().map(|what| Line::with_text(Tone::Strong, what)).collect();
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
        self.draw_above_list(size, items.len() + 2, &shown, Break::Anywhere)?;
        let chosen = lists.pick_item("For how long?", &items, items.len())?.unwrap_or(0);
        let way = chosen.checked_sub(1).and_then(|at| ways.into_iter().nth(at));
        Ok(way.map(|(_, scope, expires_in, how)| {
            (Remember { level, expires_in, ..Remember::of_patterns(scope, patterns) }, how)
        }))
    }

    /// The first suggestion's patterns, each as the person wants it. Whether they cover the call
    /// is the gate's to say.
    fn edit_patterns(
        &self,
        lists: &ListDialogs,
        card: &Card,
        size: ScreenSize,
    ) -> io::Result<Option<Vec<String>>> {
        let Some(suggestion) = card.suggestions.first() else {
            return Ok(None);
        };
        let all = suggestion.patterns.len();
        let places = PatternBases { home: std::env::home_dir(), ..PatternBases::default() };
        let mut patterns = Vec::new();
        for (at, pattern) in suggestion.patterns.iter().enumerate() {
            self.draw_above_list(size, 4, &[Line::with_text(Tone::Dim, "Empty: back.")], Break::Words)?;
            let prompt = if all > 1 { format!("Pattern {} of {all}", at + 1) } else { "Pattern".to_owned() };
            let check =
                |text: &str| Pattern::parse(text, &places).map(|_| ()).map_err(|error| error.to_string());
            match lists.ask_text(&prompt, pattern, check)? {
                Some(pattern) => patterns.push(pattern),
                None => return Ok(None),
            }
        }
        Ok(Some(patterns))
    }

    pub(super) fn agent_options(
        &self,
        lists: &ListDialogs,
        card: &Card,
        size: ScreenSize,
    ) -> io::Result<ListOutcome> {
        let mut shown = vec![Line::with_text(Tone::Strong, "The agent's own options, in its own words:")];
        let mut items = vec!["Back".to_owned()];
        let options = || card.options.iter().filter(|option| option.option_id.starts_with(choice::AGENT));
        for (at, option) in options().enumerate() {
            let mut line = Line::with_text(Tone::Dim, &format!("  {}  ", at + 1))
                .append_text(Tone::Strong, &option.name);
            line = line.append_text(
                Tone::Dim,
                &format!(
                    "  {} ({}; {})",
                    wording::option_kind(option.kind),
                    option.kind.as_str(),
                    option.scope
                ),
            );
            if let Some(danger) = &option.danger {
                line = line.append_text(Tone::Bad, &format!("  ! {danger}"));
            }
            shown.push(line);
            items.push(list_item(&option.name, size));
        }
        self.draw_above_list(size, items.len() + 2, &shown, Break::Words)?;
        let chosen = lists.pick_item("Which?", &items, items.len())?.unwrap_or(0);
        let Some(option) = chosen.checked_sub(1).and_then(|at| options().nth(at)) else {
            return Ok(ListOutcome::Show(card.approval_id));
        };
        let response = ApprovalResponse::pick(card, &option.option_id);
        let said = format!("answered with the agent's option \"{}\"", option.name);
        let said = if option.kind.allows() { allowed_summary(&said) } else { denied_summary(&said, None) };
        Ok(ListOutcome::Answer(response, said))
    }

    /// What a bypass is, and for how long it should hold. The list begins on Back: picking from it is the second step that
    /// a bypass takes.
    pub(super) fn choose_bypass(
        &self,
        lists: &ListDialogs,
        card: &Card,
        size: ScreenSize,
    ) -> io::Result<ListOutcome> {
        let agent = &card.agent_name;
        let good = wording::is_named(card);
        self.draw_above_list(
            size,
            5,
            &[Line::with_text(Tone::Warn, &wording::bypass_means(agent, good))],
            Break::Words,
        )?;
        let mut ways = Vec::new();
        if wording::has_session(card) {
            ways.push(("For this session: until it ends", "in this session", false));
        }
        if good {
            ways.push(("For good, in every session: a setting of yours", "from now on", true));
        }
        let rows = ways.iter().map(|(way, ..)| (*way).to_owned());
        let items: Vec<String> = std::iter::once("Back".to_owned()).chain(rows).collect();
        let asked = list_item(&format!("Bypass permissions for {agent}?"), size);
        let chosen = lists.pick_item(&asked, &items, items.len())?.unwrap_or(0);
        let Some((_, how, all)) = chosen.checked_sub(1).and_then(|at| ways.get(at)) else {
            return Ok(ListOutcome::Show(card.approval_id));
        };
        let mut response = ApprovalResponse::pick(card, choice::ALLOW_ONCE);
        (response.bypass_all, response.bypass_session) = (*all, !*all);
        Ok(ListOutcome::Answer(response, allowed_summary(&format!("allowed, and {agent} is bypassed {how}"))))
    }

    /// One answer for all that are alike, each once: they are listed above it.
    pub(super) fn answer_alike(
        &self,
        lists: &ListDialogs,
        card: &Card,
        size: ScreenSize,
    ) -> io::Result<ListOutcome> {
        let cards: Vec<Card> = self.alike_to(card.approval_id).into_iter().cloned().collect();
        let shown: Vec<Line> = cards
            .iter()
            .map(|card| Line::with_text(Tone::Plain, "  ").append_line(wording::call_summary(card)))
            .collect();
        let many = cards.len();
        let items = ["Back".to_owned(), format!("Allow all {many}, each once"), format!("Deny all {many}")];
        // What does not fit is not answered unseen.
        if shown.len() + items.len() + LEAST_ABOVE > size.height {
            self.draw_above_list(
                size,
                4,
                &[Line::with_text(Tone::Warn, "They do not fit here: make the window larger.")],
                Break::Words,
            )?;
            lists.pick_item("All alike", &["Back".to_owned()], 1)?;
            return Ok(ListOutcome::Show(card.approval_id));
        }
        self.draw_above_list(size, items.len() + 2, &shown, Break::Anywhere)?;
        Ok(match lists.pick_item("All alike", &items, items.len())?.unwrap_or(0) {
            1 => ListOutcome::Answers(cards, choice::ALLOW_ONCE, allowed_summary("allowed once")),
            2 => ListOutcome::Answers(cards, choice::DENY, denied_summary("denied", None)),
            _ => ListOutcome::Show(card.approval_id),
        })
    }

    pub(super) fn choose_card(
        &self,
        lists: &ListDialogs,
        card: &Card,
        size: ScreenSize,
    ) -> io::Result<ListOutcome> {
        let cards: Vec<&Card> = self.waiting.iter().map(|waiting| &waiting.card).collect();
        let items: Vec<String> = std::iter::once("Back".to_owned())
            .chain(cards.iter().map(|card| list_item(&wording::call_summary(card).plain_text(), size)))
            .collect();
        let chosen = lists.pick_item("What waits", &items, size.height.saturating_sub(3))?.unwrap_or(0);
        let chosen = chosen.checked_sub(1).and_then(|at| cards.get(at));
        Ok(ListOutcome::Show(chosen.map_or(card.approval_id, |card| card.approval_id)))
    }

    /// Draws the card on the second screen, then `lines`, and leaves `below` rows for a list.
    fn draw_above_list(&self, size: ScreenSize, below: usize, lines: &[Line], at: Break) -> io::Result<()> {
        let lines: Vec<Line> = lines.iter().flat_map(|line| line.wrap(size.width, 5, at)).collect();
        let room = size.height.saturating_sub(below + lines.len() + 2);
        let mut rows = self
            .card_prompt()
            .map(|prompt| prompt.card_rows(ScreenSize { height: room, ..size }))
            .unwrap_or_default();
        rows.push(Line::new());
        rows.extend(lines);
        rows.push(Line::new());
        self.canvas.fill_screen(&rows)
    }
}

/// With a small letter first, as within a sentence.
fn lowercase_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// A row of a list: one row high, whatever is in it, beside its mark and number.
fn list_item(text: &str, size: ScreenSize) -> String {
    Line::with_text(Tone::Plain, text).cut_to_width(size.width.saturating_sub(9)).plain_text()
}
