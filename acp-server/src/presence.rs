//! Who is connected that can answer: other processes of mayi look for that before they ask.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use mayi_core::store::Surfaces;

use crate::backend::lock;

/// How many are connected that can answer.
#[derive(Clone)]
pub(crate) struct Presence(Arc<Mutex<Present>>);

struct Present {
    folder: PathBuf,
    count: usize,
    since: Instant,
    /// Seen by others as long as it is held.
    open: Option<Surfaces>,
}

/// One who is connected.
pub(crate) struct Here(Presence);

impl Presence {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self(Arc::new(Mutex::new(Present { folder, count: 0, since: Instant::now(), open: None })))
    }

    /// Somebody comes who can answer, and stays until the value is dropped.
    pub(crate) fn enter(&self) -> Here {
        let mut present = lock(&self.0);
        present.count += 1;
        if present.open.is_none() {
            present.open = Surfaces::in_folder(&present.folder)
                .inspect_err(
                    |error| tracing::warn!(%error, "other processes do not know that somebody is here"),
                )
                .ok();
        }
        Here(self.clone())
    }

    /// Since when nobody is here; `None` while somebody is.
    pub(crate) fn alone_since(&self) -> Option<Instant> {
        let present = lock(&self.0);
        (present.count == 0).then_some(present.since)
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        let mut present = lock(&self.0.0);
        present.count = present.count.saturating_sub(1);
        if present.count == 0 {
            present.open = None;
            present.since = Instant::now();
        }
    }
}
