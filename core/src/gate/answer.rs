//! What an answer does.

use std::sync::Arc;

use jiff::Timestamp;

use super::{By, Gate, GateEvent, GateState, KeepError, Refusal, Verdict, Waiting};
use crate::approval::{
    AnswerError, ApprovalResolved, ApprovalResponse, Event, Outcome, Output, Remember, RememberScope, State,
    choice,
};
use crate::call::{Call, SessionId};
use crate::grant::{Grant, naming_pattern, session_pattern};
use crate::policy::{Decision, Pattern, Policy, pattern::Places};

impl Gate {
    /// Takes an answer from the surface `by`. First answer wins.
    ///
    /// # Errors
    /// If the approval is settled, unknown or has changed since it was shown, or if what should be
    /// remembered can't be: then it still waits.
    pub fn answer(&self, response: ApprovalResponse, by: &str) -> Result<ApprovalResolved, AnswerError> {
        let mut state = self.lock();
        let how = state.queue.check(&response)?;
        if response.bypass_all && how != State::Approved {
            return Err(AnswerError::Remember("a bypass goes with an allow, not with a denial".to_owned()));
        }
        // Written before the answer counts: an answer whose rule could not be written is not half
        // taken.
        let policy = self.keep(&state, &response)?;
        let id = response.approval_id;
        let bypass = response.bypass_all;
        let event = Event::Answer { response, by: by.to_owned() };
        let (resolved, response) = match state.queue.handle(event, Timestamp::now()) {
            Output::Settled(resolved, Some(response)) => (resolved, response),
            Output::Refused(error) => return Err(error),
            _ => return Err(AnswerError::Unknown),
        };
        let waiting = state.waiting.remove(&id).ok_or(AnswerError::Unknown)?;
        let granted = state.carry_out(waiting, &response, resolved.state);
        state.tell(&GateEvent::Resolved(resolved.clone()));
        let replaced = policy.is_some();
        if let Some(mut policy) = policy {
            policy.epoch = state.policy.epoch + 1;
            state.policy = Arc::new(policy);
        }
        if granted || replaced {
            // A bypass answers nothing that waits already (decisions, section 6).
            state.judge_again(!bypass);
        }
        Ok(resolved)
    }

    /// Says that a tool call has finished: it covers nothing any more.
    pub fn finished(&self, session: &SessionId, tool_call_id: &str) {
        self.lock().cover.finished(session, tool_call_id);
    }

    /// Says that a turn is over: what was approved in it covers nothing any more.
    pub fn end_turn(&self, session: &SessionId) {
        self.lock().cover.end_turn(session);
    }

    /// Writes what should outlive the session. Returns the policy that holds then.
    fn keep(&self, state: &GateState, response: &ApprovalResponse) -> Result<Option<Policy>, AnswerError> {
        let failed = |error: KeepError| AnswerError::Remember(error.to_string());
        let Some(waiting) = state.waiting.get(&response.approval_id) else { return Ok(None) };
        let agent = &waiting.call.agent;
        if response.bypass_all {
            return self.inner.keeper.bypass(agent).map(Some).map_err(failed);
        }
        let chosen = match &response.response {
            Outcome::Selected { option_id } => option_id.as_str(),
            Outcome::Cancelled => "",
        };
        if chosen == choice::ALLOW_SESSION
            && let Some(remember) =
                response.remember.as_ref().filter(|remember| !remember.patterns.is_empty())
        {
            cover(&waiting.call, &waiting.decision, &remember.patterns)?;
        }
        if chosen != choice::ALLOW_ALWAYS {
            return Ok(None);
        }
        match &response.remember {
            Some(Remember { scope: RememberScope::User, patterns }) if !patterns.is_empty() => {
                cover(&waiting.call, &waiting.decision, patterns)?;
                self.inner.keeper.allow(agent, patterns).map(Some).map_err(failed)
            }
            _ => Err(AnswerError::Remember(
                "\"always\" needs a pattern: pick one of the suggestions".to_owned(),
            )),
        }
    }
}

/// Whether `patterns` together allow all that `decision` asks about: a rule for something else is a
/// slip of the hand.
fn cover(call: &Call, decision: &Decision, patterns: &[String]) -> Result<(), AnswerError> {
    let places = Places { home: etcetera::home_dir().ok(), ..Places::default() };
    let compiled: Vec<Pattern> = patterns
        .iter()
        .map(|text| Pattern::parse(text, &places).map_err(|error| AnswerError::Remember(error.to_string())))
        .collect::<Result<_, _>>()?;
    let mut asked = call.accesses.iter().filter(|access| decision.asks_about(access));
    match asked.find(|access| !compiled.iter().any(|pattern| pattern.allows(access, &call.roots))) {
        Some(access) => Err(AnswerError::Remember(format!("this does not cover {access}"))),
        None => Ok(()),
    }
}

impl GateState {
    /// Answers the call, and remembers what the person wants remembered for the session. Returns
    /// whether that may cover others that wait.
    fn carry_out(&mut self, waiting: Waiting, response: &ApprovalResponse, how: State) -> bool {
        let Waiting { call, decision, reply, .. } = waiting;
        let option = match &response.response {
            Outcome::Selected { option_id } => option_id.as_str(),
            Outcome::Cancelled => "",
        };
        let picked = option.strip_prefix(choice::AGENT).map(str::to_owned);
        let mut granted = false;
        let verdict = match how {
            State::Approved => {
                if option == choice::ALLOW_SESSION {
                    let patterns =
                        response.remember.as_ref().map(|r| r.patterns.as_slice()).unwrap_or_default();
                    self.grant(&call, &decision, patterns);
                    granted = true;
                }
                Verdict::Allowed(self.authorize(call, decision, By::Person, picked))
            }
            State::Denied => {
                self.grants.deny(&call);
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
        granted
    }

    /// Remembers a permission for the session: what always asks, only for exactly this call.
    fn grant(&mut self, call: &Call, decision: &Decision, given: &[String]) {
        let fingerprint = Some(call.fingerprint());
        let grant = |pattern, fingerprint| Grant {
            pattern,
            fingerprint,
            ..Grant::of_session(call.agent.clone(), call.session.clone())
        };
        if decision.always() {
            self.grants.add(grant(None, fingerprint));
            return;
        }
        let patterns: Vec<Pattern> = if given.is_empty() {
            let asked = call.accesses.iter().filter(|access| decision.asks_about(access));
            asked
                .flat_map(|access| [session_pattern(access), naming_pattern(access)])
                .filter_map(|pattern| pattern.ok().flatten())
                .collect()
        } else {
            let places = Places { home: etcetera::home_dir().ok(), ..Places::default() };
            given.iter().filter_map(|text| Pattern::parse(text, &places).ok()).collect()
        };
        self.grants.add(grant(None, fingerprint));
        for pattern in patterns {
            self.grants.add(grant(Some(pattern), None));
        }
    }
}
