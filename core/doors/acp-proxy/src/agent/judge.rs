//! `session/request_permission`: judged, asked about where need be, and answered exactly once.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::line::{Id, Message, code};
use crate::session::Session;
use crate::shared::Shared;
use mayi_acp_shared::adapt::From;
use mayi_acp_shared::permission::{answer, asked, cancelled};
use mayi_core::call::{Access, Door};
use mayi_core::gate::{Ticket, Verdict};

/// A request of the agent's that is being judged.
pub(super) struct Asked {
    pub(super) shared: Arc<Shared>,
    pub(super) session: Arc<Session>,
    pub(super) id: Id,
    /// The agent has withdrawn it.
    pub(super) token: CancellationToken,
    pub(super) params: Value,
}

impl Asked {
    pub(super) fn refuse(&self, number: i64, why: &str) -> Option<String> {
        self.shared.refuse_agent(&self.id, number, why);
        None
    }

    /// `session/request_permission`
    pub(super) fn permission(self, message: &Message<'_>) -> Option<String> {
        let (shared, session) = (&self.shared, &self.session);
        let empty = Map::new();
        let fields = self.params.get("toolCall").and_then(Value::as_object).unwrap_or(&empty);
        let Some(call_id) = fields.get("toolCallId").and_then(Value::as_str).filter(|id| !id.is_empty())
        else {
            return self.refuse(
                code::INVALID_PARAMS,
                "session/request_permission needs a toolCall with a toolCallId",
            );
        };
        // Asks that come after a cancel belong to the turn that is gone.
        if session.is_cancelled() {
            shared.answer_agent(&self.id, &cancelled());
            return None;
        }
        // Who asks does more than to say again what was said.
        session.state().replays = false;
        let call_id = call_id.to_owned();
        let key = (session.id.clone(), call_id.clone());
        if shared.open().contains_key(&key) {
            return self.refuse(code::INVALID_PARAMS, "this tool call is being asked about already");
        }
        let known = shared.tool_calls().ask(&session.id, &call_id, fields);
        let from = From { door: Door::AcpPermission, session: &session.core, tool_call_id: Some(&call_id) };
        let (call, options) = asked(&from, &known, &self.params);
        let accesses = call.accesses.clone();
        let asking = shared.cards.asking();
        let mut ticket = session.gate().submit(call, &options);
        asking.with(ticket.approval(), message.params());
        if let Some(verdict) = ticket.at_once() {
            self.permitted(&call_id, &verdict, &options, accesses);
            return None;
        }
        if let Some(approval) = ticket.approval() {
            shared.open().insert(key.clone(), approval);
        }
        let answers = shared.answers.clone();
        answers.spawn(async move {
            let verdict = self.verdict(ticket).await;
            self.shared.open().remove(&key);
            let untold = self.session.state().untold.remove(&call_id).unwrap_or_default();
            untold.into_iter().for_each(|line| self.shared.tell(&self.session, line));
            self.permitted(&call_id, &verdict, &options, accesses);
        });
        None
    }

    /// The verdict; one that comes when the turn is gone, or the request was withdrawn, allows nothing.
    pub(super) async fn verdict(&self, ticket: Ticket) -> Verdict {
        let verdict = tokio::select! {
            biased;
            () = self.token.cancelled() => Verdict::Cancelled,
            verdict = ticket.verdict() => verdict,
        };
        if self.token.is_cancelled() || self.session.is_cancelled() { Verdict::Cancelled } else { verdict }
    }

    fn permitted(
        &self,
        call_id: &str,
        verdict: &Verdict,
        options: &[mayi_core::approval::AgentOption],
        accesses: Vec<Access>,
    ) {
        let (shared, session) = (&self.shared, &self.session);
        shared.tool_calls().answered(&session.id, call_id);
        let mut state = session.state();
        if let Verdict::Allowed(authorized) = verdict {
            state.refused.remove(call_id);
            // An option of the agent's that switches its mode is called like the mode: into that one it may go.
            let picked = authorized
                .picked()
                .filter(|_| accesses.iter().any(|access| matches!(access, Access::Mode { .. })));
            let dangerous =
                |id: &&str| options.iter().any(|option| option.option_id == *id && option.danger.is_some());
            state.agreed.extend(picked.filter(dangerous).map(str::to_owned));
            state.approved.insert(call_id.to_owned(), authorized.call().accesses.clone());
        } else {
            state.refused.insert(call_id.to_owned());
        }
        drop(state);
        shared.answer_agent(&self.id, &answer(verdict, options));
    }
}
