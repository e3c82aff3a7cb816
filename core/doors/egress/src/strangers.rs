//! Connections that have shown no secret yet. They are few, and the oldest makes room: nobody keeps others out by waiting.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

/// The connections of strangers, by when they came.
pub(crate) struct Strangers {
    most: usize,
    all: Mutex<(u64, BTreeMap<u64, CancellationToken>)>,
}

impl Strangers {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, all: Mutex::default() })
    }

    /// A place for a new one, which is asked to leave by its token.
    pub(crate) fn enter(self: &Arc<Self>) -> Stranger {
        let leave = CancellationToken::new();
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, places) = &mut *all;
        while places.len() >= self.most.max(1) {
            if let Some((_, oldest)) = places.pop_first() {
                oldest.cancel();
            }
        }
        *count += 1;
        places.insert(*count, leave.clone());
        Stranger { strangers: Arc::clone(self), number: *count, leave }
    }
}

/// A place among the strangers, until it is dropped or the connection has shown who it is.
pub(crate) struct Stranger {
    strangers: Arc<Strangers>,
    number: u64,
    /// Cancelled when this connection has to make room.
    pub(crate) leave: CancellationToken,
}

impl Stranger {
    /// No stranger any more.
    pub(crate) fn is_known(&self) {
        self.strangers.all.lock().unwrap_or_else(PoisonError::into_inner).1.remove(&self.number);
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.is_known();
    }
}
