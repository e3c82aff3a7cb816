//! Other processes of the same user, as a gate hears them: their answers to what waits here, and what they remember or
//! revoke.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::{Gate, GateState, OnAsk};
use crate::approval::State;
use crate::store::{OwnerId, StoreError};

/// How often to look while something waits, and else.
const QUICK: Duration = Duration::from_millis(50);
const SLOW: Duration = Duration::from_millis(200);

impl Gate {
    /// Under which id its questions are kept; `None`, where nothing is.
    #[must_use]
    pub fn owner_id(&self) -> Option<OwnerId> {
        self.lock().ledger.memory().map(|memory| memory.owner.id)
    }

    /// Hears of other processes of the same user from now on: their answers to what waits here, answers
    /// that they revoke. Ends with the gate; nothing happens without a store. Needs a runtime.
    pub fn watch_store(&self) {
        if self.lock().ledger.memory().is_none() {
            return;
        }
        #[cfg(unix)]
        self.take_answers();
        let gate = Arc::downgrade(&self.state);
        tokio::spawn(async move {
            while let Some(state) = gate.upgrade() {
                let look = Self { state };
                let busy = tokio::task::spawn_blocking(move || look.poll_store()).await.unwrap_or(false);
                tokio::time::sleep(if busy { QUICK } else { SLOW }).await;
            }
        });
    }

    /// Nothing is asked, remembered or written here any more, and so nothing is allowed either: call it when what this
    /// gate is for has ended. The process may live on.
    pub fn shut_down(&self) {
        let memory = {
            let mut state = self.lock();
            state.asking.on_ask = OnAsk::Deny;
            state.settle_all(State::Cancelled, "agent", "mayi ends");
            state.ledger.detach_memory()
        };
        // It writes what is still to be written, and takes its time.
        drop(memory);
    }

    /// Looks once at what other processes did. Returns whether something waits.
    pub(super) fn poll_store(&self) -> bool {
        let heard = self.lock().catch_up();
        if let Err(error) = heard
            && let Some(memory) = self.lock().ledger.memory_mut()
        {
            memory.report_once(&error);
        }
        self.renew_lease();
        self.count_waiting() > 0
    }

    /// Says that this process is alive, now and then.
    fn renew_lease(&self) {
        let now = Timestamp::now();
        let mut state = self.lock();
        let Some(memory) = state.ledger.memory_mut() else { return };
        if !memory.due_for_renewal(now) {
            return;
        }
        let (store, id) = (Arc::clone(&memory.store), memory.owner.id);
        drop(state);
        if let Err(error) = store.renew_lease(id, now) {
            tracing::warn!(%error, "the store could not be told that this process is alive");
        }
    }
}

impl GateState {
    /// What other processes did since this was asked last: judges again what waits.
    fn catch_up(&mut self) -> Result<(), StoreError> {
        let Some(memory) = self.ledger.memory() else { return Ok(()) };
        let Some(stamp) = memory.changed_stamp()? else { return Ok(()) };
        self.ledger.refresh_grants(&mut self.judge)?;
        // Not before: what could not be read is looked for again, though nothing has changed by then.
        let Some(memory) = self.ledger.memory_mut() else { return Ok(()) };
        memory.mark_polled(stamp);
        // Most of what is written is no such answer.
        if std::mem::take(&mut memory.grants_changed) {
            self.rejudge_waiting(true);
        }
        Ok(())
    }
}
