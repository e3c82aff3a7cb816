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

use super::server_requests::Upward;
use super::tool_calls::{PERMISSION, ToolCallRequest};
use crate::door::{Answerer, Shared};
use crate::era::Era;
use crate::frame::{Frame, code};
use crate::front::{Caller, RequestKey};
use crate::session_binding::SessionBinding;
use mayi_core::approval::{ApprovalId, ApprovalResponse, Card, choice, escape_block, escape_line};
use mayi_core::call::json::parse_strict;
use mayi_core::call::{Call, digest_of};
use mayi_core::gate::{Authorized, OnAsk, Ticket};
use mayi_doors::task::spawn;

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
type ParkedQuestions = Mutex<HashMap<ApprovalId, (Ticket, Card)>>;

/// The questions about the calls of one conversation.
pub(super) struct CallQuestions {
    shared: Arc<Shared>,
    upward: Arc<Upward>,
    caller: Caller,
    binding: SessionBinding,
    parked: Arc<ParkedQuestions>,
}

/// Whether mayi gave out this state, or somebody claims that it did.
pub(super) fn is_ours(state: &str) -> bool {
    state.starts_with(PREFIX)
}

impl CallQuestions {
    pub(super) fn new(
        shared: Arc<Shared>,
        upward: Arc<Upward>,
        (caller, binding): (Caller, SessionBinding),
    ) -> Self {
        Self { shared, upward, caller, binding, parked: Arc::default() }
    }

    /// Hands a call in, and has somebody asked if the gate does not know by itself.
    ///
    /// # Errors
    /// If it is not allowed, or not yet: what the client gets.
    pub(super) async fn authorize_call(
        &self,
        call: Call,
        wanted: &ToolCallRequest,
        key: RequestKey,
    ) -> Result<Authorized<Call>, Frame> {
        let options = &self.shared.options;
        let client = options.asks == Answerer::Auto && self.trusts_client() && wanted.client.takes_forms();
        let (ticket, in_form) = {
            // Looked up once, and only for what is asked about.
            let surface = LazyCell::new(|| match options.asks {
                Answerer::Nobody => false,
                Answerer::Surface | Answerer::Session => true,
                Answerer::Auto => (options.surface)(),
            });
            let ticket = self.shared.gate.submit_together(call, &[], || match options.asks {
                // As everything of the session is asked about.
                Answerer::Session => None,
                _ if *surface || client => Some(OnAsk::Wait),
                _ => Some(OnAsk::Deny),
            });
            let in_form = client && ticket.approval_id().is_some() && !*surface;
            (ticket, in_form)
        };
        if !in_form {
            return wanted.authorized_call(ticket.verdict().await);
        }
        match self.question_form(&ticket, wanted) {
            Ok((card, form)) if wanted.client.era == Era::Stateless => {
                Err(self.park_question(ticket, card, &form, wanted))
            }
            Ok((card, form)) => self.elicit_answer(ticket, &card, form, wanted, key).await,
            Err(why) => {
                if let Some(id) = ticket.approval_id() {
                    self.shared.gate.deny_waiting(id, "mayi", &why);
                }
                wanted.authorized_call(ticket.verdict().await)
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
    fn question_form(&self, ticket: &Ticket, wanted: &ToolCallRequest) -> Result<(Card, Value), String> {
        let id = ticket.approval_id();
        let card = self.shared.gate.waiting_cards().into_iter().find(|card| Some(card.approval_id) == id);
        let card = card.ok_or("the question is gone")?;
        let elsewhere =
            "a person has to answer it at a surface of mayi (`mayi inbox watch`), and none is open";
        if card.why.iter().any(|finding| finding.always) {
            return Err(format!(
                "this is asked about whatever the rules say, and never in the client: {elsewhere}"
            ));
        }
        let message = question_text(&card);
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
        let why = reasons(&card);
        let permission = json!({
            "requiresPermission": true,
            "permissionRequest": wanted.permission_request(card.permission_type, &why),
        });
        let form = json!({
            "mode": "form", "message": message, "requestedSchema": schema, "_meta": { PERMISSION: permission },
        });
        Ok((card, form))
    }

    /// Asks a client of the older era. An answer at another surface counts too: the first one wins.
    async fn elicit_answer(
        &self,
        ticket: Ticket,
        card: &Card,
        mut form: Value,
        wanted: &ToolCallRequest,
        key: RequestKey,
    ) -> Result<Authorized<Call>, Frame> {
        // Before 2025-11-25 there was only one mode, and no word for it.
        if let Some(form) = form.as_object_mut() {
            form.remove("mode");
        }
        let mut asked = self.upward.ask_client("elicitation/create", &form, Some(key));
        let mut verdict = std::pin::pin!(ticket.verdict());
        let said = tokio::select! {
            // Somebody answered elsewhere.
            verdict = &mut verdict => return wanted.authorized_call(verdict),
            said = asked.wait_for_answer() => said,
        };
        // Nobody said no: the question is withdrawn, as it is with any call whose client goes.
        let Some(said) = said else {
            return Err(wanted.not_run("the client is gone, and nothing was run"));
        };
        self.apply_answer(card, said.member("result"), wanted);
        wanted.authorized_call(verdict.await)
    }

    /// Gives the question to a client of the stateless era, which comes back with the answer in a request of its own.
    fn park_question(&self, ticket: Ticket, card: Card, form: &Value, wanted: &ToolCallRequest) -> Frame {
        let id = card.approval_id;
        let patience = self.shared.options.patience;
        let context = self.state_context(wanted);
        let sealing = SealOptions::new().associated_data(&context).ttl(patience);
        let state = format!("{PREFIX}{}", self.shared.codec.seal_with(id.to_string().as_bytes(), &sealing));
        self.lock_parked().insert(id, (ticket, card));
        let parked = Arc::downgrade(&self.parked);
        spawn(async move {
            tokio::time::sleep(patience).await;
            if let Some(parked) = parked.upgrade() {
                let expired = lock_questions(&parked).remove(&id);
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
    pub(super) async fn resume_question(
        &self,
        wanted: &ToolCallRequest,
        state: &str,
    ) -> Result<Authorized<Call>, Frame> {
        let refuse = |why: &str| {
            self.shared.gate.count_refused();
            let message = format!(
                "the request state is refused, and nothing was run: {why}; call the tool again without it"
            );
            Frame::error(RawValue::NULL, code::INVALID_PARAMS, &message)
        };
        let sealed = state.strip_prefix(PREFIX).unwrap_or_default();
        let opened = self.shared.codec.open_with(sealed, &self.state_context(wanted));
        let opened = opened.map_err(|error| refuse(&error.to_string()))?;
        let id = std::str::from_utf8(&opened).ok().and_then(|id| id.parse::<ApprovalId>().ok());
        // Taken out: it counts once.
        let parked = id.and_then(|id| self.lock_parked().remove(&id));
        let (mut ticket, card) = parked.ok_or_else(|| refuse("it was used before, or has expired"))?;
        if let Some(verdict) = ticket.at_once() {
            // Somebody was quicker at another surface, or the rules have changed.
            return wanted.authorized_call(verdict);
        }
        let responses = wanted.params.object_member("inputResponses");
        let response = responses.as_ref().and_then(|responses| responses.get(QUESTION));
        self.apply_answer(&card, response, wanted);
        wanted.authorized_call(ticket.verdict().await)
    }

    /// What the state is bound to: who asks, what is called, and the rules that held.
    fn state_context(&self, wanted: &ToolCallRequest) -> Vec<u8> {
        let server = (&wanted.server.name, &wanted.server.id);
        let context = json!({
            "caller": self.caller.0, "session": self.binding.current_session(), "server": server, "tool": wanted.tool,
            "arguments": wanted.digest, "epoch": self.shared.gate.policy().epoch,
        });
        digest_of(&context).as_str().as_bytes().to_vec()
    }

    /// The client is gone: nobody comes back with an answer.
    pub(super) fn close(&self) {
        let parked = std::mem::take(&mut *self.lock_parked());
        // Withdraws the questions.
        drop(parked);
    }

    fn lock_parked(&self) -> MutexGuard<'_, HashMap<ApprovalId, (Ticket, Card)>> {
        lock_questions(&self.parked)
    }

    /// Takes what a client says that a person answered: an allow only if it is just that.
    fn apply_answer(&self, card: &Card, result: Option<&RawValue>, wanted: &ToolCallRequest) {
        let result = result.and_then(|result| parse_strict(result.get()).ok()).unwrap_or_default();
        let action = result.get("action").and_then(Value::as_str);
        let picked = result.get("content").and_then(|content| content.get(ANSWER)).and_then(Value::as_str);
        let option = match (action, picked) {
            (Some("accept"), Some(ALLOW)) => choice::ALLOW_ONCE,
            (Some("accept"), Some(choice::DENY)) | (Some("decline"), _) => choice::DENY,
            // Nobody has said no, or nobody knows what was said: the call does not run, and is no denial of a person's.
            _ => {
                self.shared.gate.deny_waiting(card.approval_id, "client", DISMISSED);
                return;
            }
        };
        let name = wanted.client.name().map_or_else(String::new, |name| format!(" {}", escape_line(&name)));
        let by = format!("client{name}");
        if let Err(error) = self.shared.gate.answer(ApprovalResponse::pick(card, option), &by) {
            // It has changed, or somebody else was quicker: then that counts.
            tracing::debug!(%error, "the client's answer does not count");
            self.shared.gate.deny_waiting(card.approval_id, "mayi", &error.to_string());
        }
    }
}

fn lock_questions(parked: &ParkedQuestions) -> MutexGuard<'_, HashMap<ApprovalId, (Ticket, Card)>> {
    parked.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The prompt of S2.5, on one form.
fn question_text(card: &Card) -> String {
    let (server, tool) = match &card.server {
        Some(server) => (escape_line(&server.name), escape_line(&server.tool)),
        None => ("?".to_owned(), escape_line(&card.tool_call.title)),
    };
    let arguments = serde_json::to_string_pretty(&card.tool_call.raw_input).unwrap_or_default();
    format!(
        "Allow tool call from {server}? Run {tool} from {server} with:\n{}\n\nAsked because: {}.\n\nMalicious MCP servers or \
         conversation content could try to trick the agent into harmful actions through your tools. Review each action \
         carefully before approving.",
        escape_block(&arguments),
        reasons(card)
    )
}

/// Why it is asked about, one line.
fn reasons(card: &Card) -> String {
    let why: Vec<String> = card.why.iter().map(|finding| escape_line(&finding.reason)).collect();
    why.join("; ")
}
