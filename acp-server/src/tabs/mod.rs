//! Tabs: each has an agent process, a gate and a session of its own, so that nothing of one reaches another.

mod event_pump;
mod open;
mod running;
mod servers;
mod turn;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

use mayi_acp::{Briefing, Connection};
use mayi_core::call::{AgentId, SessionId};
use mayi_core::config::{OnUnasked, RunningSession};
use mayi_core::gate::Gate;
use mayi_core::policy::Mode;
use mayi_mcp::SessionServers;
use tokio::sync::{mpsc, oneshot, watch};

pub(crate) use self::open::{open, resolve_cwd};
use crate::api::{Event, SessionInfo, TabState};
use crate::backend::{Backend, lock_mutex};
use crate::error::RpcError;
use crate::reload;

/// How long the start of an agent may take to be given up.
const STOPPING: Duration = Duration::from_secs(2);

/// A tab.
pub(crate) struct Tab {
    id: String,
    agent: AgentId,
    cwd: PathBuf,
    gate: Gate,
    running: RunningSession,
    /// Its MCP servers, unless the agent has them.
    servers: OnceLock<SessionServers>,
    backend: Weak<Backend>,
    now: Mutex<LiveState>,
    /// Nobody wants it any more: an agent that is being started is given up.
    closing: watch::Sender<bool>,
    /// Asks whoever passes on what happens to say when all of it is: what a turn did comes before its end.
    passed_on: OnceLock<mpsc::UnboundedSender<oneshot::Sender<()>>>,
    /// Its agent runs, or could not be started: nothing of a start is left.
    started: watch::Sender<bool>,
}

/// What changes about a tab.
struct LiveState {
    session: Option<SessionId>,
    connection: Option<Arc<Connection>>,
    title: String,
    state: TabState,
    error: Option<String>,
    resumed: bool,
    can_resume: bool,
    /// The mode that was chosen before the session was open.
    mode: Option<Mode>,
    turn: u64,
    /// The turn was cancelled.
    cancelled: bool,
    /// What the model is told beside the prompts.
    briefing: Briefing,
    /// What the person said when denying something: the agent is told when its turn is over.
    reasons: Vec<String>,
    /// When the agent was heard of last.
    heard: Instant,
    /// The file that locks the mode, and the least strict one that it leaves.
    lock: Option<(PathBuf, Mode)>,
    /// What follows when the agent does something without asking.
    on_unasked: OnUnasked,
}

impl Tab {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn cwd(&self) -> &Path {
        &self.cwd
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The tab as it is now.
    pub(crate) fn session_info(&self) -> SessionInfo {
        let waiting = self.gate.count_waiting();
        let policy = self.gate.policy();
        let settings = policy.agents.get(self.agent.as_str());
        let now = lock_mutex(&self.now);
        let mode = match &now.session {
            Some(session) => self.gate.mode(session),
            None => policy.mode_of(&self.agent, now.mode),
        };
        SessionInfo {
            tab_id: self.id.clone(),
            session_id: now.session.as_ref().map(|session| session.0.clone()).unwrap_or_default(),
            agent_name: self.agent.as_str().to_owned(),
            title: now.title.clone(),
            cwd: self.cwd.clone(),
            mode,
            mode_locked: now.lock.as_ref().map(|(by, _)| by.clone()),
            bypass_permissions: settings.is_some_and(|settings| settings.bypass_permissions),
            bypass_session: now
                .session
                .as_ref()
                .is_some_and(|session| self.gate.is_session_bypassed(session)),
            state: now.state,
            error: now.error.clone(),
            resumed: now.resumed,
            can_resume: now.can_resume,
            waiting,
            in_line: self.gate.count_queued(),
        }
    }

    /// Tells everybody how the tab is now.
    fn announce_state(&self) {
        if let Some(backend) = self.backend.upgrade() {
            backend.events.push(&Event::SessionChanged { session: self.session_info() });
        }
    }

    /// Returns once everything that has happened so far is told.
    async fn flush_events(&self) {
        let (done, told) = oneshot::channel();
        if self.passed_on.get().is_some_and(|ask| ask.send(done).is_ok()) {
            let _ = told.await;
        }
    }

    fn push_notice(&self, text: impl Into<String>) {
        if let Some(backend) = self.backend.upgrade() {
            backend.events.push(&Event::Notice { tab_id: Some(self.id.clone()), text: text.into() });
        }
    }

    /// Changes the mode.
    pub(crate) fn set_mode(&self, mode: Mode) -> Result<(), RpcError> {
        {
            let mut now = lock_mutex(&self.now);
            if let Some((by, least)) = now.lock.as_ref().filter(|(_, least)| mode < *least) {
                let by = by.display();
                return Err(RpcError::Params(format!("{by} locks the mode: it can be {least} or stricter")));
            }
            now.mode = Some(mode);
            // While it is held, so that the mode that was chosen last is the one that holds. Without a session yet, it is
            // given to it when there is one.
            if let Some(session) = &now.session {
                self.gate.set_mode(session, mode);
            }
        }
        self.announce_state();
        Ok(())
    }

    /// Bypasses the agent in this session, or ends that, as `by` wants it.
    pub(crate) fn set_bypass(&self, on: bool, by: &str) -> Result<(), RpcError> {
        let session = lock_mutex(&self.now).session.clone();
        let session = session.ok_or_else(|| RpcError::Params("the session is not open yet".to_owned()))?;
        if on {
            let done = self.gate.bypass_session(&session);
            done.map_err(|error| RpcError::Params(error.to_string()))?;
        } else {
            self.gate.end_session_bypass(&session, by);
        }
        self.announce_state();
        Ok(())
    }

    /// Reads the configuration again, if it has changed.
    pub(crate) fn reload_config(&self) {
        let Some(backend) = self.backend.upgrade() else { return };
        match backend.load(&self.cwd) {
            Ok(mut loaded) => {
                let others = self.running.restrict_to_running(&mut loaded);
                let least = loaded.policy.least_mode(&self.agent);
                let locked = loaded.locks.mode_lock().map(|by| (by.to_owned(), least));
                let mut now = lock_mutex(&self.now);
                // The mode that was chosen stays: the gate keeps to the lock as long as there is one.
                let looser = |lock: &Option<(PathBuf, Mode)>| {
                    lock.as_ref().is_some_and(|(_, least)| now.mode.is_some_and(|mode| mode < *least))
                };
                let by = locked.as_ref().filter(|_| looser(&locked) && !looser(&now.lock));
                let pulled = by.map(|(by, _)| format!("{} locks the mode: it is {least} now", by.display()));
                now.lock = locked;
                now.on_unasked = loaded
                    .agents
                    .get(self.agent.as_str())
                    .map_or(loaded.on_unasked, |agent| agent.on_unasked);
                drop(now);
                pulled.into_iter().for_each(|line| self.push_notice(line));
                if reload::replace_policy(&self.gate, loaded.policy) {
                    running::changed_config_notices(&others)
                        .into_iter()
                        .for_each(|line| self.push_notice(line));
                }
            }
            Err(error) => {
                reload::ask_about_all(&self.gate);
                let error = jsonrpsee::types::ErrorObjectOwned::from(error);
                self.push_notice(format!(
                    "the configuration can't be read, and everything is asked about: {}",
                    error.message()
                ));
            }
        }
        self.announce_state();
    }

    /// Ends the tab: what waits is cancelled, and its agent is gone with all that it started.
    pub(crate) async fn end(&self) {
        let connection = {
            let mut now = lock_mutex(&self.now);
            now.state = TabState::Ended;
            now.connection.take()
        };
        if let Some(connection) = connection {
            connection.end().await;
        }
        if let Some(servers) = self.servers.get() {
            servers.end().await;
        }
        // One that is being started ends too, before anybody hears that the tab has.
        self.closing.send_replace(true);
        let _ = tokio::time::timeout(STOPPING, self.started.subscribe().wait_for(|over| *over)).await;
        let gate = self.gate.clone();
        // It waits for what is to be written.
        let _ = tokio::task::spawn_blocking(move || gate.shut_down()).await;
    }
}
