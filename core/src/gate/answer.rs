//! What an answer does.

use jiff::Timestamp;

use super::{By, Gate, GateEvent, GateState, KeepError, Memory, Refusal, Verdict, Waiting, remembered};
use crate::approval::{
    AnswerError, ApprovalId, ApprovalResolved, ApprovalResponse, Event, Outcome, Output, RememberScope,
    State, choice,
};
use crate::grant::{Grant, Scope};
use crate::policy::{Effect, Policy};
use crate::record::Redactor;
use crate::store::{Change, Conflict, OfferId, StoreError};

impl Gate {
    /// Takes an answer from the surface `by`. First answer wins.
    ///
    /// # Errors
    /// If the approval is settled, unknown or has changed since it was shown, or if what should be
    /// remembered can't be: then it still waits.
    pub fn answer(&self, response: ApprovalResponse, by: &str) -> Result<ApprovalResolved, AnswerError> {
        self.take(response, by, None)
    }

    /// The same for an answer that another process offers: it is taken in one piece with its reply, so that one that was
    /// withdrawn counts for nothing.
    pub(super) fn take(
        &self,
        response: ApprovalResponse,
        by: &str,
        offer: Option<OfferId>,
    ) -> Result<ApprovalResolved, AnswerError> {
        let mut state = self.lock();
        let how = state.queue.check(&response)?;
        if response.bypass_all && how != State::Approved {
            return Err(AnswerError::Remember("a bypass goes with an allow, not with a denial".to_owned()));
        }
        let waiting = state.waiting.get(&response.approval_id).ok_or(AnswerError::Unknown)?;
        let now = Timestamp::now();
        let remembered = remembered::grants(waiting, &response, how, now)?;
        if state.ledger.memory().is_none() && remembered.iter().any(|grant| grant.scope != Scope::Session) {
            return Err(AnswerError::Remember(
                "there is no store to remember it in (--no-record): answer for this session".to_owned(),
            ));
        }
        let of_session = remembered.iter().any(|grant| grant.scope == Scope::Session);
        if of_session && state.judge.sessions.is_alone(&waiting.call.session) {
            return Err(AnswerError::Remember(
                "there is no session that it could be remembered for: each request stands for itself"
                    .to_owned(),
            ));
        }
        state.keeps_no_secret(&remembered, &response)?;
        // Written before the answer counts: an answer whose rule could not be written is not half
        // taken.
        let policy = Self::keep(&state, &response)?;
        let (id, bypass) = (response.approval_id, response.bypass_all);
        let permissions = remembered::permissions(waiting, &response, &remembered, policy.is_some());
        let given = (&response, how, by, permissions.as_slice());
        let taken = offer.map(|id| Change::Reply { id, refused: None });
        let changes = |memory: &Memory| {
            let mut changes = answering(memory, waiting, given, &remembered, now);
            changes.extend(taken);
            changes
        };
        if let Err(error) = state.ledger.commit(changes) {
            return Err(state.unanswered(id, &error));
        }
        let event = Event::Answer { response, by: by.to_owned() };
        let (resolved, response) = match state.queue.handle(event, now) {
            Output::Settled(resolved, Some(response)) => {
                (ApprovalResolved { granted_permissions: permissions, ..resolved }, response)
            }
            Output::Refused(error) => return Err(error),
            _ => return Err(AnswerError::Unknown),
        };
        let waiting = state.waiting.remove(&id).ok_or(AnswerError::Unknown)?;
        let granted = !remembered.is_empty();
        for grant in remembered {
            match state.ledger.memory() {
                Some(memory) if memory.is_secret(&grant) => state.judge.grants.add_only_here(grant),
                _ => state.judge.grants.add(grant),
            }
        }
        state.carry_out(waiting, &response, resolved.state);
        state.tell(&GateEvent::Resolved(resolved.clone()));
        let replaced = policy.is_some();
        if let Some(policy) = policy {
            state.put_in_place(policy);
        }
        if granted || replaced {
            // A bypass answers nothing that waits already (decisions, section 6).
            state.judge_again(!bypass);
        }
        Ok(resolved)
    }

    /// Writes what should outlive the session. Returns the policy that holds then.
    fn keep(state: &GateState, response: &ApprovalResponse) -> Result<Option<Policy>, AnswerError> {
        let failed = |error: KeepError| AnswerError::Remember(error.to_string());
        let Some(waiting) = state.waiting.get(&response.approval_id) else { return Ok(None) };
        let agent = &waiting.call.agent;
        if response.bypass_all {
            return state.ledger.keeper().bypass(agent).map(Some).map_err(failed);
        }
        let chosen = match &response.response {
            Outcome::Selected { option_id } => option_id.as_str(),
            Outcome::Cancelled => "",
        };
        if chosen != choice::ALLOW_ALWAYS {
            return Ok(None);
        }
        match &response.remember {
            Some(remember) if remember.scope == RememberScope::User && remembered::is_rule(remember) => {
                remembered::cover(&waiting.call, &waiting.decision, &remember.patterns)?;
                state.ledger.keeper().allow(agent, &remember.patterns).map(Some).map_err(failed)
            }
            _ => Ok(None),
        }
    }
}

/// What is written of an answer.
fn answering(
    memory: &Memory,
    waiting: &Waiting,
    (response, how, by, permissions): (&ApprovalResponse, State, &str, &[String]),
    remembered: &[Grant],
    at: Timestamp,
) -> Vec<Change> {
    let Waiting { id, call, decision, .. } = waiting;
    let approval = response.approval_id;
    let resolved = ApprovalResolved {
        granted_permissions: permissions.to_vec(),
        ..ApprovalResolved::new(approval, how, by.to_owned(), at, response.reason.clone())
    };
    let mut changes = vec![
        Change::Settle {
            id: approval,
            state: how,
            by: by.to_owned(),
            reason: memory.reason(response.reason.as_deref()),
            at,
        },
        Change::Append(memory.writer.answered(*id, call, decision, response, &resolved)),
    ];
    if how == State::Approved {
        changes.extend(memory.leaving(call, true, at));
    }
    for grant in remembered {
        let mut kept = memory.kept(grant, at);
        kept.approval = Some(approval);
        changes.push(Change::Append(memory.writer.granted(&kept, at)));
        if !memory.is_secret(grant) {
            changes.push(Change::Grant(Box::new(kept)));
        }
    }
    changes
}

impl GateState {
    /// A pattern that holds a secret is written nowhere: it counts in this session at most.
    fn keeps_no_secret(&self, grants: &[Grant], response: &ApprovalResponse) -> Result<(), AnswerError> {
        let rule = response.remember.as_ref().filter(|remember| remembered::is_rule(remember));
        let typed = rule.map(|remember| remember.patterns.as_slice()).unwrap_or_default();
        let own = Redactor::default();
        let redactor = self.ledger.memory().map_or(&own, |memory| memory.writer.redactor());
        let secret = |grant: &&Grant| self.ledger.memory().is_some_and(|memory| memory.is_secret(grant));
        let limited = |grant: &Grant| grant.expires_at.is_some() || grant.uses_left.is_some();
        let refused = match grants.iter().filter(secret).find(|of| of.scope != Scope::Session || limited(of))
        {
            Some(grant) if grant.scope == Scope::Session => "without limits",
            None if !typed.iter().any(|pattern| redactor.finds(pattern)) => return Ok(()),
            _ => "",
        };
        let verb = if grants.iter().any(|grant| grant.effect == Effect::Deny) { "deny" } else { "allow" };
        let how = format!("{verb} it for this session {refused}");
        let how = how.trim_end();
        Err(AnswerError::Remember(format!(
            "this pattern holds a secret: {how}, or write a pattern without it"
        )))
    }

    /// An answer could not be written down: the question stands, unless the store says that it is settled.
    fn unanswered(&mut self, id: ApprovalId, error: &StoreError) -> AnswerError {
        match error {
            StoreError::Conflict(Conflict::Settled { state, by, .. }) => {
                let error = AnswerError::Settled { by: by.clone(), state: *state };
                self.settle(id, State::Cancelled, "mayi", Some("interrupted"));
                error
            }
            StoreError::Conflict(Conflict::Changed(_)) => AnswerError::Changed,
            StoreError::Conflict(Conflict::Replied(_)) => AnswerError::Withdrawn,
            error => AnswerError::Store(error.to_string()),
        }
    }

    /// Answers the call.
    fn carry_out(&mut self, waiting: Waiting, response: &ApprovalResponse, how: State) {
        let Waiting { id, call, decision, reply, .. } = waiting;
        let option = match &response.response {
            Outcome::Selected { option_id } => option_id.as_str(),
            Outcome::Cancelled => "",
        };
        let picked = option.strip_prefix(choice::AGENT).map(str::to_owned);
        let verdict = match how {
            State::Approved => Verdict::Allowed(self.authorize(id, call, decision, By::Person, picked)),
            State::Denied => {
                let gone = self.judge.grants.deny(&call);
                let at = Timestamp::now();
                self.ledger.note(|_| gone.into_iter().map(|id| Change::Revoke { id, at }).collect());
                let reason = match response.reason.as_deref().map(str::trim) {
                    Some(reason) if !reason.is_empty() => format!("the user said no: {reason}"),
                    _ => "the user said no".to_owned(),
                };
                let mut refusal = Refusal::of(&call, decision, Some(&reason));
                refusal.by_person = true;
                refusal.picked = picked;
                Verdict::Denied(refusal)
            }
            _ => Verdict::Cancelled,
        };
        self.tally.count(&verdict);
        let _ = reply.send(verdict);
    }

    /// Lets `policy` hold from now on, and writes that down.
    pub(super) fn put_in_place(&mut self, policy: Policy) {
        self.judge.put_in_place(policy);
        self.ledger.policy(&self.judge.policy);
    }
}
