//! Keeps other processes out, for a bounded time.

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use super::error;
use crate::store::StoreError;

/// So often it is tried again at once: most holders are done by then.
const SPINS: u32 = 16;
/// After that it waits, at first this long, and never longer than [`LONGEST`].
const SHORTEST: Duration = Duration::from_micros(20);
const LONGEST: Duration = Duration::from_millis(1);

/// A file that one process at a time holds. It is free once its holder has ended, however it ended.
#[derive(Debug)]
pub(super) struct FileLock {
    file: File,
    path: PathBuf,
}

/// The lock is held until this is dropped.
#[derive(Debug)]
pub(super) struct FileLockGuard<'a>(&'a File);

impl FileLock {
    pub(super) fn new(file: File, path: PathBuf) -> Self {
        Self { file, path }
    }

    /// Waits for it, for at most `limit`: a holder that was stopped must not stop everybody. Only one thread at
    /// a time may ask.
    pub(super) fn lock_within(&self, limit: Duration) -> Result<FileLockGuard<'_>, StoreError> {
        let mut tries = 0;
        let mut pause = SHORTEST;
        let mut end = None;
        loop {
            match self.file.try_lock() {
                Ok(()) => return Ok(FileLockGuard(&self.file)),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error::from_io(&self.path, &error)),
            }
            let now = Instant::now();
            if now >= *end.get_or_insert(now + limit) {
                return Err(StoreError::Locked(self.path.clone()));
            }
            tries += 1;
            if tries <= SPINS {
                thread::yield_now();
            } else {
                thread::sleep(pause);
                pause = (pause * 2).min(LONGEST);
            }
        }
    }
}

impl Drop for FileLockGuard<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::warn!(%error, "the store's lock could not be given back");
        }
    }
}
