//! What the choices do.

use std::io;

use mayi_core::approval::{AnswerError, ApprovalId, ApprovalResponse, Card, State, choice};

use super::choices::Action;
use super::desk::Desk;
use super::line::{Line, Tone};
use super::lists::{LEAST_COLUMNS, LEAST_ROWS, Lists};
use super::showing::Text;
use super::wording;

/// This surface, as others hear of it.
const NAME: &str = "terminal";

impl Desk {
    /// Does what was chosen on the card that is shown.
    pub(super) fn act(&mut self, action: Action) -> io::Result<()> {
        let id = self.shown.as_ref().map(|shown| shown.id);
        let waiting = id.and_then(|id| self.waiting_mut(id));
        let Some((card, read)) = waiting.map(|waiting| (waiting.card.clone(), waiting.read)) else {
            return Ok(());
        };
        // What was not on the screen is not allowed: the press shows it.
        if action.allows() && !read {
            return self.open(Text::Everything);
        }
        match action {
            Action::AllowOnce => {
                let response = ApprovalResponse::pick(&card, choice::ALLOW_ONCE);
                self.answer(&card, response, &allowed("allowed once"))
            }
            Action::AllowSession => {
                let response = ApprovalResponse::pick(&card, choice::ALLOW_SESSION);
                self.answer(&card, response, &allowed("allowed for this session"))
            }
            Action::Deny => {
                self.answer(&card, ApprovalResponse::pick(&card, choice::DENY), &denied("denied", None))
            }
            Action::Everything => self.open(Text::Everything),
            Action::Help => self.open(Text::Help),
            Action::DenyBecause
            | Action::Never
            | Action::Always
            | Action::AgentOptions
            | Action::Bypass
            | Action::Alike
            | Action::List => self.ask_further(&card, action),
        }
    }

    /// What needs a list or a field.
    fn ask_further(&mut self, card: &Card, action: Action) -> io::Result<()> {
        let size = self.tty.size();
        if size.height < LEAST_ROWS || size.width < LEAST_COLUMNS {
            return self.show(card.approval_id, Some("the window is too small for this".to_owned()));
        }
        let lists = Lists::new(self.tty.term()?, self.color);
        self.canvas.leave(&[])?;
        self.tty.second_screen(false)?;
        self.tty.discard_input()?;
        let answered = match action {
            Action::DenyBecause => self.deny_because(&lists, card, size),
            Action::Never => self.never(&lists, card, size),
            Action::Always => self.always(&lists, card, size),
            Action::AgentOptions => self.agent_options(&lists, card, size),
            Action::Bypass => self.bypass(&lists, card, size),
            Action::Alike => self.together(&lists, card, size),
            _ => self.list(&lists, card, size),
        };
        self.tty.first_screen()?;
        self.tty.discard_input()?;
        self.decoder = super::key::Decoder::default();
        match answered {
            Ok(Next::Answer(response, said)) => self.answer(card, response, &said),
            Ok(Next::Answers(cards, option, said)) => {
                // Each is about what was listed: one that has changed since is refused, and asked about again.
                cards
                    .iter()
                    .try_for_each(|card| self.answer(card, ApprovalResponse::pick(card, option), &said))
            }
            Ok(Next::Show(id)) if self.questions.waiting().iter().any(|card| card.approval_id == id) => {
                self.show(id, None)
            }
            // Settled elsewhere meanwhile: the news of it is on the way.
            Ok(Next::Show(_)) => {
                self.shown = None;
                Ok(())
            }
            // Ctrl-C in a list.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => self.interrupted(),
            Err(error) => Err(error),
        }
    }

    /// Hands an answer in. A refused one is explained, and asked for again.
    fn answer(&mut self, card: &Card, response: ApprovalResponse, said: &Said) -> io::Result<()> {
        let id = card.approval_id;
        match self.questions.answer(response, NAME) {
            Ok(_) => {
                self.take(id);
                self.settled(id, said.line(card))
            }
            Err(AnswerError::Settled { by, state }) => {
                self.take(id);
                self.settled(id, wording::settled(card, state, &by, Some("before your answer")))
            }
            Err(AnswerError::Unknown) => {
                self.take(id);
                self.settled(id, wording::settled(card, State::Cancelled, "", None))
            }
            Err(error) => self.show(id, Some(error.to_string())),
        }
    }
}

/// What follows a list.
pub(super) enum Next {
    Answer(ApprovalResponse, Said),
    /// The same option for several.
    Answers(Vec<Card>, &'static str, Said),
    Show(ApprovalId),
}

/// What an answer leaves on the screen.
pub(super) struct Said {
    tone: Tone,
    what: String,
    reason: Option<String>,
}

impl Said {
    fn line(&self, card: &Card) -> Line {
        let line = Line::of(self.tone, &format!("{}: ", self.what)).join(wording::summary(card));
        match &self.reason {
            Some(reason) => line.then(Tone::Dim, &format!(" ({reason})")),
            None => line,
        }
    }
}

pub(super) fn allowed(what: &str) -> Said {
    Said { tone: Tone::Good, what: format!("✓ {what}"), reason: None }
}

pub(super) fn denied(what: &str, reason: Option<&str>) -> Said {
    Said { tone: Tone::Bad, what: format!("✗ {what}"), reason: reason.map(str::to_owned) }
}
