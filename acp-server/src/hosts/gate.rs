//! The gate of an app's sessions in one folder, and what is told of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use mayi_core::approval::{ApprovalId, Card};
use mayi_core::call::{AgentId, SessionId};
use mayi_core::config::RunningSession;
use mayi_core::gate::{Asking, Gate, GateEvent, Memory, OnAsk};
use mayi_core::policy::Mode;
use mayi_doors::task::spawn;
use tokio::sync::mpsc::UnboundedReceiver;

use super::HostChat;
use crate::api::{Answered, Event, HostCall};
use crate::backend::{Backend, lock_mutex};
use crate::error::RpcError;
use crate::permanent_answers::BackendKeeper;
use crate::{cards, other_processes, reload};

/// How long answers for a chat are remembered: chats are gone on with, also after a restart.
const LONGEST_CHAT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// How old what was read of the configuration may be when a call is judged.
const FRESH: Duration = Duration::from_secs(2);

/// A gate that sessions of one app share.
pub(crate) struct HostGate {
    gate: Gate,
    agent: AgentId,
    cwd: PathBuf,
    backend: Weak<Backend>,
    told: Arc<Told>,
    loaded: Mutex<Loaded>,
}

/// Whom what happens at a gate is told to: also what is left to tell when it has ended.
#[derive(Default)]
struct Told {
    chats: Mutex<HashMap<SessionId, Weak<HostChat>>>,
    /// The chat that asks, and its own id of the call, of each question that waits.
    asking: Mutex<HashMap<ApprovalId, (Weak<HostChat>, String)>>,
}

impl Told {
    fn chat(&self, id: &str) -> Option<Arc<HostChat>> {
        lock_mutex(&self.chats).get(&SessionId(id.to_owned())).and_then(Weak::upgrade)
    }
}

/// What was read of the configuration.
struct Loaded {
    at: Instant,
    /// The file that locks the mode, and the least strict one that it leaves.
    lock: Option<(PathBuf, Mode)>,
}

impl HostGate {
    /// The one of `agent` in `cwd`: that of its other sessions, or a new one. Blocks.
    ///
    /// # Errors
    /// If the configuration is refused, or the store can't be used.
    pub(super) fn obtain(backend: &Arc<Backend>, agent: &AgentId, cwd: &Path) -> Result<Arc<Self>, RpcError> {
        let same = |gate: &Arc<Self>| gate.agent == *agent && gate.cwd == cwd;
        if let Some(found) = backend.hosts.gates().into_iter().find(same) {
            found.reload()?;
            return Ok(found);
        }
        backend.hosts.check_room_for_gate(agent)?;
        let loaded = backend.load(cwd)?;
        let lock = loaded.locks.mode_lock().map(|by| (by.to_owned(), loaded.policy.least_mode(agent)));
        let writer = (backend.options.writer)().map_err(RpcError::Internal)?;
        let memory =
            Memory::attach(Arc::clone(&backend.options.store), writer)?.with_session_limit(LONGEST_CHAT);
        let keeper = Box::new(BackendKeeper::new(backend, cwd, RunningSession::default()));
        let asking = Asking { on_ask: OnAsk::Wait, limit: backend.options.limit };
        let gate = Gate::with_memory(loaded.policy, asking, keeper, memory);
        let heard = gate.subscribe();
        let made = Arc::new(Self {
            gate,
            agent: agent.clone(),
            cwd: cwd.to_owned(),
            backend: Arc::downgrade(backend),
            told: Arc::default(),
            loaded: Mutex::new(Loaded { at: Instant::now(), lock }),
        });
        backend.add_owner(&made.gate);
        backend.hosts.add_gate(&made);
        made.gate.watch_store();
        pump_events(&made, heard);
        Ok(made)
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.gate
    }

    pub(super) fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// The file that locks the mode, and the least strict one that it leaves.
    pub(super) fn mode_lock(&self) -> Option<(PathBuf, Mode)> {
        lock_mutex(&self.loaded).lock.clone()
    }

    pub(super) fn add_chat(&self, chat: &Arc<HostChat>) {
        lock_mutex(&self.told.chats).insert(chat.id.clone(), Arc::downgrade(chat));
    }

    /// Nothing is told to it any more; to another one that came back under its id, it is.
    pub(super) fn remove_chat(&self, chat: &Arc<HostChat>) {
        let gone = Arc::downgrade(chat);
        let is_it = |known: &Weak<HostChat>| known.ptr_eq(&gone);
        lock_mutex(&self.told.chats).retain(|_, known| !is_it(known));
        lock_mutex(&self.told.asking).retain(|_, (known, _)| !is_it(known));
    }

    /// Remembers who asks.
    pub(super) fn note_asking(&self, id: ApprovalId, chat: &Arc<HostChat>, call_id: &str) {
        lock_mutex(&self.told.asking).insert(id, (Arc::downgrade(chat), call_id.to_owned()));
    }

    /// It is settled, and that was told.
    pub(super) fn forget_asking(&self, id: ApprovalId) {
        lock_mutex(&self.told.asking).remove(&id);
    }

    /// The chat that asks this.
    pub(crate) fn asked(&self, id: ApprovalId) -> Option<Arc<HostChat>> {
        lock_mutex(&self.told.asking).get(&id).and_then(|(chat, _)| chat.upgrade())
    }

    /// Every card that waits, with the call that it is about.
    pub(crate) fn waiting_cards(&self) -> Vec<(Card, Option<HostCall>)> {
        let cards = self.gate.waiting_cards().into_iter();
        cards
            .map(|card| (self.told.chat(&card.session_id), card))
            .map(|(chat, card)| {
                let of = chat.map(|chat| chat.call_of(&card));
                (card, of)
            })
            .collect()
    }

    /// Reads the configuration again, if what was read is too old for a call to be judged by it.
    ///
    /// # Errors
    /// If it is refused: then everything is asked about.
    pub(super) fn refresh(&self) {
        if lock_mutex(&self.loaded).at.elapsed() >= FRESH {
            // What can't be read is asked about.
            let _ = self.reload();
        }
    }

    /// Reads the configuration again.
    ///
    /// # Errors
    /// If it is refused: then everything is asked about.
    pub(crate) fn reload(&self) -> Result<(), RpcError> {
        let Some(backend) = self.backend.upgrade() else { return Ok(()) };
        // Others that ask meanwhile wait for it, instead of reading it too.
        let mut known = lock_mutex(&self.loaded);
        let loaded = backend.load(&self.cwd);
        known.at = Instant::now();
        match loaded {
            Ok(loaded) => {
                let policy = loaded.policy;
                known.lock =
                    loaded.locks.mode_lock().map(|by| (by.to_owned(), policy.least_mode(&self.agent)));
                let configured = policy.mode_of(&self.agent, None);
                let chats: Vec<_> = lock_mutex(&self.told.chats).values().filter_map(Weak::upgrade).collect();
                chats.iter().for_each(|chat| chat.tighten_mode(configured));
                reload::replace_policy(&self.gate, policy);
                Ok(())
            }
            Err(error) => {
                reload::ask_about_all(&self.gate);
                Err(error)
            }
        }
    }
}

impl Drop for HostGate {
    fn drop(&mut self) {
        let (gate, backend, owner) = (self.gate.clone(), self.backend.clone(), self.gate.owner_id());
        let ends = move || {
            gate.shut_down();
            if let (Some(backend), Some(owner)) = (backend.upgrade(), owner) {
                backend.remove_owner(owner);
            }
        };
        // It waits for what is to be written.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(ends)),
            Err(_) => ends(),
        }
    }
}

/// Passes on what happens at a gate, until all of it is told.
fn pump_events(of: &Arc<HostGate>, mut heard: UnboundedReceiver<GateEvent>) {
    let (told, backend) = (Arc::clone(&of.told), of.backend.clone());
    spawn(async move {
        while let Some(event) = heard.recv().await {
            let Some(backend) = backend.upgrade() else { return };
            pass_on(&backend, &told, event);
        }
    });
}

fn pass_on(backend: &Backend, told: &Told, event: GateEvent) {
    match event {
        GateEvent::Asked(card) => {
            let of = told.chat(&card.session_id).map(|chat| {
                let of = chat.show(&card);
                // Whoever answers at once may be quicker than who hands it in.
                let asking = (Arc::downgrade(&chat), of.call_id.clone());
                lock_mutex(&told.asking).insert(card.approval_id, asking);
                of
            });
            backend.events.push(&Event::Asked(Box::new(cards::of_host(*card, of))));
        }
        GateEvent::InLine(_) => backend.events.push(&Event::InLine { count: backend.in_line() }),
        GateEvent::Updated(card) => {
            let of = told.chat(&card.session_id).map(|chat| chat.show(&card));
            backend.events.push(&other_processes::updated_event(cards::of_host(*card, of)));
        }
        GateEvent::Resolved(resolved) => {
            let asking = lock_mutex(&told.asking).remove(&resolved.approval_id);
            if let Some((chat, call_id)) = asking
                && let Some(chat) = chat.upgrade()
            {
                chat.resolved(call_id, &resolved);
            }
            let granted = !resolved.granted_permissions.is_empty();
            backend.events.push(&Event::Resolved(Answered { resolved, tab_id: None }));
            if granted {
                backend.events.push(&Event::GrantsChanged);
            }
        }
        // Whoever has asked hears of it as the answer.
        GateEvent::Decided { .. } => {}
    }
}
