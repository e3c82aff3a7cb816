//! `session/request_permission`: judged, asked about where need be, and answered exactly once.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::cards::Said;
use crate::line::{Id, Message, code};
use crate::parts::Parts;
use crate::session::Session;
use crate::shared::Shared;
use crate::splice::{Edit, apply};
use mayi_acp_shared::adapt::From;
use mayi_acp_shared::permission::{answer, asked, cancelled};
use mayi_acp_shared::subject::{self, Subject};
use mayi_core::approval::{AgentOption, ApprovalId};
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

    /// `session/request_permission`. `big`: there are numbers in its input that readers disagree on.
    pub(super) fn permission(self, message: &Message<'_>, big: bool) -> Option<String> {
        let (shared, session) = (&self.shared, &self.session);
        let subject = match self.subject() {
            Ok(subject) => subject,
            Err(wrong) => return self.refuse(code::INVALID_PARAMS, wrong),
        };
        if subject.id().is_some_and(crate::cards::is_own) {
            return self.refuse(code::INVALID_PARAMS, "a tool call of this id is mayi's own");
        }
        // Asks that come after a cancel belong to the turn that is gone.
        if session.is_cancelled() {
            shared.answer_agent(&self.id, &cancelled());
            return None;
        }
        // Who asks does more than to say again what was said.
        session.state().replays = false;
        let call_id = subject.id().map(str::to_owned);
        let key = call_id.clone().map(|id| (session.id.clone(), id));
        if key.as_ref().is_some_and(|key| shared.open().contains_key(key)) {
            return self.refuse(code::INVALID_PARAMS, "this tool call is being asked about already");
        }
        let from =
            From { door: Door::AcpPermission, session: &session.core, tool_call_id: call_id.as_deref() };
        let (call, options) = {
            let mut calls = shared.tool_calls();
            if shared.is_v2() {
                subject::asked(&from, &mut calls, &subject, &self.params, big)
            } else {
                let empty = Map::new();
                let fields = if let Subject::ToolCall { fields, .. } = &subject { fields } else { &empty };
                let mut known = calls.ask(&session.id, call_id.as_deref().unwrap_or_default(), fields);
                known.ambiguous |= big;
                asked(&from, &known, &self.params)
            }
        };
        let accesses = call.accesses.clone();
        let asking = shared.cards.asking();
        let mut ticket = session.gate().submit(call, &options);
        let approval = ticket.approval();
        session.state().unshown.extend(approval);
        asking.with(approval, message.params());
        let of = Of { call: call_id, approval, options, accesses };
        if let Some(verdict) = ticket.at_once() {
            self.shown(approval);
            self.permitted(&of, &verdict);
            return None;
        }
        if let (Some(approval), Some(key)) = (approval, &key) {
            shared.open().insert(key.clone(), approval);
        }
        let answers = shared.answers.clone();
        answers.spawn(async move {
            let verdict = self.verdict(ticket).await;
            if let Some(key) = &key {
                self.shared.open().remove(key);
                let untold = self.session.untold(&key.1);
                untold.into_iter().for_each(|line| self.shared.tell(&self.session, line));
            }
            self.permitted(&of, &verdict);
        });
        None
    }

    /// What it is about. In version 1 that is a tool call.
    fn subject(&self) -> Result<Subject, &'static str> {
        if self.shared.is_v2() {
            return subject::read(&self.params);
        }
        let fields = self.params.get("toolCall").and_then(Value::as_object);
        let id = fields.and_then(|fields| fields.get("toolCallId")?.as_str()).filter(|id| !id.is_empty());
        match (fields, id) {
            (Some(fields), Some(id)) => Ok(Subject::ToolCall { id: id.to_owned(), fields: fields.clone() }),
            _ => Err("session/request_permission needs a toolCall with a toolCallId"),
        }
    }

    /// What the agent says of its work waits for this question no more.
    fn shown(&self, approval: Option<ApprovalId>) {
        let behind = approval.map(|approval| self.session.shown(approval)).unwrap_or_default();
        behind.into_iter().for_each(|line| self.shared.tell(&self.session, line));
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

    fn permitted(&self, of: &Of, verdict: &Verdict) {
        let (shared, session) = (&self.shared, &self.session);
        if let Some(call) = &of.call {
            shared.tool_calls().answered(&session.id, call);
        }
        let mut state = session.state();
        if let Verdict::Allowed(authorized) = verdict {
            // An option of the agent's that switches its mode is called like the mode: into that one it may go.
            let picked = authorized
                .picked()
                .filter(|_| of.accesses.iter().any(|access| matches!(access, Access::Mode { .. })));
            let dangerous = |id: &&str| {
                of.options.iter().any(|option| option.option_id == *id && option.danger.is_some())
            };
            state.agreed.extend(picked.filter(dangerous).map(str::to_owned));
            let accesses = authorized.call().accesses.clone();
            match &of.call {
                Some(call) => {
                    state.refused.remove(call);
                    state.approved.insert(call.clone(), accesses);
                }
                None => state.approve_command(accesses),
            }
        } else if let Some(call) = &of.call {
            state.refused.insert(call.clone());
        }
        drop(state);
        let said = of.approval.and_then(|approval| shared.cards.said(approval));
        let answer = with_meta_of(&answer(verdict, &of.options), said);
        shared.answer_agent_with(&self.id, answer);
    }
}

/// What was asked about.
struct Of {
    /// The tool call.
    call: Option<String>,
    approval: Option<ApprovalId>,
    options: Vec<AgentOption>,
    accesses: Vec<Access>,
}

/// The answer with what the editor has said beside the option that it picked, where it is that option which the agent is told.
fn with_meta_of(answer: &Value, said: Option<Said>) -> String {
    let text = answer.to_string();
    let picked = answer.pointer("/outcome/optionId").and_then(Value::as_str);
    let Some(said) = said.filter(|said| picked == Some(said.option.as_str())) else { return text };
    let amended = || {
        let parts = Parts::parse(&text).ok()?;
        let mut edits = Vec::new();
        if let Some(meta) = &said.meta {
            let own = parts.get("_meta").and_then(|own| Parts::parse(own).ok()?.get("mayi"));
            // mayi's own word of why it was denied is nobody else's.
            let theirs = Parts::parse(meta).ok()?;
            let meta = match own {
                None => meta.clone(),
                Some(own) => apply(meta, vec![Edit::set(meta, meta, &theirs, "mayi", own)?])?,
            };
            edits.push(Edit::set(&text, &text, &parts, "_meta", &meta)?);
        }
        if let Some(meta) = &said.outcome {
            let outcome = parts.get("outcome")?;
            edits.push(Edit::set(&text, outcome, &Parts::parse(outcome).ok()?, "_meta", meta)?);
        }
        apply(&text, edits)
    };
    amended().unwrap_or_else(|| text.clone())
}
