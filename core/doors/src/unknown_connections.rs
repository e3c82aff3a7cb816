//! Connections that have not shown who they are: there are few, and each new one makes the oldest go. So nobody is kept out by
//! those who connect and say nothing, or half of something. The same for every listener of mayi.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

/// The most of them at a time that have been there for long: whoever means something says it soon, however busy the machine is.
const MOST: usize = 64;
const LONG: Duration = Duration::from_secs(10);
/// The most of them at a time: many clients may come at once.
const MOST_NEW: usize = 512;

/// All of a listener's.
#[derive(Debug, Default)]
pub struct UnknownConnections(Mutex<WaitingConnections>);

#[derive(Debug, Default)]
struct WaitingConnections {
    next: u64,
    /// The oldest first.
    all: VecDeque<WaitingConnection>,
}

#[derive(Debug)]
struct WaitingConnection {
    id: u64,
    since: Instant,
    evict: oneshot::Sender<()>,
}

/// One of them, for as long as the connection lasts.
#[derive(Debug)]
pub struct UnknownConnection {
    all: Arc<UnknownConnections>,
    id: u64,
    known: AtomicBool,
}

/// Tells a connection that it has to go.
pub type EvictionSignal = oneshot::Receiver<()>;

impl UnknownConnections {
    /// One more. What is told ends with `Ok` where the connection has to go, and with `Err` once it is known.
    #[must_use]
    pub fn admit(self: &Arc<Self>) -> (UnknownConnection, EvictionSignal) {
        self.admit_at(Instant::now())
    }

    fn admit_at(self: &Arc<Self>, now: Instant) -> (UnknownConnection, EvictionSignal) {
        let (out, evicted) = oneshot::channel();
        let mut waiting = self.lock();
        let id = waiting.next;
        waiting.next += 1;
        waiting.all.push_back(WaitingConnection { id, since: now, evict: out });
        let many = waiting.all.len() > MOST_NEW;
        let long = |one: &WaitingConnection| now.saturating_duration_since(one.since) > LONG;
        if many || waiting.all.len() > MOST && waiting.all.front().is_some_and(long) {
            // Nobody hears it whose connection has just ended.
            let _ = waiting.all.pop_front().map(|oldest| oldest.evict.send(()));
        }
        (UnknownConnection { all: Arc::clone(self), id, known: AtomicBool::new(false) }, evicted)
    }

    fn lock(&self) -> MutexGuard<'_, WaitingConnections> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnknownConnection {
    /// It has shown who it is, and stays.
    pub fn mark_known(&self) {
        if !self.known.swap(true, Ordering::Relaxed) {
            self.leave();
        }
    }

    /// Whether it has, also where it was just told to go.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.known.load(Ordering::Relaxed)
    }

    fn leave(&self) {
        self.all.lock().all.retain(|one| one.id != self.id);
    }
}

impl Drop for UnknownConnection {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found in review: "1,024 half-sent requests without a token lock everybody out". Attack 298.
    #[test]
    fn given_more_strangers_than_there_is_room_for_then_the_oldest_goes_and_who_is_known_stays() {
        let (strangers, now) = (Arc::<UnknownConnections>::default(), Instant::now());
        let (known, mut stays) = strangers.admit_at(now);
        known.mark_known();
        let enter = |times: usize, at| (0..times).map(|_| strangers.admit_at(at)).collect::<Vec<_>>();
        let gone = |all: &mut Vec<(UnknownConnection, EvictionSignal)>| -> Vec<usize> {
            let told = all.iter_mut().map(|(_, evicted)| evicted.try_recv() == Ok(())).enumerate();
            told.filter_map(|(at, gone)| gone.then_some(at)).collect()
        };
        // Many clients that come at once.
        let mut first = enter(MOST_NEW, now);
        assert_eq!(gone(&mut first), [0; 0]);
        let mut next = enter(1, now);
        assert_eq!(gone(&mut first), [0]);
        // Those that say nothing for long.
        next.extend(enter(2, now + 2 * LONG));
        assert_eq!(gone(&mut first), [1, 2]);
        assert!(stays.try_recv().is_err());
        drop((first, next));
        assert!(strangers.lock().all.is_empty());
    }
}
