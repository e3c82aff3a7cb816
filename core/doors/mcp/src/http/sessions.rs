//! Sessions of the older era: what `initialize` opened, until it is ended or nobody has used it for long.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::out::Out;
use crate::{Caller, Clients, Conversation, Gateway};

/// One session.
pub(super) struct Session {
    /// Its id: 128 random bits.
    pub(super) id: String,
    /// What goes to its client.
    pub(super) out: Arc<Out>,
    /// What comes from it.
    pub(super) conversation: Arc<dyn Conversation>,
    used: Mutex<Instant>,
    /// Its client has come back with the id: one that was only begun is nobody's loss.
    met: AtomicBool,
}

impl Session {
    fn idle(&self, now: Instant) -> Duration {
        if self.out.is_busy() {
            return Duration::ZERO;
        }
        now.saturating_duration_since(*self.used.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// So long it has to have been idle to go for a new one.
    fn spared(&self) -> Duration {
        if self.met.load(Ordering::Relaxed) { SPARED } else { BEGINNING }
    }

    fn touch(&self, now: Instant) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    fn end(&self) {
        self.out.close();
        self.conversation.close();
    }
}

/// All of them.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<String, Arc<Session>>>);

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a session; `None` if there are `most` that are in use, or there is no randomness.
    pub(super) fn open(
        &self,
        gateway: &dyn Gateway,
        caller: Caller,
        most: usize,
        now: Instant,
    ) -> Option<Arc<Session>> {
        let id = random()?;
        let spared = {
            let mut sessions = self.lock();
            if sessions.len() < most {
                None
            } else {
                // Clients come and go without a word: whoever was away longest goes, and first of all who never came back.
                let idle = |session: &&Arc<Session>| session.idle(now) > session.spared();
                let rank =
                    |session: &&Arc<Session>| (!session.met.load(Ordering::Relaxed), session.idle(now));
                let longest = sessions.values().filter(idle).max_by_key(rank).cloned()?;
                sessions.remove(&longest.id)
            }
        };
        if let Some(spared) = spared {
            spared.end();
        }
        let out = Out::new(true);
        let conversation = gateway.open(out.clone(), caller, Clients::One);
        let session = Arc::new(Session {
            id: id.clone(),
            out,
            conversation,
            used: Mutex::new(now),
            met: AtomicBool::new(false),
        });
        self.lock().insert(id, Arc::clone(&session));
        Some(session)
    }

    /// The session `id`, which is used now.
    pub(super) fn get(&self, id: &str) -> Option<Arc<Session>> {
        let session = self.lock().get(id).cloned()?;
        session.touch(Instant::now());
        session.met.store(true, Ordering::Relaxed);
        Some(session)
    }

    /// Ends the session `id`; `false` if there is none.
    pub(super) fn end(&self, id: &str) -> bool {
        let ended = self.lock().remove(id);
        if let Some(session) = &ended {
            session.end();
        }
        ended.is_some()
    }

    /// Ends those that nobody has used for `idle`.
    pub(super) fn sweep(&self, now: Instant, idle: Duration) {
        let mut ended = Vec::new();
        self.lock().retain(|_, session| {
            let stays = session.idle(now) < idle;
            if !stays {
                ended.push(Arc::clone(session));
            }
            stays
        });
        for session in ended {
            session.end();
        }
    }

    /// Ends all of them.
    pub(super) fn clear(&self) {
        let all: Vec<_> = self.lock().drain().collect();
        for (_, session) in all {
            session.end();
        }
    }
}

/// A session that was used more recently does not go for a new one.
const SPARED: Duration = Duration::from_secs(60);

/// Nor one whose client may still be about to come back for the first time.
const BEGINNING: Duration = Duration::from_secs(10);

fn random() -> Option<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).ok()?;
    let mut text = String::with_capacity(32);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    Some(text)
}
