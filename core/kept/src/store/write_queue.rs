//! What is written together with what else there is to write by then, in its order.
//!
//! That a call began and that it ended is written a moment later: nobody waits for it. What many calls wait for at once goes in
//! one commit: one that is alone is written by whoever waits for it, and several by a thread, while what comes meanwhile is judged
//! for the next. What is written by itself comes through here too, and overtakes nothing.
//!
//! Entries are made by whoever writes them: to take the secrets out of a call takes longer than to judge it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use super::{Change, Store, StoreError};

/// It is written after this time at the latest: what many calls take to begin and to end.
const MOMENT: Duration = Duration::from_millis(5);

/// No more than this waits for that.
const MOST: usize = 256;

/// With so many waiting, whoever comes next waits until they are written: with two entries each, a commit has far fewer than a
/// store takes.
const FULL: usize = 512;

/// A store, and what is to be written there.
pub struct WriteQueue {
    shared: Arc<QueueShared>,
    /// Writes what nobody else does; there is none before there is something to write.
    thread: OnceLock<Option<JoinHandle<()>>>,
}

/// What is to be written as soon as it can be, together with others of its kind.
pub struct PendingWrite {
    shared: Arc<QueueShared>,
    /// There is no thread that would go on after somebody else.
    no_thread: bool,
}

struct QueueShared {
    store: Arc<dyn Store>,
    /// Held by whoever takes from `waiting`, until it is written: so all is written in its order.
    turn: Mutex<()>,
    waiting: Mutex<Backlog>,
    wake: Condvar,
}

#[derive(Default)]
struct Backlog {
    parts: Vec<QueuedChanges>,
    /// So many of them are waited for.
    awaited: usize,
    /// The thread has nothing to do, and has to be told when it has.
    idle: bool,
    /// The thread was told that some are waited for: telling it again would be a call of the system for each of them.
    woken: bool,
    ended: bool,
}

/// Hears whether something was written.
type OnWritten = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// What belongs together of what is to be written.
struct QueuedChanges {
    /// Makes it: entries to be appended, and no more, so that nothing in them can be refused.
    make: Box<dyn FnOnce() -> Vec<Change> + Send>,
    /// Who waits until it is written, if somebody does.
    on_written: Option<OnWritten>,
}

impl WriteQueue {
    /// Writes in `store`.
    pub fn new(store: Arc<dyn Store>) -> Self {
        let shared =
            QueueShared { store, turn: Mutex::default(), waiting: Mutex::default(), wake: Condvar::new() };
        Self { shared: Arc::new(shared), thread: OnceLock::new() }
    }

    /// Writes what `make` makes, in a moment. A failure is told, and nothing else.
    pub fn enqueue(&self, make: impl FnOnce() -> Vec<Change> + Send + 'static) {
        let (waits, idle) = {
            let mut waiting = self.shared.lock_backlog();
            waiting.parts.push(QueuedChanges { make: Box::new(make), on_written: None });
            (waiting.parts.len(), std::mem::take(&mut waiting.idle))
        };
        match waits {
            _ if !self.has_thread() || waits >= MOST => self.shared.flush(),
            _ if idle => self.shared.wake.notify_one(),
            _ => {}
        }
    }

    /// Writes the entries that `make` makes, together with others, at [`PendingWrite::write`], and tells `on_written` whether
    /// they were. It is dropped unheard where nobody is left who would write them.
    pub fn enqueue_awaited(
        &self,
        make: impl FnOnce() -> Vec<Change> + Send + 'static,
        on_written: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) -> PendingWrite {
        let alone = !self.has_thread();
        let full = {
            let mut waiting = self.shared.lock_backlog();
            waiting
                .parts
                .push(QueuedChanges { make: Box::new(make), on_written: Some(Box::new(on_written)) });
            waiting.awaited += 1;
            waiting.parts.len() >= FULL
        };
        if full {
            self.shared.flush();
        }
        PendingWrite { shared: Arc::clone(&self.shared), no_thread: alone }
    }

    fn has_thread(&self) -> bool {
        let thread = self.thread.get_or_init(|| {
            let shared = Arc::clone(&self.shared);
            Builder::new().name("record".to_owned()).spawn(move || shared.write()).ok()
        });
        thread.is_some()
    }

    /// Writes `changes` now, and before them what waits.
    ///
    /// # Errors
    /// As the store has it about `changes`.
    pub fn commit(&self, changes: Vec<Change>) -> Result<(), StoreError> {
        let turn = self.shared.lock_turn();
        let waited = self.shared.take_parts();
        // Together, unless what is written now could be refused: what waits must not be lost with it.
        let appended = changes.iter().all(|change| matches!(change, Change::Append(_)));
        let written = if appended && !waited.is_empty() {
            self.shared.write_parts(waited, changes)
        } else {
            let _ = self.shared.write_parts(waited, Vec::new());
            self.shared.store.commit(changes)
        };
        self.shared.release_turn(turn);
        written
    }

    /// Writes what waits, and ends the thread.
    pub fn shut_down(&mut self) {
        self.shared.lock_backlog().ended = true;
        self.shared.wake.notify_all();
        if let Some(Some(thread)) = self.thread.take() {
            let _ = thread.join();
        }
        self.shared.flush();
    }
}

impl QueueShared {
    /// Writes what comes, until there is nothing more to come.
    fn write(&self) {
        loop {
            let idle = |waiting: &mut Backlog| {
                waiting.idle = waiting.parts.is_empty() && !waiting.ended;
                waiting.idle
            };
            let waiting =
                self.wake.wait_while(self.lock_backlog(), idle).unwrap_or_else(PoisonError::into_inner);
            let still = |waiting: &mut Backlog| !waiting.ended && waiting.awaited == 0;
            let waiting = self.wake.wait_timeout_while(waiting, MOMENT, still);
            let ended = waiting.unwrap_or_else(PoisonError::into_inner).0.ended;
            self.flush();
            if ended {
                return;
            }
        }
    }

    fn flush(&self) {
        let turn = self.lock_turn();
        let _ = self.write_parts(self.take_parts(), Vec::new());
        self.release_turn(turn);
    }

    /// Writes `parts`, and behind them `changes`; tells those who wait for it. A failure is told.
    fn write_parts(&self, parts: Vec<QueuedChanges>, changes: Vec<Change>) -> Result<(), StoreError> {
        let (mut all, mut waits) = (Vec::with_capacity(2 * parts.len() + changes.len()), Vec::new());
        for QueuedChanges { make, on_written: told } in parts {
            // An entry that can't be made must not take those of others with it.
            match catch_unwind(AssertUnwindSafe(make)) {
                Ok(made) => {
                    all.extend(made);
                    waits.extend(told);
                }
                Err(_) => {
                    tracing::error!("the record lacks an entry, which could not be made");
                    let reason = "its entry could not be made, which is a mistake in mayi".to_owned();
                    let unmade = StoreError::Other { path: "the record".into(), reason };
                    told.into_iter().for_each(|told| told(Err(unmade.clone())));
                }
            }
        }
        all.extend(changes);
        if all.is_empty() {
            return Ok(());
        }
        let written = self.store.commit(all);
        if let Err(error) = &written {
            tracing::warn!(%error, "the record lacks entries");
        }
        for told in waits {
            told(written.clone());
        }
        written
    }

    fn take_parts(&self) -> Vec<QueuedChanges> {
        let mut waiting = self.lock_backlog();
        (waiting.awaited, waiting.woken) = (0, false);
        std::mem::take(&mut waiting.parts)
    }

    /// Gives the turn back. Who came meanwhile and found it taken waits for the thread now.
    fn release_turn(&self, turn: MutexGuard<'_, ()>) {
        drop(turn);
        self.wake_writer();
    }

    /// Has the thread write, if somebody waits for that.
    fn wake_writer(&self) {
        let mut waiting = self.lock_backlog();
        let calls = waiting.awaited > 0 && !std::mem::replace(&mut waiting.woken, true);
        drop(waiting);
        if calls {
            self.wake.notify_one();
        }
    }

    fn lock_turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_backlog(&self) -> MutexGuard<'_, Backlog> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingWrite {
    /// Sees to it that it is written: here, if nothing else is to be written soon.
    pub fn write(&self) {
        if self.no_thread {
            return self.shared.flush();
        }
        let waits = self.shared.lock_backlog().awaited;
        match waits {
            // Somebody has taken it.
            0 => return,
            1 => {}
            _ => return self.shared.wake_writer(),
        }
        let turn = match self.shared.turn.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // Whoever has the turn looks again when it is done.
            Err(TryLockError::WouldBlock) => return,
        };
        let _ = self.shared.write_parts(self.shared.take_parts(), Vec::new());
        self.shared.release_turn(turn);
    }
}

impl Drop for PendingWrite {
    /// Whoever waited for it may be gone: it is written all the same.
    fn drop(&mut self) {
        self.shared.wake_writer();
    }
}
