//! What both directions share.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::cards::{Cards, OptionLabels};
use super::host::Host;
use super::in_flight::{AgentAsk, Flight, Ids, OwnAnswer};
use super::line::{self, Id, Message, code};
use super::outbox::Outbox;
use super::proxy::ProxyOptions;
use super::session::{LineWaiter, Session, SessionFamily};
use mayi_acp_shared::ToolCalls;
use mayi_core::approval::ApprovalId;
use mayi_core::call::SessionId;
use mayi_core::gate::{Gate, Tally};
use mayi_doors::task::SpawnBoxed as _;

/// What both directions share.
pub(crate) struct Shared {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) options: ProxyOptions,
    pub(crate) editor: Arc<Outbox>,
    pub(crate) agent: Arc<Outbox>,
    pub(crate) ids: Ids,
    /// Of tool calls that mayi itself shows: the agent never sees one.
    pub(crate) call_ids: Ids,
    pub(crate) cards: Cards,
    /// Tasks that owe somebody an answer.
    pub(crate) answers: TaskTracker,
    /// All of it ends, for this reason.
    pub(crate) over: CancellationToken,
    fault: Mutex<Option<String>>,
    flight: Mutex<Flight>,
    sessions: Mutex<BTreeMap<String, Arc<Session>>>,
    aside_sessions: Mutex<Vec<Arc<Session>>>,
    /// Those that have ended: what comes for one of these is nobody's.
    ended_sessions: Mutex<HashSet<String>>,
    tool_calls: Mutex<ToolCalls>,
    open: Mutex<HashMap<(SessionId, String), ApprovalId>>,
    /// The protocol's version that is spoken on both sides; 0: that is not settled yet.
    spoken_version: AtomicU64,
    /// The agent can end sessions.
    can_close: AtomicBool,
    /// The editor shows options by their names, by what it says of itself.
    shows_names: AtomicBool,
    /// What the agent says of its version.
    pub(crate) version: Mutex<Option<String>>,
    /// What there was in sessions that are over.
    counted: Mutex<Tally>,
}

impl Shared {
    pub(crate) fn new(host: Arc<dyn Host>, options: ProxyOptions) -> Result<Self, String> {
        Ok(Self {
            host,
            options,
            editor: Arc::default(),
            agent: Arc::default(),
            ids: Ids::new()?,
            call_ids: Ids::new()?,
            cards: Cards::default(),
            answers: TaskTracker::new(),
            over: CancellationToken::new(),
            fault: Mutex::default(),
            flight: Mutex::default(),
            sessions: Mutex::default(),
            aside_sessions: Mutex::default(),
            ended_sessions: Mutex::default(),
            tool_calls: Mutex::default(),
            open: Mutex::default(),
            spoken_version: AtomicU64::new(0),
            can_close: AtomicBool::new(false),
            shows_names: AtomicBool::new(false),
            version: Mutex::default(),
            counted: Mutex::default(),
        })
    }

    /// The protocol's version that is spoken; none, while that is not settled.
    pub(crate) fn protocol_version(&self) -> Option<u64> {
        Some(self.spoken_version.load(Ordering::Relaxed)).filter(|version| *version > 0)
    }

    /// Whether version 2 of the protocol is spoken.
    pub(crate) fn is_v2(&self) -> bool {
        self.protocol_version() == Some(2)
    }

    /// Both sides speak `version` from now on.
    pub(crate) fn set_protocol_version(&self, version: u64, closes: bool) {
        self.spoken_version.store(version, Ordering::Relaxed);
        self.can_close.store(closes, Ordering::Relaxed);
    }

    /// Whether the agent can end sessions.
    pub(crate) fn can_close_sessions(&self) -> bool {
        self.can_close.load(Ordering::Relaxed)
    }

    /// The editor says who it is.
    pub(crate) fn note_editor(&self, name: Option<&str>) {
        self.shows_names.store(OptionLabels::of_editor(name) == OptionLabels::ByName, Ordering::Relaxed);
    }

    /// How the editor shows options.
    pub(crate) fn option_labels(&self) -> OptionLabels {
        match self.options.wide_scopes {
            true => OptionLabels::Vouched,
            false if self.shows_names.load(Ordering::Relaxed) => OptionLabels::ByName,
            false => OptionLabels::ByKind,
        }
    }

    pub(crate) fn lock_flight(&self) -> MutexGuard<'_, Flight> {
        self.flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lock_sessions(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session of this id, if the editor has opened it, or a sub-agent of it was announced. Never another one.
    pub(crate) fn find_session(&self, id: &str) -> Option<Arc<Session>> {
        self.lock_sessions().get(id).cloned()
    }

    /// The sessions of the same family that are open.
    pub(crate) fn family_sessions(&self, session: &Session) -> Vec<Arc<Session>> {
        let of = |other: &&Arc<Session>| Arc::ptr_eq(&other.family, &session.family);
        self.lock_sessions().values().filter(of).cloned().collect()
    }

    pub(crate) fn lock_tool_calls(&self) -> MutexGuard<'_, ToolCalls> {
        self.tool_calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Questions about tool calls that wait for an answer.
    pub(crate) fn lock_open_approvals(&self) -> MutexGuard<'_, HashMap<(SessionId, String), ApprovalId>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a question about this call waits for an answer.
    pub(crate) fn asks_about(&self, session: &Session, call: &str) -> bool {
        self.lock_open_approvals().contains_key(&(session.id.clone(), call.to_owned()))
    }

    pub(crate) fn log_notice(&self, text: impl AsRef<str>) {
        self.host.log_notice(text.as_ref());
    }

    /// Ends all of it.
    pub(crate) fn end_with_fault(&self, why: impl Into<String>) {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why.into());
        self.over.cancel();
    }

    pub(crate) fn fault(&self) -> Option<String> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sends a line of a session to the editor, as soon as that knows the session.
    pub(crate) fn send_to_editor(&self, session: &Session, line: String) {
        if let Some(line) = session.hold_until_open(line, LineWaiter::Mayi) {
            self.editor.push(line);
        }
    }

    /// Says something to the person in the editor, in the session, as the agent's text.
    pub(crate) fn show_message(&self, session: &Session, text: &str) {
        let content = serde_json::json!({"type": "text", "text": format!("\n[mayi] {text}\n")});
        let update = match self.ids.next() {
            Id::Text(id) if self.is_v2() => {
                serde_json::json!({"sessionUpdate": "agent_message_chunk", "messageId": id, "content": content})
            }
            _ => serde_json::json!({"sessionUpdate": "agent_message_chunk", "content": content}),
        };
        let params = serde_json::json!({"sessionId": session.id.0, "update": update});
        self.send_to_editor(session, line::format_notification("session/update", &params));
        self.log_notice(text);
    }

    /// Answers the agent, once.
    pub(crate) fn answer_agent(&self, id: &Id, result: &serde_json::Value) {
        self.answer_agent_with(id, result.to_string());
    }

    /// The same, as text.
    pub(crate) fn answer_agent_with(&self, id: &Id, result: String) {
        if self.lock_flight().agent.remove(id).is_some() {
            self.agent.push(line::format_result(id, &result));
        }
    }

    /// The same with an error.
    pub(crate) fn refuse_agent(&self, id: &Id, code: i64, why: &str) {
        if self.lock_flight().agent.remove(id).is_some() {
            self.agent.push(line::format_error(Some(id), code, why));
        }
    }

    /// Begins to judge a request of the agent's. None, if another one with this id is in flight.
    pub(crate) fn begin_judging(&self, id: &Id) -> Option<CancellationToken> {
        let token = CancellationToken::new();
        self.register_request(id, AgentAsk::Judged(token.clone())).then_some(token)
    }

    /// Notes a request of the agent's. False, if another one with this id is in flight, or too many are: it is refused then.
    pub(crate) fn register_request(&self, id: &Id, ask: AgentAsk) -> bool {
        let mut flight = self.lock_flight();
        let in_use = flight.agent.contains_key(id) || self.ids.is_own(id);
        if in_use || flight.agent.len() >= super::in_flight::MOST {
            drop(flight);
            self.agent.push(line::format_error(
                Some(id),
                code::INVALID_REQUEST,
                super::in_flight::refusal_reason(in_use),
            ));
            return false;
        }
        flight.agent.insert(id.clone(), ask);
        true
    }

    /// Asks the agent something of mayi's own, and waits for so long.
    pub(crate) async fn ask_agent(
        &self,
        method: &str,
        params: &serde_json::Value,
        limit: Duration,
    ) -> OwnAnswer {
        let (sender, answer) = oneshot::channel();
        let id = self.ids.next();
        self.lock_flight().own.insert(id.clone(), sender);
        self.agent.push(line::format_request(&id, method, &params.to_string()));
        let answered = tokio::select! {
            answered = tokio::time::timeout(limit, answer) => answered,
            () = self.over.cancelled() => return Err("the agent is gone".to_owned()),
        };
        self.lock_flight().own.remove(&id);
        match answered {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err("the agent is gone".to_owned()),
            Err(_) => Err(format!("it did not answer within {}s", limit.as_secs())),
        }
    }

    /// Ends a session: what waits in it is cancelled. That of a sub-agent ends alone; with the one that the editor has opened, all
    /// of its sub-agents' end, and its servers.
    pub(crate) fn close(&self, session: &Arc<Session>) {
        let whole = session.is_root();
        let mut gone = Vec::new();
        self.lock_sessions().retain(|_, other| {
            let of =
                if whole { Arc::ptr_eq(&other.family, &session.family) } else { other.is_below(session) };
            if of {
                gone.push(Arc::clone(other));
            }
            !of
        });
        self.end_sessions(session, &gone);
    }

    /// Whether there was a session of this id that has ended.
    pub(crate) fn has_ended(&self, id: &str) -> bool {
        self.ended_sessions.lock().unwrap_or_else(PoisonError::into_inner).contains(id)
    }

    /// Ends what is not among the open sessions any more: `gone`, of which `session` is the one that the others work for.
    fn end_sessions(&self, session: &Arc<Session>, gone: &[Arc<Session>]) {
        {
            let mut ended = self.ended_sessions.lock().unwrap_or_else(PoisonError::into_inner);
            if ended.len() > super::in_flight::MOST {
                ended.clear();
            }
            ended.extend(gone.iter().map(|gone| gone.id.0.clone()));
        }
        let shown: Vec<Id> = {
            let mut flight = self.lock_flight();
            let is_gone = |shown: &super::cards::ShownCard| {
                Arc::ptr_eq(&shown.family, &session.family)
                    && gone.iter().any(|gone| gone.id.0 == shown.session_id())
            };
            let of: Vec<Id> =
                flight.cards.iter().filter(|(_, shown)| is_gone(shown)).map(|(id, _)| id.clone()).collect();
            of.iter().for_each(|id| drop(flight.cards.remove(id)));
            of
        };
        // One that the editor never came to know has shown nothing.
        if !session.is_held() {
            shown.iter().for_each(|id| self.editor.push(super::cards::withdrawal_line(id)));
        }
        for id in gone.iter().flat_map(|session| session.drop_held()) {
            self.refuse_agent(&id, code::INVALID_PARAMS, "the session was not opened");
        }
        if !session.is_root() {
            gone.iter().for_each(|gone| session.gate().close_session(&gone.id));
            return;
        }
        session.gate().cancel_all("the session is over");
        session.gate().close_session(&session.id);
        self.add_tally(session.gate());
        let (servers, gate) = (session.family.servers.clone(), session.gate().clone());
        self.answers.spawn_boxed(async move {
            if let Some(servers) = servers {
                servers.end().await;
            }
            let _ = tokio::task::spawn_blocking(move || gate.shut_down()).await;
        });
    }

    /// Sessions that are not reached while the agent loads one under the same id.
    pub(crate) fn lock_aside(&self) -> MutexGuard<'_, Vec<Arc<Session>>> {
        self.aside_sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for one that is loaded under the same id: whether that is, the agent says.
    pub(crate) fn set_aside(&self, family: &Arc<SessionFamily>) {
        let mut taken = Vec::new();
        self.lock_sessions().retain(|_, other| {
            let of = Arc::ptr_eq(&other.family, family);
            if of {
                taken.push(Arc::clone(other));
            }
            !of
        });
        self.lock_aside().extend(taken);
    }

    /// It was not loaded: what was open before is open still.
    pub(crate) fn put_back(&self, family: &Arc<SessionFamily>) {
        let before = self.no_more_aside(family);
        self.lock_sessions().extend(before.into_iter().map(|session| (session.id.0.clone(), session)));
    }

    /// It was loaded: what was open before has ended.
    pub(crate) fn end_aside(&self, family: &Arc<SessionFamily>) {
        let before = self.no_more_aside(family);
        if let Some(root) = before.iter().find(|session| session.is_root()) {
            self.end_sessions(root, &before);
        }
    }

    fn no_more_aside(&self, family: &Arc<SessionFamily>) -> Vec<Arc<Session>> {
        let mut aside = self.lock_aside();
        let all = std::mem::take(&mut *aside);
        let (before, others) = all.into_iter().partition(|session| Arc::ptr_eq(&session.family, family));
        *aside = others;
        before
    }

    /// Adds up what there was at a gate.
    pub(crate) fn add_tally(&self, gate: &Gate) {
        let one = gate.tally();
        let mut all = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        all.allowed += one.allowed;
        all.approved += one.approved;
        all.denied += one.denied;
        all.rejected += one.rejected;
        all.unanswered += one.unanswered;
        all.cancelled += one.cancelled;
        all.unasked_allowed += one.unasked_allowed;
        all.unasked_ask += one.unasked_ask;
        all.unasked_denied += one.unasked_denied;
        all.unasked_failed += one.unasked_failed;
    }

    /// What there was in all sessions that are over.
    pub(crate) fn tally(&self) -> Tally {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The line of a message that is passed on as it came.
pub(crate) fn as_it_came(message: &Message<'_>) -> String {
    message.line.to_owned()
}
