//! Questions, in the editor's own dialog: what is shown there is what was judged, and an answer counts only for what was
//! offered with just this question. Other surfaces may be quicker: then it is withdrawn here.

mod offers;
mod preview;
mod request;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::line::{self, Id, Message};
use super::parts::Parts;
use super::session::{Family, Session};
use super::shared::Shared;
use mayi_core::approval::{ApprovalId, ApprovalResolved, ApprovalResponse, Card, Outcome, State};
use mayi_core::gate::{Gate, GateEvent};
use offers::Offer;

/// Who answers, in the record.
pub(crate) const EDITOR: &str = "editor";

/// A question that the editor shows.
pub(crate) struct Shown {
    pub(crate) approval: ApprovalId,
    pub(crate) gate: Gate,
    pub(crate) family: Arc<Family>,
    card: Box<Card>,
    offers: Vec<Offer>,
}

impl Shown {
    /// The session that it is asked in.
    pub(crate) fn session(&self) -> String {
        self.card.session_id.clone()
    }
}

/// What the agent asked in its own words, until its question has ended.
#[derive(Default)]
pub(crate) struct Cards {
    asked: Mutex<HashMap<ApprovalId, Asked>>,
    /// Those that are shown as tool calls of mayi's own: under which id, and in which session.
    own: Mutex<HashMap<ApprovalId, Own>>,
    /// What the editor has said beside its answer, for the agent.
    said: Mutex<HashMap<ApprovalId, Said>>,
}

/// A tool call that mayi itself shows.
struct Own {
    /// Nobody can guess it, and nothing else is called so.
    id: String,
    session: String,
}

/// What stands beside an option that the editor has picked: nobody here reads it.
pub(crate) struct Said {
    /// The agent's own option.
    pub(crate) option: String,
    /// The answer's `_meta`, and that of its outcome, as text.
    pub(crate) meta: Option<String>,
    pub(crate) outcome: Option<String>,
}

/// Held while a call is handed in: nothing is shown before it is known what the agent said.
pub(crate) struct Asking<'c>(MutexGuard<'c, HashMap<ApprovalId, Asked>>);

#[derive(Clone)]
struct Asked(Arc<str>);

impl Cards {
    fn lock(&self) -> MutexGuard<'_, HashMap<ApprovalId, Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn own(&self) -> MutexGuard<'_, HashMap<ApprovalId, Own>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the editor has said with its answer, once.
    pub(crate) fn said(&self, approval: ApprovalId) -> Option<Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).remove(&approval)
    }

    fn keep(&self, approval: ApprovalId, said: Option<Said>) {
        let mut all = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(said.map(|said| (approval, said)));
    }

    /// Begins to hand a call in.
    pub(crate) fn asking(&self) -> Asking<'_> {
        Asking(self.lock())
    }
}

impl Asking<'_> {
    /// The parameters with which the agent asked.
    pub(crate) fn with(mut self, approval: Option<ApprovalId>, params: &str) {
        if let Some(approval) = approval {
            self.0.insert(approval, Asked(params.into()));
        }
    }
}

/// Shows what the gate of a session asks, as long as there is one.
pub(crate) fn pump(shared: &Arc<Shared>, session: &Arc<Session>) {
    let events = session.gate().subscribe();
    let (shared, session) = (Arc::downgrade(shared), Arc::downgrade(session));
    tokio::spawn(async move {
        let mut events: mpsc::UnboundedReceiver<GateEvent> = events;
        while let Some(event) = events.recv().await {
            let (Some(shared), Some(session)) = (shared.upgrade(), session.upgrade()) else { return };
            heard(&shared, &session, event);
        }
    });
}

fn heard(shared: &Shared, root: &Session, event: GateEvent) {
    match event {
        GateEvent::Asked(card) => {
            let (of, question) = (shared.session(&card.session_id), card.approval_id);
            show(shared, root, card);
            let of = of.as_deref().unwrap_or(root);
            of.shown(question).into_iter().for_each(|line| shared.tell(of, line));
        }
        GateEvent::Updated(card) => {
            withdraw(shared, card.approval_id);
            // What the agent said first is not what is asked any more.
            shared.cards.lock().remove(&card.approval_id);
            show(shared, root, card);
        }
        GateEvent::Resolved(resolved) => resolve(shared, root, &resolved),
        GateEvent::InLine(0) => {}
        GateEvent::InLine(count) => {
            for of in shared.sessions().values().cloned().collect::<Vec<_>>() {
                let behind = {
                    let mut state = of.state();
                    state.unshown.clear();
                    std::mem::take(&mut state.behind)
                };
                behind.into_iter().for_each(|line| shared.tell(&of, line));
            }
            shared.note(format!("{count} more questions wait in line behind those that are shown"))
        }
        GateEvent::Decided { ref session, .. } => {
            if let Some(of) = shared.session(&session.0) {
                let id = of.id.clone();
                of.state().briefing.hear(&id, &event);
            }
        }
    }
}

/// Whether a tool call of this id is one that mayi itself shows.
pub(crate) fn is_own(call: &str) -> bool {
    mayi_core::policy::fold(call.trim()).starts_with(super::flight::OWN)
}

fn show(shared: &Shared, root: &Session, card: Box<Card>) {
    let asked = shared.cards.lock().get(&card.approval_id).cloned();
    // It may have been answered since.
    if !root.gate().waiting().iter().any(|waiting| waiting.approval_id == card.approval_id) {
        return;
    }
    // Twice would leave one that nobody takes back.
    withdraw(shared, card.approval_id);
    let granted = root.gate().session_grants(&card);
    let asked = asked.as_ref().map(|asked| &*asked.0);
    let offers = offers::offers(&card, asked, &granted, shared.options.wide_scopes);
    // What the agent says of a call of its own is kept back while that is asked about; of others it is not.
    let of = shared.session(&card.session_id);
    let agents = card.tool_call.tool_call_id.as_deref();
    let agents = agents.filter(|id| of.as_ref().is_some_and(|session| shared.asks_about(session, id)));
    let cwd = of.as_deref().unwrap_or(root).core.cwd.to_string_lossy();
    let own = shared.call_ids.next().text();
    let about = request::About { agents, own: &own, asked, cwd: &cwd, v2: shared.is_v2() };
    let params = request::params(&card, about, &offers);
    if asked.is_none() && agents.is_none() && !about.v2 {
        let session = card.session_id.clone();
        shared.cards.own().insert(card.approval_id, Own { id: own, session });
    }
    let id = shared.ids.next();
    let line = line::request(&id, "session/request_permission", &params);
    let (gate, family) = (root.gate().clone(), Arc::clone(&root.family));
    let shown = Shown { approval: card.approval_id, gate, family, card, offers };
    shared.flight().cards.insert(id, shown);
    shared.tell(of.as_deref().unwrap_or(root), line);
}

/// Takes a question back from the editor, if it is there.
fn withdraw(shared: &Shared, approval: ApprovalId) {
    let mut flight = shared.flight();
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
        shared.editor.push(withdrawal(&id));
    }
}

/// What takes a question back.
pub(crate) fn withdrawal(id: &Id) -> String {
    let id = match id {
        Id::Number(number) => json!(number),
        Id::Text(text) => json!(text),
    };
    line::notification("$/cancel_request", &json!({ "requestId": id }))
}

fn resolve(shared: &Shared, root: &Session, resolved: &ApprovalResolved) {
    withdraw(shared, resolved.approval_id);
    shared.cards.lock().remove(&resolved.approval_id);
    for of in shared
        .sessions()
        .values()
        .filter(|of| Arc::ptr_eq(&of.family, &root.family))
        .cloned()
        .collect::<Vec<_>>()
    {
        of.shown(resolved.approval_id).into_iter().for_each(|line| shared.tell(&of, line));
    }
    let reason = resolved.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    if resolved.state == State::Denied
        && resolved.by != "policy"
        && resolved.by != EDITOR
        && let Some(reason) = reason
    {
        root.state().briefing.said(reason);
    }
    let own = shared.cards.own().remove(&resolved.approval_id);
    if let Some(own) = own {
        let status = if resolved.state == State::Approved { "completed" } else { "failed" };
        let update = json!({
            "sessionId": own.session,
            "update": {"sessionUpdate": "tool_call_update", "toolCallId": own.id, "status": status},
        });
        let of = shared.session(&own.session);
        shared.tell(of.as_deref().unwrap_or(root), line::notification("session/update", &update));
    }
}

/// Takes the editor's answer to a question. What is not one of the choices that were offered with it allows nothing.
pub(crate) fn answered(shared: &Shared, shown: &Shown, message: &Message<'_>) {
    let deny = |why: &str| {
        shared.note(format!("a question was denied: {why}"));
        shown.gate.deny(shown.approval, EDITOR, why);
    };
    let picked = match picked(shown, message) {
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
    shared.cards.keep(shown.approval, picked.and_then(|offer| said(offer, message)));
    let answered = shown.gate.answer(response, EDITOR);
    if answered.is_err() {
        drop(shared.cards.said(shown.approval));
    }
    match answered {
        // What is asked now is shown anew; what was settled by somebody else stays as it is.
        Ok(_) | Err(AnswerError::Changed | AnswerError::Settled { .. } | AnswerError::Unknown) => {}
        Err(error) => deny(&error.to_string()),
    }
}

/// What the editor says beside one of the agent's own options.
fn said(offer: &Offer, message: &Message<'_>) -> Option<Said> {
    let parts = Parts::parse(message.parts.get("result")?).ok()?;
    let object = |text: &&str| text.starts_with('{');
    let meta = parts.get("_meta").filter(object).map(str::to_owned);
    let outcome = Parts::parse(parts.get("outcome")?).ok()?;
    let outcome = outcome.get("_meta").filter(object).map(str::to_owned);
    let some = meta.is_some() || outcome.is_some();
    some.then(|| Said { option: offer.id.clone(), meta, outcome })
}

/// The offer that was picked; none, if the question was cancelled.
fn picked<'s>(shown: &'s Shown, message: &Message<'_>) -> Result<Option<&'s Offer>, String> {
    if let Some(error) = message.parts.get("error").filter(|_| message.parts.get("result").is_none()) {
        let error: Value = serde_json::from_str(error).unwrap_or_default();
        if error.get("code").and_then(Value::as_i64) == Some(line::code::CANCELLED) {
            return Ok(None);
        }
        let said = error.get("message").and_then(Value::as_str).unwrap_or("it says nothing more");
        return Err(format!("the editor could not ask: {}", mayi_core::approval::visible(said)));
    }
    let wrong = || "the editor's answer can't be understood".to_owned();
    // What stands beside the choice is not judged, and goes on to the agent as it came.
    let known = ["outcome", "optionId"];
    let result = Parts::parse(message.parts.get("result").unwrap_or("null")).map_err(|_| wrong())?;
    let outcome = Parts::parse(result.get("outcome").unwrap_or("null")).map_err(|_| wrong())?;
    if result.mistaken(&known).is_some() || outcome.mistaken(&known).is_some() {
        return Err(wrong());
    }
    match outcome.text("outcome").as_deref() {
        Some("cancelled") => Ok(None),
        Some("selected") => {
            let id = outcome.text("optionId").ok_or_else(wrong)?;
            let offer = shown.offers.iter().find(|offer| offer.id == id);
            offer.map(Some).ok_or_else(|| "the editor picked what was not offered".to_owned())
        }
        _ => Err(wrong()),
    }
}
