//! Other processes of the same user, as a gate hears them: their answers to what waits here, and what they remember or
//! revoke.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::{Gate, GateState, OnAsk};
use crate::approval::{AnswerError, State};
use crate::store::{Change, Offer, OwnerId, Store, StoreError};

/// How often to look while something waits, and else.
const QUICK: Duration = Duration::from_millis(50);
const SLOW: Duration = Duration::from_millis(200);

/// Where other processes are heard, and their answers.
type IncomingOffers = (Arc<dyn Store>, Vec<Offer>);

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
        let heard = match heard {
            Ok(heard) => heard,
            Err(error) => {
                if let Some(memory) = self.lock().ledger.memory_mut() {
                    memory.report_once(&error);
                }
                None
            }
        };
        self.renew_lease();
        if let Some((store, offers)) = heard {
            for offer in offers {
                // Whoever gave it does not wait any more, and may have ended: nobody would hear that it was taken.
                let late = Timestamp::now().duration_since(offer.at).unsigned_abs() > Offer::FRESH;
                let taken = match late {
                    true => Err(AnswerError::Withdrawn),
                    false => self.lock().answer(&offer.response, &offer.by, Some(offer.id)).map(drop),
                };
                let Err(error) = taken else { continue };
                let refused = self.redact_text(error.to_string());
                match store.commit(vec![Change::Reply { id: offer.id, refused }]) {
                    Ok(()) | Err(StoreError::Conflict(_)) => {}
                    Err(error) => {
                        tracing::warn!(%error, "another process could not be told what became of its answer");
                    }
                }
            }
        }
        self.count_waiting() > 0
    }

    /// `text` as the store may hold it.
    fn redact_text(&self, text: String) -> Option<String> {
        match self.lock().ledger.memory() {
            Some(memory) => memory.redact_reason(Some(&text)),
            None => Some(text),
        }
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
    /// What other processes did since this was asked last: judges again what waits, and returns their
    /// answers to it.
    fn catch_up(&mut self) -> Result<Option<IncomingOffers>, StoreError> {
        let Some(memory) = self.ledger.memory() else { return Ok(None) };
        let (store, owner) = (Arc::clone(&memory.store), memory.owner.id);
        let Some(stamp) = memory.changed_stamp()? else { return Ok(None) };
        self.ledger.refresh_grants(&mut self.judge)?;
        let waits = self.queue.waiting_counts().0 > 0;
        let heard = if waits {
            self.rejudge_waiting(true);
            let offers = store.pending_offers(owner)?;
            Some((store, offers))
        } else {
            None
        };
        // Not before: what could not be read is looked for again, though nothing has changed by then.
        if let Some(memory) = self.ledger.memory_mut() {
            memory.mark_polled(stamp);
        }
        Ok(heard)
    }
}
