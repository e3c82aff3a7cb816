//! The desk where a person is asked: it owns the terminal while a question is open.
//!
//! It runs on a thread of its own, since it waits for keys. Everything it hears of comes through
//! its [`Mailbox`], which wakes it while it waits; so a card that was settled elsewhere goes at once.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mayi_core::approval::{ApprovalId, ApprovalResolved, Card};
use mayi_core::gate::{QuestionEvent, Questions};

use super::canvas::Canvas;
use super::card::CardChange;
use super::inbox::{Mailbox, MailboxMessage};
use super::key::{Key, KeyDecoder, can_be_typed};
use super::line::Line;
use super::screen::Screen;
use super::screen_contents::CardOnScreen;
use super::tty::Tty;
use super::wording;

/// The desk.
pub(crate) struct TerminalPrompter {
    pub(super) tty: Arc<Tty>,
    pub(super) color: bool,
    pub(super) questions: Arc<dyn Questions>,
    pub(super) canvas: Canvas,
    pub(super) screen: Screen,
    inbox: Arc<Mailbox>,
    on_cancel: Box<dyn Fn() + Send + Sync>,
    pub(super) decoder: KeyDecoder,
    /// What waits, oldest first.
    pub(super) waiting: Vec<WaitingCard>,
    pub(super) shown: Option<CardOnScreen>,
    /// What is to be said when the card is drawn next.
    pub(super) pending_lines: Vec<Line>,
}

/// A card that waits.
pub(super) struct WaitingCard {
    pub(super) card: Card,
    pub(super) change: CardChange,
    pub(super) seen: bool,
    /// All that it asks was on the screen: what allows counts only then.
    pub(super) read: bool,
}

impl TerminalPrompter {
    pub(crate) fn new(
        tty: Arc<Tty>,
        screen: Screen,
        color: bool,
        questions: Arc<dyn Questions>,
        inbox: Arc<Mailbox>,
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
            decoder: KeyDecoder::default(),
            waiting: Vec::new(),
            shown: None,
            pending_lines: Vec::new(),
        }
    }

    /// Asks until it is told to end, or the terminal is gone.
    pub(crate) fn run(mut self) -> io::Result<()> {
        let result = self.run_loop();
        let closed = self.close();
        self.tty.restore();
        self.tty.report_idle();
        result.and(closed)
    }

    fn run_loop(&mut self) -> io::Result<()> {
        loop {
            while let Some(message) = self.inbox.take_message() {
                match message {
                    MailboxMessage::Question(event) => self.apply_question_event(event)?,
                    MailboxMessage::Resized => self.apply_resize()?,
                    MailboxMessage::Close => return self.last_words(),
                }
            }
            self.show_next_card()?;
            let ready = self.tty.wait(self.inbox.wake_fd(), self.shown.is_some(), self.key_timeout())?;
            if ready.woken {
                self.inbox.clear_wakeups();
            }
            if ready.input {
                self.read_keys()?;
            } else if !ready.woken
                && let Some(key) = self.decoder.flush_pending()
            {
                self.press_key(key)?;
            }
            // After reading: what was typed until now is thrown away.
            self.enable_keys()?;
        }
    }

    /// Says what became of cards that were settled just before the end.
    fn last_words(&mut self) -> io::Result<()> {
        // The gate tells under its lock: once it was free, all has been told.
        drop(self.questions.waiting_cards());
        self.inbox.take_told_events();
        while let Some(message) = self.inbox.take_message() {
            if let MailboxMessage::Question(event @ QuestionEvent::Resolved(_)) = message {
                self.apply_question_event(event)?;
            }
        }
        Ok(())
    }

    fn apply_question_event(&mut self, event: QuestionEvent) -> io::Result<()> {
        match event {
            QuestionEvent::Asked(card) => {
                self.waiting.push(WaitingCard {
                    card: *card,
                    change: CardChange::None,
                    seen: false,
                    read: false,
                });
                self.update_waiting_count()
            }
            QuestionEvent::InLine(_) => self.update_waiting_count(),
            QuestionEvent::Updated(card) => self.update_card(*card),
            QuestionEvent::Resolved(resolved) => self.resolve_card(&resolved),
        }
    }

    fn update_card(&mut self, card: Card) -> io::Result<()> {
        let id = card.approval_id;
        let Some(place) = self.waiting_mut(id) else {
            return Ok(());
        };
        if place.seen && place.change != CardChange::Call {
            place.change = CardChange::between(&place.card, &card);
        }
        place.card = card;
        // A change has to be seen anew.
        place.read = false;
        if self.shown.as_ref().is_some_and(|shown| shown.id == id) {
            return self.show_card(id, None);
        }
        Ok(())
    }

    fn resolve_card(&mut self, resolved: &ApprovalResolved) -> io::Result<()> {
        let Some(waiting) = self.take_waiting(resolved.approval_id) else {
            return Ok(());
        };
        let line =
            wording::settled_line(&waiting.card, resolved.state, &resolved.by, resolved.reason.as_deref());
        self.leave_settled_line(resolved.approval_id, line)
    }

    /// A card that waits.
    pub(super) fn waiting_mut(&mut self, id: ApprovalId) -> Option<&mut WaitingCard> {
        self.waiting.iter_mut().find(|waiting| waiting.card.approval_id == id)
    }

    /// Takes a card out of what waits.
    pub(super) fn take_waiting(&mut self, id: ApprovalId) -> Option<WaitingCard> {
        let at = self.waiting.iter().position(|waiting| waiting.card.approval_id == id)?;
        Some(self.waiting.remove(at))
    }

    /// Shows the oldest card if none is shown; gives the terminal back if none waits.
    fn show_next_card(&mut self) -> io::Result<()> {
        if self.shown.is_some() {
            return Ok(());
        }
        if self.waiting.is_empty() {
            return self.close();
        }
        // One that the gate has settled already is not shown: the news of it is on the way.
        let open: Vec<ApprovalId> =
            self.questions.waiting_cards().iter().map(|card| card.approval_id).collect();
        match self.waiting.iter().map(|waiting| waiting.card.approval_id).find(|id| open.contains(id)) {
            Some(id) => self.show_card(id, None),
            None => Ok(()),
        }
    }

    /// How long to wait for a key.
    fn key_timeout(&self) -> Option<Duration> {
        let inert = self.shown.as_ref().and_then(|shown| shown.inert);
        let inert =
            inert.map(|until| until.saturating_duration_since(Instant::now()) + Duration::from_millis(1));
        inert.into_iter().chain(self.decoder.remaining_wait()).min()
    }

    /// Makes keys do something, once the time has passed.
    fn enable_keys(&mut self) -> io::Result<()> {
        match &mut self.shown {
            Some(shown) if shown.inert.is_some_and(|until| Instant::now() >= until) => {
                shown.inert = None;
                self.draw_screen()
            }
            _ => Ok(()),
        }
    }

    fn read_keys(&mut self) -> io::Result<()> {
        let mut bytes = [0; 1024];
        let count = self.tty.read(&mut bytes)?;
        let mut keys = self.decoder.feed(bytes.get(..count).unwrap_or_default());
        self.take_terminal_replies(&mut keys)?;
        if !self.is_reading() && !can_be_typed(&keys) {
            return if keys.contains(&Key::Interrupt) { self.interrupt_turn() } else { Ok(()) };
        }
        keys.into_iter().try_for_each(|key| self.press_key(key))
    }

    /// Takes what the terminal said by itself out of what was typed.
    fn take_terminal_replies(&self, keys: &mut Vec<Key>) -> io::Result<()> {
        let takes =
            keys.iter().find_map(|key| if let Key::StatusSupport(takes) = key { Some(*takes) } else { None });
        keys.retain(|key| !matches!(key, Key::StatusSupport(_)));
        takes.map_or(Ok(()), |takes| self.tty.set_status_support(takes))
    }

    /// Reads what the terminal may still say of what it takes: whoever reads next would take it for something typed.
    pub(super) fn drain_terminal_replies(&mut self) -> io::Result<()> {
        let mut bytes = [0; 1024];
        while let Some(left) = self.tty.reply_time_left() {
            if self.tty.has_input(left)? {
                let count = self.tty.read(&mut bytes)?;
                let mut keys = self.decoder.feed(bytes.get(..count).unwrap_or_default());
                self.take_terminal_replies(&mut keys)?;
            }
        }
        Ok(())
    }

    fn press_key(&mut self, key: Key) -> io::Result<()> {
        if key == Key::Interrupt {
            return self.interrupt_turn();
        }
        if self.is_reading() {
            return self.press_pager_key(key);
        }
        let Some(shown) = self.shown.as_mut().filter(|shown| shown.inert.is_none()) else {
            return Ok(());
        };
        match key {
            Key::Char(key) => match shown.choices.by_key(key) {
                Some(action) => return self.perform_action(action),
                None => return Ok(()),
            },
            Key::Enter => {
                let action = shown.choices.focused_action();
                return self.perform_action(action);
            }
            Key::Up => shown.choices.move_focus(false),
            Key::Down => shown.choices.move_focus(true),
            Key::Escape => shown.choices.focus_deny(),
            Key::PageUp | Key::PageDown | Key::Interrupt | Key::StatusSupport(_) => {}
        }
        self.draw_screen()
    }

    /// Ctrl-C: the turn is over, and everything that waits is withdrawn.
    pub(super) fn interrupt_turn(&mut self) -> io::Result<()> {
        self.shown = None;
        self.tty.first_screen()?;
        self.canvas.leave_lines(&[])?;
        (self.on_cancel)();
        self.questions.on_interrupt(None);
        Ok(())
    }
}
