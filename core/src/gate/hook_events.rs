//! What is told of a call once it has run, where another process of the same user has judged it: with hooks, each event has a
//! process of its own, and the record is what they have in common.

use jiff::{SignedDuration, Timestamp};

use super::memory::Memory;
use super::{Gate, JudgedCall, ReportedEnd};
use crate::call::{Call, SessionId};
use crate::policy::{Decision, Effect};
use crate::record::{CallId, Kind, entry_details};
use crate::store::{Change, EntryQuery, StoreError};

/// A call that was judged longer ago is not looked for.
const LONGEST: SignedDuration = SignedDuration::from_hours(24);

/// What became of a call that is told to have ended.
#[derive(Clone, Debug, PartialEq)]
pub enum EndReport {
    /// It was judged, and might run.
    Judged,
    /// That was told before.
    AlreadyReported,
    /// It ran though nobody had judged it, or though it was denied: this is what the policy says of it.
    Unasked(Decision),
}

/// A call as the record has it.
struct RecordedCall {
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
    pub fn report_ended_elsewhere(&self, mut call: Call, how: &str) -> Result<EndReport, StoreError> {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.judge.add_session_tool_facts(&mut call);
        let now = Timestamp::now();
        let Some(memory) = state.ledger.memory() else { return Ok(EndReport::AlreadyReported) };
        match find_recorded_call(memory, &call, now)? {
            Some(RecordedCall { ended: true, .. }) => Ok(EndReport::AlreadyReported),
            Some(RecordedCall { id, effect: Effect::Allow | Effect::Ask, same: true, .. }) => {
                let done = |memory: &Memory| {
                    let started = memory.writer.started_entry(id, &call.agent, &call.session, now);
                    let finished = memory.writer.finished_entry(id, &call.agent, &call.session, how, now);
                    vec![Change::Append(started), Change::Append(finished)]
                };
                state.ledger.commit(done)?;
                Ok(EndReport::Judged)
            }
            _ => {
                state.ledger.refresh_grants(&mut state.judge)?;
                let id = state.calls.assign_id(&call);
                let JudgedCall { call, decision, .. } = state.judge.judge(id, call);
                state.tally.count_unasked(decision.effect, ReportedEnd::Ran);
                state.ledger.commit(|memory| {
                    let unasked = memory.writer.unasked_entry(id, &call, &decision, now);
                    let finished = memory.writer.finished_entry(id, &call.agent, &call.session, how, now);
                    vec![Change::Append(unasked), Change::Append(finished)]
                })?;
                Ok(EndReport::Unasked(decision))
            }
        }
    }

    /// What became of the same call where it was judged before in its session, and has not ended yet.
    ///
    /// # Errors
    /// If the record can't be read.
    pub fn find_earlier_effect(&self, call: &Call) -> Result<Option<Effect>, StoreError> {
        let state = self.lock();
        let Some(memory) = state.ledger.memory() else { return Ok(None) };
        let before = find_recorded_call(memory, call, Timestamp::now())?;
        Ok(before.filter(|before| before.same && !before.ended).map(|before| before.effect))
    }

    /// Ends what was remembered for a session that is over.
    ///
    /// # Errors
    /// If the store can't be read or written.
    pub fn session_ended(&self, id: &SessionId) -> Result<(), StoreError> {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.ledger.refresh_grants(&mut state.judge)?;
        let now = Timestamp::now();
        let agent = state.judge.sessions.agent_of(id);
        let Some(memory) = state.ledger.memory() else { return Ok(()) };
        let kept = memory.store.query_grants(&crate::store::GrantQuery {
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
                let entry = memory.writer.revoked_entry(grant, "the session has ended", now);
                [Change::Revoke { id: grant.id, at: now }, Change::Append(entry)]
            });
            end.collect()
        })
    }
}

/// The newest like `call` in its session: by the protocol's id, or by its input where there is none.
fn find_recorded_call(
    memory: &Memory,
    call: &Call,
    now: Timestamp,
) -> Result<Option<RecordedCall>, StoreError> {
    let writer = &memory.writer;
    let digest = writer.raw_digest(call);
    let named = match &call.tool_call_id {
        Some(id) => writer.redactor().redact(id).into_owned(),
        None => digest.clone(),
    };
    let proposed = memory.store.query_entries(&EntryQuery {
        kinds: vec![Kind::Proposed],
        session: Some(call.session.clone()),
        since: now.checked_sub(LONGEST).ok(),
        contains: Some(named.clone()),
        limit: Some(8),
        ..EntryQuery::default()
    })?;
    for recorded in proposed {
        let Ok(said) = entry_details::read::<entry_details::Proposed>(&recorded.entry) else { continue };
        let is_it = match &call.tool_call_id {
            Some(_) => said.tool_call_id.as_ref() == Some(&named),
            None => said.raw_digest == digest,
        };
        let Some(id) = recorded.entry.call.filter(|_| is_it) else { continue };
        let of_call = EntryQuery { call: Some(id), limit: Some(32), ..EntryQuery::default() };
        // The newest first: what was decided last is what became of it.
        let entries = memory.store.query_entries(&of_call)?;
        let effect = entries.iter().find_map(|recorded| match recorded.entry.kind {
            Kind::Answered | Kind::Decided => recorded.entry.effect,
            Kind::Expired | Kind::Cancelled => Some(Effect::Deny),
            _ => None,
        });
        let ended = entries.iter().any(|recorded| recorded.entry.kind == Kind::Finished);
        if call.tool_call_id.is_none() && ended {
            continue;
        }
        let same = said.raw_digest == digest || said.accesses == writer.access_texts(call);
        return Ok(effect.map(|effect| RecordedCall { id, effect, ended, same }));
    }
    Ok(None)
}
