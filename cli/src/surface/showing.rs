//! What stands on the screen: the card, what becomes of it, and long texts.

use std::io;
use std::time::{Duration, Instant};

use mayi_core::approval::{ApprovalId, Card, alike};

use super::card::CardText;
use super::choices::Choices;
use super::desk::{Desk, Waiting};
use super::everything::everything;
use super::key::{Decoder, Key};
use super::line::Line;
use super::pager::{Pager, Turn};
use super::prompt::Prompt;
use super::wording;

/// For so long after a card appears, or changes, keys do nothing.
const INERT: Duration = Duration::from_millis(500);

/// The card that is on the screen.
pub(super) struct Shown {
    pub(super) id: ApprovalId,
    pub(super) choices: Choices,
    /// When keys begin to do something; none: they do.
    pub(super) inert: Option<Instant>,
    notice: Option<String>,
    /// What the card says, in rows of this width.
    text: CardText,
    width: usize,
    reading: Option<(Pager, Text)>,
}

/// A long text that can be read.
#[derive(Clone, Copy)]
pub(super) enum Text {
    Everything,
    Help,
}

impl Desk {
    /// Shows a card, with a notice if an answer was refused. Its keys are inert at first.
    pub(super) fn show(&mut self, id: ApprovalId, notice: Option<String>) -> io::Result<()> {
        self.screen.begin_prompt()?;
        self.tty.first_screen()?;
        self.tty.take_keys()?;
        let others = self.waiting.len().saturating_sub(1);
        let width = self.tty.size().width;
        let (alike, line) = (self.alike_to(id).len(), self.questions.in_line());
        let Some(waiting) = self.waiting_mut(id) else {
            return Ok(());
        };
        waiting.seen = true;
        self.shown = Some(Shown {
            id,
            choices: Choices::new(&waiting.card, others).with_line(line).with_alike(alike),
            inert: Some(Instant::now() + INERT),
            notice,
            text: CardText::new(&waiting.card, waiting.change, width),
            width,
            reading: None,
        });
        self.draw()
    }

    /// Draws the card as it is now, or the text that is being read.
    pub(super) fn draw(&mut self) -> io::Result<()> {
        let size = self.tty.size();
        if let Some(Shown { reading: Some((pager, _)), .. }) = &self.shown {
            return self.canvas.fill(&pager.lines(size));
        }
        if !self.said.is_empty() {
            self.say()?;
        }
        let Some(lines) = self.prompt().map(|prompt| prompt.lines(size)) else {
            return Ok(());
        };
        self.canvas.draw(&lines)
    }

    /// The card that is shown, with everything around it.
    pub(super) fn prompt(&self) -> Option<Prompt<'_>> {
        let shown = self.shown.as_ref()?;
        Some(Prompt {
            text: &shown.text,
            choices: &shown.choices,
            notice: shown.notice.as_deref(),
            live: shown.inert.is_none(),
        })
    }

    /// Whether a long text is being read.
    pub(super) fn reads(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.reading.is_some())
    }

    /// What waits and is alike to the card `id`, with it; nothing, where it is answered by itself. Of its own session alone.
    pub(super) fn alike_to(&self, id: ApprovalId) -> Vec<&Card> {
        let cards = || self.waiting.iter().map(|waiting| &waiting.card);
        let Some(card) = cards().find(|card| card.approval_id == id) else { return Vec::new() };
        let Some(key) = alike(card) else { return Vec::new() };
        let same = |other: &&Card| other.session_id == card.session_id && alike(other).as_ref() == Some(&key);
        cards().filter(same).collect()
    }

    /// Another number of cards waits.
    pub(super) fn recount(&mut self) -> io::Result<()> {
        let others = self.waiting.len().saturating_sub(1);
        let alike = self.shown.as_ref().map_or(0, |shown| self.alike_to(shown.id).len());
        let line = self.questions.in_line();
        let Some(shown) = &mut self.shown else {
            return Ok(());
        };
        let waiting = self.waiting.iter().find(|waiting| waiting.card.approval_id == shown.id);
        let Some(Waiting { card, .. }) = waiting else {
            return Ok(());
        };
        shown.choices.set_waiting(card, others, line, alike);
        self.draw()
    }

    /// The screen has another size.
    pub(super) fn resized(&mut self) -> io::Result<()> {
        let width = self.tty.size().width;
        let Some(shown) = &mut self.shown else {
            return Ok(());
        };
        let waiting = self.waiting.iter().find(|waiting| waiting.card.approval_id == shown.id);
        if let Some(Waiting { card, change, .. }) = waiting.filter(|_| shown.width != width) {
            shown.text = CardText::new(card, *change, width);
            shown.width = width;
            if let Some((pager, text)) = &mut shown.reading {
                pager.replace(match text {
                    Text::Everything => everything(card, *change, width),
                    Text::Help => wording::help(width, &shown.choices.offered()),
                });
            }
        }
        self.draw()
    }

    /// Opens a long text on the second screen.
    pub(super) fn open(&mut self, text: Text) -> io::Result<()> {
        let width = self.tty.size().width;
        let Some(shown) = &mut self.shown else {
            return Ok(());
        };
        let waiting = self.waiting.iter().find(|waiting| waiting.card.approval_id == shown.id);
        let Some(Waiting { card, change, .. }) = waiting else {
            return Ok(());
        };
        let lines = match text {
            Text::Everything => everything(card, *change, width),
            Text::Help => wording::help(width, &shown.choices.offered()),
        };
        shown.reading = Some((Pager::new(lines), text));
        self.canvas.leave(&[])?;
        self.tty.second_screen(true)?;
        self.draw()
    }

    /// A key for the text that is being read. Back at the card, its keys are inert again.
    pub(super) fn turn(&mut self, key: Key) -> io::Result<()> {
        let size = self.tty.size();
        let Some(shown) = &mut self.shown else {
            return Ok(());
        };
        match shown.reading.as_mut().map(|(pager, _)| pager.key(key, size)) {
            Some(Turn::Closed) => {
                let id = shown.id;
                self.show(id, None)
            }
            _ => self.draw(),
        }
    }

    /// Leaves a line in place of a card that is no more.
    pub(super) fn settled(&mut self, id: ApprovalId, line: Line) -> io::Result<()> {
        self.said.push(line);
        if self.shown.as_ref().is_some_and(|shown| shown.id == id) {
            self.shown = None;
            self.tty.first_screen()?;
        }
        if self.shown.is_some() {
            return self.recount();
        }
        // It may never have been shown: the agent's line must be ended all the same.
        self.screen.begin_prompt()?;
        self.say()
    }

    /// Says what is to be said, in place of the card.
    fn say(&mut self) -> io::Result<()> {
        let said = std::mem::take(&mut self.said);
        self.canvas.leave(&said)
    }

    /// Gives the terminal back.
    pub(super) fn close(&mut self) -> io::Result<()> {
        self.shown = None;
        self.tty.first_screen()?;
        self.say()?;
        self.tty.restore();
        self.decoder = Decoder::default();
        self.screen.end_prompt()
    }
}
