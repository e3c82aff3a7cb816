//! What an answer does.

use jiff::Timestamp;

use super::queue::Question;
use super::remembered_answers::{self, chosen_option_id};
use super::{
    AnswerPersistence, Authorized, DecidedBy, Gate, GateEvent, GateState, JudgedCall, KeepError, Ledger,
    Refusal, Verdict,
};
use crate::approval::{
    AnswerError, ApprovalId, ApprovalResolved, ApprovalResponse, RememberScope, State, choice,
};
use crate::call::Call;
use crate::grant::{Grant, Scope};
use crate::policy::{Effect, Policy};
use crate::record::Redactor;
use crate::store::{Change, Conflict, StoreError};
use crate::writer::EntryWriter;

impl Gate {
    /// Takes an answer from the surface `by`. First answer wins.
    ///
    /// # Errors
    /// If the approval is settled, unknown or has changed since it was shown, or if what should be
    /// remembered can't be: then it still waits.
    pub fn answer(&self, response: ApprovalResponse, by: &str) -> Result<ApprovalResolved, AnswerError> {
        self.lock().answer(&response, by, || {})
    }
}

impl GateState {
    /// Takes an answer. `taken` is called once it is written down, and before anything comes of it: this process may end by
    /// that, and whoever answered has to hear of it.
    pub(super) fn answer(
        &mut self,
        response: &ApprovalResponse,
        by: &str,
        taken: impl FnOnce(),
    ) -> Result<ApprovalResolved, AnswerError> {
        let found = self.queue.find(response.approval_id)?;
        let how = found.check_answer(response)?;
        let bypasses = response.bypass_all || response.bypass_session;
        if bypasses && how != State::Approved {
            return Err(AnswerError::Remember("a bypass goes with an allow, not with a denial".to_owned()));
        }
        let question = found.question();
        if response.bypass_session {
            let agent = &question.judged.call.agent;
            self.ledger
                .keeper()
                .check_bypass_allowed(agent)
                .map_err(|error| AnswerError::Remember(error.to_string()))?;
        }
        let now = Timestamp::now();
        let grants = remembered_answers::grants_from_answer(question, response, how, now)?;
        let alone = self.judge.sessions.has_independent_requests(&question.judged.call.session);
        check_can_be_kept(&self.ledger, &question.judged.call, (&grants, response), alone)?;
        // Written before the answer counts: an answer whose rule could not be written is not half
        // taken.
        let policy = write_remembered(self.ledger.keeper(), &question.judged, response)?;
        let resolved = ApprovalResolved {
            granted_permissions: remembered_answers::describe_permissions(
                question,
                response,
                &grants,
                policy.is_some(),
            ),
            ..ApprovalResolved::new(response.approval_id, how, by.to_owned(), now, response.reason.clone())
        };
        if let Err(error) =
            self.ledger.record_answer(&question.judged, response, &resolved, (&grants, &self.judge.sessions))
        {
            return Err(self.answer_write_error(response.approval_id, &error));
        }
        let Question { judged, reply, .. } = found.settle(&resolved);
        taken();
        // A denial has ended what it contradicts, and the like is asked about.
        let judges_again = policy.is_some() || !grants.is_empty() || how == State::Denied;
        for grant in grants {
            match self.ledger.memory() {
                Some(memory) if memory.is_secret(&judged.call, &grant) => {
                    self.judge.grants.add_only_here(grant)
                }
                _ => self.judge.grants.add(grant),
            }
        }
        let session = judged.call.session.clone();
        let verdict = self.verdict_of_answer(judged, response, how);
        // First: what the agent says when it has the answer stands behind it.
        self.listeners.notify(&GateEvent::Resolved(resolved.clone()));
        self.deliver_verdict(verdict, reply);
        self.show_next(&session);
        if let Some(policy) = policy {
            self.apply_policy(policy);
        }
        if judges_again {
            // A bypass answers nothing that waits already (D6.19).
            self.rejudge_waiting(!bypasses);
        }
        Ok(resolved)
    }

    /// What an answer makes of a call.
    fn verdict_of_answer(&mut self, judged: JudgedCall, response: &ApprovalResponse, how: State) -> Verdict {
        let picked = chosen_option_id(response).strip_prefix(choice::AGENT).map(str::to_owned);
        match how {
            State::Approved => Verdict::Allowed(Authorized::new(judged, DecidedBy::Person, picked)),
            State::Denied => {
                let gone = self.judge.grants.record_denial(&judged.call, &judged.decision.categories);
                let at = Timestamp::now();
                self.ledger
                    .commit_or_warn(|_| gone.into_iter().map(|id| Change::Revoke { id, at }).collect());
                let reason = match response.reason.as_deref().map(str::trim) {
                    Some(reason) if !reason.is_empty() => format!("the user said no: {reason}"),
                    _ => "the user said no".to_owned(),
                };
                let refusal = Refusal::from_denial(judged, Some(&reason));
                Verdict::Denied(Refusal { by_person: true, picked_option: picked, ..refusal })
            }
            State::Pending | State::Cancelled | State::Expired => Verdict::Cancelled,
        }
    }

    /// An answer could not be written down: the question stands, unless the store says that it is settled.
    fn answer_write_error(&mut self, id: ApprovalId, error: &StoreError) -> AnswerError {
        match error {
            StoreError::Conflict(Conflict::Settled { state, by, .. }) => {
                let error = AnswerError::Settled { by: by.clone(), state: *state };
                self.settle(id, State::Cancelled, "mayi", Some("interrupted"));
                error
            }
            error => AnswerError::Store(error.to_string()),
        }
    }
}

/// Whether what an answer grants can be remembered as long as it says. `alone`: it is about a request that stands for
/// itself.
fn check_can_be_kept(
    ledger: &Ledger,
    call: &Call,
    (grants, response): (&[Grant], &ApprovalResponse),
    alone: bool,
) -> Result<(), AnswerError> {
    let refuse = |text: String| Err(AnswerError::Remember(text));
    let of_session = |grant: &&Grant| grant.scope == Scope::Session;
    if ledger.memory().is_none() && !grants.iter().all(|grant| of_session(&grant)) {
        return refuse(
            "there is no store to remember it in (--no-record): answer for this session".to_owned(),
        );
    }
    if alone && grants.iter().any(|grant| of_session(&grant)) {
        return refuse(
            "there is no session that it could be remembered for: each request stands for itself".to_owned(),
        );
    }
    // A pattern that holds a secret is written nowhere: it counts in this session at most.
    let rule = response.remember.as_ref().filter(|remember| remembered_answers::is_rule(remember));
    let typed = rule.map(|remember| remember.patterns.as_slice()).unwrap_or_default();
    let own = EntryWriter::new([0; 0], Redactor::default());
    let writer = ledger.memory().map_or(&own, |memory| &memory.writer);
    let secret = |grant: &&Grant| ledger.memory().is_some_and(|memory| memory.is_secret(call, grant));
    let limited = |grant: &Grant| grant.expires_at.is_some() || grant.uses_left.is_some();
    let limits = match grants.iter().filter(secret).find(|grant| !of_session(grant) || limited(grant)) {
        Some(grant) if of_session(&grant) => " without limits",
        None if !typed.iter().any(|pattern| writer.finds_secret(call, pattern)) => return Ok(()),
        _ => "",
    };
    let verb = if grants.iter().any(|grant| grant.effect == Effect::Deny) { "deny" } else { "allow" };
    refuse(format!(
        "this pattern holds a secret: {verb} it for this session{limits}, or write a pattern without it"
    ))
}

/// Writes what should outlive the session to the user's file. Returns the policy that holds then.
fn write_remembered(
    keeper: &dyn AnswerPersistence,
    judged: &JudgedCall,
    response: &ApprovalResponse,
) -> Result<Option<Policy>, AnswerError> {
    let failed = |error: KeepError| AnswerError::Remember(error.to_string());
    let JudgedCall { call, decision, .. } = judged;
    if response.bypass_all {
        return keeper.bypass_agent(&call.agent).map(Some).map_err(failed);
    }
    match &response.remember {
        Some(remember)
            if chosen_option_id(response) == choice::ALLOW_ALWAYS
                && remember.scope == RememberScope::User
                && remembered_answers::is_rule(remember) =>
        {
            remembered_answers::check_patterns_cover(call, decision, &remember.patterns)?;
            keeper.allow_patterns(&call.agent, &remember.patterns).map(Some).map_err(failed)
        }
        _ => Ok(None),
    }
}
