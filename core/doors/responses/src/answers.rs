//! Calls that are handed to the gate, what becomes of them, and how they end.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::join_all;
use mayi_core::approval::escape_line;
use mayi_core::call::{Call, SessionId};
use mayi_core::gate::{Authorized, Execution, Gate, Refusal, ReportedEnd, Session, Verdict};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::calls::ApprovalRequest;
use crate::door::Shared;
use crate::request::CreateRequest;
use crate::tool_lists::ToolLists;

/// The calls of one request, and of all that goes on with it: a session of its own at the gate, which ends with it.
pub(crate) struct ExchangeCalls {
    gate: Gate,
    session: SessionId,
    approved: HashMap<String, ApprovedCall>,
    /// Something was approved and sent whose end is not known.
    open: Arc<AtomicBool>,
    /// The endpoint has said that it did not take what was approved.
    refused: bool,
    /// The app's own key, where it goes to the endpoint.
    key: Option<String>,
}

/// A call that may run at the endpoint.
struct ApprovedCall {
    request: ApprovalRequest,
    authorized: Authorized<Call>,
    carrying: Option<Execution>,
}

impl Drop for ApprovedCall {
    fn drop(&mut self) {
        if let Some(carrying) = self.carrying.take() {
            carrying.finish("failed: the outcome is unknown");
        }
    }
}

/// The answer to an approval.
pub(crate) struct ApprovalAnswer {
    pub(crate) id: String,
    pub(crate) approve: bool,
    reason: Option<String>,
}

impl ApprovalAnswer {
    /// As the endpoint is told it.
    pub(crate) fn to_item(&self) -> Value {
        let mut item = json!({
            "type": "mcp_approval_response", "approval_request_id": self.id, "approve": self.approve,
        });
        if let (Some(members), Some(reason)) = (item.as_object_mut(), &self.reason) {
            members.insert("reason".to_owned(), json!(reason));
        }
        item
    }

    fn denial(id: &str, reason: String) -> Self {
        Self { id: id.to_owned(), approve: false, reason: Some(reason) }
    }
}

impl ExchangeCalls {
    /// A session for the calls of `asked`.
    pub(crate) fn new(
        shared: &Shared,
        asked: &CreateRequest,
        open: Arc<AtomicBool>,
        key: Option<String>,
    ) -> Self {
        let id = SessionId(uuid::Uuid::now_v7().to_string());
        let options = &shared.options;
        shared.gate.open_session(Session {
            id: id.clone(),
            agent: options.agent.clone(),
            parent: None,
            roots: options.roots.clone(),
            cwd: options.cwd.clone(),
            mode: options.mode,
        });
        shared.gate.mark_requests_independent(&id);
        let known = asked
            .servers
            .iter()
            .filter_map(|(label, server)| Some((label.clone(), shared.configured_server(label, server)?)));
        shared.gate.set_own_servers(&id, known.collect());
        Self { gate: shared.gate.clone(), session: id, approved: HashMap::new(), open, refused: false, key }
    }

    /// Has every call in `requests` judged, and waits for all of the answers. `refuse`: none of them may run, and why.
    pub(crate) async fn judge_requests(
        &mut self,
        shared: &Shared,
        asked: &CreateRequest,
        requests: impl IntoIterator<Item = (String, Vec<Value>)>,
        (items, refuse): (&[Box<RawValue>], Option<&str>),
    ) -> Vec<ApprovalAnswer> {
        let has_key = |text: &str| shared.has_key(text, self.key.as_deref());
        let lists = ToolLists::from_items(&shared.pinned, &shared.options.agent, asked, items, &has_key);
        let judged = requests.into_iter().map(|(id, versions)| {
            let wanted = match refuse {
                Some(why) => Err(why.to_owned()),
                None => ApprovalRequest::read(&id, &versions),
            };
            // Attack 514: it would be sent to a server, and shown and written down before.
            let wanted = match wanted {
                Ok(wanted) if wanted.any_text(&has_key) => {
                    Err("the call has a key in it that is no server's: mayi's own, or the endpoint's"
                        .to_owned())
                }
                wanted => wanted,
            };
            match wanted {
                Ok(wanted) => {
                    let call = wanted.to_call(shared, &self.session, asked, &lists);
                    // Sessions have a bound of their own, and there are many of them.
                    let ticket = match shared.waiting.try_acquire() {
                        Ok(place) => Ok((self.gate.submit_as(call, &[], None), place)),
                        Err(_) => Err("too many calls wait for an answer already"),
                    };
                    (id, ticket.map(|(ticket, place)| (wanted, ticket, place)).map_err(str::to_owned))
                }
                Err(why) => {
                    self.gate.count_refused();
                    (id, Err(why))
                }
            }
        });
        // All are asked about before anybody waits for one of them.
        let judged: Vec<_> = judged.collect();
        let verdicts = judged.into_iter().map(|(id, judged)| async move {
            match judged {
                Ok((wanted, ticket, place)) => {
                    let verdict = ticket.verdict().await;
                    drop(place);
                    match verdict {
                        Verdict::Allowed(authorized) => Ok((wanted, authorized)),
                        Verdict::Denied(refusal) => {
                            Err(ApprovalAnswer::denial(&id, refusal_text(&wanted, &refusal)))
                        }
                        Verdict::Cancelled => Err(ApprovalAnswer::denial(
                            &id,
                            "the call was cancelled, and nothing was run".to_owned(),
                        )),
                    }
                }
                Err(why) => Err(ApprovalAnswer::denial(&id, why)),
            }
        });
        let verdicts = join_all(verdicts).await;
        let answer = |verdict| match verdict {
            Ok((wanted, authorized)) => {
                let wanted: ApprovalRequest = wanted;
                let answer = ApprovalAnswer { id: wanted.id.clone(), approve: true, reason: None };
                let approved = ApprovedCall { request: wanted, authorized, carrying: None };
                self.approved.insert(answer.id.clone(), approved);
                answer
            }
            Err(answer) => answer,
        };
        verdicts.into_iter().map(answer).collect()
    }

    /// The endpoint is about to be told: what is approved begins.
    pub(crate) fn begin_approved(&mut self) {
        self.refused = false;
        for approved in self.approved.values_mut() {
            approved.carrying.get_or_insert_with(|| self.gate.begin_execution(&approved.authorized));
        }
        self.update_open();
    }

    /// The endpoint says that it did not take what was approved: nothing of it runs until that is sent again.
    pub(crate) fn was_refused(&mut self) {
        self.refused = true;
        self.update_open();
    }

    /// It is certain that nothing of what was approved ran.
    pub(crate) fn nothing_ran(&mut self) {
        for (_, mut approved) in self.approved.drain() {
            if let Some(carrying) = approved.carrying.take() {
                carrying.finish("failed: it was never run");
            }
        }
        self.update_open();
    }

    /// Notes whether anything is open, for those who can't ask.
    fn update_open(&self) {
        self.open.store(self.any_open(), Ordering::Relaxed);
    }

    /// Whether something was approved and sent whose end is not known.
    pub(crate) fn any_open(&self) -> bool {
        !self.refused && self.approved.values().any(|approved| approved.carrying.is_some())
    }

    /// What has run, by the items of a response that has ended: what was approved ends, and what was not is counted. Returns
    /// the names of the latter.
    pub(crate) fn end_ran_calls(
        &mut self,
        shared: &Shared,
        asked: &CreateRequest,
        items: &[Box<RawValue>],
    ) -> Vec<String> {
        let mut unasked = Vec::new();
        let has_key = |text: &str| shared.has_key(text, self.key.as_deref());
        let lists = ToolLists::from_items(&shared.pinned, &shared.options.agent, asked, items, &has_key);
        for item in items.iter().filter(|item| item.get().contains("\"mcp_call\"")) {
            let Ok(item) = serde_json::from_str::<Value>(item.get()) else { continue };
            if item.get("type").and_then(Value::as_str) != Some("mcp_call") {
                continue;
            }
            let approval = item.get("approval_request_id").and_then(Value::as_str);
            let ran = ApprovalRequest::from_item(approval.unwrap_or_default(), &item);
            // Endpoints need not say which approval it was.
            let known = match (approval, &ran) {
                (Some(id), _) => Some(id.to_owned()),
                (None, Ok(ran)) => {
                    let is = |(_, approved): &(&String, &ApprovedCall)| approved.request.is_same_call(ran);
                    self.approved.iter().find(is).map(|(id, _)| id.clone())
                }
                (None, Err(_)) => None,
            };
            let ran = ran.unwrap_or_else(|_| ApprovalRequest::from_unreadable(&item));
            let failed = item.get("error").is_some_and(|error| !error.is_null());
            let approved = known.and_then(|id| self.approved.remove(&id));
            match approved {
                Some(mut approved) if approved.request.is_same_call(&ran) => {
                    let carrying = approved.carrying.take();
                    if let Some(carrying) = carrying {
                        carrying.finish(if failed { "failed" } else { "completed" });
                    }
                }
                _ => {
                    let ran = if ran.any_text(&has_key) { ran.without_arguments() } else { ran };
                    let call = ran.to_call(shared, &self.session, asked, &lists);
                    self.gate.judge_reported(&call, ReportedEnd::Ran);
                    let name = format!("{}/{}", escape_line(&ran.label), escape_line(&ran.tool));
                    unasked.push(if has_key(&name) {
                        "a call with a key in its name".to_owned()
                    } else {
                        name
                    });
                }
            }
        }
        self.update_open();
        unasked
    }
}

impl Drop for ExchangeCalls {
    fn drop(&mut self) {
        if self.refused {
            self.nothing_ran();
        }
        self.approved.clear();
        self.gate.close_session(&self.session);
    }
}

/// What the model is told of a call that may not run.
fn refusal_text(wanted: &ApprovalRequest, refusal: &Refusal) -> String {
    let mut text = format!("mayi did not let this call of {} from {} through", wanted.tool, wanted.label);
    text.push_str(", and nothing was run: ");
    text.push_str(&refusal.reason);
    if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    if refusal.by_person || refusal.is_policy() {
        text.push_str(" Do not try it in another way.");
    }
    text
}
