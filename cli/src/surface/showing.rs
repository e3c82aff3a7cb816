//! What stands on the screen: the card, what becomes of it, and long texts.

use std::io;
use std::time::{Duration, Instant};

use mayi_core::approval::{ApprovalId, Card, alike};

use super::card::{CardText, Look};
use super::choices::Choices;
use super::desk::{Desk, Waiting};
use super::everything::{Everything, everything};
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

impl Text {
    /// Its rows, and how many of them are what is asked.
    fn of(self, waiting: &Waiting, choices: &Choices, look: Look) -> Everything {
        match self {
            Self::Everything => everything(&waiting.card, waiting.change, look),
            Self::Help => Everything { rows: wording::help(look.width, &choices.offered()), asked: 0 },
        }
    }
}

impl Desk {
    /// Shows a card, with a notice if an answer was refused. Its keys are inert at first.
    pub(super) fn show(&mut self, id: ApprovalId, notice: Option<String>) -> io::Result<()> {
        self.screen.begin_prompt()?;
        self.tty.first_screen()?;
        self.tty.take_keys()?;
        let others = self.waiting.len().saturating_sub(1);
        let look = self.look();
        let (alike, line) = (self.alike_to(id).len(), self.questions.in_line());
        let Some(waiting) = self.waiting_mut(id) else {
            return Ok(());
        };
        waiting.seen = true;
        let words = wording::waits_for(&waiting.card);
        self.shown = Some(Shown {
            id,
            choices: Choices::new(&waiting.card, others).with_line(line).with_alike(alike),
            inert: Some(Instant::now() + INERT),
            notice,
            text: CardText::new(&waiting.card, waiting.change, look),
            width: look.width,
            reading: None,
        });
        self.tty.blocked(words)?;
        self.draw()
    }

    /// Draws the card as it is now, or the text that is being read.
    pub(super) fn draw(&mut self) -> io::Result<()> {
        let size = self.tty.size();
        if let Some(Shown { reading: Some((pager, _)), .. }) = &mut self.shown {
            pager.shown(size);
            return self.canvas.fill(&pager.lines(size));
        }
        if !self.said.is_empty() {
            self.say()?;
        }
        let Some(drawn) = self.prompt().map(|prompt| prompt.drawn(size)) else {
            return Ok(());
        };
        if drawn.whole {
            self.has_read();
        }
        self.canvas.draw(&drawn.rows)
    }

    /// All that the shown card asks was on the screen.
    fn has_read(&mut self) {
        let id = self.shown.as_ref().map(|shown| shown.id);
        if let Some(waiting) = id.and_then(|id| self.waiting_mut(id)) {
            waiting.read = true;
        }
    }

    /// How the screen is.
    fn look(&self) -> Look {
        Look { width: self.tty.size().width, carets: self.canvas.is_plain() }
    }

    /// The card that is shown, with everything around it.
    pub(super) fn prompt(&self) -> Option<Prompt<'_>> {
        let shown = self.shown.as_ref()?;
        let waiting = self.waiting.iter().find(|waiting| waiting.card.approval_id == shown.id);
        Some(Prompt {
            text: &shown.text,
            choices: &shown.choices,
            notice: shown.notice.as_deref(),
            live: shown.inert.is_none(),
            read: waiting.is_some_and(|waiting| waiting.read),
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
        let look = self.look();
        let Some(shown) = &mut self.shown else {
            return Ok(());
        };
        let waiting = self.waiting.iter().find(|waiting| waiting.card.approval_id == shown.id);
        if let Some(waiting) = waiting.filter(|_| shown.width != look.width) {
            shown.text = CardText::new(&waiting.card, waiting.change, look);
            shown.width = look.width;
            if let Some((mut pager, text)) = shown.reading.take() {
                let Everything { rows, asked } = text.of(waiting, &shown.choices, look);
                pager.replace(rows, asked);
                shown.reading = Some((pager, text));
            }
        }
        self.draw()
    }

    /// Opens a long text on the second screen.
    pub(super) fn open(&mut self, text: Text) -> io::Result<()> {
        let look = self.look();
        let Some(shown) = &mut self.shown else {
            return Ok(());
        };
        let waiting = self.waiting.iter().find(|waiting| waiting.card.approval_id == shown.id);
        let Some(waiting) = waiting else {
            return Ok(());
        };
        let Everything { rows, asked } = text.of(waiting, &shown.choices, look);
        shown.reading = Some((Pager::new(rows, asked), text));
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
        let Some((pager, text)) = &mut shown.reading else { return self.draw() };
        let turned = pager.key(key, size);
        let read = matches!(text, Text::Everything) && pager.has_read();
        let id = shown.id;
        match turned {
            Turn::Closed => {
                if read {
                    self.has_read();
                }
                self.show(id, None)
            }
            Turn::Moved => self.draw(),
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
        let heard = self.hear_out();
        self.tty.restore();
        heard?;
        self.decoder = Decoder::default();
        self.screen.end_prompt()
    }
}
