//! What is written for good: the record and what stands beside it in the store, and the user's file.

use std::sync::Arc;

use jiff::Timestamp;
use tokio::sync::oneshot;

use super::judge::Sessions;
use super::submit::Fate;
use super::{AnswerPersistence, DecidedBy, Judge, JudgedCall, Memory, RefusalReason, memory, peer_process};
use crate::approval::{ApprovalResolved, ApprovalResponse, Card, History, State};
use crate::call::{Access, AgentId, Call, Door};
use crate::grant::{Grant, GrantId, Grants};
use crate::policy::{Decision, Effect, Policy, SourceFile, aliases};
use crate::record::{Entry, entry_details};
use crate::store::{
    Change, GrantQuery, Pass, PassedCall, PendingWrite, StoreError, StoredApproval, StoredGrant,
};
use crate::writer::{EntryWriter, Ruling};

/// Where it is written.
pub(super) struct Ledger {
    target: RecordTarget,
    /// The user's file.
    keeper: Box<dyn AnswerPersistence>,
}

/// Where a record is kept, if it is.
enum RecordTarget {
    /// Nowhere, as somebody has said: there is nothing to write.
    Nowhere,
    Store(Box<Memory>),
    /// This process has ended its part: what can't be written any more does not run.
    Detached,
}

impl Ledger {
    pub(super) fn new(memory: Option<Memory>, keeper: Box<dyn AnswerPersistence>) -> Self {
        Self {
            target: memory.map_or(RecordTarget::Nowhere, |memory| RecordTarget::Store(Box::new(memory))),
            keeper,
        }
    }

    pub(super) fn memory(&self) -> Option<&Memory> {
        let RecordTarget::Store(memory) = &self.target else { return None };
        Some(memory)
    }

    pub(super) fn memory_mut(&mut self) -> Option<&mut Memory> {
        let RecordTarget::Store(memory) = &mut self.target else { return None };
        Some(memory)
    }

    /// Nothing can be written from now on. What was is in the store once the memory is dropped.
    pub(super) fn detach_memory(&mut self) -> Option<Memory> {
        match std::mem::replace(&mut self.target, RecordTarget::Detached) {
            RecordTarget::Store(memory) => Some(*memory),
            RecordTarget::Nowhere | RecordTarget::Detached => None,
        }
    }

    pub(super) fn keeper(&self) -> &dyn AnswerPersistence {
        &*self.keeper
    }

    /// Writes `changes`, before anybody hears of them.
    pub(super) fn commit(&self, changes: impl FnOnce(&Memory) -> Vec<Change>) -> Result<(), StoreError> {
        match &self.target {
            RecordTarget::Nowhere => Ok(()),
            RecordTarget::Store(memory) => memory.write_queue().commit(changes(memory)),
            RecordTarget::Detached => Err(StoreError::Other {
                path: "the record".into(),
                reason: "this process has ended its part of it".to_owned(),
            }),
        }
    }

    /// The same for what can't be stopped any more: a failure is told, and nothing else. After the process has left,
    /// nothing is to be noted.
    pub(super) fn commit_or_warn(&self, changes: impl FnOnce(&Memory) -> Vec<Change>) {
        if let Some(memory) = self.memory()
            && let Err(error) = memory.write_queue().commit(changes(memory))
        {
            tracing::warn!(%error, "the record lacks an entry");
        }
    }

    /// The same for what nobody waits for: it is made and written a moment later.
    pub(super) fn append_later(&self, entry: impl FnOnce(&EntryWriter) -> Entry + Send + 'static) {
        if let Some(memory) = self.memory() {
            let writer = Arc::clone(&memory.writer);
            memory.write_queue().enqueue(move || vec![Change::Append(entry(&writer))]);
        }
    }

    /// The policy that holds from now on.
    pub(super) fn record_policy(&self, policy: &Policy) {
        let file = |file: &SourceFile| entry_details::ConfigFile {
            path: file.path.to_string_lossy().into_owned(),
            digest: file.digest.to_string(),
            layer: Some(file.layer.to_string()),
        };
        let config = entry_details::Config {
            v: entry_details::VERSION,
            epoch: policy.epoch,
            mode: policy.mode,
            files: policy.files.iter().map(file).collect(),
            notices: policy.notices.clone(),
            pins: None,
        };
        self.commit_or_warn(|memory| {
            vec![Change::Append(memory.writer.config_entry(&config, Timestamp::now()))]
        });
    }

    /// Takes over what other processes changed in the remembered answers.
    pub(super) fn refresh_grants(&mut self, judge: &mut Judge) -> Result<(), StoreError> {
        let now = Timestamp::now();
        let expired = judge.grants.remove_expired(now);
        let Some(memory) = self.memory_mut() else { return Ok(()) };
        memory.grants_changed |= expired;
        let stamp = memory.store.change_stamp()?;
        if memory.grants_stamp == Some(stamp) {
            return Ok(());
        }
        let query = GrantQuery { live_at: Some(now), agent: None, owner: Some(memory.owner.id) };
        let kept = memory.store.query_grants(&query)?;
        let sessions = &judge.sessions;
        let known = |kept: &StoredGrant| kept.session.as_ref().is_none_or(|id| sessions.get(id).is_some());
        let mut grants = Grants::default();
        for kept in kept.into_iter().filter(known) {
            // A denial that can't be understood would be a hole.
            grants.add(memory::restore_grant(kept)?);
        }
        // Not before: what could not be taken over is an error each time, and not only once.
        memory.grants_stamp = Some(stamp);
        memory.grants_changed |= judge.grants.replace(grants);
        Ok(())
    }

    /// A call that came in, and what becomes of it.
    pub(super) fn record_submission(
        &self,
        judged: &JudgedCall,
        fate: &Fate,
        judge: &Judge,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let JudgedCall { id, call, decision, .. } = judged;
        self.commit(|memory| {
            let writer = &memory.writer;
            let mut changes = decision_changes(writer, judged, ruling_for(judged, fate).as_ref(), now);
            match fate {
                Fate::Allow { grants, pass, .. } => {
                    changes.extend(spend_changes(&judge.grants, grants, now));
                    changes.extend(pass.as_ref().map(|pass| Change::TakePass { id: pass.id, at: now }));
                    changes.extend(pass_change(memory, &judge.sessions, call, false, now));
                }
                Fate::Refuse(_) => {}
                Fate::Ask(card) => {
                    changes.push(Change::Ask(Box::new(stored_approval(memory, call, card, now))));
                    changes.push(Change::Append(writer.asked_entry(*id, call, decision, card, now)));
                }
            }
            changes
        })
    }

    /// Whether nothing is to be written of a call but entries that can be written together with those of others.
    pub(super) fn is_plain(&self, call: &Call, fate: &Fate) -> bool {
        let plain = match fate {
            Fate::Allow { grants, pass, .. } => grants.is_empty() && pass.is_none(),
            Fate::Refuse(_) => true,
            Fate::Ask(_) => false,
        };
        plain && call.door != Door::AcpPermission && self.memory().is_some()
    }

    /// The same for such a call, whose entries are made where they are written, while others are judged. `None`: there is no
    /// record.
    pub(super) fn record_submission_soon(
        &self,
        judged: &Arc<JudgedCall>,
        fate: &Fate,
        now: Timestamp,
    ) -> Option<AwaitedWrite> {
        let memory = self.memory()?;
        let ruling = ruling_for(judged, fate);
        let (writer, judged) = (Arc::clone(&memory.writer), Arc::clone(judged));
        let (told, outcome) = oneshot::channel();
        let pending = memory.write_queue().enqueue_awaited(
            move || decision_changes(&writer, &judged, ruling.as_ref(), now),
            // Nobody may wait for it any more.
            |written| drop(told.send(written)),
        );
        Some(AwaitedWrite { pending, outcome })
    }

    /// A question that ended by something else than an answer.
    pub(super) fn record_settlement(
        &self,
        judged: &JudgedCall,
        resolved: &ApprovalResolved,
        judge: &Judge,
    ) -> Result<(), StoreError> {
        let JudgedCall { id, call, decision, .. } = judged;
        self.commit(|memory| {
            let entry = memory.writer.settled_entry(*id, call, resolved);
            let mut changes = vec![settle_change(memory, resolved), Change::Append(entry)];
            if resolved.state == State::Approved {
                changes.extend(spend_changes(&judge.grants, &decision.spent_grants(), resolved.at));
                changes.extend(pass_change(memory, &judge.sessions, call, false, resolved.at));
            }
            changes
        })
    }

    /// A question that was answered, and what is remembered of the answer.
    pub(super) fn record_answer(
        &self,
        judged: &JudgedCall,
        response: &ApprovalResponse,
        resolved: &ApprovalResolved,
        (remembered, sessions): (&[Grant], &Sessions),
    ) -> Result<(), StoreError> {
        let (JudgedCall { id, call, decision, .. }, at) = (judged, resolved.at);
        self.commit(|memory| {
            let writer = &memory.writer;
            let entry = writer.answered_entry(*id, call, decision, response, resolved);
            let mut changes = vec![settle_change(memory, resolved), Change::Append(entry)];
            if resolved.state == State::Approved {
                changes.extend(pass_change(memory, sessions, call, true, at));
            }
            for grant in remembered {
                let mut kept = memory.to_stored_grant(grant, at);
                kept.approval = Some(resolved.approval_id);
                changes.push(Change::Append(writer.granted_entry(call, &kept, at)));
                if !memory.is_secret(call, grant) {
                    changes.push(Change::Grant(Box::new(kept)));
                }
            }
            changes
        })
    }

    /// The pass that lets `call` through in place of an answer, if there is one.
    pub(super) fn find_pass(&self, call: &Call, decision: &Decision, now: Timestamp) -> Option<Pass> {
        let memory = self.memory()?;
        match memory.store.find_pass(&passed_call(memory, call)?, now) {
            // What is always asked about, a person has to have seen. Who came to the door under a name of an agent is one that
            // the agent's mayi has started: else anybody could call itself that, and take the pass.
            Ok(pass) => pass
                .filter(|pass| pass.person || !decision.always_asks())
                .filter(|pass| call.agent.is_named() || is_below(memory, pass, now)),
            Err(error) => {
                tracing::warn!(%error, "what another door has allowed could not be read");
                None
            }
        }
    }

    /// How the like was answered before.
    pub(super) fn answer_history(&self, call: &Call, decision: &Decision) -> Option<History> {
        let memory = self.memory()?;
        decision.deciding_finding()?;
        let access = memory.writer.deciding_access(call, Some(decision))?;
        let history = memory.store.answer_history(&call.agent, &access).ok();
        history.filter(|history| history.first_seen.is_some())
    }
}

/// What is to be written of a call together with what is to be written of others.
pub(super) struct AwaitedWrite {
    pending: PendingWrite,
    outcome: oneshot::Receiver<Result<(), StoreError>>,
}

impl AwaitedWrite {
    /// Whether it was written. What others are about to hand in goes along.
    ///
    /// # Errors
    /// As the store has it; `None`: nobody is there any more who would write it.
    pub(super) async fn wait_until_written(self) -> Option<Result<(), StoreError>> {
        tokio::task::yield_now().await;
        self.pending.write();
        self.outcome.await.ok()
    }
}

/// What becomes of a call by `fate`; `None` where its session is not known.
fn ruling_for(judged: &JudgedCall, fate: &Fate) -> Option<Ruling> {
    let (effect, by) = match fate {
        Fate::Allow { by, .. } => (Effect::Allow, by.as_str()),
        Fate::Refuse(RefusalReason::Nobody) => (Effect::Deny, "nobody"),
        Fate::Refuse(RefusalReason::Left) => (Effect::Ask, DecidedBy::Policy.as_str()),
        Fate::Refuse(_) => (Effect::Deny, DecidedBy::Policy.as_str()),
        Fate::Ask(_) => (Effect::Ask, DecidedBy::Policy.as_str()),
    };
    let circumstances = judged.circumstances.clone()?;
    Some(Ruling { effect, by, circumstances })
}

/// The entries of a call that came in, and of what was decided about it.
fn decision_changes(
    writer: &EntryWriter,
    judged: &JudgedCall,
    ruling: Option<&Ruling>,
    now: Timestamp,
) -> Vec<Change> {
    let JudgedCall { id, call, decision, .. } = judged;
    let proposed = writer.proposed_entry(*id, call, now);
    let decided = ruling.map(|ruling| writer.decided_entry(*id, call, decision, ruling, now));
    std::iter::once(proposed).chain(decided).map(Change::Append).collect()
}

/// The changes that spend `spent`: of those that the store knows.
fn spend_changes(grants: &Grants, spent: &[GrantId], at: Timestamp) -> impl Iterator<Item = Change> {
    let kept = spent.iter().filter(|id| !grants.is_only_here(**id));
    kept.map(move |id| Change::Use { id: *id, at })
}

/// A question as it is kept.
fn stored_approval(memory: &Memory, call: &Call, card: &Card, at: Timestamp) -> StoredApproval {
    StoredApproval {
        id: card.approval_id,
        owner: memory.owner.id,
        agent: call.agent.clone(),
        session: call.session.clone(),
        workspace: call.workspace(),
        digest: card.digest.clone(),
        card: memory.writer.stored_card(call, card),
        state: card.state,
        asked_at: at,
        settled_at: None,
        by: None,
        reason: None,
    }
}

/// How a question ended, as it is kept.
fn settle_change(memory: &Memory, resolved: &ApprovalResolved) -> Change {
    Change::Settle {
        id: resolved.approval_id,
        state: resolved.state,
        by: resolved.by.clone(),
        reason: memory.redact_reason(resolved.reason.as_deref()),
        at: resolved.at,
    }
}

/// The change that leaves a pass for `call`, which is allowed: an agent that asked first meets it again at the gateway,
/// where it is not asked about again (S5.5). `person`: by a person, who saw exactly this. Where the gateway is
/// this session's own, what was approved is known here, and nothing is left for anybody else.
pub(super) fn pass_change(
    memory: &Memory,
    sessions: &Sessions,
    call: &Call,
    person: bool,
    at: Timestamp,
) -> Option<Change> {
    if call.door != Door::AcpPermission || sessions.has_gateway(&call.session) {
        return None;
    }
    let pass = Pass::issue(memory.owner.id, passed_call(memory, call)?, person, at)?;
    Some(Change::LeavePass(Box::new(pass)))
}

/// Whether this process is below the one that has left `pass`.
fn is_below(memory: &Memory, pass: &Pass, now: Timestamp) -> bool {
    let owners = memory.store.live_owners(now).unwrap_or_default();
    owners.iter().any(|owner| owner.id == pass.owner && peer_process::is_below(owner.pid))
}

/// What a pass for `call` is about: one tool of a server that is known for certain.
fn passed_call(memory: &Memory, call: &Call) -> Option<PassedCall> {
    let mut tools = call.accesses.iter().filter_map(|access| match access {
        Access::Mcp(mcp) => Some(mcp),
        _ => None,
    });
    let (mcp, None) = (tools.next()?, tools.next()) else { return None };
    let (_, tool) = mcp.unique_reading()?;
    Some(PassedCall {
        // The agent's own settings may call it otherwise than mayi's do (D1.20).
        agent: call
            .agent
            .name()
            .map_or_else(|| call.agent.clone(), |name| AgentId::from_name(&aliases::agent_called(name))),
        server: call.server.clone()?,
        tool: tool.to_owned(),
        arguments: memory.writer.arguments_digest(&mcp.arguments),
    })
}
