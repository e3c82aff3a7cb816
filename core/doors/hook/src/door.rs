//! The door: an event comes in, the gate decides, an answer goes out.

use jiff::SignedDuration;
use mayi_core::gate::{Gate, OnAsk, Refusal, Session, Verdict};
use mayi_core::policy::{Decision, Mode};
use mayi_doors::{AFTER_A_REFUSAL, mode_briefing};

use crate::call::{HomeFolders, call_from_event};
use crate::event::{EventKind, HookEvent, OwnMode};
use crate::harness::{Harness, HookAnswer, HookReply};

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
    pub homes: HomeFolders,
    /// What becomes of an ask.
    pub ask_via: AskVia,
}

impl HookDoor {
    /// What mayi says to `event` of `session`, which the gate does not know yet. Waits for a person where that is wanted; everything
    /// else is there at once.
    ///
    /// # Errors
    /// If the record can't be read or written, in one line: what the event is about has to be blocked then.
    pub async fn answer_event(&self, event: &HookEvent, mut session: Session) -> Result<HookAnswer, String> {
        if event.mode == OwnMode::Plans {
            // The stricter of the two counts.
            session.mode = Some(Mode::Plan);
        }
        let id = session.id.clone();
        self.gate.open_session(session.clone());
        let say = match event.kind {
            EventKind::Before | EventKind::Request => self.decide_event(event, &session).await?,
            EventKind::After => {
                let call = call_from_event(self.harness, event, &session, &self.homes);
                // What ran unasked is in the record: nobody can stop it any more.
                self.gate.report_ended_elsewhere(call, &event.how).map_err(|error| error.to_string())?;
                HookReply::Nothing
            }
            EventKind::Begins | EventKind::SubAgentBegins => {
                HookReply::Tell(session_briefing(self.gate.mode(&id)))
            }
            EventKind::Ends => {
                self.gate.session_ended(&id).map_err(|error| error.to_string())?;
                HookReply::Nothing
            }
            EventKind::Other => HookReply::Nothing,
        };
        Ok(HookAnswer { say, notice: None })
    }

    async fn decide_event(&self, event: &HookEvent, session: &Session) -> Result<HookReply, String> {
        let call = call_from_event(self.harness, event, session, &self.homes);
        let request = event.kind == EventKind::Request;
        // The harness asks although the tool was judged: it has rules of its own that are stricter, or mayi has said "ask". The
        // question is the person's.
        if request && self.gate.find_earlier_effect(&call).map_err(|error| error.to_string())?.is_some() {
            return Ok(HookReply::Nothing);
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
            Verdict::Allowed(authorized) => HookReply::Allow(allow_reason(authorized.decision())),
            Verdict::Denied(refusal) if refusal.left => {
                HookReply::Ask(format!("mayi: {}", decision_reason(&refusal.decision)))
            }
            Verdict::Denied(refusal) => HookReply::Deny(self.refusal_text(&refusal)),
            Verdict::Cancelled => HookReply::Deny("mayi: the question was withdrawn".to_owned()),
        })
    }

    fn refusal_text(&self, refusal: &Refusal) -> String {
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
fn allow_reason(decision: &Decision) -> String {
    format!("mayi: {}", decision_reason(decision))
}

/// The reason that `decision` turned on, as others may hear it.
fn decision_reason(decision: &Decision) -> String {
    decision
        .deciding_finding()
        .map(|finding| finding.reason_for_model().to_owned())
        .unwrap_or_else(|| decision.effect.to_string())
}

/// What a model is told when it begins.
fn session_briefing(mode: Mode) -> String {
    format!(
        "[mayi] The user's permission gate judges each tool call of this session before it runs.\n{}\n{AFTER_A_REFUSAL}",
        mode_briefing(mode)
    )
}
