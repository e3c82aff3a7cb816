//! Opening a session.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mayi_check::Checker;
use mayi_core::call::{AgentId, NamedDoor, Names, SessionId, digest_of};
use serde_json::json;

use super::asking::check_id;
use super::session::{Opening, check_mode};
use super::{HostChat, HostGate};
use crate::api::HostOpen;
use crate::backend::{Backend, lock_mutex};
use crate::credentials::Credential;
use crate::error::RpcError;
use crate::tabs::resolve_cwd;

/// Number of bytes of a key.
const KEY: usize = 32;
/// Maximum number of further folders.
const MOST_FOLDERS: usize = 64;

/// Opens a session, or finds the one that is open already. Blocks.
///
/// # Errors
/// If the request makes no sense, or asks for more than this credential may have.
pub(crate) fn open(
    backend: &Arc<Backend>,
    wanted: HostOpen,
    credential: Credential,
) -> Result<Arc<HostChat>, RpcError> {
    // A page that was paired sees and answers: as an app it is a stranger.
    let credential = if credential == Credential::Answer { credential } else { Credential::Ask };
    if !Names::is_plain(&wanted.app) {
        return Err(RpcError::Params("an app's name has letters, digits, `.`, `_` and `-`".to_owned()));
    }
    check_id("chat", &wanted.chat)?;
    if wanted.folders.len() > MOST_FOLDERS {
        return Err(RpcError::Params(format!("a chat has at most {MOST_FOLDERS} folders")));
    }
    let key = match wanted.key.clone() {
        Some(key) => checked_key(key)?,
        None => new_key()?,
    };
    let parent =
        wanted.parent.as_deref().map(|parent| backend.hosts.session(parent, credential)).transpose()?;
    if parent.as_ref().is_some_and(|parent| parent.app != wanted.app || parent.key == key) {
        return Err(RpcError::Params(
            "a sub-task is of the same app as its parent, and another session".to_owned(),
        ));
    }
    let (cwd, roots) = match &parent {
        Some(parent) => folders_within(parent, &wanted)?,
        None => folders(backend, &wanted, credential)?,
    };
    let parent_id = parent.as_ref().map(|parent| parent.id.clone());
    let id = session_id(&wanted, &key, &cwd, parent_id.as_ref());
    let _one_at_a_time = lock_mutex(&backend.hosts.changing);
    match backend.hosts.session(&key, credential) {
        Ok(open) if open.id == id && open.roots == roots => {
            return wanted.mode.map_or(Ok(()), |mode| open.set_mode(mode)).map(|()| open);
        }
        Ok(_) => {
            return Err(RpcError::Params(
                "this key is of another chat, folder or parent, and open: close it, or leave the key out"
                    .to_owned(),
            ));
        }
        Err(refused @ RpcError::NotAllowed(_)) => return Err(refused),
        Err(_) => {}
    }
    let gate = match &parent {
        // Sub-tasks are judged where their parent is.
        Some(parent) => Arc::clone(&parent.gate),
        None => HostGate::obtain(backend, &agent_of(&wanted.app, credential), &cwd)?,
    };
    gate.refresh();
    if let Some(mode) = wanted.mode {
        check_mode(&gate, credential, mode)?;
    }
    let HostOpen { app, chat, mode, .. } = wanted;
    let opened = HostChat::open(Opening { key, id, app, chat, parent, credential, gate, cwd, roots, mode });
    if let Err(error) = backend.hosts.insert(&opened) {
        opened.end(false);
        return Err(error);
    }
    Ok(opened)
}

/// Who asks: an app that the person has given the credential of the answering file has a name, as at every door (D1.20). What
/// may only ask is a stranger, whatever it calls itself.
fn agent_of(app: &str, credential: Credential) -> AgentId {
    match credential {
        Credential::Answer => AgentId::at_door(NamedDoor::Host, app),
        _ => AgentId::anonymous_at_door(NamedDoor::Host.as_str()),
    }
}

/// Where a session without a parent works. D1.26: roots are the person's, so who may only ask has none but those that a
/// person has opened.
fn folders(
    backend: &Backend,
    wanted: &HostOpen,
    credential: Credential,
) -> Result<(PathBuf, Vec<PathBuf>), RpcError> {
    if credential < Credential::Answer && !wanted.folders.is_empty() {
        return Err(RpcError::NotAllowed(
            "who may only ask has no folders but those that a person has opened: leave `folders` out"
                .to_owned(),
        ));
    }
    let Some(cwd) = &wanted.cwd else {
        return Err(RpcError::Params("where does the chat work? there is no `cwd`".to_owned()));
    };
    let cwd = resolve_cwd(cwd)?;
    let mut roots = match credential {
        Credential::Answer => {
            let further = wanted.folders.iter().map(|folder| resolve_cwd(folder));
            std::iter::once(Ok(cwd.clone())).chain(further).collect::<Result<Vec<_>, _>>()?
        }
        _ => {
            let checker = Checker::new(backend.sources_for(&backend.options.cwd), false);
            let mut opened = backend.opened_folders(&checker);
            opened.retain(|folder| cwd.starts_with(folder));
            opened
        }
    };
    roots.extend(backend.load(&cwd)?.folders);
    let mut once = Vec::new();
    for root in roots {
        if !once.contains(&root) {
            once.push(root);
        }
    }
    Ok((cwd, once))
}

/// Where a sub-task works: in folders of its parent's.
fn folders_within(parent: &HostChat, wanted: &HostOpen) -> Result<(PathBuf, Vec<PathBuf>), RpcError> {
    let cwd = wanted.cwd.as_deref().map_or_else(|| Ok(parent.cwd.clone()), resolve_cwd)?;
    let further = wanted.folders.iter().map(|folder| resolve_cwd(folder)).collect::<Result<Vec<_>, _>>()?;
    let inside =
        |folder: &PathBuf| *folder == parent.cwd || parent.roots.iter().any(|root| folder.starts_with(root));
    if std::iter::once(&cwd).chain(&further).all(inside) {
        return Ok((cwd, parent.roots.clone()));
    }
    Err(RpcError::Params("a sub-task works in the folders of its parent".to_owned()))
}

fn new_key() -> Result<String, RpcError> {
    let mut bytes = [0; KEY];
    getrandom::fill(&mut bytes).map_err(|error| RpcError::Internal(error.to_string()))?;
    let mut key = String::with_capacity(2 * KEY);
    for byte in bytes {
        let _ = write!(key, "{byte:02x}");
    }
    Ok(key)
}

fn checked_key(key: String) -> Result<String, RpcError> {
    let digits = |key: &str| key.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    if key.len() == 2 * KEY && digits(&key) {
        return Ok(key);
    }
    Err(RpcError::Params("a key is one that `host/open` has given".to_owned()))
}

/// What cards and the record call the session: the same one each time that its key brings it back to its chat, its folder and
/// its parent, and nothing that names it to the door.
fn session_id(wanted: &HostOpen, key: &str, cwd: &Path, parent: Option<&SessionId>) -> SessionId {
    let parent = parent.map(|parent| &parent.0);
    SessionId(format!(
        "chat-{}",
        digest_of(&json!(["host", wanted.app, key, wanted.chat, cwd, parent])).short()
    ))
}
