//! The sessions of one connection: folder, mode, history, and the turn that runs.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::v1::schema::{SessionId, SessionMode, SessionModeState};
use tokio_util::sync::CancellationToken;

use crate::state::{History, Speaker};

/// The mode that asks before each step.
pub(crate) const ASK: &str = "ask";
/// The mode that asks nothing.
pub(crate) const FREE: &str = "free";

/// One session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: SessionId,
    pub(crate) cwd: PathBuf,
    free: AtomicBool,
    running: Mutex<Option<CancellationToken>>,
    history: Mutex<History>,
}

impl Session {
    pub(crate) fn new(id: SessionId, cwd: PathBuf, history: History) -> Self {
        Self {
            id,
            cwd,
            free: AtomicBool::new(false),
            running: Mutex::new(None),
            history: Mutex::new(history),
        }
    }

    /// Whether the session is in mode `free`.
    pub(crate) fn is_free(&self) -> bool {
        self.free.load(Ordering::Relaxed)
    }

    /// Switches the mode; `false` when there is no such mode.
    pub(crate) fn set_mode(&self, mode: &str) -> bool {
        if !matches!(mode, ASK | FREE) {
            return false;
        }
        self.free.store(mode == FREE, Ordering::Relaxed);
        true
    }

    pub(crate) fn modes(&self) -> SessionModeState {
        SessionModeState::new(
            if self.is_free() { FREE } else { ASK },
            vec![
                SessionMode::new(ASK, "Ask").description("Asks before each step".to_owned()),
                SessionMode::new(FREE, "Free").description("Does not ask".to_owned()),
            ],
        )
    }

    pub(crate) fn history(&self) -> History {
        lock_mutex(&self.history).clone()
    }

    /// Notes what was said, and gives all that was said so far.
    pub(crate) fn add_message(&self, from: Speaker, text: &str) -> History {
        let mut history = lock_mutex(&self.history);
        history.push(from, text);
        history.clone()
    }

    /// Begins a turn; `None` while another one runs.
    pub(crate) fn begin_turn(self: &Arc<Self>) -> Option<RunningTurn> {
        let mut running = lock_mutex(&self.running);
        if running.is_some() {
            return None;
        }
        let cancelled = CancellationToken::new();
        *running = Some(cancelled.clone());
        Some(RunningTurn { session: Arc::clone(self), cancelled })
    }

    /// Whether a turn runs.
    pub(crate) fn is_running(&self) -> bool {
        lock_mutex(&self.running).is_some()
    }

    /// Ends the turn that runs, if any.
    pub(crate) fn cancel_turn(&self) {
        if let Some(cancelled) = lock_mutex(&self.running).as_ref() {
            cancelled.cancel();
        }
    }
}

/// The one turn of a session: while this lives, no other begins.
#[derive(Debug)]
pub(crate) struct RunningTurn {
    session: Arc<Session>,
    pub(crate) cancelled: CancellationToken,
}

impl Drop for RunningTurn {
    fn drop(&mut self) {
        *lock_mutex(&self.session.running) = None;
    }
}

/// All sessions of the connection.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<SessionId, Arc<Session>>>);

impl Sessions {
    pub(crate) fn get(&self, id: &SessionId) -> Option<Arc<Session>> {
        lock_mutex(&self.0).get(id).cloned()
    }

    /// Adds a session, in place of one with the same id.
    pub(crate) fn add_session(&self, session: Session) -> Arc<Session> {
        let session = Arc::new(session);
        lock_mutex(&self.0).insert(session.id.clone(), Arc::clone(&session));
        session
    }
}

/// The data; also when a thread panicked with it, for it is never left half changed.
pub(crate) fn lock_mutex<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demo_session() -> Arc<Session> {
        Arc::new(Session::new("demo-1".into(), "/tmp".into(), History::default()))
    }

    #[test]
    fn given_a_turn_that_runs_then_no_other_begins_before_it_ends() {
        let session = demo_session();
        let turn = session.begin_turn().unwrap();
        assert!(session.begin_turn().is_none());
        drop(turn);
        assert!(session.begin_turn().is_some());
    }

    #[test]
    fn given_a_cancelled_turn_then_the_next_one_is_not_cancelled() {
        let session = demo_session();
        let turn = session.begin_turn().unwrap();
        session.cancel_turn();
        assert!(turn.cancelled.is_cancelled());
        drop(turn);
        session.cancel_turn();
        assert!(!session.begin_turn().unwrap().cancelled.is_cancelled());
    }

    #[test]
    fn given_a_mode_that_does_not_exist_then_the_mode_stays() {
        let session = demo_session();
        assert!(!session.is_free());
        assert!(session.set_mode("free"));
        assert!(!session.set_mode("bypassPermissions"));
        assert!(session.is_free());
        assert_eq!(session.modes().current_mode_id.to_string(), "free");
    }
}
