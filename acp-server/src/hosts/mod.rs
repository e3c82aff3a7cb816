//! The host door: sessions of apps with a model loop of their own. An app names each of its sessions by a key that only it
//! has; sessions of one app in one folder share a gate.

mod asking;
mod call;
mod calls;
mod gate;
mod open;
mod session;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;

use mayi_core::approval::ApprovalId;
use mayi_core::call::{AgentId, SessionId};

pub(crate) use self::gate::HostGate;
pub(crate) use self::open::open;
pub(crate) use self::session::HostChat;
use crate::backend::lock_mutex;
use crate::credentials::Credential;
use crate::error::RpcError;

/// Maximum number of sessions at a time.
const MOST_SESSIONS: usize = 4096;
/// The same of apps that may only ask.
const MOST_OF_STRANGERS: usize = 256;

/// Maximum number of gates: each has a thread and some open files.
const MOST_GATES: usize = 128;
/// The same of apps that may only ask.
const MOST_GATES_OF_STRANGERS: usize = 16;

/// The sessions of all apps.
#[derive(Default)]
pub(crate) struct Hosts {
    sessions: Mutex<HashMap<String, Arc<HostChat>>>,
    /// By agent and folder: they end with the last of their sessions.
    gates: Mutex<Vec<Weak<HostGate>>>,
    /// Held while a session is opened or closed: two that come with one key are one session.
    changing: Mutex<()>,
    /// No session comes any more; changed while `sessions` is held.
    ending: AtomicBool,
}

impl Hosts {
    /// The session that `key` names, for somebody with this credential.
    ///
    /// # Errors
    /// If there is none, or it was opened with a credential that may do more.
    pub(crate) fn session(&self, key: &str, credential: Credential) -> Result<Arc<HostChat>, RpcError> {
        let found = lock_mutex(&self.sessions).get(key).cloned();
        let chat = found.ok_or_else(|| {
            RpcError::of_session(
                "unknown_key",
                "no session has this key: open it again with `host/open` and the key",
            )
        })?;
        if credential < chat.credential {
            return Err(RpcError::NotAllowed(
                "this session was opened with the credential of the answering file: use that one".to_owned(),
            ));
        }
        chat.touch();
        Ok(chat)
    }

    /// Whether something waits in any of those of apps that may answer, or runs.
    pub(crate) fn any_under_way(&self) -> bool {
        lock_mutex(&self.sessions).values().any(|chat| chat.may_answer() && chat.is_under_way())
    }

    /// The gates of all sessions.
    pub(crate) fn gates(&self) -> Vec<Arc<HostGate>> {
        lock_mutex(&self.gates).iter().filter_map(Weak::upgrade).collect()
    }

    /// The chat that asks this.
    pub(crate) fn asking_chat(&self, id: ApprovalId) -> Option<Arc<HostChat>> {
        self.gates().iter().find_map(|gate| gate.asked(id))
    }

    /// # Errors
    /// If there are as many gates as there may be.
    fn check_room_for_gate(&self, agent: &AgentId) -> Result<(), RpcError> {
        let gates = self.gates();
        let strangers = gates.iter().filter(|gate| gate.agent().name().is_none()).count();
        if gates.len() >= MOST_GATES || (agent.name().is_none() && strangers >= MOST_GATES_OF_STRANGERS) {
            let text = "apps work in as many folders as they may already: close the chats of one of them";
            return Err(RpcError::of_session("full", text));
        }
        Ok(())
    }

    /// Remembers a gate for others of the same agent and folder.
    fn add_gate(&self, gate: &Arc<HostGate>) {
        let mut gates = lock_mutex(&self.gates);
        gates.retain(|gate| gate.strong_count() > 0);
        gates.push(Arc::downgrade(gate));
    }

    /// Takes a session in. Where there is no room, the one that was used longest ago makes some: its key brings it back.
    fn insert(&self, chat: &Arc<HostChat>) -> Result<(), RpcError> {
        let most = if chat.may_answer() { MOST_SESSIONS } else { MOST_OF_STRANGERS };
        let mut sessions = lock_mutex(&self.sessions);
        if self.ending.load(Ordering::Relaxed) {
            return Err(RpcError::of_session("ending", "the backend is ending"));
        }
        if chat.parent_id().is_some_and(|parent| !sessions.values().any(|other| other.id == *parent)) {
            return Err(RpcError::of_session("closed", "the session that this is a sub-task of is closed"));
        }
        let alike = |other: &&Arc<HostChat>| other.may_answer() == chat.may_answer();
        let put_away = if sessions.values().filter(alike).count() < most {
            Vec::new()
        } else {
            let in_use = sessions.values().filter(|other| other.waits()).chain(chat.parent.as_ref());
            let in_use = ancestors_of(in_use);
            let idle = |other: &&Arc<HostChat>| !in_use.contains(&other.id);
            let oldest = sessions.values().filter(alike).filter(idle).min_by_key(|other| other.used_at());
            let Some(oldest) = oldest.map(|oldest| oldest.id.clone()) else {
                let text = format!(
                    "there are {most} sessions already, and something waits in each: close one of them"
                );
                return Err(RpcError::of_session("full", text));
            };
            remove_with_descendants(&mut sessions, &oldest)
        };
        sessions.insert(chat.key.clone(), Arc::clone(chat));
        drop(sessions);
        put_away.iter().for_each(|chat| chat.end(false));
        Ok(())
    }

    /// Takes a session out, with its sub-tasks: none of them is freer without it.
    pub(crate) fn close(&self, chat: &HostChat, forget: bool) {
        let _one_at_a_time = lock_mutex(&self.changing);
        let gone = remove_with_descendants(&mut lock_mutex(&self.sessions), &chat.id);
        gone.iter().for_each(|chat| chat.end(forget));
    }

    /// Ends all of them: none comes any more.
    pub(crate) async fn end(&self) {
        let gates = self.gates();
        let all = {
            let mut sessions = lock_mutex(&self.sessions);
            self.ending.store(true, Ordering::Relaxed);
            std::mem::take(&mut *sessions)
        };
        all.values().for_each(|chat| chat.end(false));
        let ends = gates.into_iter().map(|gate| tokio::task::spawn_blocking(move || gate.gate().shut_down()));
        futures::future::join_all(ends).await;
    }
}

/// Takes out the session `id` and all that were started from it. Returns them.
fn remove_with_descendants(
    sessions: &mut HashMap<String, Arc<HostChat>>,
    id: &SessionId,
) -> Vec<Arc<HostChat>> {
    let mut gone: HashSet<SessionId> = HashSet::from([id.clone()]);
    loop {
        let before = gone.len();
        let children =
            sessions.values().filter(|chat| chat.parent_id().is_some_and(|parent| gone.contains(parent)));
        gone.extend(children.map(|chat| chat.id.clone()).collect::<Vec<_>>());
        if gone.len() == before {
            break;
        }
    }
    sessions.extract_if(|_, chat| gone.contains(&chat.id)).map(|(_, chat)| chat).collect()
}

/// These sessions, and those that started them.
fn ancestors_of<'c>(of: impl Iterator<Item = &'c Arc<HostChat>>) -> HashSet<SessionId> {
    of.flat_map(|chat| std::iter::successors(Some(chat), |chat| chat.parent.as_ref()))
        .map(|chat| chat.id.clone())
        .collect()
}

/// When something was used last: sessions are put away by it.
#[derive(Debug)]
struct LastUse(Mutex<Instant>);

impl LastUse {
    fn now() -> Self {
        Self(Mutex::new(Instant::now()))
    }

    fn touch(&self) {
        *lock_mutex(&self.0) = Instant::now();
    }

    fn at(&self) -> Instant {
        *lock_mutex(&self.0)
    }
}
