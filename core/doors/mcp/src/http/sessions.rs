//! Sessions of the older era: what `initialize` opened, until it is ended or nobody has used it for long.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::client_streams::ClientStreams;
use crate::{Caller, ClientCount, Conversation, Gateway};

/// One session.
pub(super) struct HttpSession {
    /// Its id: 128 random bits.
    pub(super) id: String,
    /// What goes to its client.
    pub(super) streams: Arc<ClientStreams>,
    /// What comes from it.
    pub(super) conversation: Arc<dyn Conversation>,
    last_used: Mutex<Instant>,
    /// Its client has come back with the id: one that was only begun is nobody's loss.
    client_returned: AtomicBool,
}

impl HttpSession {
    fn idle_time(&self, now: Instant) -> Duration {
        if self.streams.is_busy() {
            return Duration::ZERO;
        }
        now.saturating_duration_since(*self.last_used.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// So long it has to have been idle to go for a new one.
    fn spared_time(&self) -> Duration {
        if self.client_returned.load(Ordering::Relaxed) { SPARED } else { BEGINNING }
    }

    fn touch(&self, now: Instant) {
        *self.last_used.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    fn end(&self) {
        self.streams.close();
        self.conversation.close();
    }
}

/// All of them.
#[derive(Default)]
pub(super) struct Sessions(Mutex<HashMap<String, Arc<HttpSession>>>);

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<HttpSession>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a session; `None` if there are `most` that are in use, or there is no randomness.
    pub(super) fn open(
        &self,
        gateway: &dyn Gateway,
        caller: Caller,
        most: usize,
        now: Instant,
    ) -> Option<Arc<HttpSession>> {
        let id = random_id()?;
        let spared = {
            let mut sessions = self.lock();
            if sessions.len() < most {
                None
            } else {
                // Clients come and go without a word: whoever was away longest goes, and first of all who never came back.
                let idle = |session: &&Arc<HttpSession>| session.idle_time(now) > session.spared_time();
                let rank = |session: &&Arc<HttpSession>| {
                    (!session.client_returned.load(Ordering::Relaxed), session.idle_time(now))
                };
                let longest = sessions.values().filter(idle).max_by_key(rank).cloned()?;
                sessions.remove(&longest.id)
            }
        };
        if let Some(spared) = spared {
            spared.end();
        }
        let out = ClientStreams::new(true);
        let conversation = gateway.open(out.clone(), caller, ClientCount::One);
        let session = Arc::new(HttpSession {
            id: id.clone(),
            streams: out,
            conversation,
            last_used: Mutex::new(now),
            client_returned: AtomicBool::new(false),
        });
        self.lock().insert(id, Arc::clone(&session));
        Some(session)
    }

    /// The session `id`, which is used now.
    pub(super) fn get(&self, id: &str) -> Option<Arc<HttpSession>> {
        let session = self.lock().get(id).cloned()?;
        session.touch(Instant::now());
        session.client_returned.store(true, Ordering::Relaxed);
        Some(session)
    }

    /// Ends the session `id`; `false` if there is none.
    pub(super) fn end_session(&self, id: &str) -> bool {
        let ended = self.lock().remove(id);
        if let Some(session) = &ended {
            session.end();
        }
        ended.is_some()
    }

    /// Ends those that nobody has used for `idle`.
    pub(super) fn end_idle(&self, now: Instant, idle: Duration) {
        let mut ended = Vec::new();
        self.lock().retain(|_, session| {
            let stays = session.idle_time(now) < idle;
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
    pub(super) fn end_all(&self) {
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

fn random_id() -> Option<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).ok()?;
    let mut text = String::with_capacity(32);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    Some(text)
}
