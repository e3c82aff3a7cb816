//! Who is at the other ends of connections: those that come at once are looked up together.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mayi_core::gate::{PeerFacts, look_up_peers};
use mayi_core::store::Store;
use tokio::sync::oneshot;

/// The two ends of a connection: this one, and the other one.
type Ends = (SocketAddr, SocketAddr);

/// Looks up peers. A pass over the processes of the machine takes long beside a request, so there is one at a time, for all
/// that wait when it begins.
pub(crate) struct PeerLookups {
    store: Arc<dyn Store>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    all: Vec<(Ends, oneshot::Sender<Option<PeerFacts>>)>,
    /// A pass is under way: whoever makes it looks for more afterwards.
    running: bool,
}

impl PeerLookups {
    pub(crate) fn new(store: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Self { store, waiting: Mutex::default() })
    }

    /// What is known of the other end of a connection. `None`: nothing, and nobody should be let in.
    pub(crate) async fn look_up(self: &Arc<Self>, local: SocketAddr, peer: SocketAddr) -> Option<PeerFacts> {
        let (found, told) = oneshot::channel();
        let idle = {
            let mut waiting = self.lock();
            waiting.all.push(((local, peer), found));
            !std::mem::replace(&mut waiting.running, true)
        };
        if idle {
            let lookups = Arc::clone(self);
            // Not awaited: it goes on for the others when this request ends.
            drop(tokio::task::spawn_blocking(move || lookups.run()));
        }
        told.await.ok().flatten()
    }

    /// Looks for all that wait, until nobody does.
    fn run(&self) {
        let _goes_on = EndOfRun(self);
        loop {
            let batch = {
                let mut waiting = self.lock();
                let batch = std::mem::take(&mut waiting.all);
                waiting.running = !batch.is_empty();
                batch
            };
            if batch.is_empty() {
                return;
            }
            let ends: Vec<Ends> = batch.iter().map(|(ends, _)| *ends).collect();
            let facts = look_up_peers(&*self.store, &ends);
            for ((_, found), facts) in batch.into_iter().zip(facts) {
                // Nobody hears it whose connection has ended.
                let _ = found.send(facts);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// If a pass breaks off, nobody who waits is let in, and the next one who comes begins another.
struct EndOfRun<'a>(&'a PeerLookups);

impl Drop for EndOfRun<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            *self.0.lock() = Waiting::default();
        }
    }
}
