//! What the choices do.

use std::io;

use mayi_core::approval::{AnswerError, ApprovalId, ApprovalResponse, Card, State, choice};

use super::choices::Action;
use super::desk::TerminalPrompter;
use super::line::{Line, Tone};
use super::lists::{LEAST_COLUMNS, LEAST_ROWS, ListDialogs};
use super::screen_contents::LongText;
use super::wording;

/// This surface, as others hear of it.
const NAME: &str = "terminal";

impl TerminalPrompter {
    /// Does what was chosen on the card that is shown.
    pub(super) fn perform_action(&mut self, action: Action) -> io::Result<()> {
        let id = self.shown.as_ref().map(|shown| shown.id);
        let waiting = id.and_then(|id| self.waiting_mut(id));
        let Some((card, read)) = waiting.map(|waiting| (waiting.card.clone(), waiting.read)) else {
            return Ok(());
        };
        // What was not on the screen is not allowed: the press shows it.
        if action.leads_to_allow() && !read {
            return self.open_long_text(LongText::Everything);
        }
        match action {
            Action::AllowOnce => {
                let response = ApprovalResponse::pick(&card, choice::ALLOW_ONCE);
                self.submit_answer(&card, response, &allowed_summary("allowed once"))
            }
            Action::AllowSession => {
                let response = ApprovalResponse::pick(&card, choice::ALLOW_SESSION);
                self.submit_answer(&card, response, &allowed_summary("allowed for this session"))
            }
            Action::Deny => self.submit_answer(
                &card,
                ApprovalResponse::pick(&card, choice::DENY),
                &denied_summary("denied", None),
            ),
            Action::Everything => self.open_long_text(LongText::Everything),
            Action::Help => self.open_long_text(LongText::Help),
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
            return self.show_card(card.approval_id, Some("the window is too small for this".to_owned()));
        }
        let lists = ListDialogs::new(self.tty.dialoguer_term()?, self.color);
        self.canvas.leave_lines(&[])?;
        self.tty.second_screen(false)?;
        self.tty.discard_input()?;
        let answered = match action {
            Action::DenyBecause => self.deny_because(&lists, card, size),
            Action::Never => self.deny_always(&lists, card, size),
            Action::Always => self.allow_always(&lists, card, size),
            Action::AgentOptions => self.agent_options(&lists, card, size),
            Action::Bypass => self.choose_bypass(&lists, card, size),
            Action::Alike => self.answer_alike(&lists, card, size),
            _ => self.choose_card(&lists, card, size),
        };
        self.tty.first_screen()?;
        self.tty.discard_input()?;
        self.decoder = super::key::KeyDecoder::default();
        match answered {
            Ok(ListOutcome::Answer(response, said)) => self.submit_answer(card, response, &said),
            Ok(ListOutcome::Answers(cards, option, said)) => {
                // Each is about what was listed: one that has changed since is refused, and asked about again.
                cards.iter().try_for_each(|card| {
                    self.submit_answer(card, ApprovalResponse::pick(card, option), &said)
                })
            }
            Ok(ListOutcome::Show(id))
                if self.questions.waiting_cards().iter().any(|card| card.approval_id == id) =>
            {
                self.show_card(id, None)
            }
            // Settled elsewhere meanwhile: the news of it is on the way.
            Ok(ListOutcome::Show(_)) => {
                self.shown = None;
                Ok(())
            }
            // Ctrl-C in a list.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => self.interrupt_turn(),
            Err(error) => Err(error),
        }
    }

    /// Hands an answer in. A refused one is explained, and asked for again.
    fn submit_answer(
        &mut self,
        card: &Card,
        response: ApprovalResponse,
        said: &AnswerSummary,
    ) -> io::Result<()> {
        let id = card.approval_id;
        match self.questions.answer(response, NAME) {
            Ok(_) => {
                self.take_waiting(id);
                self.leave_settled_line(id, said.summary_line(card))
            }
            Err(AnswerError::Settled { by, state }) => {
                self.take_waiting(id);
                self.leave_settled_line(
                    id,
                    wording::settled_line(card, state, &by, Some("before your answer")),
                )
            }
            Err(AnswerError::Unknown) => {
                self.take_waiting(id);
                self.leave_settled_line(id, wording::settled_line(card, State::Cancelled, "", None))
            }
            Err(error) => self.show_card(id, Some(error.to_string())),
        }
    }
}

/// What follows a list.
pub(super) enum ListOutcome {
    Answer(ApprovalResponse, AnswerSummary),
    /// The same option for several.
    Answers(Vec<Card>, &'static str, AnswerSummary),
    Show(ApprovalId),
}

/// What an answer leaves on the screen.
pub(super) struct AnswerSummary {
    tone: Tone,
    what: String,
    reason: Option<String>,
}

impl AnswerSummary {
    fn summary_line(&self, card: &Card) -> Line {
        let line =
            Line::with_text(self.tone, &format!("{}: ", self.what)).append_line(wording::call_summary(card));
        match &self.reason {
            Some(reason) => line.append_text(Tone::Dim, &format!(" ({reason})")),
            None => line,
        }
    }
}

pub(super) fn allowed_summary(what: &str) -> AnswerSummary {
    AnswerSummary { tone: Tone::Good, what: format!("✓ {what}"), reason: None }
}

pub(super) fn denied_summary(what: &str, reason: Option<&str>) -> AnswerSummary {
    AnswerSummary { tone: Tone::Bad, what: format!("✗ {what}"), reason: reason.map(str::to_owned) }
}
