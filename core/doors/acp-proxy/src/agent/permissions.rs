//! `session/request_permission`: judged, asked about where need be, and answered exactly once.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::cards::AnswerMeta;
use crate::json_members::RawMembers;
use crate::line::{Id, Message, code};
use crate::session::Session;
use crate::shared::Shared;
use crate::splice::{TextEdit, apply_edits};
use mayi_acp_shared::adapt::CallOrigin;
use mayi_acp_shared::permission::{cancelled_outcome, permission_response, read_permission_request};
use mayi_acp_shared::subject::{self, Subject};
use mayi_core::approval::{AgentOption, ApprovalId};
use mayi_core::call::{Access, Call, Door};
use mayi_core::gate::{Ticket, Verdict};
use mayi_doors::task::SpawnBoxed as _;

/// A request of the agent's that is being judged.
pub(super) struct AgentRequest {
    pub(super) shared: Arc<Shared>,
    pub(super) session: Arc<Session>,
    pub(super) id: Id,
    /// The agent has withdrawn it.
    pub(super) token: CancellationToken,
    pub(super) params: Value,
}

impl AgentRequest {
    pub(super) fn refuse(&self, number: i64, why: &str) -> Option<String> {
        self.shared.refuse_agent(&self.id, number, why);
        None
    }

    /// `session/request_permission`. `big`: there are numbers in its input that readers disagree on.
    pub(super) fn judge_permission(self, message: &Message<'_>, big: bool) -> Option<String> {
        let (shared, session) = (&self.shared, &self.session);
        let subject = match read_subject(shared, &self.params) {
            Ok(subject) => subject,
            Err(wrong) => return self.refuse(code::INVALID_PARAMS, wrong),
        };
        if subject.id().is_some_and(crate::cards::is_own) {
            return self.refuse(code::INVALID_PARAMS, "a tool call of this id is mayi's own");
        }
        // Asks that come after a cancel belong to the turn that is gone.
        if session.is_cancelled() {
            shared.answer_agent(&self.id, &cancelled_outcome());
            return None;
        }
        // Who asks does more than to say again what was said.
        session.lock_state().replays = false;
        let call_id = subject.id().map(str::to_owned);
        let key = call_id.clone().map(|id| (session.id.clone(), id));
        if key.as_ref().is_some_and(|key| shared.lock_open_approvals().contains_key(key)) {
            return self.refuse(code::INVALID_PARAMS, "this tool call is being asked about already");
        }
        let (call, options) = read_question(shared, session, &subject, &self.params, big);
        let accesses = call.accesses.clone();
        let asking = shared.cards.begin_asking();
        let mut ticket = session.gate().submit(call, &options);
        let approval = ticket.approval_id();
        session.lock_state().unshown_questions.extend(approval);
        asking.record_params(approval, message.raw_params());
        let of = PermissionContext { call: call_id, approval, options, accesses };
        if let Some(verdict) = ticket.at_once() {
            self.send_lines_behind(approval);
            self.record_verdict(&of, &verdict);
            return None;
        }
        if let (Some(approval), Some(key)) = (approval, &key) {
            shared.lock_open_approvals().insert(key.clone(), approval);
        }
        let answers = shared.answers.clone();
        answers.spawn_boxed(async move {
            let verdict = self.await_verdict(ticket).await;
            if let Some(key) = &key {
                self.shared.lock_open_approvals().remove(key);
                let untold = self.session.take_call_updates(&key.1);
                untold.into_iter().for_each(|line| self.shared.send_to_editor(&self.session, line));
            }
            self.record_verdict(&of, &verdict);
        });
        None
    }

    /// What the agent says of its work waits for this question no more.
    fn send_lines_behind(&self, approval: Option<ApprovalId>) {
        let behind =
            approval.map(|approval| self.session.take_lines_queued_behind(approval)).unwrap_or_default();
        behind.into_iter().for_each(|line| self.shared.send_to_editor(&self.session, line));
    }

    /// The verdict; one that comes when the turn is gone, or the request was withdrawn, allows nothing.
    pub(super) async fn await_verdict(&self, ticket: Ticket) -> Verdict {
        let verdict = tokio::select! {
            biased;
            () = self.token.cancelled() => Verdict::Cancelled,
            verdict = ticket.verdict() => verdict,
        };
        if self.token.is_cancelled() || self.session.is_cancelled() { Verdict::Cancelled } else { verdict }
    }

    fn record_verdict(&self, of: &PermissionContext, verdict: &Verdict) {
        let (shared, session) = (&self.shared, &self.session);
        if let Some(call) = &of.call {
            shared.lock_tool_calls().mark_answered(&session.id, call);
        }
        let mut state = session.lock_state();
        if let Verdict::Allowed(authorized) = verdict {
            // An option of the agent's that switches its mode is called like the mode: into that one it may go.
            let picked = authorized
                .picked_option()
                .filter(|_| of.accesses.iter().any(|access| matches!(access, Access::Mode { .. })));
            let dangerous = |id: &&str| {
                of.options.iter().any(|option| option.option_id == *id && option.danger.is_some())
            };
            state.agreed_modes.extend(picked.filter(dangerous).map(str::to_owned));
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
        let said = of.approval.and_then(|approval| shared.cards.take_answer_meta(approval));
        let answer = with_meta_of(&permission_response(verdict, &of.options), said);
        shared.answer_agent_with(&self.id, answer);
    }
}

/// What a question is about. In version 1 that is a tool call.
pub(super) fn read_subject(shared: &Shared, params: &Value) -> Result<Subject, &'static str> {
    if shared.is_v2() {
        return subject::read(params);
    }
    let fields = params.get("toolCall").and_then(Value::as_object);
    let id = fields.and_then(|fields| fields.get("toolCallId")?.as_str()).filter(|id| !id.is_empty());
    match (fields, id) {
        (Some(fields), Some(id)) => Ok(Subject::ToolCall { id: id.to_owned(), fields: fields.clone() }),
        _ => Err("session/request_permission needs a toolCall with a toolCallId"),
    }
}

/// The call that a question means in `session`, and the options that it offers.
pub(super) fn read_question(
    shared: &Shared,
    session: &Session,
    subject: &Subject,
    params: &Value,
    big: bool,
) -> (Call, Vec<AgentOption>) {
    let call_id = subject.id();
    let from = CallOrigin { door: Door::AcpPermission, session: &session.core, tool_call_id: call_id };
    let mut calls = shared.lock_tool_calls();
    if shared.is_v2() {
        return subject::read_subject_request(&from, &mut calls, subject, params, big);
    }
    let empty = Map::new();
    let fields = if let Subject::ToolCall { fields, .. } = subject { fields } else { &empty };
    let mut known = calls.merge_request(&session.id, call_id.unwrap_or_default(), fields);
    known.ambiguous |= big;
    read_permission_request(&from, &known, params)
}

/// What was asked about.
struct PermissionContext {
    /// The tool call.
    call: Option<String>,
    approval: Option<ApprovalId>,
    options: Vec<AgentOption>,
    accesses: Vec<Access>,
}

/// The answer with what the editor has said beside the option that it picked, where it is that option which the agent is told.
fn with_meta_of(answer: &Value, said: Option<AnswerMeta>) -> String {
    let text = answer.to_string();
    let picked = answer.pointer("/outcome/optionId").and_then(Value::as_str);
    let Some(said) = said.filter(|said| picked == Some(said.option.as_str())) else { return text };
    let amended = || {
        let parts = RawMembers::parse(&text).ok()?;
        let mut edits = Vec::new();
        if let Some(meta) = &said.meta {
            let own = parts.get("_meta").and_then(|own| RawMembers::parse(own).ok()?.get("mayi"));
            // mayi's own word of why it was denied is nobody else's.
            let theirs = RawMembers::parse(meta).ok()?;
            let meta = match own {
                None => meta.clone(),
                Some(own) => {
                    apply_edits(meta, vec![TextEdit::set_member(meta, meta, &theirs, "mayi", own)?])?
                }
            };
            edits.push(TextEdit::set_member(&text, &text, &parts, "_meta", &meta)?);
        }
        if let Some(meta) = &said.outcome {
            let outcome = parts.get("outcome")?;
            edits.push(TextEdit::set_member(
                &text,
                outcome,
                &RawMembers::parse(outcome).ok()?,
                "_meta",
                meta,
            )?);
        }
        apply_edits(&text, edits)
    };
    amended().unwrap_or_else(|| text.clone())
}
