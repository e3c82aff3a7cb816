//! What stands on the screen: the card, what becomes of it, and long texts.

use std::io;
use std::time::{Duration, Instant};

use mayi_core::approval::{ApprovalId, Card, likeness_key};

use super::card::{CardLayout, CardText};
use super::choices::Choices;
use super::desk::{TerminalPrompter, WaitingCard};
use super::full_card::{FullCard, full_card};
use super::key::{Key, KeyDecoder};
use super::line::Line;
use super::pager::{Pager, PagerOutcome};
use super::prompt::CardPrompt;
use super::wording;

/// For so long after a card appears, or changes, keys do nothing.
const INERT: Duration = Duration::from_millis(500);

/// The card that is on the screen.
pub(super) struct CardOnScreen {
    pub(super) id: ApprovalId,
    pub(super) choices: Choices,
    /// When keys begin to do something; none: they do.
    pub(super) inert: Option<Instant>,
    notice: Option<String>,
    /// What the card says, in rows of this width.
    text: CardText,
    width: usize,
    reading: Option<(Pager, LongText)>,
}

/// A long text that can be read.
#[derive(Clone, Copy)]
pub(super) enum LongText {
    Everything,
    Help,
}

impl LongText {
    /// Its rows, and how many of them are what is asked.
    fn lay_out(self, waiting: &WaitingCard, choices: &Choices, look: CardLayout) -> FullCard {
        match self {
            Self::Everything => full_card(&waiting.card, waiting.change, look),
            Self::Help => {
                FullCard { rows: wording::help_rows(look.width, &choices.offered_keys()), asked: 0 }
            }
        }
    }
}

impl TerminalPrompter {
    /// Shows a card, with a notice if an answer was refused. Its keys are inert at first.
    pub(super) fn show_card(&mut self, id: ApprovalId, notice: Option<String>) -> io::Result<()> {
        self.screen.begin_prompt()?;
        self.tty.first_screen()?;
        self.tty.take_keys()?;
        let others = self.waiting.len().saturating_sub(1);
        let look = self.card_layout();
        let (alike, line) = (self.alike_to(id).len(), self.questions.count_queued());
        let Some(waiting) = self.waiting_mut(id) else {
            return Ok(());
        };
        waiting.seen = true;
        let words = wording::waiting_words(&waiting.card);
        self.shown = Some(CardOnScreen {
            id,
            choices: Choices::new(&waiting.card, others).with_line(line).with_alike(alike),
            inert: Some(Instant::now() + INERT),
            notice,
            text: CardText::new(&waiting.card, waiting.change, look),
            width: look.width,
            reading: None,
        });
        self.tty.report_blocked(words)?;
        self.draw_screen()
    }

    /// Draws the card as it is now, or the text that is being read.
    pub(super) fn draw_screen(&mut self) -> io::Result<()> {
        let size = self.tty.size();
        if let Some(CardOnScreen { reading: Some((pager, _)), .. }) = &mut self.shown {
            pager.mark_seen(size);
            return self.canvas.fill_screen(&pager.visible_lines(size));
        }
        if !self.pending_lines.is_empty() {
            self.write_pending_lines()?;
        }
        let Some(drawn) = self.card_prompt().map(|prompt| prompt.draw_card(size)) else {
            return Ok(());
        };
        if drawn.whole {
            self.mark_card_read();
        }
        self.canvas.draw_lines(&drawn.rows)
    }

    /// All that the shown card asks was on the screen.
    fn mark_card_read(&mut self) {
        let id = self.shown.as_ref().map(|shown| shown.id);
        if let Some(waiting) = id.and_then(|id| self.waiting_mut(id)) {
            waiting.read = true;
        }
    }

    /// How the screen is.
    fn card_layout(&self) -> CardLayout {
        CardLayout { width: self.tty.size().width, carets: self.canvas.is_plain() }
    }

    /// The card that is shown, with everything around it.
    pub(super) fn card_prompt(&self) -> Option<CardPrompt<'_>> {
        let shown = self.shown.as_ref()?;
        let waiting = self.waiting.iter().find(|waiting| waiting.card.approval_id == shown.id);
        Some(CardPrompt {
            text: &shown.text,
            choices: &shown.choices,
            notice: shown.notice.as_deref(),
            live: shown.inert.is_none(),
            read: waiting.is_some_and(|waiting| waiting.read),
        })
    }

    /// Whether a long text is being read.
    pub(super) fn is_reading(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.reading.is_some())
    }

    /// What waits and is alike to the card `id`, with it; nothing, where it is answered by itself. Of its own session alone.
    pub(super) fn alike_to(&self, id: ApprovalId) -> Vec<&Card> {
        let cards = || self.waiting.iter().map(|waiting| &waiting.card);
        let Some(card) = cards().find(|card| card.approval_id == id) else { return Vec::new() };
        let Some(key) = likeness_key(card) else { return Vec::new() };
        let same =
            |other: &&Card| other.session_id == card.session_id && likeness_key(other).as_ref() == Some(&key);
        cards().filter(same).collect()
    }

    /// Another number of cards waits.
    pub(super) fn update_waiting_count(&mut self) -> io::Result<()> {
        let others = self.waiting.len().saturating_sub(1);
        let alike = self.shown.as_ref().map_or(0, |shown| self.alike_to(shown.id).len());
        let line = self.questions.count_queued();
        let Some(shown) = &mut self.shown else {
            return Ok(());
        };
        let waiting = self.waiting.iter().find(|waiting| waiting.card.approval_id == shown.id);
        let Some(WaitingCard { card, .. }) = waiting else {
            return Ok(());
        };
        shown.choices.set_waiting(card, others, line, alike);
        self.draw_screen()
    }

    /// The screen has another size.
    pub(super) fn apply_resize(&mut self) -> io::Result<()> {
        let look = self.card_layout();
        let Some(shown) = &mut self.shown else {
            return Ok(());
        };
        let waiting = self.waiting.iter().find(|waiting| waiting.card.approval_id == shown.id);
        if let Some(waiting) = waiting.filter(|_| shown.width != look.width) {
            shown.text = CardText::new(&waiting.card, waiting.change, look);
            shown.width = look.width;
            if let Some((mut pager, text)) = shown.reading.take() {
                let FullCard { rows, asked } = text.lay_out(waiting, &shown.choices, look);
                pager.replace_lines(rows, asked);
                shown.reading = Some((pager, text));
            }
        }
        self.draw_screen()
    }

    /// Opens a long text on the second screen.
    pub(super) fn open_long_text(&mut self, text: LongText) -> io::Result<()> {
        let look = self.card_layout();
        let Some(shown) = &mut self.shown else {
            return Ok(());
        };
        let waiting = self.waiting.iter().find(|waiting| waiting.card.approval_id == shown.id);
        let Some(waiting) = waiting else {
            return Ok(());
        };
        let FullCard { rows, asked } = text.lay_out(waiting, &shown.choices, look);
        shown.reading = Some((Pager::new(rows, asked), text));
        self.canvas.leave_lines(&[])?;
        self.tty.second_screen(true)?;
        self.draw_screen()
    }

    /// A key for the text that is being read. Back at the card, its keys are inert again.
    pub(super) fn press_pager_key(&mut self, key: Key) -> io::Result<()> {
        let size = self.tty.size();
        let Some(shown) = &mut self.shown else {
            return Ok(());
        };
        let Some((pager, text)) = &mut shown.reading else { return self.draw_screen() };
        let turned = pager.press_key(key, size);
        let read = matches!(text, LongText::Everything) && pager.has_read();
        let id = shown.id;
        match turned {
            PagerOutcome::Closed => {
                if read {
                    self.mark_card_read();
                }
                self.show_card(id, None)
            }
            PagerOutcome::Moved => self.draw_screen(),
        }
    }

    /// Leaves a line in place of a card that is no more.
    pub(super) fn leave_settled_line(&mut self, id: ApprovalId, line: Line) -> io::Result<()> {
        self.pending_lines.push(line);
        if self.shown.as_ref().is_some_and(|shown| shown.id == id) {
            self.shown = None;
            self.tty.first_screen()?;
        }
        if self.shown.is_some() {
            return self.update_waiting_count();
        }
        // It may never have been shown: the agent's line must be ended all the same.
        self.screen.begin_prompt()?;
        self.write_pending_lines()
    }

    /// Says what is to be said, in place of the card.
    fn write_pending_lines(&mut self) -> io::Result<()> {
        let said = std::mem::take(&mut self.pending_lines);
        self.canvas.leave_lines(&said)
    }

    /// Gives the terminal back.
    pub(super) fn close(&mut self) -> io::Result<()> {
        self.shown = None;
        self.tty.first_screen()?;
        self.write_pending_lines()?;
        let heard = self.drain_terminal_replies();
        self.tty.restore();
        heard?;
        self.decoder = KeyDecoder::default();
        self.screen.end_prompt()
    }
}
