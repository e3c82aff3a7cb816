//! What is told of a call once it has run, where another process of the same user has judged it: with hooks, each event has a
//! process of its own, and the record is what they have in common.

use jiff::{SignedDuration, Timestamp};

use super::Gate;
use super::memory::Memory;
use crate::call::{Call, SessionId};
use crate::policy::{Decision, Effect};
use crate::record::{CallId, Kind, detail};
use crate::store::{Change, EntryQuery, StoreError};

/// A call that was judged longer ago is not looked for.
const LONGEST: SignedDuration = SignedDuration::from_hours(24);

/// What became of a call that is told to have ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// It was judged, and might run.
    Judged,
    /// That was told before.
    Again,
    /// It ran though nobody had judged it, or though it was denied: this is what the policy says of it.
    Unasked(Decision),
}

/// A call as the record has it.
struct Before {
    id: CallId,
    /// What became of it.
    effect: Effect,
    /// It is known to have ended.
    ended: bool,
    /// It would touch the same things.
    same: bool,
}

impl Gate {
    /// A call has ended as `how` says, which another process has judged. Writes that down: what ran though it was denied, or
    /// with another input than was judged, or was never judged, is unasked (D7.9).
    ///
    /// # Errors
    /// If the record can't be read or written.
    pub fn ended(&self, mut call: Call, how: &str) -> Result<Ended, StoreError> {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.judge.complete(&mut call);
        let now = Timestamp::now();
        let Some(memory) = state.ledger.memory() else { return Ok(Ended::Again) };
        match before(memory, &call, now)? {
            Some(Before { ended: true, .. }) => Ok(Ended::Again),
            Some(Before { id, effect: Effect::Allow | Effect::Ask, same: true, .. }) => {
                let done = |memory: &Memory| {
                    let started = memory.writer.started(id, &call.agent, &call.session, now);
                    let finished = memory.writer.finished(id, &call.agent, &call.session, how, now);
                    vec![Change::Append(started), Change::Append(finished)]
                };
                state.ledger.commit(done)?;
                Ok(Ended::Judged)
            }
            _ => {
                state.ledger.recall(&mut state.judge)?;
                let decision = state.judge.decide(&call);
                state.tally.unasked(decision.effect);
                let id = state.calls.begin(&call);
                state.ledger.commit(|memory| {
                    let unasked = memory.writer.unasked(id, &call, &decision, now);
                    let finished = memory.writer.finished(id, &call.agent, &call.session, how, now);
                    vec![Change::Append(unasked), Change::Append(finished)]
                })?;
                Ok(Ended::Unasked(decision))
            }
        }
    }

    /// What became of the same call where it was judged before in its session, and has not ended yet.
    ///
    /// # Errors
    /// If the record can't be read.
    pub fn judged_before(&self, call: &Call) -> Result<Option<Effect>, StoreError> {
        let state = self.lock();
        let Some(memory) = state.ledger.memory() else { return Ok(None) };
        let before = before(memory, call, Timestamp::now())?;
        Ok(before.filter(|before| before.same && !before.ended).map(|before| before.effect))
    }

    /// Ends what was remembered for a session that is over.
    ///
    /// # Errors
    /// If the store can't be read or written.
    pub fn session_ended(&self, id: &SessionId) -> Result<(), StoreError> {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.ledger.recall(&mut state.judge)?;
        let now = Timestamp::now();
        let agent = state.judge.sessions.agent(id);
        let Some(memory) = state.ledger.memory() else { return Ok(()) };
        let kept = memory.store.grants(&crate::store::GrantQuery {
            live_at: Some(now),
            agent,
            owner: Some(memory.owner.id),
        })?;
        let over: Vec<_> = kept.into_iter().filter(|grant| grant.session.as_ref() == Some(id)).collect();
        if over.is_empty() {
            return Ok(());
        }
        state.ledger.commit(|memory| {
            let end = over.iter().flat_map(|grant| {
                let entry = memory.writer.revoked(grant, "the session has ended", now);
                [Change::Revoke { id: grant.id, at: now }, Change::Append(entry)]
            });
            end.collect()
        })
    }
}

/// The newest like `call` in its session: by the protocol's id, or by its input where there is none.
fn before(memory: &Memory, call: &Call, now: Timestamp) -> Result<Option<Before>, StoreError> {
    let writer = &memory.writer;
    let digest = writer.raw_digest(call);
    let named = match &call.tool_call_id {
        Some(id) => writer.redactor().redact(id).into_owned(),
        None => digest.clone(),
    };
    let proposed = memory.store.entries(&EntryQuery {
        kinds: vec![Kind::Proposed],
        session: Some(call.session.clone()),
        since: now.checked_sub(LONGEST).ok(),
        contains: Some(named.clone()),
        limit: Some(8),
        ..EntryQuery::default()
    })?;
    for recorded in proposed {
        let Ok(said) = detail::read::<detail::Proposed>(&recorded.entry) else { continue };
        let is_it = match &call.tool_call_id {
            Some(_) => said.tool_call_id.as_ref() == Some(&named),
            None => said.raw_digest == digest,
        };
        let Some(id) = recorded.entry.call.filter(|_| is_it) else { continue };
        let of_call = EntryQuery { call: Some(id), limit: Some(32), ..EntryQuery::default() };
        // The newest first: what was decided last is what became of it.
        let entries = memory.store.entries(&of_call)?;
        let effect = entries.iter().find_map(|recorded| match recorded.entry.kind {
            Kind::Answered | Kind::Decided => recorded.entry.effect,
            Kind::Expired | Kind::Cancelled => Some(Effect::Deny),
            _ => None,
        });
        let ended = entries.iter().any(|recorded| recorded.entry.kind == Kind::Finished);
        if call.tool_call_id.is_none() && ended {
            continue;
        }
        let same = said.raw_digest == digest || said.accesses == writer.accesses(call);
        return Ok(effect.map(|effect| Before { id, effect, ended, same }));
    }
    Ok(None)
}
