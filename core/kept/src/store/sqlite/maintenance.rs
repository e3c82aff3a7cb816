//! What is done beside those who commit: the log goes to the database, and the oldest entries go to archives.
//!
//! A process may live for weeks, so it is not left to the next one that opens the store. It has a thread, which looks again
//! after so many entries, and goes by steps: a commit never waits for more than one of them.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::Connection;

use super::files::Files;
use super::folder::name;
use super::head;
use super::rotate::{self, Rotation};
use super::value::to_count;
use crate::record::RecordKeys;
use crate::store::StoreError;

/// It is looked again after this process has written so many entries.
const EVERY: u64 = 1_000;
/// Who writes faster than that can be done waits for a step of it, no longer than this, once for [`EVERY`] entries.
const LONGEST: Duration = Duration::from_millis(100);
/// A log that is no longer than this is left to whoever writes next, or is the last to close the store: 1 MiB.
const LOG_BYTES: u64 = 1024 * 1024;
/// So many free pages are kept for what comes: 8 MiB.
const SPARE: u64 = 2_048;

/// Looks after a store that is written.
#[derive(Debug)]
pub(super) struct Maintenance {
    shared: Arc<MaintenanceShared>,
    /// There is none before there is something to do.
    thread: OnceLock<Option<JoinHandle<()>>>,
    written: AtomicU64,
}

#[derive(Debug)]
struct MaintenanceShared {
    files: Files,
    keys: RecordKeys,
    state: Mutex<MaintenanceState>,
    wake: Condvar,
    /// A step is done.
    step_done: Condvar,
}

#[derive(Debug, Default)]
struct MaintenanceState {
    wanted: bool,
    /// It is being done.
    busy: bool,
    steps: u64,
    ended: bool,
}

impl Maintenance {
    pub(super) fn new(files: Files, keys: RecordKeys) -> Self {
        let shared = MaintenanceShared {
            files,
            keys,
            state: Mutex::default(),
            wake: Condvar::new(),
            step_done: Condvar::new(),
        };
        Self { shared: Arc::new(shared), thread: OnceLock::new(), written: AtomicU64::new(0) }
    }

    /// So many entries were written. Who says so holds no lock of the store.
    pub(super) fn count_written(&self, entries: u64) {
        let before = self.written.fetch_add(entries, Ordering::Relaxed);
        if before / EVERY != before.wrapping_add(entries) / EVERY {
            self.request_step();
        }
    }

    /// Whether there is something to do where a store was just opened. Mostly there is not, and whoever runs an agent for a
    /// moment should not wait for the disk.
    pub(super) fn is_due(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let files = &self.shared.files;
        let Some(limits) = files.options.limits else { return Ok(false) };
        let length = |path: &Path| path.metadata().map_or(0, |meta| meta.len());
        let log = length(&files.folder.join(format!("{}-wal", name::STORE)));
        Ok(length(&files.path).saturating_add(log) > limits.max_bytes
            || log > LOG_BYTES
            || rotate::may_be_old(connection, limits, Timestamp::now())?
            || connection.pragma_query_value(None, "freelist_count", |row| to_count(row.get(0)?))? > SPARE)
    }

    /// It is to be looked at now.
    pub(super) fn request_step(&self) {
        let mut state = self.shared.lock_state();
        let (behind, steps) = (state.wanted || state.busy, state.steps);
        state.wanted = true;
        self.shared.wake.notify_one();
        if behind {
            let still = |state: &mut MaintenanceState| state.steps == steps && (state.wanted || state.busy);
            drop(self.shared.step_done.wait_timeout_while(state, LONGEST, still));
            return;
        }
        drop(state);
        self.thread.get_or_init(|| {
            let shared = Arc::clone(&self.shared);
            Builder::new().name("store".to_owned()).spawn(move || shared.run_steps()).ok()
        });
    }
}

impl Maintenance {
    /// Begins nothing any more, and waits for the step that is being done.
    pub(super) fn stop(&self) {
        let mut state = self.shared.lock_state();
        state.ended = true;
        self.shared.wake.notify_all();
        drop(self.shared.step_done.wait_while(state, |state| state.busy));
    }
}

impl Drop for Maintenance {
    /// Waits for the step that is being done. SQLite moves the log to the database when the last connection is closed, and
    /// brings that to the disk: the head comes first.
    fn drop(&mut self) {
        self.shared.lock_state().ended = true;
        self.shared.wake.notify_all();
        if let Some(Some(thread)) = self.thread.take() {
            let _ = thread.join();
        }
        if *self.written.get_mut() > 0
            && let Err(error) = head::sync_head(&self.shared.files.folder)
        {
            tracing::warn!(%error, "the record's head could not be brought to the disk");
        }
    }
}

impl MaintenanceShared {
    fn run_steps(&self) {
        let mut rotation = None;
        loop {
            let nothing = |state: &mut MaintenanceState| !state.wanted && !state.ended;
            let mut state =
                self.wake.wait_while(self.lock_state(), nothing).unwrap_or_else(PoisonError::into_inner);
            if state.ended {
                return;
            }
            (state.wanted, state.busy) = (false, true);
            drop(state);
            if let Err(error) = self.run_step(&mut rotation) {
                tracing::warn!(%error, "the record could not be archived");
            }
            self.finish_step(|state| state.busy = false);
        }
    }

    fn finish_step(&self, what: impl FnOnce(&mut MaintenanceState)) {
        let mut state = self.lock_state();
        state.steps += 1;
        what(&mut state);
        drop(state);
        self.step_done.notify_all();
    }

    fn run_step(&self, rotation: &mut Option<Rotation>) -> Result<(), StoreError> {
        let rotation = match rotation {
            Some(rotation) => rotation,
            None => rotation.insert(Rotation::new(self.files.clone(), self.keys.clone())?),
        };
        rotation.checkpoint()?;
        let Some(limits) = self.files.options.limits else { return Ok(()) };
        let goes_on = || {
            self.finish_step(|_| {});
            !self.lock_state().ended
        };
        let moved = rotation.rotate(limits, Timestamp::now, goes_on)?;
        if moved > 0 {
            tracing::info!(entries = moved, "the oldest entries of the record went to the archive");
        }
        rotation.shrink_file(SPARE, || !self.lock_state().ended)
    }

    fn lock_state(&self) -> MutexGuard<'_, MaintenanceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
