//! The desk where a person is asked: it owns the terminal while a question is open.
//!
//! It runs on a thread of its own, since it waits for keys. Everything it hears of comes through
//! its [`Inbox`], which wakes it while it waits; so a card that was settled elsewhere goes at once.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mayi_core::approval::{ApprovalId, ApprovalResolved, Card};
use mayi_core::gate::{QuestionEvent, Questions};

use super::canvas::Canvas;
use super::card::Change;
use super::inbox::{Inbox, Message};
use super::key::{Decoder, Key, typed};
use super::line::Line;
use super::screen::Screen;
use super::showing::Shown;
use super::tty::Tty;
use super::wording;

/// The desk.
pub(crate) struct Desk {
    pub(super) tty: Arc<Tty>,
    pub(super) color: bool,
    pub(super) questions: Arc<dyn Questions>,
    pub(super) canvas: Canvas,
    pub(super) screen: Screen,
    inbox: Arc<Inbox>,
    on_cancel: Box<dyn Fn() + Send + Sync>,
    pub(super) decoder: Decoder,
    /// What waits, oldest first.
    pub(super) waiting: Vec<Waiting>,
    pub(super) shown: Option<Shown>,
    /// What is to be said when the card is drawn next.
    pub(super) said: Vec<Line>,
}

/// A card that waits.
pub(super) struct Waiting {
    pub(super) card: Card,
    pub(super) change: Change,
    pub(super) seen: bool,
    /// All that it asks was on the screen: what allows counts only then.
    pub(super) read: bool,
}

impl Desk {
    pub(crate) fn new(
        tty: Arc<Tty>,
        screen: Screen,
        color: bool,
        questions: Arc<dyn Questions>,
        inbox: Arc<Inbox>,
        on_cancel: Box<dyn Fn() + Send + Sync>,
    ) -> Self {
        let canvas = Canvas::new(Arc::clone(&tty), color);
        Self {
            tty,
            color,
            questions,
            canvas,
            screen,
            inbox,
            on_cancel,
            decoder: Decoder::default(),
            waiting: Vec::new(),
            shown: None,
            said: Vec::new(),
        }
    }

    /// Asks until it is told to end, or the terminal is gone.
    pub(crate) fn run(mut self) -> io::Result<()> {
        let result = self.serve();
        let closed = self.close();
        self.tty.restore();
        self.tty.rest();
        result.and(closed)
    }

    fn serve(&mut self) -> io::Result<()> {
        loop {
            while let Some(message) = self.inbox.take() {
                match message {
                    Message::Question(event) => self.hear(event)?,
                    Message::Resized => self.resized()?,
                    Message::Close => return self.last_words(),
                }
            }
            self.next()?;
            let ready = self.tty.wait(self.inbox.ear(), self.shown.is_some(), self.patience())?;
            if ready.woken {
                self.inbox.heard();
            }
            if ready.input {
                self.read()?;
            } else if !ready.woken
                && let Some(key) = self.decoder.idle()
            {
                self.key(key)?;
            }
            // After reading: what was typed until now is thrown away.
            self.enliven()?;
        }
    }

    /// Says what became of cards that were settled just before the end.
    fn last_words(&mut self) -> io::Result<()> {
        // The gate tells under its lock: once it was free, all has been told.
        drop(self.questions.waiting());
        self.inbox.catch_up();
        while let Some(message) = self.inbox.take() {
            if let Message::Question(event @ QuestionEvent::Resolved(_)) = message {
                self.hear(event)?;
            }
        }
        Ok(())
    }

    fn hear(&mut self, event: QuestionEvent) -> io::Result<()> {
        match event {
            QuestionEvent::Asked(card) => {
                self.waiting.push(Waiting { card: *card, change: Change::None, seen: false, read: false });
                self.recount()
            }
            QuestionEvent::InLine(_) => self.recount(),
            QuestionEvent::Updated(card) => self.updated(*card),
            QuestionEvent::Resolved(resolved) => self.resolved(&resolved),
        }
    }

    fn updated(&mut self, card: Card) -> io::Result<()> {
        let id = card.approval_id;
        let Some(place) = self.waiting_mut(id) else {
            return Ok(());
        };
        if place.seen && place.change != Change::Call {
            place.change = Change::between(&place.card, &card);
        }
        place.card = card;
        // A change has to be seen anew.
        place.read = false;
        if self.shown.as_ref().is_some_and(|shown| shown.id == id) {
            return self.show(id, None);
        }
        Ok(())
    }

    fn resolved(&mut self, resolved: &ApprovalResolved) -> io::Result<()> {
        let Some(waiting) = self.take(resolved.approval_id) else {
            return Ok(());
        };
        let line = wording::settled(&waiting.card, resolved.state, &resolved.by, resolved.reason.as_deref());
        self.settled(resolved.approval_id, line)
    }

    /// A card that waits.
    pub(super) fn waiting_mut(&mut self, id: ApprovalId) -> Option<&mut Waiting> {
        self.waiting.iter_mut().find(|waiting| waiting.card.approval_id == id)
    }

    /// Takes a card out of what waits.
    pub(super) fn take(&mut self, id: ApprovalId) -> Option<Waiting> {
        let at = self.waiting.iter().position(|waiting| waiting.card.approval_id == id)?;
        Some(self.waiting.remove(at))
    }

    /// Shows the oldest card if none is shown; gives the terminal back if none waits.
    fn next(&mut self) -> io::Result<()> {
        if self.shown.is_some() {
            return Ok(());
        }
        if self.waiting.is_empty() {
            return self.close();
        }
        // One that the gate has settled already is not shown: the news of it is on the way.
        let open: Vec<ApprovalId> = self.questions.waiting().iter().map(|card| card.approval_id).collect();
        match self.waiting.iter().map(|waiting| waiting.card.approval_id).find(|id| open.contains(id)) {
            Some(id) => self.show(id, None),
            None => Ok(()),
        }
    }

    /// How long to wait for a key.
    fn patience(&self) -> Option<Duration> {
        let inert = self.shown.as_ref().and_then(|shown| shown.inert);
        let inert =
            inert.map(|until| until.saturating_duration_since(Instant::now()) + Duration::from_millis(1));
        inert.into_iter().chain(self.decoder.patience()).min()
    }

    /// Makes keys do something, once the time has passed.
    fn enliven(&mut self) -> io::Result<()> {
        match &mut self.shown {
            Some(shown) if shown.inert.is_some_and(|until| Instant::now() >= until) => {
                shown.inert = None;
                self.draw()
            }
            _ => Ok(()),
        }
    }

    fn read(&mut self) -> io::Result<()> {
        let mut bytes = [0; 1024];
        let count = self.tty.read(&mut bytes)?;
        let mut keys = self.decoder.feed(bytes.get(..count).unwrap_or_default());
        self.hear_terminal(&mut keys)?;
        if !self.reads() && !typed(&keys) {
            return if keys.contains(&Key::Interrupt) { self.interrupted() } else { Ok(()) };
        }
        keys.into_iter().try_for_each(|key| self.key(key))
    }

    /// Takes what the terminal said by itself out of what was typed.
    fn hear_terminal(&self, keys: &mut Vec<Key>) -> io::Result<()> {
        let takes = keys.iter().find_map(|key| if let Key::Takes(takes) = key { Some(*takes) } else { None });
        keys.retain(|key| !matches!(key, Key::Takes(_)));
        takes.map_or(Ok(()), |takes| self.tty.takes(takes))
    }

    /// Reads what the terminal may still say of what it takes: whoever reads next would take it for something typed.
    pub(super) fn hear_out(&mut self) -> io::Result<()> {
        let mut bytes = [0; 1024];
        while let Some(left) = self.tty.outstanding() {
            if self.tty.has_input(left)? {
                let count = self.tty.read(&mut bytes)?;
                let mut keys = self.decoder.feed(bytes.get(..count).unwrap_or_default());
                self.hear_terminal(&mut keys)?;
            }
        }
        Ok(())
    }

    fn key(&mut self, key: Key) -> io::Result<()> {
        if key == Key::Interrupt {
            return self.interrupted();
        }
        if self.reads() {
            return self.turn(key);
        }
        let Some(shown) = self.shown.as_mut().filter(|shown| shown.inert.is_none()) else {
            return Ok(());
        };
        match key {
            Key::Char(key) => match shown.choices.by_key(key) {
                Some(action) => return self.act(action),
                None => return Ok(()),
            },
            Key::Enter => {
                let action = shown.choices.focused();
                return self.act(action);
            }
            Key::Up => shown.choices.step(false),
            Key::Down => shown.choices.step(true),
            Key::Escape => shown.choices.focus_deny(),
            Key::PageUp | Key::PageDown | Key::Interrupt | Key::Takes(_) => {}
        }
        self.draw()
    }

    /// Ctrl-C: the turn is over, and everything that waits is withdrawn.
    pub(super) fn interrupted(&mut self) -> io::Result<()> {
        self.shown = None;
        self.tty.first_screen()?;
        self.canvas.leave(&[])?;
        (self.on_cancel)();
        self.questions.interrupted(None);
        Ok(())
    }
}
