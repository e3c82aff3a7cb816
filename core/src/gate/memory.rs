//! What the gate keeps beyond this process: its part in the record, in remembered answers, and in the
//! queue that survives.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::approval::State;
use crate::call::Call;
use crate::grant::{Grant, Scope};
use crate::policy::Pattern;
use crate::policy::pattern::PatternBases;
use crate::store::{Change, Owner, Store, StoreError, StoredGrant, WriteQueue};
use crate::writer::EntryWriter;

/// What is kept in place of a pattern for the bypass of a session. It is no pattern, so that nothing else reads it as one.
const BYPASS: &str = "bypass";

/// A store, and this process as one that asks in it.
pub struct Memory {
    pub(super) store: Arc<dyn Store>,
    pub(super) writer: Arc<EntryWriter>,
    pub(super) owner: Owner,
    /// Through which all of this process is written, but for what belongs to no entry.
    write_queue: WriteQueue,
    /// The store's stamp when remembered answers were read last.
    pub(super) grants_stamp: Option<u64>,
    /// Remembered answers are other ones than when what waits was judged last.
    pub(super) grants_changed: bool,
    /// The store's stamp when other processes were heard last.
    polled_stamp: Option<u64>,
    /// Why they could not be, if that was told.
    reported_error: Option<String>,
    /// When this process said last that it is alive.
    lease_renewed_at: Option<Timestamp>,
    /// Whether other processes know of this one.
    attached: bool,
    /// Where these answer, as long as it is held.
    #[cfg(unix)]
    pub(super) listening: Option<super::answering::Listening>,
    /// How long answers for a session are remembered, where sessions outlive this process.
    session_grant_life: Option<SignedDuration>,
}

impl Memory {
    /// Makes this process known in `store`, and settles what processes that are gone have left there.
    ///
    /// # Errors
    /// If the store can't be written.
    pub fn attach(store: Arc<dyn Store>, writer: EntryWriter) -> Result<Self, StoreError> {
        Self::attach_owner(Owner::this_process(), store, writer)
    }

    /// The same, where this process is known as `owner`.
    ///
    /// # Errors
    /// If the store can't be written.
    pub fn attach_owner(
        owner: Owner,
        store: Arc<dyn Store>,
        writer: EntryWriter,
    ) -> Result<Self, StoreError> {
        cancel_abandoned(&*store, &writer)?;
        store.attach_owner(&owner)?;
        let mut memory = Self::of_one_call(owner, store, writer);
        memory.attached = true;
        Ok(memory)
    }

    /// For a process that is there for one call and asks nobody, so that others need not know of it.
    #[must_use]
    pub fn of_one_call(owner: Owner, store: Arc<dyn Store>, writer: EntryWriter) -> Self {
        let write_queue = WriteQueue::new(Arc::clone(&store));
        let writer = Arc::new(writer);
        Self {
            store,
            writer,
            owner,
            write_queue,
            grants_stamp: None,
            grants_changed: false,
            polled_stamp: None,
            reported_error: None,
            lease_renewed_at: None,
            attached: false,
            #[cfg(unix)]
            listening: None,
            session_grant_life: None,
        }
    }

    /// The same, where sessions outlive this process: answers for one are remembered for `limit` at most, unless the session's
    /// end is told before.
    #[must_use]
    pub fn with_session_limit(mut self, limit: SignedDuration) -> Self {
        self.session_grant_life = Some(limit);
        self
    }

    /// The store's stamp, if it is another than when other processes were heard last.
    pub(super) fn changed_stamp(&self) -> Result<Option<u64>, StoreError> {
        let stamp = self.store.change_stamp()?;
        Ok((self.polled_stamp != Some(stamp)).then_some(stamp))
    }

    /// Other processes were heard, as far as the store's `stamp`.
    pub(super) fn mark_polled(&mut self, stamp: u64) {
        (self.polled_stamp, self.reported_error) = (Some(stamp), None);
    }

    /// A store that can't be read is looked at again and again: it is told when it begins.
    pub(super) fn report_once(&mut self, error: &StoreError) {
        let text = error.to_string();
        if self.reported_error.as_ref() != Some(&text) {
            tracing::warn!(%error, "the store can't be read");
            self.reported_error = Some(text);
        }
    }

    /// Whether it is time again to say that this process is alive.
    pub(super) fn due_for_renewal(&mut self, now: Timestamp) -> bool {
        let beats =
            self.lease_renewed_at.is_none_or(|last| now.duration_since(last).unsigned_abs() >= Owner::BEAT);
        if beats {
            self.lease_renewed_at = Some(now);
        }
        beats
    }

    /// Through which all is written.
    pub(super) fn write_queue(&self) -> &WriteQueue {
        &self.write_queue
    }

    /// Whether a secret would be written with `grant`, an answer about `call`: then it is not.
    pub(super) fn is_secret(&self, call: &Call, grant: &Grant) -> bool {
        grant.pattern.as_ref().is_some_and(|pattern| self.writer.finds_secret(call, &pattern.to_string()))
    }

    /// A reason as it is kept.
    pub(super) fn redact_reason(&self, typed: Option<&str>) -> Option<String> {
        typed.map(|typed| self.writer.redactor().redact(typed).into_owned())
    }

    /// `grant` as it is kept.
    pub(super) fn to_stored_grant(&self, grant: &Grant, now: Timestamp) -> StoredGrant {
        let of_session = grant.scope == Scope::Session;
        let end = self
            .session_grant_life
            .filter(|_| of_session)
            .map(|limit| now.saturating_add(limit).unwrap_or(now));
        StoredGrant {
            id: grant.id,
            effect: grant.effect,
            agent: grant.agent.clone(),
            scope: grant.scope,
            owner: (of_session && self.session_grant_life.is_none()).then_some(self.owner.id),
            session: grant.session.clone(),
            workspace: grant.workspace.clone(),
            pattern: match grant.bypass {
                true => Some(BYPASS.to_owned()),
                false => grant.pattern.as_ref().map(ToString::to_string),
            },
            fingerprint: grant.fingerprint.clone(),
            level: grant.level.clone(),
            server: grant.server.clone(),
            scripts: grant.scripts.clone(),
            created_at: now,
            expires_at: grant.expires_at.into_iter().chain(end).min(),
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
        self.write_queue.shut_down();
        if !self.attached {
            return;
        }
        if let Err(error) = self.store.detach_owner(self.owner.id) {
            tracing::warn!(%error, "this process could not be taken out of the store");
        }
    }
}

/// Cancels what waits for processes that are gone: "interrupted", never allowed (D6.16).
/// Returns how many there were.
///
/// # Errors
/// If the store can't be read or written.
pub fn cancel_abandoned(store: &dyn Store, writer: &EntryWriter) -> Result<usize, StoreError> {
    let now = Timestamp::now();
    let mut count = 0;
    for approval in store.abandoned_approvals(now)? {
        let settle = Change::Settle {
            id: approval.id,
            state: State::Cancelled,
            by: "mayi".to_owned(),
            reason: Some("interrupted".to_owned()),
            at: now,
        };
        match store.commit(vec![settle, Change::Append(writer.interrupted_entry(&approval, now))]) {
            Ok(()) => count += 1,
            // Another process was quicker.
            Err(StoreError::Conflict(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}

/// A kept answer, with its pattern compiled.
pub(super) fn restore_grant(kept: StoredGrant) -> Result<Grant, StoreError> {
    let places = PatternBases { home: crate::call::home_folder(), ..PatternBases::default() };
    // Nowhere but in a session: one that says otherwise is not understood below.
    let bypass = kept.pattern.as_deref() == Some(BYPASS) && kept.scope == Scope::Session;
    let pattern = match &kept.pattern {
        None => None,
        Some(_) if bypass => None,
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
        bypass,
        pattern,
        fingerprint: kept.fingerprint,
        level: kept.level,
        server: kept.server,
        scripts: kept.scripts,
        expires_at: kept.expires_at,
        uses_left: kept.uses_left,
    })
}
