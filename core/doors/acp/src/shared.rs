//! What all handlers of one connection share: the gate, what waits, and where each session's turn stands.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_client_protocol::Error;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use super::terminals::Terminals;
use super::{AcpEvent, OfferedCapabilities, SessionEvent};
use mayi_acp_shared::ToolCalls;
use mayi_core::approval::ApprovalId;
use mayi_core::call::SessionId;
use mayi_core::gate::{Gate, Session};

/// What all handlers of one connection share.
pub(super) struct Shared {
    pub(super) gate: Gate,
    pub(super) offer: OfferedCapabilities,
    pub(super) events: mpsc::UnboundedSender<SessionEvent>,
    pub(super) terminals: Terminals,
    /// Tasks that owe the agent an answer: they are waited for before the connection ends.
    pub(super) answers: TaskTracker,
    tool_calls: Mutex<ToolCalls>,
    turns: Mutex<HashMap<SessionId, TurnState>>,
    open: Mutex<HashMap<(SessionId, String), ApprovalId>>,
    /// An earlier session is being loaded: what the agent says now was said before.
    pub(super) replaying: AtomicBool,
}

/// Where a session's turn stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TurnState {
    /// No prompt is under way.
    #[default]
    Idle,
    /// A prompt is under way.
    Running,
    /// It was cancelled, and has not ended yet.
    Cancelled,
}

impl Shared {
    pub(super) fn new(
        gate: Gate,
        offer: OfferedCapabilities,
        events: mpsc::UnboundedSender<SessionEvent>,
    ) -> Self {
        Self {
            gate,
            offer,
            events,
            terminals: Terminals::default(),
            answers: TaskTracker::new(),
            tool_calls: Mutex::default(),
            turns: Mutex::default(),
            open: Mutex::default(),
            replaying: AtomicBool::new(false),
        }
    }

    pub(super) fn lock_tool_calls(&self) -> MutexGuard<'_, ToolCalls> {
        self.tool_calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Questions about tool calls that wait for an answer.
    pub(super) fn lock_open_approvals(&self) -> MutexGuard<'_, HashMap<(SessionId, String), ApprovalId>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn turn_state(&self, session: &SessionId) -> TurnState {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner).get(session).copied().unwrap_or_default()
    }

    pub(super) fn set_turn(&self, session: &SessionId, turn: TurnState) {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner).insert(session.clone(), turn);
    }

    pub(super) fn send_notice(&self, text: impl Into<String>) {
        let _ = self.events.send(AcpEvent::Notice(text.into()).into());
    }
}

/// The session that a request names, or the connection's root session.
pub(super) fn session_of(gate: &Gate, params: &Value) -> Option<Session> {
    let id = params.get("sessionId").and_then(Value::as_str).unwrap_or_default();
    gate.session(&SessionId(id.to_owned()))
}

/// `invalid params`, with a text that says what is wrong.
pub(super) fn invalid_params_error(what: &str) -> Error {
    let mut error = Error::invalid_params();
    error.message = what.to_owned();
    error
}

/// The answer to something that may not be done.
pub(super) fn denied_error(why: &str) -> Error {
    let mut error = Error::internal_error();
    error.code = (-32003).into();
    error.message = format!("mayi: {why}");
    error
}
