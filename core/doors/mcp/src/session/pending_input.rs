//! Calls that were allowed and whose server asked for input (2026-07-28): they go on with the client's next request, under
//! the verdict that they have.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

use super::tool_calls::ToolCallRequest;
use crate::session_binding::SessionBinding;
use mayi_core::call::{Call, Digest, digest_of};
use mayi_core::gate::{Authorized, Execution, Gate};
use mayi_core::policy::Mode;

/// So long a server's question may wait, and so many of them.
const PATIENCE: Duration = Duration::from_secs(3600);
const MOST: usize = 256;

/// A call is known by its server and tool, by what was allowed, and by the state that its server gave it.
type CallKey = (String, String, Digest, Option<Digest>);

/// The calls of one conversation.
pub(super) struct Unfinished {
    gate: Gate,
    binding: SessionBinding,
    calls: Mutex<HashMap<CallKey, UnfinishedCall>>,
}

struct UnfinishedCall {
    authorized: Authorized<Call>,
    carrying: Execution,
    since: Instant,
    /// What held when it was allowed: under anything else it is judged anew.
    held_under: (u64, Option<Mode>),
}

impl Unfinished {
    pub(super) fn new(gate: Gate, binding: SessionBinding) -> Self {
        Self { gate, binding, calls: Mutex::default() }
    }

    /// The server asks for input: the call goes on when the client comes back with it.
    pub(super) fn keep_call(
        &self,
        wanted: &ToolCallRequest,
        state: Option<&str>,
        authorized: Authorized<Call>,
        carrying: Execution,
    ) {
        let waiting = UnfinishedCall {
            authorized,
            carrying,
            since: Instant::now(),
            held_under: self.policy_and_mode(),
        };
        let mut calls = self.lock();
        calls.retain(|_, other| other.since.elapsed() < PATIENCE);
        if calls.len() < MOST {
            calls.insert(known_by(wanted, state), waiting);
        }
    }

    /// The call that goes on with this request: once, while what allowed it still holds.
    pub(super) fn take_call(
        &self,
        wanted: &ToolCallRequest,
        state: Option<&str>,
    ) -> Option<(Authorized<Call>, Execution)> {
        let holds = self.policy_and_mode();
        let waiting = self.lock().remove(&known_by(wanted, state))?;
        (waiting.held_under == holds && waiting.since.elapsed() < PATIENCE)
            .then_some((waiting.authorized, waiting.carrying))
    }

    fn policy_and_mode(&self) -> (u64, Option<Mode>) {
        (self.gate.policy().epoch, self.binding.current_session().map(|session| self.gate.mode(&session)))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CallKey, UnfinishedCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn known_by(wanted: &ToolCallRequest, state: Option<&str>) -> CallKey {
    let state = state.map(|state| digest_of(&json!(state)));
    (wanted.server.name.clone(), wanted.tool.clone(), wanted.digest.clone(), state)
}
