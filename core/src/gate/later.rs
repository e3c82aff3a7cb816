//! What is written a moment later, together with what else there is to write by then: that a call began, and that it
//! ended. Nobody waits for it. What is written before something happens comes through here too, and never overtakes it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crate::store::{Change, Store, StoreError};

/// It is written after this time at the latest: what many calls take to begin and to end.
const MOMENT: Duration = Duration::from_millis(5);

/// Never more than this waits.
const MOST: usize = 256;

/// A store, and what is to be written there.
pub(super) struct Later {
    shared: Arc<Shared>,
    /// Writes; there is none before there is something to write.
    thread: OnceLock<Option<JoinHandle<()>>>,
}

struct Shared {
    store: Arc<dyn Store>,
    /// Held by whoever takes from `waiting`, until it is written: so all is written in its order.
    turn: Mutex<()>,
    waiting: Mutex<Waiting>,
    news: Condvar,
}

#[derive(Default)]
struct Waiting {
    changes: Vec<Change>,
    /// The thread has nothing to do, and has to be told when it has.
    idle: bool,
    ended: bool,
}

impl Later {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        let shared =
            Shared { store, turn: Mutex::default(), waiting: Mutex::default(), news: Condvar::new() };
        Self { shared: Arc::new(shared), thread: OnceLock::new() }
    }

    /// Writes `change` in a moment. A failure is told, and nothing else.
    pub(super) fn note(&self, change: Change) {
        let (waits, idle) = {
            let mut waiting = self.shared.waiting();
            waiting.changes.push(change);
            (waiting.changes.len(), std::mem::take(&mut waiting.idle))
        };
        let thread = self.thread.get_or_init(|| {
            let shared = Arc::clone(&self.shared);
            Builder::new().name("record".to_owned()).spawn(move || shared.write()).ok()
        });
        match waits {
            _ if thread.is_none() || waits >= MOST => self.shared.flush(),
            _ if idle => self.shared.news.notify_one(),
            _ => {}
        }
    }

    /// Writes `changes` now, and before them what waits.
    ///
    /// # Errors
    /// As the store has it about `changes`.
    pub(super) fn commit(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        let _turn = self.shared.turn();
        let mut all = self.shared.take();
        // Together, unless what is written now could be refused: what waits must not be lost with it.
        if all.is_empty() || changes.iter().all(|change| matches!(change, Change::Append(_))) {
            let waited = all.len();
            all.extend(changes);
            let written = self.shared.store.commit(all);
            if waited > 0
                && let Err(error) = &written
            {
                tracing::warn!(%error, "the record lacks entries");
            }
            return written;
        }
        self.shared.put(all);
        self.shared.store.commit(changes)
    }

    /// Writes what waits, and ends the thread.
    pub(super) fn end(&mut self) {
        self.shared.waiting().ended = true;
        self.shared.news.notify_all();
        if let Some(Some(thread)) = self.thread.take() {
            let _ = thread.join();
        }
        self.shared.flush();
    }
}

impl Shared {
    /// Writes what comes, until there is nothing more to come.
    fn write(&self) {
        loop {
            let idle = |waiting: &mut Waiting| {
                waiting.idle = waiting.changes.is_empty() && !waiting.ended;
                waiting.idle
            };
            let waiting = self.news.wait_while(self.waiting(), idle).unwrap_or_else(PoisonError::into_inner);
            let still = |waiting: &mut Waiting| !waiting.ended;
            let waiting = self.news.wait_timeout_while(waiting, MOMENT, still);
            let ended = waiting.unwrap_or_else(PoisonError::into_inner).0.ended;
            self.flush();
            if ended {
                return;
            }
        }
    }

    fn flush(&self) {
        let _turn = self.turn();
        let changes = self.take();
        self.put(changes);
    }

    fn put(&self, changes: Vec<Change>) {
        if !changes.is_empty()
            && let Err(error) = self.store.commit(changes)
        {
            tracing::warn!(%error, "the record lacks entries");
        }
    }

    fn take(&self) -> Vec<Change> {
        std::mem::take(&mut self.waiting().changes)
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
