//! A session of the host door: one chat of an app.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use mayi_core::approval::{ApprovalId, ApprovalResolved, Card};
use mayi_core::call::{Access, Call, Category, Digest, Door, SessionId, claimed_category};
use mayi_core::gate::{Gate, Session};
use mayi_core::policy::{AppSettings, Mode};
use mayi_core::store::StoredGrant;
use mayi_doors::mode_briefing;
use mayi_doors::task::spawn;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::broadcast;

use super::asking::{check_id, waiting_outcome};
use super::calls::Calls;
use super::{HostGate, LastUse, call};
use crate::api::{HostCall, HostEvent, HostSession, HostTool, HostToolInfo};
use crate::backend::lock_mutex;
use crate::credentials::Credential;
use crate::error::RpcError;

/// Maximum number of tools of one session.
const MOST_TOOLS: usize = 1000;
/// Maximum number of events that wait for somebody who reads slowly.
const EVENTS: usize = 128;

/// A chat of an app.
pub(crate) struct HostChat {
    pub(super) key: String,
    pub(super) id: SessionId,
    pub(super) app: String,
    pub(super) chat: String,
    /// Held, so that nothing of it is freer without it.
    pub(super) parent: Option<Arc<HostChat>>,
    /// What it was opened with: whoever may do less can't use it.
    pub(super) credential: Credential,
    pub(super) gate: Arc<HostGate>,
    pub(super) cwd: PathBuf,
    pub(super) roots: Vec<PathBuf>,
    pub(super) calls: Calls,
    /// The mode that the app has chosen.
    chosen: Mutex<Option<Mode>>,
    tools: Mutex<HashMap<ToolName, Category>>,
    events: broadcast::Sender<Arc<ToldEvent>>,
    used: LastUse,
}

/// An event as it is told.
pub(crate) struct ToldEvent {
    pub(crate) text: Box<RawValue>,
    /// The card that it shows, and in which form.
    pub(crate) shows: Option<(ApprovalId, Digest)>,
    /// Nothing more comes.
    pub(crate) last: bool,
}

/// What a session is opened with.
pub(super) struct Opening {
    pub(super) key: String,
    pub(super) id: SessionId,
    pub(super) app: String,
    pub(super) chat: String,
    pub(super) parent: Option<Arc<HostChat>>,
    pub(super) credential: Credential,
    pub(super) gate: Arc<HostGate>,
    pub(super) cwd: PathBuf,
    pub(super) roots: Vec<PathBuf>,
    pub(super) mode: Option<Mode>,
}

/// A server, or none for the app itself, and a tool.
pub(super) type ToolName = (Option<String>, String);

impl HostChat {
    /// A session as it is opened. It is known to the gate from now on.
    pub(super) fn open(opening: Opening) -> Arc<Self> {
        let Opening { key, id, app, chat, parent, credential, gate, cwd, roots, mode } = opening;
        let opened = Arc::new(Self {
            key,
            id,
            app,
            chat,
            parent,
            credential,
            gate,
            cwd,
            roots,
            calls: Calls::default(),
            chosen: Mutex::new(mode),
            tools: Mutex::default(),
            events: broadcast::Sender::new(EVENTS),
            used: LastUse::now(),
        });
        opened.gate.add_chat(&opened);
        opened.gate.gate().open_session(Session { mode, ..opened.session() });
        opened
    }

    /// It is used, and so is what it is a part of.
    pub(super) fn touch(&self) {
        let parents = std::iter::successors(self.parent.as_ref(), |parent| parent.parent.as_ref());
        self.used.touch();
        parents.for_each(|parent| parent.used.touch());
    }

    pub(super) fn used_at(&self) -> Instant {
        self.used.at()
    }

    pub(super) fn parent_id(&self) -> Option<&SessionId> {
        self.parent.as_ref().map(|parent| &parent.id)
    }

    /// Whether something waits in it.
    pub(super) fn waits(&self) -> bool {
        self.calls.any_waits()
    }

    /// Whether something waits in it, or runs.
    pub(super) fn is_under_way(&self) -> bool {
        self.calls.any_under_way()
    }

    /// The session as the gate knows it, without its mode.
    pub(super) fn session(&self) -> Session {
        Session {
            id: self.id.clone(),
            agent: self.gate.agent().clone(),
            parent: self.parent_id().cloned(),
            roots: self.roots.clone(),
            cwd: self.cwd.clone(),
            mode: None,
        }
    }

    /// The session as it is now. Blocks.
    pub(crate) fn info(&self) -> HostSession {
        self.gate.refresh();
        let mode = self.gate.gate().mode(&self.id);
        HostSession {
            key: self.key.clone(),
            session_id: self.id.0.clone(),
            app: self.app.clone(),
            agent: self.gate.agent().as_str().to_owned(),
            chat: self.chat.clone(),
            mode,
            mode_locked: self.gate.mode_lock().map(|(by, _)| by),
            briefing: mode_briefing(mode).to_owned(),
            trust_categories: self.trusts_categories(),
            waiting: self
                .calls
                .waiting()
                .into_iter()
                .map(|(id, approval)| waiting_outcome(id, approval, self.gate.gate()))
                .collect(),
        }
    }

    /// D1.3: what an app says of its tools counts only where the person trusts it in that.
    fn trusts_categories(&self) -> bool {
        let policy = self.gate.gate().policy();
        let settings: Option<AppSettings> =
            self.gate.agent().name().and_then(|name| policy.apps.get(name)).copied();
        settings.is_some_and(|settings| settings.trust_categories)
    }

    pub(crate) fn gate(&self) -> &Gate {
        self.gate.gate()
    }

    /// Whether it was opened by somebody who may answer.
    pub(crate) fn may_answer(&self) -> bool {
        self.credential == Credential::Answer
    }

    /// Whether an answer was remembered for this chat.
    pub(crate) fn remembers(&self, grant: &StoredGrant) -> bool {
        grant.session.as_ref() == Some(&self.id) && grant.agent == *self.gate.agent()
    }

    /// Changes the mode.
    ///
    /// # Errors
    /// If a file locks it, or the app may only ask and the mode is looser than what is configured.
    pub(crate) fn set_mode(&self, mode: Mode) -> Result<(), RpcError> {
        self.gate.refresh();
        check_mode(&self.gate, self.credential, mode)?;
        *lock_mutex(&self.chosen) = Some(mode);
        self.gate.gate().set_mode(&self.id, mode);
        self.tell(&HostEvent::Session { session: Box::new(self.info()) });
        Ok(())
    }

    /// Another mode is configured: who may only ask has none that is looser, whatever it has chosen before.
    pub(super) fn tighten_mode(&self, configured: Mode) {
        let mut chosen = lock_mutex(&self.chosen);
        if self.credential < Credential::Answer && chosen.is_some_and(|chosen| chosen < configured) {
            *chosen = Some(configured);
            self.gate.gate().set_mode(&self.id, configured);
        }
    }

    /// Takes note of the app's tools, and says what holds for each.
    ///
    /// # Errors
    /// If there are too many, or one has no name.
    pub(crate) fn offer_tools(&self, tools: Vec<HostTool>) -> Result<Vec<HostToolInfo>, RpcError> {
        if tools.len() > MOST_TOOLS {
            return Err(RpcError::Params(format!("a session has at most {MOST_TOOLS} tools")));
        }
        for tool in &tools {
            check_id("name", &tool.name)?;
            tool.server.as_deref().map_or(Ok(()), |server| check_id("server", server))?;
        }
        self.gate.refresh();
        let said =
            |tool: &HostTool| tool.category.or_else(|| category_of_annotations(tool.annotations.as_ref()?));
        let named = |tool: &HostTool| (tool.server.clone(), tool.name.clone());
        *lock_mutex(&self.tools) = tools.iter().filter_map(|tool| Some((named(tool), said(tool)?))).collect();
        let gate = self.gate.gate();
        Ok(tools
            .into_iter()
            .map(|tool| {
                let access = self.tool_access(&(tool.server.clone(), tool.name.clone()));
                let call = Call {
                    name: Some(tool.name.clone()),
                    roots: self.roots.clone(),
                    accesses: vec![access.clone()],
                    ..Call::new(Door::Host, self.gate.agent().clone(), self.id.clone(), self.cwd.clone())
                };
                let category = match &access {
                    Access::Mcp(mcp) => mcp.claims.unwrap_or(Category::External),
                    other => other.category().unwrap_or(Category::Execute),
                };
                HostToolInfo {
                    server: tool.server,
                    name: tool.name,
                    category,
                    effect: gate.preview_effect(&call),
                }
            })
            .collect())
    }

    /// The tool, as it is judged.
    fn tool_access(&self, tool: &ToolName) -> Access {
        let mut access = call::tool_access(tool, &self.cwd);
        call::apply_category(&mut access, self.category_of(tool, None));
        access
    }

    /// The category that counts for a tool, of those that the app has said.
    pub(super) fn category_of(&self, tool: &ToolName, said: Option<Category>) -> Option<Category> {
        let known = || lock_mutex(&self.tools).get(tool).copied();
        said.or_else(known).filter(|_| self.trusts_categories())
    }

    /// Which call of this session a card is about.
    pub(crate) fn call_of(&self, card: &Card) -> HostCall {
        HostCall {
            app: self.app.clone(),
            chat: self.chat.clone(),
            call_id: card.tool_call.tool_call_id.clone().unwrap_or_default(),
        }
    }

    /// A card of this session is shown, or has changed.
    pub(super) fn show(&self, card: &Card) -> HostCall {
        let of = self.call_of(card);
        self.calls.note_shown(&of.call_id, &card.digest);
        self.tell(&HostEvent::Asked { call_id: of.call_id.clone(), card: Box::new(card.clone()) });
        of
    }

    /// A card of this session is settled.
    pub(super) fn resolved(&self, call_id: String, resolved: &ApprovalResolved) {
        self.calls.note_resolved(&call_id, resolved);
        self.tell(&HostEvent::Resolved { call_id, resolved: resolved.clone() });
    }

    /// Tells whoever listens.
    pub(super) fn tell(&self, event: &HostEvent) {
        if self.events.receiver_count() == 0 {
            return;
        }
        let shows = match event {
            HostEvent::Asked { card, .. } => Some((card.approval_id, card.digest.clone())),
            _ => None,
        };
        match serde_json::value::to_raw_value(event) {
            // Nobody may be left by now.
            Ok(text) => drop(self.events.send(Arc::new(ToldEvent {
                text,
                shows,
                last: matches!(event, HostEvent::Closed),
            }))),
            Err(error) => tracing::error!(%error, "an event can't be told"),
        }
    }

    /// Hears what happens from now on.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Arc<ToldEvent>> {
        self.events.subscribe()
    }

    /// It is over, or put away: what waits is cancelled, and what was remembered is forgotten if the chat is gone for good.
    pub(super) fn end(self: &Arc<Self>, forget: bool) {
        let calls = self.calls.all(true);
        let gate = self.gate.gate();
        if forget && let Err(error) = gate.session_ended(&self.id) {
            tracing::warn!(%error, "what was remembered for a chat could not be forgotten");
        }
        gate.close_session(&self.id);
        calls.iter().for_each(|call| call.withdraw());
        let chat = Arc::clone(self);
        spawn(async move {
            // What became of them is told before that nothing more comes.
            for call in calls {
                call.told().await;
            }
            chat.gate.remove_chat(&chat);
            chat.tell(&HostEvent::Closed);
        });
    }
}

/// Whether `mode` may be chosen at this gate with this credential.
///
/// # Errors
/// Says why not.
pub(super) fn check_mode(gate: &HostGate, credential: Credential, mode: Mode) -> Result<(), RpcError> {
    if let Some((by, least)) = gate.mode_lock().filter(|(_, least)| mode < *least) {
        let by = by.display();
        return Err(RpcError::Params(format!("{by} locks the mode: it can be {least} or stricter")));
    }
    let configured = gate.gate().policy().mode_of(gate.agent(), None);
    if credential < Credential::Answer && mode < configured {
        return Err(RpcError::NotAllowed(format!(
            "who may only ask can't loosen the mode: it can be {configured} or stricter"
        )));
    }
    Ok(())
}

/// The category that MCP's hints claim.
fn category_of_annotations(hints: &Value) -> Option<Category> {
    let hint = |name: &str| hints.get(name).and_then(Value::as_bool);
    claimed_category(hint("readOnlyHint"), hint("destructiveHint"), hint("openWorldHint"))
}
