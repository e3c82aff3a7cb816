//! Questions, in the editor's own dialog: what is shown there is what was judged, and an answer counts only for what was
//! offered with just this question. Other surfaces may be quicker: then it is withdrawn here.

mod offers;
mod preview;
mod request;
mod words;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::json_members::RawMembers;
use super::line::{self, Id, Message};
use super::session::{Session, SessionFamily};
use super::shared::Shared;
use mayi_core::approval::{ApprovalId, ApprovalResolved, ApprovalResponse, Card, Outcome, State};
use mayi_core::gate::{Gate, GateEvent};
use mayi_doors::task::spawn;
use offers::Offer;
pub(crate) use offers::OptionLabels;

/// Who answers, in the record.
pub(crate) const EDITOR: &str = "editor";

/// A question that the editor shows.
pub(crate) struct ShownCard {
    pub(crate) approval: ApprovalId,
    pub(crate) gate: Gate,
    pub(crate) family: Arc<SessionFamily>,
    card: Box<Card>,
    offers: Vec<Offer>,
}

impl ShownCard {
    /// The session that it is asked in.
    pub(crate) fn session_id(&self) -> String {
        self.card.session_id.clone()
    }
}

/// What the agent asked in its own words, until its question has ended.
#[derive(Default)]
pub(crate) struct Cards {
    asked_params: Mutex<HashMap<ApprovalId, RequestParams>>,
    /// Those that are shown as tool calls of mayi's own: under which id, and in which session.
    own: Mutex<HashMap<ApprovalId, OwnToolCall>>,
    /// What the editor has said beside its answer, for the agent.
    answer_metas: Mutex<HashMap<ApprovalId, AnswerMeta>>,
}

/// A tool call that mayi itself shows.
struct OwnToolCall {
    /// Nobody can guess it, and nothing else is called so.
    id: String,
    session: String,
}

/// What stands beside an option that the editor has picked: nobody here reads it.
pub(crate) struct AnswerMeta {
    /// The agent's own option.
    pub(crate) option: String,
    /// The answer's `_meta`, and that of its outcome, as text.
    pub(crate) meta: Option<String>,
    pub(crate) outcome: Option<String>,
}

/// Held while a call is handed in: nothing is shown before it is known what the agent said.
pub(crate) struct AskingGuard<'c>(MutexGuard<'c, HashMap<ApprovalId, RequestParams>>);

#[derive(Clone)]
struct RequestParams(Arc<str>);

impl Cards {
    fn lock_asked(&self) -> MutexGuard<'_, HashMap<ApprovalId, RequestParams>> {
        self.asked_params.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_own_calls(&self) -> MutexGuard<'_, HashMap<ApprovalId, OwnToolCall>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the editor has said with its answer, once.
    pub(crate) fn take_answer_meta(&self, approval: ApprovalId) -> Option<AnswerMeta> {
        self.answer_metas.lock().unwrap_or_else(PoisonError::into_inner).remove(&approval)
    }

    fn keep_answer_meta(&self, approval: ApprovalId, said: Option<AnswerMeta>) {
        let mut all = self.answer_metas.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(said.map(|said| (approval, said)));
    }

    /// Begins to hand a call in.
    pub(crate) fn begin_asking(&self) -> AskingGuard<'_> {
        AskingGuard(self.lock_asked())
    }
}

impl AskingGuard<'_> {
    /// The parameters with which the agent asked.
    pub(crate) fn record_params(mut self, approval: Option<ApprovalId>, params: &str) {
        if let Some(approval) = approval {
            self.0.insert(approval, RequestParams(params.into()));
        }
    }
}

/// Shows what the gate of a session asks, as long as there is one.
pub(crate) fn spawn_event_pump(shared: &Arc<Shared>, session: &Arc<Session>) {
    let events = session.gate().subscribe();
    let (shared, session) = (Arc::downgrade(shared), Arc::downgrade(session));
    spawn(async move {
        let mut events: mpsc::UnboundedReceiver<GateEvent> = events;
        while let Some(event) = events.recv().await {
            let (Some(shared), Some(session)) = (shared.upgrade(), session.upgrade()) else { return };
            apply_gate_event(&shared, &session, event);
        }
    });
}

fn apply_gate_event(shared: &Shared, root: &Session, event: GateEvent) {
    match event {
        GateEvent::Asked(card) => {
            let (of, question) = (shared.find_session(&card.session_id), card.approval_id);
            show_card(shared, root, card);
            let of = of.as_deref().unwrap_or(root);
            of.take_lines_queued_behind(question)
                .into_iter()
                .for_each(|line| shared.send_to_editor(of, line));
        }
        GateEvent::Updated(card) => {
            withdraw_card(shared, card.approval_id);
            // What the agent said first is not what is asked any more.
            shared.cards.lock_asked().remove(&card.approval_id);
            show_card(shared, root, card);
        }
        GateEvent::Resolved(resolved) => resolve_card(shared, root, &resolved),
        GateEvent::InLine(0) => {}
        GateEvent::InLine(count) => {
            for of in shared.lock_sessions().values().cloned().collect::<Vec<_>>() {
                let behind = {
                    let mut state = of.lock_state();
                    state.unshown_questions.clear();
                    std::mem::take(&mut state.lines_behind)
                };
                behind.into_iter().for_each(|line| shared.send_to_editor(&of, line));
            }
            shared.log_notice(format!("{count} more questions wait in line behind those that are shown"))
        }
        GateEvent::Decided { ref session, .. } => {
            if let Some(of) = shared.find_session(&session.0) {
                let id = of.id.clone();
                of.lock_state().briefing.note_gate_event(&id, &event);
            }
        }
    }
}

/// Whether a tool call of this id is one that mayi itself shows.
pub(crate) fn is_own(call: &str) -> bool {
    mayi_core::policy::fold_text(call.trim()).starts_with(super::in_flight::OWN)
}

fn show_card(shared: &Shared, root: &Session, card: Box<Card>) {
    let asked = shared.cards.lock_asked().get(&card.approval_id).cloned();
    // It may have been answered since.
    if !root.gate().waiting_cards().iter().any(|waiting| waiting.approval_id == card.approval_id) {
        return;
    }
    // Twice would leave one that nobody takes back.
    withdraw_card(shared, card.approval_id);
    let asked = asked.as_ref().map(|asked| &*asked.0);
    let offers = offers::make_offers(&card, asked, shared.option_labels());
    // What the agent says of a call of its own is kept back while that is asked about; of others it is not.
    let of = shared.find_session(&card.session_id);
    let agents = card.tool_call.tool_call_id.as_deref();
    let agents = agents.filter(|id| of.as_ref().is_some_and(|session| shared.asks_about(session, id)));
    let cwd = of.as_deref().unwrap_or(root).core.cwd.to_string_lossy();
    let own = shared.call_ids.next().to_text();
    let about =
        request::CardContext { agents, own: &own, agent_params: asked, cwd: &cwd, v2: shared.is_v2() };
    let params = request::request_params(&card, about, &offers);
    if asked.is_none() && agents.is_none() && !about.v2 {
        let session = card.session_id.clone();
        shared.cards.lock_own_calls().insert(card.approval_id, OwnToolCall { id: own, session });
    }
    let id = shared.ids.next();
    let line = line::format_request(&id, "session/request_permission", &params);
    let (gate, family) = (root.gate().clone(), Arc::clone(&root.family));
    let shown = ShownCard { approval: card.approval_id, gate, family, card, offers };
    shared.lock_flight().cards.insert(id, shown);
    shared.send_to_editor(of.as_deref().unwrap_or(root), line);
}

/// Takes a question back from the editor, if it is there.
fn withdraw_card(shared: &Shared, approval: ApprovalId) {
    let mut flight = shared.lock_flight();
    let shown: Vec<Id> = flight
        .cards
        .iter()
        .filter(|(_, shown)| shown.approval == approval)
        .map(|(id, _)| id.clone())
        .collect();
    for id in &shown {
        flight.cards.remove(id);
    }
    drop(flight);
    for id in shown {
        shared.editor.push(withdrawal_line(&id));
    }
}

/// What takes a question back.
pub(crate) fn withdrawal_line(id: &Id) -> String {
    let id = match id {
        Id::Number(number) => json!(number),
        Id::Text(text) => json!(text),
    };
    line::format_notification("$/cancel_request", &json!({ "requestId": id }))
}

fn resolve_card(shared: &Shared, root: &Session, resolved: &ApprovalResolved) {
    withdraw_card(shared, resolved.approval_id);
    shared.cards.lock_asked().remove(&resolved.approval_id);
    for of in shared
        .lock_sessions()
        .values()
        .filter(|of| Arc::ptr_eq(&of.family, &root.family))
        .cloned()
        .collect::<Vec<_>>()
    {
        of.take_lines_queued_behind(resolved.approval_id)
            .into_iter()
            .for_each(|line| shared.send_to_editor(&of, line));
    }
    let reason = resolved.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    if resolved.state == State::Denied
        && resolved.by != "policy"
        && resolved.by != EDITOR
        && let Some(reason) = reason
    {
        root.lock_state().briefing.note_refusal_reason(reason);
    }
    let own = shared.cards.lock_own_calls().remove(&resolved.approval_id);
    if let Some(own) = own {
        let status = if resolved.state == State::Approved { "completed" } else { "failed" };
        let update = json!({
            "sessionId": own.session,
            "update": {"sessionUpdate": "tool_call_update", "toolCallId": own.id, "status": status},
        });
        let of = shared.find_session(&own.session);
        shared.send_to_editor(
            of.as_deref().unwrap_or(root),
            line::format_notification("session/update", &update),
        );
    }
}

/// Takes the editor's answer to a question. What is not one of the choices that were offered with it allows nothing.
pub(crate) fn apply_answer(shared: &Shared, shown: &ShownCard, message: &Message<'_>) {
    let deny = |why: &str| {
        shared.log_notice(format!("a question was denied: {why}"));
        shown.gate.deny_waiting(shown.approval, EDITOR, why);
    };
    let picked = match picked_offer(shown, message) {
        Ok(picked) => picked,
        Err(why) => return deny(&why),
    };
    let response = match picked {
        None => ApprovalResponse {
            response: Outcome::Cancelled,
            ..ApprovalResponse::pick(&shown.card, mayi_core::approval::choice::DENY)
        },
        Some(offer) => ApprovalResponse {
            remember: offer.remember.clone(),
            ..ApprovalResponse::pick(&shown.card, &offer.choice)
        },
    };
    use mayi_core::approval::AnswerError;
    // It is there before anybody hears of the answer, and goes where that does not count.
    shared.cards.keep_answer_meta(shown.approval, picked.and_then(|offer| read_answer_meta(offer, message)));
    let answered = shown.gate.answer(response, EDITOR);
    if answered.is_err() {
        drop(shared.cards.take_answer_meta(shown.approval));
    }
    match answered {
        // What is asked now is shown anew; what was settled by somebody else stays as it is.
        Ok(_) | Err(AnswerError::Changed | AnswerError::Settled { .. } | AnswerError::Unknown) => {}
        Err(error) => deny(&error.to_string()),
    }
}

/// What the editor says beside one of the agent's own options.
fn read_answer_meta(offer: &Offer, message: &Message<'_>) -> Option<AnswerMeta> {
    let parts = RawMembers::parse(message.parts.get("result")?).ok()?;
    let object = |text: &&str| text.starts_with('{');
    let meta = parts.get("_meta").filter(object).map(str::to_owned);
    let outcome = RawMembers::parse(parts.get("outcome")?).ok()?;
    let outcome = outcome.get("_meta").filter(object).map(str::to_owned);
    let some = meta.is_some() || outcome.is_some();
    some.then(|| AnswerMeta { option: offer.id.clone(), meta, outcome })
}

/// The offer that was picked; none, if the question was cancelled.
fn picked_offer<'s>(shown: &'s ShownCard, message: &Message<'_>) -> Result<Option<&'s Offer>, String> {
    if let Some(error) = message.parts.get("error").filter(|_| message.parts.get("result").is_none()) {
        let error: Value = serde_json::from_str(error).unwrap_or_default();
        if error.get("code").and_then(Value::as_i64) == Some(line::code::CANCELLED) {
            return Ok(None);
        }
        let said = error.get("message").and_then(Value::as_str).unwrap_or("it says nothing more");
        return Err(format!("the editor could not ask: {}", mayi_core::approval::escape_line(said)));
    }
    let wrong = || "the editor's answer can't be understood".to_owned();
    // What stands beside the choice is not judged, and goes on to the agent as it came.
    let known = ["outcome", "optionId"];
    let result = RawMembers::parse(message.parts.get("result").unwrap_or("null")).map_err(|_| wrong())?;
    let outcome = RawMembers::parse(result.get("outcome").unwrap_or("null")).map_err(|_| wrong())?;
    if result.confusable_name(&known).is_some() || outcome.confusable_name(&known).is_some() {
        return Err(wrong());
    }
    match outcome.text_member("outcome").as_deref() {
        Some("cancelled") => Ok(None),
        Some("selected") => {
            let id = outcome.text_member("optionId").ok_or_else(wrong)?;
            let offer = shown.offers.iter().find(|offer| offer.id == id);
            offer.map(Some).ok_or_else(|| "the editor picked what was not offered".to_owned())
        }
        _ => Err(wrong()),
    }
}
