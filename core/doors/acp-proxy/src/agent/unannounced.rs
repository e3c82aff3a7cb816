//! Sessions that nobody announced: some agents ask for a sub-agent in a session of its own, of which the editor never hears. It
//! belongs to the one whose turn is under way (D4.27).

use std::sync::Arc;

use serde_json::Value;

use super::permissions;
use crate::session::Session;
use crate::shared::Shared;
use mayi_core::call::SessionId;

/// Maximum number of sessions of one family that are known.
pub(super) const MOST: usize = 256;

/// The session that the id stands for: one that is open, or, where a single one works, a sub-agent's of that.
pub(super) fn find_session(shared: &Shared, id: &str) -> Option<Arc<Session>> {
    shared.find_session(id).or_else(|| match working_sessions(shared, id).as_slice() {
        [parent] => adopt(shared, parent, id),
        _ => None,
    })
}

/// The same for a question. Where several sessions work, nobody knows whose sub-agent asks: it is asked, for this once, in the one
/// that is strictest about it. `big`: there are numbers in its input that readers disagree on.
pub(super) fn find_session_of_question(
    shared: &Shared,
    id: &str,
    params: &Value,
    big: bool,
) -> Option<Arc<Session>> {
    find_session(shared, id).or_else(|| {
        let children = working_sessions(shared, id).into_iter().map(|parent| new_child(&parent, id));
        children.max_by_key(|child| {
            let asked = permissions::read_subject(shared, params).ok();
            let asked = asked.map(|asked| permissions::read_question(shared, child, &asked, params, big));
            asked.map(|(call, _)| child.gate().preview_effect(&call))
        })
    })
}

/// Sessions that the editor has opened and whose turn is under way, which may be the ones that an unknown `id` belongs to.
fn working_sessions(shared: &Shared, id: &str) -> Vec<Arc<Session>> {
    if id.is_empty() || shared.has_ended(id) {
        return Vec::new();
    }
    let sessions = shared.lock_sessions();
    sessions.values().filter(|session| session.is_root() && session.is_working()).cloned().collect()
}

fn adopt(shared: &Shared, parent: &Arc<Session>, id: &str) -> Option<Arc<Session>> {
    let mut sessions = shared.lock_sessions();
    let family = sessions.values().filter(|other| Arc::ptr_eq(&other.family, &parent.family)).count();
    if family >= MOST {
        return None;
    }
    let child = new_child(parent, id);
    sessions.insert(id.to_owned(), Arc::clone(&child));
    Some(child)
}

fn new_child(parent: &Arc<Session>, id: &str) -> Arc<Session> {
    let child = Session::new_unannounced(SessionId(id.to_owned()), parent);
    let mode = parent.lock_state().agent_mode.clone();
    child.lock_state().agent_mode = mode;
    Arc::new(child)
}
