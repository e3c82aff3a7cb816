//! What the gate keeps beyond this process: its part in the record, in remembered answers, and in the
//! queue that survives.

use std::sync::Arc;

use jiff::Timestamp;

use super::later::Later;
use super::{Gate, GateState};
use crate::approval::{AnswerError, State};
use crate::grant::{Grant, GrantId, Grants, Scope};
use crate::policy::Pattern;
use crate::policy::pattern::Places;
use crate::record::Writer;
use crate::store::{Change, Conflict, GrantQuery, Offer, Owner, OwnerId, Store, StoreError, StoredGrant};

/// A store, and this process as one that asks in it.
pub struct Memory {
    pub(super) store: Arc<dyn Store>,
    pub(super) writer: Writer,
    pub(super) owner: Owner,
    /// Through which all of this process is written, but for what belongs to no entry.
    later: Option<Later>,
    /// The store's stamp when remembered answers were read last.
    stamp: Option<u64>,
    /// The store's stamp when other processes were heard last.
    heard: Option<u64>,
    /// Why they could not be, if that was told.
    told: Option<String>,
}

impl Memory {
    /// Makes this process known in `store`, and settles what processes that are gone have left there.
    ///
    /// # Errors
    /// If the store can't be written.
    pub fn attach(store: Arc<dyn Store>, writer: Writer) -> Result<Self, StoreError> {
        Self::attach_as(Owner::this(), store, writer)
    }

    /// The same, where this process is known as `owner`.
    ///
    /// # Errors
    /// If the store can't be written.
    pub fn attach_as(owner: Owner, store: Arc<dyn Store>, writer: Writer) -> Result<Self, StoreError> {
        sweep(&*store, &writer)?;
        store.attach(&owner)?;
        let later = Some(Later::new(Arc::clone(&store)));
        Ok(Self { store, writer, owner, later, stamp: None, heard: None, told: None })
    }

    /// The answers that count in this process, if they are others than those of the stamp at hand; and the stamp that
    /// holds once they are taken over.
    fn changed(&self, now: Timestamp) -> Result<Option<(u64, Vec<StoredGrant>)>, StoreError> {
        let stamp = self.store.stamp()?;
        if self.stamp == Some(stamp) {
            return Ok(None);
        }
        let owner = Some(self.owner.id);
        let grants = self.store.grants(&GrantQuery { live_at: Some(now), agent: None, owner })?;
        Ok(Some((stamp, grants)))
    }

    /// Whether a secret would be written with `grant`: then it is not.
    pub(super) fn is_secret(&self, grant: &Grant) -> bool {
        grant.pattern.as_ref().is_some_and(|pattern| self.writer.redactor().finds(&pattern.to_string()))
    }

    /// A reason as it is kept.
    pub(super) fn reason(&self, typed: Option<&str>) -> Option<String> {
        typed.map(|typed| self.writer.redactor().redact(typed).into_owned())
    }

    /// `grant` as it is kept.
    pub(super) fn kept(&self, grant: &Grant, now: Timestamp) -> StoredGrant {
        StoredGrant {
            id: grant.id,
            effect: grant.effect,
            agent: grant.agent.clone(),
            scope: grant.scope,
            owner: (grant.scope == Scope::Session).then_some(self.owner.id),
            session: grant.session.clone(),
            workspace: grant.workspace.clone(),
            pattern: grant.pattern.as_ref().map(ToString::to_string),
            fingerprint: grant.fingerprint.clone(),
            level: grant.level.clone(),
            server: grant.server.clone(),
            scripts: grant.scripts.clone(),
            created_at: now,
            expires_at: grant.expires_at,
            uses_left: grant.uses_left,
            used: 0,
            used_at: None,
            revoked_at: None,
            approval: None,
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // Writes what waits.
        drop(self.later.take());
        if let Err(error) = self.store.detach(self.owner.id) {
            tracing::warn!(%error, "this process could not be taken out of the store");
        }
    }
}

/// Cancels what waits for processes that are gone: "interrupted", never allowed (decisions, section 6).
/// Returns how many there were.
///
/// # Errors
/// If the store can't be read or written.
pub fn sweep(store: &dyn Store, writer: &Writer) -> Result<usize, StoreError> {
    let now = Timestamp::now();
    let mut count = 0;
    for approval in store.abandoned(now)? {
        let settle = Change::Settle {
            id: approval.id,
            state: State::Cancelled,
            by: "mayi".to_owned(),
            reason: Some("interrupted".to_owned()),
            at: now,
        };
        match store.commit(vec![settle, Change::Append(writer.interrupted(&approval, now))]) {
            Ok(()) => count += 1,
            // Another process was quicker.
            Err(StoreError::Conflict(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}

/// Where other processes are heard, and their answers.
type Heard = (Arc<dyn Store>, Vec<Offer>);

impl GateState {
    /// Writes `changes`; without a store there is nothing to write.
    pub(super) fn commit(&self, changes: impl FnOnce(&Memory) -> Vec<Change>) -> Result<(), StoreError> {
        match &self.memory {
            Some(memory) => match &memory.later {
                Some(later) => later.commit(changes(memory)),
                None => memory.store.commit(changes(memory)),
            },
            None => Ok(()),
        }
    }

    /// The same for what can't be stopped any more: a failure is told, and nothing else.
    pub(super) fn note(&self, changes: impl FnOnce(&Memory) -> Vec<Change>) {
        if let Err(error) = self.commit(changes) {
            tracing::warn!(%error, "the record lacks an entry");
        }
    }

    /// The same for what nobody waits for: it is written a moment later.
    pub(super) fn note_later(&self, change: impl FnOnce(&Memory) -> Change) {
        if let Some(memory) = &self.memory
            && let Some(later) = &memory.later
        {
            later.note(change(memory));
        }
    }

    /// The changes that spend `grants`: of those that the store knows.
    pub(super) fn spending(&self, grants: &[GrantId], at: Timestamp) -> Vec<Change> {
        let kept = grants.iter().filter(|id| !self.judge.grants.is_only_here(**id));
        kept.map(|id| Change::Use { id: *id, at }).collect()
    }

    /// `text` as the store may hold it.
    fn clean(&self, text: Option<String>) -> Option<String> {
        self.memory.as_ref().map_or(text.clone(), |memory| memory.reason(text.as_deref()))
    }

    /// What other processes did since this was asked last: judges again what waits, and returns their
    /// answers to it.
    fn hear(&mut self) -> Result<Option<Heard>, StoreError> {
        let Some(memory) = &mut self.memory else { return Ok(None) };
        let (store, owner) = (Arc::clone(&memory.store), memory.owner.id);
        let stamp = store.stamp()?;
        if memory.heard == Some(stamp) {
            return Ok(None);
        }
        self.recall()?;
        if let Some(memory) = &mut self.memory {
            (memory.heard, memory.told) = (Some(stamp), None);
        }
        if self.waiting.is_empty() {
            return Ok(None);
        }
        self.judge_again(true);
        let offers = store.offers(owner)?;
        Ok(Some((store, offers)))
    }

    /// Takes over what other processes changed in the remembered answers. Returns whether anything did.
    pub(super) fn recall(&mut self) -> Result<bool, StoreError> {
        let now = Timestamp::now();
        self.judge.grants.expire(now);
        let Some(memory) = &self.memory else { return Ok(false) };
        let Some((stamp, kept)) = memory.changed(now)? else { return Ok(false) };
        let sessions = &self.judge.sessions;
        let known = |grant: &StoredGrant| {
            grant.session.as_ref().is_none_or(|session| sessions.get(session).is_some())
        };
        let mut grants = Grants::default();
        for kept in kept.into_iter().filter(known) {
            match awake(kept) {
                Ok(grant) => grants.add(grant),
                // A denial that can't be understood would be a hole.
                Err(error) => return Err(error),
            }
        }
        self.judge.grants.replace(grants);
        // Not before: what could not be taken over is an error each time, and not only once.
        if let Some(memory) = &mut self.memory {
            memory.stamp = Some(stamp);
        }
        Ok(true)
    }
}

/// A kept answer, with its pattern compiled.
fn awake(kept: StoredGrant) -> Result<Grant, StoreError> {
    let places = Places { home: crate::call::home(), ..Places::default() };
    let pattern = match &kept.pattern {
        None => None,
        Some(text) => Some(Pattern::parse(text, &places).map_err(|error| StoreError::Other {
            path: "the store".into(),
            reason: format!(
                "the remembered answer {} can't be read ({error}); end it with: mayi grants revoke {0}",
                kept.id
            ),
        })?),
    };
    Ok(Grant {
        id: kept.id,
        effect: kept.effect,
        agent: kept.agent,
        scope: kept.scope,
        session: kept.session,
        workspace: kept.workspace,
        pattern,
        fingerprint: kept.fingerprint,
        level: kept.level,
        server: kept.server,
        scripts: kept.scripts,
        expires_at: kept.expires_at,
        uses_left: kept.uses_left,
    })
}

impl Gate {
    /// Under which id its questions are kept; `None`, where nothing is.
    #[must_use]
    pub fn owner(&self) -> Option<OwnerId> {
        self.lock().memory.as_ref().map(|memory| memory.owner.id)
    }

    /// Hears of other processes of the same user from now on: their answers to what waits here, answers
    /// that they revoke. Ends with the gate; nothing happens without a store. Needs a runtime.
    pub fn attend(&self) {
        if self.lock().memory.is_none() {
            return;
        }
        let gate = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            while let Some(inner) = gate.upgrade() {
                let look = Self { inner };
                let busy = tokio::task::spawn_blocking(move || look.look()).await.unwrap_or(false);
                tokio::time::sleep(if busy { QUICK } else { SLOW }).await;
            }
        });
    }

    /// Nothing is asked, remembered or written here any more: call it when the process ends.
    pub fn leave(&self) {
        self.cancel_all("mayi ends");
        let memory = self.lock().memory.take();
        drop(memory);
    }

    /// Looks once at what other processes did. Returns whether something waits.
    pub(super) fn look(&self) -> bool {
        let heard = self.lock().hear();
        let heard = match heard {
            Ok(heard) => heard,
            Err(error) => {
                self.tell_once(&error);
                None
            }
        };
        self.beat();
        if let Some((store, offers)) = heard {
            for offer in offers {
                // Whoever gave it does not wait any more, and may have ended: nobody would hear that it was taken.
                let late = Timestamp::now().duration_since(offer.at).unsigned_abs() > Offer::FRESH;
                let taken = match late {
                    true => Err(AnswerError::Withdrawn),
                    false => self.take(offer.response, &offer.by, Some(offer.id)).map(drop),
                };
                let Err(error) = taken else { continue };
                let refused = self.lock().clean(Some(error.to_string()));
                match store.commit(vec![Change::Reply { id: offer.id, refused }]) {
                    Ok(()) | Err(StoreError::Conflict(_)) => {}
                    Err(error) => {
                        tracing::warn!(%error, "another process could not be told what became of its answer");
                    }
                }
            }
        }
        !self.lock().waiting.is_empty()
    }

    /// A store that can't be read is looked at again and again: it is told when it begins.
    fn tell_once(&self, error: &StoreError) {
        let text = error.to_string();
        let mut state = self.lock();
        let Some(memory) = state.memory.as_mut().filter(|memory| memory.told.as_ref() != Some(&text)) else {
            return;
        };
        tracing::warn!(%error, "the store can't be read");
        memory.told = Some(text);
    }

    /// Says that this process is alive, now and then.
    fn beat(&self) {
        let now = Timestamp::now();
        let mut state = self.lock();
        if state.beaten.is_some_and(|last| now.duration_since(last).unsigned_abs() < Owner::BEAT) {
            return;
        }
        state.beaten = Some(now);
        let Some((store, id)) = state.memory.as_ref().map(|m| (Arc::clone(&m.store), m.owner.id)) else {
            return;
        };
        drop(state);
        if let Err(error) = store.beat(id, now) {
            tracing::warn!(%error, "the store could not be told that this process is alive");
        }
    }
}

/// How often to look while something waits, and else.
const QUICK: std::time::Duration = std::time::Duration::from_millis(50);
const SLOW: std::time::Duration = std::time::Duration::from_millis(200);

/// Which grant a commit failed by, if one has ended meanwhile.
pub(super) fn ended(error: &StoreError) -> Option<GrantId> {
    match error {
        StoreError::Conflict(Conflict::Ended(id)) => Some(*id),
        _ => None,
    }
}
