//! Connections that have not shown who they are: there are few, and each new one makes the oldest go. So nobody is kept out by
//! those who connect and say nothing, or half of something. The same for every listener of mayi.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

/// The most of them at a time that have been there for long: whoever means something says it at once.
const MOST: usize = 64;
const LONG: Duration = Duration::from_secs(1);
/// The most of them at a time: many clients may come at once.
const MOST_NEW: usize = 512;

/// All of a listener's.
#[derive(Debug, Default)]
pub struct Strangers(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    next: u64,
    /// The oldest first.
    all: VecDeque<One>,
}

#[derive(Debug)]
struct One {
    id: u64,
    since: Instant,
    out: oneshot::Sender<()>,
}

/// One of them, for as long as the connection lasts.
#[derive(Debug)]
pub struct Stranger {
    all: Arc<Strangers>,
    id: u64,
}

/// Tells a connection that it has to go.
pub type Evicted = oneshot::Receiver<()>;

impl Strangers {
    /// One more. What is told ends with `Ok` where the connection has to go, and with `Err` once it is known.
    #[must_use]
    pub fn enter(self: &Arc<Self>) -> (Stranger, Evicted) {
        self.enter_at(Instant::now())
    }

    fn enter_at(self: &Arc<Self>, now: Instant) -> (Stranger, Evicted) {
        let (out, evicted) = oneshot::channel();
        let mut waiting = self.lock();
        let id = waiting.next;
        waiting.next += 1;
        waiting.all.push_back(One { id, since: now, out });
        let many = waiting.all.len() > MOST_NEW;
        let long = |one: &One| now.saturating_duration_since(one.since) > LONG;
        if many || waiting.all.len() > MOST && waiting.all.front().is_some_and(long) {
            // Nobody hears it whose connection has just ended.
            let _ = waiting.all.pop_front().map(|oldest| oldest.out.send(()));
        }
        (Stranger { all: Arc::clone(self), id }, evicted)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stranger {
    /// It has shown who it is, and stays.
    pub fn is_known(&self) {
        self.all.lock().all.retain(|one| one.id != self.id);
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.is_known();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found in review: "1,024 half-sent requests without a token lock everybody out". Attack 298.
    #[test]
    fn given_more_strangers_than_there_is_room_for_then_the_oldest_goes_and_who_is_known_stays() {
        let (strangers, now) = (Arc::<Strangers>::default(), Instant::now());
        let (known, mut stays) = strangers.enter_at(now);
        known.is_known();
        let enter = |times: usize, at| (0..times).map(|_| strangers.enter_at(at)).collect::<Vec<_>>();
        let gone = |all: &mut Vec<(Stranger, Evicted)>| -> Vec<usize> {
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
