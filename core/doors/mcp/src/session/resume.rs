//! Calls that take more than one request (2026-07-28): mayi's own question, whose state is sealed, and questions of the
//! server about a call that was allowed.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::SealOptions;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Session;
use super::calls::{Parts, Step, Wanted};
use crate::frame::{Frame, code};
use crate::members::Members;
use mayi_core::approval::{ApprovalId, Card};
use mayi_core::call::{Call, Digest, digest_of};
use mayi_core::gate::{Authorized, Carrying, Ticket};
use mayi_core::policy::Mode;

/// Before mayi's own state: that of servers goes to them.
const PREFIX: &str = "mayi:";

/// The name of mayi's question among the inputs that are asked for.
const QUESTION: &str = "mayi";

/// So long a server's question may wait, and so many of them.
const UNFINISHED: Duration = Duration::from_secs(3600);
const MOST: usize = 256;

/// Questions that wait for the client to come back.
#[derive(Default)]
pub(super) struct Parked(HashMap<ApprovalId, (Ticket, Card)>);

/// Calls that were allowed and whose server asked for input. A call is known by what was allowed, and by the state that
/// its server gave it.
#[derive(Default)]
pub(super) struct Unfinished(HashMap<(usize, String, Digest, Option<Digest>), Continuation>);

/// A call that was allowed, and may have begun.
pub(super) struct Continuation {
    authorized: Authorized<Call>,
    carrying: Option<Carrying>,
    since: Instant,
    /// What held when it was allowed: under anything else it is judged anew.
    held: Option<(u64, Mode)>,
}

impl Continuation {
    pub(super) fn new(authorized: Authorized<Call>) -> Self {
        Self { authorized, carrying: None, since: Instant::now(), held: None }
    }

    pub(super) fn into_parts(self) -> Parts {
        (self.authorized, self.carrying)
    }
}

/// Whether mayi gave out this state, or somebody claims that it did.
pub(super) fn is_ours(state: &str) -> bool {
    state.starts_with(PREFIX)
}

/// What is between mayi and the client does not go to the server.
pub(super) fn keep_own(params: &mut Members) {
    if params.string("requestState").is_some_and(|state| is_ours(&state)) {
        params.remove("requestState");
        params.remove("inputResponses");
    }
}

impl Session {
    /// Gives the question to the client, which comes back with the answer in a request of its own.
    pub(super) fn park(self: &Arc<Self>, ticket: Ticket, card: &Card, form: Value, wanted: &Wanted) -> Step {
        let id = card.approval_id;
        let patience = self.shared.options.patience;
        let context = self.context(wanted);
        let sealing = SealOptions::new().associated_data(&context).ttl(patience);
        let state = format!("{PREFIX}{}", self.shared.codec.seal_with(id.to_string().as_bytes(), &sealing));
        self.lock().parked.0.insert(id, (ticket, card.clone()));
        let session = Arc::downgrade(self);
        tokio::spawn(async move {
            tokio::time::sleep(patience).await;
            if let Some(session) = session.upgrade() {
                let expired = session.lock().parked.0.remove(&id);
                // Withdraws the question.
                drop(expired);
            }
        });
        let result = json!({
            "resultType": "input_required",
            "inputRequests": { QUESTION: { "method": "elicitation/create", "params": form } },
            "requestState": state,
        });
        Step::Answer(Frame::result(RawValue::NULL, &result))
    }

    /// The client comes back with an answer.
    pub(super) async fn resume(self: &Arc<Self>, wanted: &Wanted, state: &str) -> Step {
        let refuse = |why: &str| {
            self.shared.gate.refused();
            let message = format!(
                "the request state is refused, and nothing was run: {why}; call the tool again without it"
            );
            Step::Answer(Frame::error(RawValue::NULL, code::INVALID_PARAMS, &message))
        };
        let sealed = state.strip_prefix(PREFIX).unwrap_or_default();
        let opened = match self.shared.codec.open_with(sealed, &self.context(wanted)) {
            Ok(opened) => opened,
            Err(error) => return refuse(&error.to_string()),
        };
        let id = std::str::from_utf8(&opened).ok().and_then(|id| id.parse::<ApprovalId>().ok());
        // Taken out: it counts once.
        let parked = id.and_then(|id| self.lock().parked.0.remove(&id));
        let Some((mut ticket, card)) = parked else { return refuse("it was used before, or has expired") };
        if let Some(verdict) = ticket.at_once() {
            // Somebody was quicker at another surface, or the rules have changed.
            return self.step(verdict, wanted);
        }
        let responses = wanted.params.object("inputResponses");
        let response = responses.as_ref().and_then(|responses| responses.get(QUESTION));
        self.answer(&card, response, wanted);
        let verdict = ticket.verdict().await;
        self.step(verdict, wanted)
    }

    /// What the state is bound to: who asks, what is called, and the rules that held.
    fn context(&self, wanted: &Wanted) -> Vec<u8> {
        let server = self.at(wanted.server).map(|server| (server.name.clone(), server.id.clone()));
        let context = json!({
            "caller": self.caller.0, "session": self.id, "server": server, "tool": wanted.tool,
            "arguments": wanted.digest, "epoch": self.shared.gate.policy().epoch,
        });
        digest_of(&context).as_str().as_bytes().to_vec()
    }

    /// The server asks for input: the call goes on when the client comes back with it.
    pub(super) fn keep_on(
        &self,
        wanted: &Wanted,
        state: Option<&str>,
        authorized: Authorized<Call>,
        carrying: Carrying,
    ) {
        let held = Some(self.holds());
        let continuation = Continuation { authorized, carrying: Some(carrying), since: Instant::now(), held };
        let mut own = self.lock();
        let unfinished = &mut own.unfinished.0;
        unfinished.retain(|_, other| other.since.elapsed() < UNFINISHED);
        if unfinished.len() < MOST {
            unfinished.insert(known_by(wanted, state), continuation);
        }
    }

    /// The call that goes on with this request: once, while what allowed it still holds.
    pub(super) fn go_on(&self, wanted: &Wanted, state: Option<&str>) -> Option<Continuation> {
        let holds = self.holds();
        let continuation = self.lock().unfinished.0.remove(&known_by(wanted, state))?;
        (continuation.held == Some(holds) && continuation.since.elapsed() < UNFINISHED)
            .then_some(continuation)
    }

    fn holds(&self) -> (u64, Mode) {
        (self.shared.gate.policy().epoch, self.shared.gate.mode(&self.id))
    }
}

fn known_by(wanted: &Wanted, state: Option<&str>) -> (usize, String, Digest, Option<Digest>) {
    let state = state.map(|state| digest_of(&json!(state)));
    (wanted.server, wanted.tool.clone(), wanted.digest.clone(), state)
}
