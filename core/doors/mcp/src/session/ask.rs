//! Who is asked: a person at a surface of mayi, else the client where the user trusts it to show the question to a
//! person, else nobody (S5.4).
//!
//! A client of the older era is sent a request. In the stateless one (2026-07-28) it gets a result that asks for input, with a
//! state that is sealed, and comes back with the answer in a request of its own.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::SealOptions;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::upward::Upward;
use super::wanted::Wanted;
use crate::belonging::Belonging;
use crate::door::{Asks, Shared};
use crate::era::Era;
use crate::frame::{Frame, code};
use crate::front::{Caller, Key};
use mayi_core::approval::{ApprovalId, ApprovalResponse, Card, choice, visible, visible_block};
use mayi_core::call::json::strict;
use mayi_core::call::{Call, digest_of};
use mayi_core::gate::{Authorized, OnAsk, Ticket};

/// A form can't be opened in full as a card can: what is longer is not asked about there.
const LONGEST: usize = 4000;

/// What a form answers with.
const ANSWER: &str = "answer";
const ALLOW: &str = "allow_once";

/// What the model is told where a form was closed without an answer.
const DISMISSED: &str = "the question was dismissed without an answer";

/// Before mayi's own state: that of servers goes to them.
const PREFIX: &str = "mayi:";

/// The name of mayi's question among the inputs that are asked for.
const QUESTION: &str = "mayi";

/// Questions that wait for the client to come back.
type Parked = Mutex<HashMap<ApprovalId, (Ticket, Card)>>;

/// The questions about the calls of one conversation.
pub(super) struct Asking {
    shared: Arc<Shared>,
    upward: Arc<Upward>,
    caller: Caller,
    belongs: Belonging,
    parked: Arc<Parked>,
}

/// Whether mayi gave out this state, or somebody claims that it did.
pub(super) fn is_ours(state: &str) -> bool {
    state.starts_with(PREFIX)
}

impl Asking {
    pub(super) fn new(
        shared: Arc<Shared>,
        upward: Arc<Upward>,
        (caller, belongs): (Caller, Belonging),
    ) -> Self {
        Self { shared, upward, caller, belongs, parked: Arc::default() }
    }

    /// Hands a call in, and has somebody asked if the gate does not know by itself.
    ///
    /// # Errors
    /// If it is not allowed, or not yet: what the client gets.
    pub(super) async fn ask(&self, call: Call, wanted: &Wanted, key: Key) -> Result<Authorized<Call>, Frame> {
        let options = &self.shared.options;
        let client = options.asks == Asks::Auto && self.trusts_client() && wanted.says.takes_forms();
        let (ticket, in_form) = {
            // Looked up once, and only for what is asked about.
            let surface = LazyCell::new(|| match options.asks {
                Asks::Nobody => false,
                Asks::Surface | Asks::Session => true,
                Asks::Auto => (options.surface)(),
            });
            let ticket = self.shared.gate.submit_together(call, &[], || match options.asks {
                // As everything of the session is asked about.
                Asks::Session => None,
                _ if *surface || client => Some(OnAsk::Wait),
                _ => Some(OnAsk::Deny),
            });
            let in_form = client && ticket.approval().is_some() && !*surface;
            (ticket, in_form)
        };
        if !in_form {
            return wanted.allowed(ticket.verdict().await);
        }
        match self.form(&ticket) {
            Ok((card, form)) if wanted.says.era == Era::Stateless => {
                Err(self.park(ticket, card, &form, wanted))
            }
            Ok((card, form)) => self.elicit(ticket, &card, form, wanted, key).await,
            Err(why) => {
                if let Some(id) = ticket.approval() {
                    self.shared.gate.deny(id, "mayi", &why);
                }
                wanted.allowed(ticket.verdict().await)
            }
        }
    }

    /// The user trusts this client to show forms to a person.
    fn trusts_client(&self) -> bool {
        let policy = self.shared.gate.policy();
        let settings = self.shared.options.agent.name().and_then(|name| policy.agents.get(name));
        settings.is_some_and(|agent| agent.trust_elicitation)
    }

    /// The question as a form, if a client may be asked it at all.
    fn form(&self, ticket: &Ticket) -> Result<(Card, Value), String> {
        let id = ticket.approval();
        let card = self.shared.gate.waiting().into_iter().find(|card| Some(card.approval_id) == id);
        let card = card.ok_or("the question is gone")?;
        let elsewhere =
            "a person has to answer it at a surface of mayi (`mayi inbox watch`), and none is open";
        if card.why.iter().any(|finding| finding.always) {
            return Err(format!(
                "this is asked about whatever the rules say, and never in the client: {elsewhere}"
            ));
        }
        let message = question(&card);
        if message.chars().count() > LONGEST {
            return Err(format!("the call is too long to be shown in full by the client: {elsewhere}"));
        }
        let schema = json!({
            "type": "object",
            "properties": { ANSWER: {
                "type": "string", "title": "Your answer", "enum": ["deny", ALLOW], "default": "deny",
            } },
            "required": [ANSWER],
        });
        Ok((card, json!({ "mode": "form", "message": message, "requestedSchema": schema })))
    }

    /// Asks a client of the older era. An answer at another surface counts too: the first one wins.
    async fn elicit(
        &self,
        ticket: Ticket,
        card: &Card,
        mut form: Value,
        wanted: &Wanted,
        key: Key,
    ) -> Result<Authorized<Call>, Frame> {
        // Before 2025-11-25 there was only one mode, and no word for it.
        if let Some(form) = form.as_object_mut() {
            form.remove("mode");
        }
        let mut asked = self.upward.ask("elicitation/create", &form, Some(key));
        let mut verdict = std::pin::pin!(ticket.verdict());
        let said = tokio::select! {
            // Somebody answered elsewhere.
            verdict = &mut verdict => return wanted.allowed(verdict),
            said = asked.answer() => said,
        };
        // Nobody said no: the question is withdrawn, as it is with any call whose client goes.
        let Some(said) = said else {
            return Err(wanted.not_run("the client is gone, and nothing was run"));
        };
        self.answer(card, said.member("result"), wanted);
        wanted.allowed(verdict.await)
    }

    /// Gives the question to a client of the stateless era, which comes back with the answer in a request of its own.
    fn park(&self, ticket: Ticket, card: Card, form: &Value, wanted: &Wanted) -> Frame {
        let id = card.approval_id;
        let patience = self.shared.options.patience;
        let context = self.context(wanted);
        let sealing = SealOptions::new().associated_data(&context).ttl(patience);
        let state = format!("{PREFIX}{}", self.shared.codec.seal_with(id.to_string().as_bytes(), &sealing));
        self.parked().insert(id, (ticket, card));
        let parked = Arc::downgrade(&self.parked);
        tokio::spawn(async move {
            tokio::time::sleep(patience).await;
            if let Some(parked) = parked.upgrade() {
                let expired = lock(&parked).remove(&id);
                // Withdraws the question.
                drop(expired);
            }
        });
        let result = json!({
            "resultType": "input_required",
            "inputRequests": { QUESTION: { "method": "elicitation/create", "params": form } },
            "requestState": state,
        });
        Frame::result(RawValue::NULL, &result)
    }

    /// The client comes back with an answer.
    ///
    /// # Errors
    /// If that does not allow the call: what the client gets.
    pub(super) async fn resume(&self, wanted: &Wanted, state: &str) -> Result<Authorized<Call>, Frame> {
        let refuse = |why: &str| {
            self.shared.gate.refused();
            let message = format!(
                "the request state is refused, and nothing was run: {why}; call the tool again without it"
            );
            Frame::error(RawValue::NULL, code::INVALID_PARAMS, &message)
        };
        let sealed = state.strip_prefix(PREFIX).unwrap_or_default();
        let opened = self.shared.codec.open_with(sealed, &self.context(wanted));
        let opened = opened.map_err(|error| refuse(&error.to_string()))?;
        let id = std::str::from_utf8(&opened).ok().and_then(|id| id.parse::<ApprovalId>().ok());
        // Taken out: it counts once.
        let parked = id.and_then(|id| self.parked().remove(&id));
        let (mut ticket, card) = parked.ok_or_else(|| refuse("it was used before, or has expired"))?;
        if let Some(verdict) = ticket.at_once() {
            // Somebody was quicker at another surface, or the rules have changed.
            return wanted.allowed(verdict);
        }
        let responses = wanted.params.object("inputResponses");
        let response = responses.as_ref().and_then(|responses| responses.get(QUESTION));
        self.answer(&card, response, wanted);
        wanted.allowed(ticket.verdict().await)
    }

    /// What the state is bound to: who asks, what is called, and the rules that held.
    fn context(&self, wanted: &Wanted) -> Vec<u8> {
        let server = (&wanted.server.name, &wanted.server.id);
        let context = json!({
            "caller": self.caller.0, "session": self.belongs.now(), "server": server, "tool": wanted.tool,
            "arguments": wanted.digest, "epoch": self.shared.gate.policy().epoch,
        });
        digest_of(&context).as_str().as_bytes().to_vec()
    }

    /// The client is gone: nobody comes back with an answer.
    pub(super) fn close(&self) {
        let parked = std::mem::take(&mut *self.parked());
        // Withdraws the questions.
        drop(parked);
    }

    fn parked(&self) -> MutexGuard<'_, HashMap<ApprovalId, (Ticket, Card)>> {
        lock(&self.parked)
    }

    /// Takes what a client says that a person answered: an allow only if it is just that.
    fn answer(&self, card: &Card, result: Option<&RawValue>, wanted: &Wanted) {
        let result = result.and_then(|result| strict(result.get()).ok()).unwrap_or_default();
        let action = result.get("action").and_then(Value::as_str);
        let picked = result.get("content").and_then(|content| content.get(ANSWER)).and_then(Value::as_str);
        let option = match (action, picked) {
            (Some("accept"), Some(ALLOW)) => choice::ALLOW_ONCE,
            (Some("accept"), Some(choice::DENY)) | (Some("decline"), _) => choice::DENY,
            // Nobody has said no, or nobody knows what was said: the call does not run, and is no denial of a person's.
            _ => {
                self.shared.gate.deny(card.approval_id, "client", DISMISSED);
                return;
            }
        };
        let name = wanted.says.name().map_or_else(String::new, |name| format!(" {}", visible(&name)));
        let by = format!("client{name}");
        if let Err(error) = self.shared.gate.answer(ApprovalResponse::pick(card, option), &by) {
            // It has changed, or somebody else was quicker: then that counts.
            tracing::debug!(%error, "the client's answer does not count");
            self.shared.gate.deny(card.approval_id, "mayi", &error.to_string());
        }
    }
}

fn lock(parked: &Parked) -> MutexGuard<'_, HashMap<ApprovalId, (Ticket, Card)>> {
    parked.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The prompt of S2.5, on one form.
fn question(card: &Card) -> String {
    let (server, tool) = match &card.server {
        Some(server) => (visible(&server.name), visible(&server.tool)),
        None => ("?".to_owned(), visible(&card.tool_call.title)),
    };
    let arguments = serde_json::to_string_pretty(&card.tool_call.raw_input).unwrap_or_default();
    let why: Vec<String> = card.why.iter().map(|finding| visible(&finding.reason)).collect();
    format!(
        "Allow tool call from {server}? Run {tool} from {server} with:\n{}\n\nAsked because: {}.\n\nMalicious MCP servers or \
         conversation content could try to trick the agent into harmful actions through your tools. Review each action \
         carefully before approving.",
        visible_block(&arguments),
        why.join("; ")
    )
}
