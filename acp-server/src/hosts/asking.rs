//! Asking in a session: the same id with the same call is the same question.

use std::sync::Arc;
use std::time::Duration;

use mayi_core::approval::ApprovalId;
use mayi_core::call::digest_of;
use mayi_core::gate::{Gate, ReportedEnd, Ticket, Verdict};
use mayi_core::policy::Effect;
use mayi_doors::task::spawn;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::HostChat;
use super::calls::{Begun, HostedCall, outcome_of};
use crate::api::{HostAsk, HostEvent, HostOutcome, HostStatus, HostVerdict};
use crate::error::RpcError;

/// The longest that a question may be told to wait.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// Maximum length of an id and of a name of the app's, in bytes.
const LONGEST_ID: usize = 256;
/// Maximum length of a title, in bytes.
const LONGEST_TITLE: usize = 4096;

impl HostChat {
    /// Asks whether a call may run, or finds that it was asked already. `places`: those that questions of strangers take, as
    /// long as they wait.
    ///
    /// # Errors
    /// If the call makes no sense, its id was used for another one, the session is closed, or there is no place.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        asked: HostAsk,
        places: Option<Arc<Semaphore>>,
    ) -> Result<HostOutcome, RpcError> {
        let (id, waits) = (asked.call_id.clone(), asked.wait.unwrap_or(true));
        check_id("callId", &id)?;
        asked.tool.as_deref().map_or(Ok(()), |tool| check_id("tool", tool))?;
        if asked.title.as_ref().is_some_and(|title| title.len() > LONGEST_TITLE) {
            return Err(RpcError::Params(format!("a title has at most {LONGEST_TITLE} bytes")));
        }
        let call = match self.calls.begin(&id, digest_of_asked(&asked), self.gate.gate().mode(&self.id))? {
            Begun::New(begun) => {
                // Whoever asks may be gone before it is handed in: it is followed all the same.
                let handed_in = spawn(Arc::clone(self).hand_in(asked, Arc::clone(&begun), places));
                handed_in.await.map_err(|error| RpcError::Internal(error.to_string()))??;
                begun
            }
            Begun::Known(known) => known,
        };
        if !waits {
            call.decided_or_asked().await;
        }
        match call.approval() {
            Some(approval) if !waits && !call.is_settled() => self.asked_outcome(id, &call, approval).await,
            _ => Ok(call.decided().await),
        }
    }

    /// Hands a new call in, and has it followed.
    async fn hand_in(
        self: Arc<Self>,
        asked: HostAsk,
        begun: Arc<HostedCall>,
        places: Option<Arc<Semaphore>>,
    ) -> Result<(), RpcError> {
        let id = asked.call_id.clone();
        let (chat, of) = (Arc::clone(&self), Arc::clone(&begun));
        let submitted = tokio::task::spawn_blocking(move || chat.submit(asked, &of, places)).await;
        match submitted.map_err(|error| RpcError::Internal(error.to_string())).flatten() {
            Ok((ticket, place)) => {
                self.follow(id, begun, ticket, place);
                Ok(())
            }
            Err(error) => {
                self.calls.forget(&id);
                // Who joined it meanwhile hears that it is none.
                let reason = Some("the call was not understood".to_owned());
                let none = HostOutcome { reason, ..outcome_of(id, HostVerdict::Cancelled) };
                begun.decide(none, self.gate.gate().mode(&self.id));
                begun.note_told();
                Err(error)
            }
        }
    }

    /// Hands the call in. Blocks.
    fn submit(
        self: &Arc<Self>,
        asked: HostAsk,
        of: &HostedCall,
        places: Option<Arc<Semaphore>>,
    ) -> Result<(Ticket, Option<OwnedSemaphorePermit>), RpcError> {
        self.gate.refresh();
        let limit = asked.timeout_seconds.map(|seconds| Duration::from_secs(seconds.max(1)).min(LONGEST));
        let id = asked.call_id.clone();
        let call = self.build_call(asked)?;
        let gate = self.gate.gate();
        let place = match places.map(Semaphore::try_acquire_owned) {
            Some(Ok(place)) => Some(place),
            Some(Err(_)) if gate.preview_effect(&call) == Effect::Ask => {
                let text = "too many programs wait for an answer already: ask again later";
                return Err(RpcError::of_session("busy", text));
            }
            _ => None,
        };
        of.keep_refused(&call);
        let ticket = gate.submit_within(call, limit);
        if let Some(approval) = ticket.approval_id() {
            self.gate.note_asking(approval, self, &id);
            of.note_asked(approval);
        }
        Ok((ticket, place))
    }

    /// Waits for the verdict, also when whoever asked is gone: they may come back, and ask for it by its id.
    fn follow(
        self: &Arc<Self>,
        id: String,
        call: Arc<HostedCall>,
        ticket: Ticket,
        place: Option<OwnedSemaphorePermit>,
    ) {
        let chat = Arc::clone(self);
        spawn(async move {
            let verdict = tokio::select! {
                verdict = ticket.verdict() => verdict,
                // The ticket is dropped, and withdraws the question with that.
                () = call.withdrawn() => Verdict::Cancelled,
            };
            drop(place);
            let outcome = outcome_of_verdict(id.clone(), &call, verdict).await;
            if let Some(approval) = outcome.approval_id {
                chat.gate.forget_asking(approval);
            }
            call.decide(outcome.clone(), chat.gate.gate().mode(&chat.id));
            chat.calls.settle(&id, outcome.approval_id.is_some());
            chat.tell(&HostEvent::Outcome { outcome: Box::new(outcome) });
            call.note_told();
        });
    }

    /// What became of a call, or that it waits: after `wait` at the latest, and where its card is another one than was `seen`.
    ///
    /// # Errors
    /// If there is no such call.
    pub(crate) async fn await_outcome(
        self: &Arc<Self>,
        id: &str,
        wait: Option<Duration>,
        seen: Option<&str>,
    ) -> Result<HostOutcome, RpcError> {
        let call = self.calls.find(id)?;
        let other_card = async {
            match seen {
                None => std::future::pending().await,
                Some(seen) => call.shown_otherwise(seen).await,
            }
        };
        let limit = async {
            match wait {
                None => std::future::pending().await,
                Some(wait) => tokio::time::sleep(wait.min(LONGEST)).await,
            }
        };
        tokio::select! {
            biased;
            outcome = call.decided() => return Ok(outcome),
            () = other_card => {}
            () = limit => {}
        }
        match call.approval() {
            Some(approval) => self.asked_outcome(id.to_owned(), &call, approval).await,
            None => Ok(outcome_of(id.to_owned(), HostVerdict::Asked)),
        }
    }

    /// A question that waits, looked up where it may block; or how it was decided, if it was just then.
    async fn asked_outcome(
        self: &Arc<Self>,
        id: String,
        call: &HostedCall,
        approval: ApprovalId,
    ) -> Result<HostOutcome, RpcError> {
        let chat = Arc::clone(self);
        let found = tokio::task::spawn_blocking(move || waiting_outcome(id, approval, chat.gate.gate()));
        let found = found.await.map_err(|error| RpcError::Internal(error.to_string()))?;
        // What was shown and waits no more is answered: the verdict is on its way.
        Ok(if found.card.is_none() && call.was_shown() { call.decided().await } else { found })
    }

    /// Withdraws a call, or all that wait.
    ///
    /// # Errors
    /// If there is no such call.
    pub(crate) fn withdraw(&self, id: Option<&str>) -> Result<(), RpcError> {
        match id {
            Some(id) => self.calls.find(id)?.withdraw(),
            None => self.calls.all(false).iter().for_each(|call| call.withdraw()),
        }
        Ok(())
    }

    /// The app tells what it did. A call that was not allowed and runs all the same has run unasked (D7.9). Blocks.
    ///
    /// # Errors
    /// If there is no such call, it waits still, or has ended otherwise.
    pub(crate) fn report(&self, id: &str, status: HostStatus) -> Result<(), RpcError> {
        let call = self.calls.find(id)?;
        let (verdict, news) = call.report(status)?;
        if !news {
            return Ok(());
        }
        let gate = self.gate.gate();
        if verdict == HostVerdict::Allowed {
            match status {
                HostStatus::Started => gate.report_started(&self.id, id),
                HostStatus::Completed => gate.report_finished(&self.id, id, "completed"),
                HostStatus::Failed => gate.report_finished(&self.id, id, "failed"),
            }
        } else if let Some(refused) = call.take_refused() {
            let end = if status == HostStatus::Failed { ReportedEnd::Failed } else { ReportedEnd::Ran };
            gate.judge_reported(&refused, end);
        }
        Ok(())
    }
}

/// What makes a call the same one.
fn digest_of_asked(asked: &HostAsk) -> mayi_core::call::Digest {
    let diffs: Vec<_> =
        asked.diffs.iter().map(|diff| json!([diff.path, diff.old_text, diff.new_text])).collect();
    digest_of(&json!([asked.call, asked.tool, asked.input, diffs, asked.title, asked.category]))
}

/// # Errors
/// If an id or a name of the app's is empty, or longer than anybody's.
pub(super) fn check_id(name: &str, id: &str) -> Result<(), RpcError> {
    if (1..=LONGEST_ID).contains(&id.len()) {
        return Ok(());
    }
    Err(RpcError::Params(format!("`{name}` has 1 to {LONGEST_ID} bytes")))
}

/// A question that waits; without a card, where it waits in line behind others.
pub(super) fn waiting_outcome(id: String, approval: ApprovalId, gate: &Gate) -> HostOutcome {
    let card = gate.waiting_cards().into_iter().find(|card| card.approval_id == approval).map(Box::new);
    HostOutcome { approval_id: Some(approval), card, ..outcome_of(id, HostVerdict::Asked) }
}

/// The verdict, with what was granted along with it.
async fn outcome_of_verdict(id: String, call: &HostedCall, verdict: Verdict) -> HostOutcome {
    let approval_id = call.approval();
    let resolved = match approval_id {
        // Who allowed it has seen it.
        Some(_) => call.resolution(matches!(verdict, Verdict::Allowed(_))).await,
        None => None,
    };
    let granted = resolved.as_ref().map(|resolved| resolved.granted_permissions.clone()).unwrap_or_default();
    let by = resolved.as_ref().map(|resolved| resolved.by.clone());
    let none = HostOutcome { approval_id, granted, ..outcome_of(id, HostVerdict::Cancelled) };
    match verdict {
        Verdict::Allowed(authorized) => HostOutcome {
            outcome: HostVerdict::Allowed,
            by: by.or_else(|| Some(authorized.decided_by().as_str().to_owned())),
            why: authorized.decision().trail.clone(),
            ..none
        },
        Verdict::Denied(refusal) => {
            let who = match (refusal.by_person, refusal.unanswered) {
                (true, _) => "person",
                (false, true) if approval_id.is_some() => "time limit",
                _ => "policy",
            };
            HostOutcome {
                outcome: HostVerdict::Denied,
                by: by.or_else(|| Some(who.to_owned())),
                reason: Some(refusal.reason),
                why: refusal.decision.trail,
                ..none
            }
        }
        Verdict::Cancelled => HostOutcome {
            by,
            reason: Some(
                resolved
                    .and_then(|resolved| resolved.reason)
                    .unwrap_or_else(|| "the question was withdrawn".to_owned()),
            ),
            ..none
        },
    }
}
