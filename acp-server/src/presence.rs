//! Who is connected that can answer: other processes of mayi look for that before they ask.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use mayi_core::store::Surfaces;

use crate::backend::lock_mutex;

/// How many are connected that can answer.
#[derive(Clone)]
pub(crate) struct Presence(Arc<Mutex<PresenceState>>);

struct PresenceState {
    folder: PathBuf,
    count: usize,
    since: Instant,
    /// Seen by others as long as it is held.
    open: Option<Surfaces>,
}

/// One who is connected.
pub(crate) struct PresenceGuard(Presence);

impl Presence {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self(Arc::new(Mutex::new(PresenceState { folder, count: 0, since: Instant::now(), open: None })))
    }

    /// Somebody comes who can answer, and stays until the value is dropped.
    pub(crate) fn enter(&self) -> PresenceGuard {
        let mut present = lock_mutex(&self.0);
        present.count += 1;
        if present.open.is_none() {
            present.open = Surfaces::in_folder(&present.folder)
                .inspect_err(
                    |error| tracing::warn!(%error, "other processes do not know that somebody is here"),
                )
                .ok();
        }
        PresenceGuard(self.clone())
    }

    /// Since when nobody is here; `None` while somebody is.
    pub(crate) fn alone_since(&self) -> Option<Instant> {
        let present = lock_mutex(&self.0);
        (present.count == 0).then_some(present.since)
    }
}

impl Drop for PresenceGuard {
    fn drop(&mut self) {
        let mut present = lock_mutex(&self.0.0);
        present.count = present.count.saturating_sub(1);
        if present.count == 0 {
            present.open = None;
            present.since = Instant::now();
        }
    }
}
