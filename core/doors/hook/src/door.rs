//! The door: an event comes in, the gate decides, an answer goes out.

use jiff::SignedDuration;
use mayi_core::gate::{Gate, OnAsk, Refusal, Session, Verdict};
use mayi_core::policy::{Decision, Mode};
use mayi_doors::{AFTER_A_REFUSAL, mode_told};

use crate::call::{Homes, call};
use crate::event::{Event, Kind, Own};
use crate::harness::{Answer, Harness, Say};

/// Answers for a session end when the harness tells of its end, and after this time at the latest: some never tell.
pub const LONGEST_SESSION: SignedDuration = SignedDuration::from_hours(24);

/// What becomes of an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskVia {
    /// The harness asks the person, where it can; else it is denied.
    Harness,
    /// It waits for a person at any of mayi's surfaces, as long as the gate's own limit says.
    Inbox,
}

/// The door for one harness.
pub struct HookDoor {
    /// What decides.
    pub gate: Gate,
    /// Whose events they are.
    pub harness: &'static Harness,
    /// The home folders that `~` could be.
    pub homes: Homes,
    /// What becomes of an ask.
    pub ask_via: AskVia,
}

impl HookDoor {
    /// What mayi says to `event` of `session`, which the gate does not know yet. Waits for a person where that is wanted; everything
    /// else is there at once.
    ///
    /// # Errors
    /// If the record can't be read or written, in one line: what the event is about has to be blocked then.
    pub async fn answer(&self, event: &Event, mut session: Session) -> Result<Answer, String> {
        if event.mode == Own::Plans {
            // The stricter of the two counts.
            session.mode = Some(Mode::Plan);
        }
        let id = session.id.clone();
        self.gate.open_session(session.clone());
        let say = match event.kind {
            Kind::Before | Kind::Request => self.decide(event, &session).await?,
            Kind::After => {
                let call = call(self.harness, event, &session, &self.homes);
                // What ran unasked is in the record: nobody can stop it any more.
                self.gate.ended(call, &event.how).map_err(|error| error.to_string())?;
                Say::Nothing
            }
            Kind::Begins | Kind::SubAgentBegins => Say::Tell(briefing(self.gate.mode(&id))),
            Kind::Ends => {
                self.gate.session_ended(&id).map_err(|error| error.to_string())?;
                Say::Nothing
            }
            Kind::Other => Say::Nothing,
        };
        Ok(Answer { say, notice: None })
    }

    async fn decide(&self, event: &Event, session: &Session) -> Result<Say, String> {
        let call = call(self.harness, event, session, &self.homes);
        let request = event.kind == Kind::Request;
        // The harness asks although the tool was judged: it has rules of its own that are stricter, or mayi has said "ask". The
        // question is the person's.
        if request && self.gate.judged_before(&call).map_err(|error| error.to_string())?.is_some() {
            return Ok(Say::Nothing);
        }
        let on_ask = match self.ask_via {
            AskVia::Inbox => OnAsk::Wait,
            AskVia::Harness if (self.harness.asks)(event) => OnAsk::Leave,
            AskVia::Harness => OnAsk::Deny,
        };
        let mut ticket = self.gate.submit_as(call, &[], on_ask);
        let verdict = match ticket.at_once() {
            Some(verdict) => verdict,
            None => ticket.verdict().await,
        };
        Ok(match verdict {
            Verdict::Allowed(authorized) => Say::Allow(allowed(authorized.decision())),
            Verdict::Denied(refusal) if refusal.left => {
                Say::Ask(format!("mayi: {}", because(&refusal.decision)))
            }
            Verdict::Denied(refusal) => Say::Deny(self.refused(&refusal)),
            Verdict::Cancelled => Say::Deny("mayi: the question was withdrawn".to_owned()),
        })
    }

    fn refused(&self, refusal: &Refusal) -> String {
        let how = match (refusal.unanswered, self.ask_via) {
            (true, AskVia::Harness) => {
                "; the person can allow it by a rule, or have mayi wait for an answer with --ask-via inbox"
            }
            _ => "",
        };
        format!("mayi: {}{how}", refusal.reason)
    }
}

/// Why it is allowed, in few words.
fn allowed(decision: &Decision) -> String {
    format!("mayi: {}", because(decision))
}

/// The reason that `decision` turned on, as others may hear it.
fn because(decision: &Decision) -> String {
    decision
        .because()
        .map(|finding| finding.relayed().to_owned())
        .unwrap_or_else(|| decision.effect.to_string())
}

/// What a model is told when it begins.
fn briefing(mode: Mode) -> String {
    format!(
        "[mayi] The user's permission gate judges each tool call of this session before it runs.\n{}\n{AFTER_A_REFUSAL}",
        mode_told(mode)
    )
}
