//! Turns: a prompt, everything until it has ended, and what the agent is told of refusals after it.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use mayi_acp::{AgentError, Connection, StopReason};
use mayi_core::call::SessionId;
use mayi_doors::task::spawn;
use tokio::time::{Instant, sleep_until};

use super::Tab;
use crate::api::{Event, TabState};
use crate::backend::lock_mutex;
use crate::error::RpcError;

/// After the prompt's answer, calls that have begun may go on (sub-agents do): so long without a sign of life is the end.
const QUIET: Duration = Duration::from_secs(2);
/// What comes right behind the prompt's answer belongs to the turn.
const BEHIND: Duration = Duration::from_millis(200);
/// However lively it is: so long after the prompt's answer the turn is over, unless somebody is asked.
const LINGERS: Duration = Duration::from_secs(60);
/// How often to look meanwhile.
const LOOK: Duration = Duration::from_millis(25);
/// The longest title.
const TITLE: usize = 48;

impl Tab {
    /// Begins a turn.
    ///
    /// # Errors
    /// If one is under way, or the agent is gone.
    pub(crate) fn begin_turn(self: &Arc<Self>, text: String) -> Result<u64, RpcError> {
        if text.trim().is_empty() {
            return Err(RpcError::Params("there is nothing in this prompt".to_owned()));
        }
        // What was written meanwhile counts.
        self.reload_config();
        let (turn, connection) = {
            let mut now = lock_mutex(&self.now);
            let connection = match (now.state, &now.connection) {
                (TabState::Idle, Some(connection)) => Arc::clone(connection),
                (TabState::Running, _) => {
                    return Err(RpcError::Agent(
                        "a turn is under way: wait for its end, or cancel it".to_owned(),
                    ));
                }
                (TabState::Starting, _) => {
                    return Err(RpcError::Agent("the agent is being started still".to_owned()));
                }
                _ => return Err(RpcError::Agent("the agent is gone: open a new session".to_owned())),
            };
            now.state = TabState::Running;
            now.turn += 1;
            now.cancelled = false;
            now.reasons.clear();
            if now.title.is_empty() {
                now.title = title_from_prompt(&text);
            }
            (now.turn, connection)
        };
        if let Some(backend) = self.backend.upgrade() {
            backend.events.push(&Event::Prompt { tab_id: self.id.clone(), turn, text: text.clone() });
        }
        self.announce_state();
        let tab = Arc::clone(self);
        spawn(async move {
            let ended = tab.run_turn(&connection, text).await;
            tab.finish_turn(&connection, turn, ended).await;
        });
        Ok(turn)
    }

    /// Cancels the turn: what waits in it is cancelled, and the agent ends it or is ended.
    pub(crate) fn cancel_turn(self: &Arc<Self>) {
        let (session, connection, turn) = {
            let mut now = lock_mutex(&self.now);
            let (Some(session), Some(connection)) = (now.session.clone(), now.connection.clone()) else {
                return;
            };
            // Also where no prompt is under way just now: before the first one, or before a follow-up.
            now.cancelled = true;
            (session, connection, now.turn)
        };
        connection.cancel_turn(&session);
        let tab = Arc::clone(self);
        spawn(async move {
            tokio::time::sleep(connection.cancel_limit()).await;
            let same = {
                let now = lock_mutex(&tab.now);
                now.state == TabState::Running && now.turn == turn
            };
            if same {
                let text = "the agent did not end its turn after it was cancelled, and was stopped";
                tab.record_agent_gone(&connection, Some(text.to_owned())).await;
            }
        });
    }

    /// One prompt, and follow-ups with the reasons that the person gave for saying no.
    async fn run_turn(&self, connection: &Arc<Connection>, text: String) -> Result<StopReason, AgentError> {
        let Some(session) = lock_mutex(&self.now).session.clone() else {
            return Err(AgentError::Protocol("the session is not open".to_owned()));
        };
        let mode = self.gate.mode(&session);
        let mut blocks = lock_mutex(&self.now).briefing.prompt_blocks(mode, text);
        loop {
            let Some(stop) = self.send_prompt(connection, &session, &blocks).await else {
                return Ok(StopReason::Cancelled);
            };
            let stop = stop?;
            if stop == StopReason::Cancelled {
                return Ok(stop);
            }
            self.await_late_events(connection, &session).await;
            if lock_mutex(&self.now).cancelled {
                return Ok(StopReason::Cancelled);
            }
            let reasons = std::mem::take(&mut lock_mutex(&self.now).reasons);
            if reasons.is_empty() {
                return Ok(stop);
            }
            blocks = vec![format!(
                "[mayi] The user refused what you asked for, and says why:\n- {}\nGo on accordingly.",
                reasons.join("\n- ")
            )];
        }
    }

    /// Sends a prompt, unless the turn was cancelled: either the agent hears of the cancellation after it, or it is not sent.
    async fn send_prompt(
        &self,
        connection: &Connection,
        session: &SessionId,
        blocks: &[String],
    ) -> Option<Result<StopReason, AgentError>> {
        let mut prompt = std::pin::pin!(connection.prompt(session, blocks));
        let begun = std::future::poll_fn(|cx| {
            let now = lock_mutex(&self.now);
            // The first look at it sends it.
            std::task::Poll::Ready((!now.cancelled).then(|| prompt.as_mut().poll(cx)))
        });
        match begun.await? {
            std::task::Poll::Ready(stop) => Some(stop),
            std::task::Poll::Pending => Some(prompt.await),
        }
    }

    /// Some agents go on after the prompt's answer: what they ask then belongs to the turn.
    async fn await_late_events(&self, connection: &Connection, session: &SessionId) {
        let begun = Instant::now();
        let gone = connection.wait_until_gone();
        tokio::pin!(gone);
        loop {
            let waiting = self.gate.count_waiting() > 0;
            let patience = if connection.under_way(session) > 0 { QUIET } else { BEHIND };
            let heard = Instant::from_std(lock_mutex(&self.now).heard).max(begun);
            let until = (heard + patience).min(begun + LINGERS);
            if (!waiting && Instant::now() >= until) || lock_mutex(&self.now).cancelled {
                return;
            }
            tokio::select! {
                () = sleep_until(Instant::now() + LOOK) => {}
                () = &mut gone => return,
            }
        }
    }

    async fn finish_turn(
        &self,
        connection: &Arc<Connection>,
        turn: u64,
        ended: Result<StopReason, AgentError>,
    ) {
        let (stop_reason, error) = match &ended {
            Ok(stop) => (Some(stop.as_str().to_owned()), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let refused = matches!(ended, Err(AgentError::Refused { .. }));
        let over = connection.wait_until_gone().now_or_never().is_some();
        if over || (error.is_some() && !refused) {
            let why = error.clone().unwrap_or_else(|| "the agent has ended".to_owned());
            self.record_agent_gone(connection, Some(why)).await;
        } else {
            {
                let mut now = lock_mutex(&self.now);
                if now.state == TabState::Running {
                    now.state = TabState::Idle;
                }
            }
            // Whoever heard just before that the agent is gone has left that to this turn.
            if connection.wait_until_gone().now_or_never().is_some() {
                self.record_agent_gone(connection, None).await;
            }
        }
        self.flush_events().await;
        if let Some(backend) = self.backend.upgrade() {
            let tab_id = self.id.clone();
            backend.events.push(&Event::TurnEnded { tab_id, turn, stop_reason, error });
        }
        self.announce_state();
    }
}

/// The first words that a person said.
fn title_from_prompt(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut short: String = line.chars().take(TITLE).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}
