//! Who is asked: a person at a surface of mayi, else the client where the user trusts it to show the question to a
//! person, else nobody (surfaces, section 5).

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::Session;
use super::calls::{Step, Wanted};
use crate::door::Asks;
use crate::era::Era;
use crate::front::Key;
use mayi_core::approval::{ApprovalResponse, Card, State, choice, visible, visible_block};
use mayi_core::call::Call;
use mayi_core::call::json::strict;
use mayi_core::gate::{OnAsk, Ticket};

/// A form can't be opened in full as a card can: what is longer is not asked about there.
const LONGEST: usize = 4000;

/// What a form answers with.
const ANSWER: &str = "answer";
const ALLOW: &str = "allow_once";

impl Session {
    /// Hands a call in, and has somebody asked if the gate does not know by itself.
    pub(super) async fn ask(self: &Arc<Self>, call: Call, wanted: &Wanted, key: Key) -> Step {
        let options = &self.shared.options;
        let surface = match options.asks {
            Asks::Nobody => false,
            Asks::Surface => true,
            Asks::Auto => (options.surface)(),
        };
        let client = options.asks == Asks::Auto && self.trusts_client() && wanted.says.takes_forms();
        let on_ask = if surface || client { OnAsk::Wait } else { OnAsk::Deny };
        let mut ticket = self.shared.gate.submit_as(call, &[], on_ask);
        if let Some(verdict) = ticket.at_once() {
            return self.step(verdict, wanted);
        }
        if surface || !client {
            return self.step(ticket.verdict().await, wanted);
        }
        match self.form(&ticket) {
            Ok((card, form)) if wanted.era == Era::Stateless => self.park(ticket, &card, form, wanted),
            Ok((card, form)) => self.elicit(ticket, &card, &form, wanted, key).await,
            Err(why) => {
                if let Some(id) = ticket.approval() {
                    self.shared.gate.settle(id, State::Denied, "mayi", Some(&why));
                }
                self.step(ticket.verdict().await, wanted)
            }
        }
    }

    /// The user trusts this client to show forms to a person.
    fn trusts_client(&self) -> bool {
        let policy = self.shared.gate.policy();
        policy.agents.get(self.shared.options.agent.as_str()).is_some_and(|agent| agent.trust_elicitation)
    }

    /// The question as a form, if a client may be asked it at all.
    pub(super) fn form(&self, ticket: &Ticket) -> Result<(Card, Value), String> {
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
        self: &Arc<Self>,
        ticket: Ticket,
        card: &Card,
        form: &Value,
        wanted: &Wanted,
        key: Key,
    ) -> Step {
        let mut form = form.clone();
        // Before 2025-11-25 there was only one mode, and no word for it.
        if let Some(form) = form.as_object_mut() {
            form.remove("mode");
        }
        let mut asked = self.ask_client("elicitation/create", &form, Some(key));
        let mut verdict = std::pin::pin!(ticket.verdict());
        let said = tokio::select! {
            // Somebody answered elsewhere.
            verdict = &mut verdict => return self.step(verdict, wanted),
            said = asked.answer() => said,
        };
        let result = said.and_then(|said| said.member("result").map(ToOwned::to_owned));
        self.answer(card, result.as_deref(), wanted);
        self.step(verdict.await, wanted)
    }

    /// Takes what a client says that a person answered: an allow only if it is just that.
    pub(super) fn answer(&self, card: &Card, result: Option<&RawValue>, wanted: &Wanted) {
        let result = result.and_then(|result| strict(result.get()).ok()).unwrap_or_default();
        let allows = result.get("action").and_then(Value::as_str) == Some("accept")
            && result.get("content").and_then(|content| content.get(ANSWER)).and_then(Value::as_str)
                == Some(ALLOW);
        let option = if allows { choice::ALLOW_ONCE } else { choice::DENY };
        let name = wanted.says.name().map_or_else(String::new, |name| format!(" {}", visible(&name)));
        let by = format!("client{name}");
        if let Err(error) = self.shared.gate.answer(ApprovalResponse::pick(card, option), &by) {
            // It has changed, or somebody else was quicker: then that counts.
            tracing::debug!(%error, "the client's answer does not count");
            self.shared.gate.settle(card.approval_id, State::Denied, "mayi", Some(&error.to_string()));
        }
    }
}

/// The prompt of surfaces, section 2, on one form.
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
