//! What an agent does by mayi's own hands: a file that it reads or writes, a command.

use std::collections::BTreeMap;

use serde_json::Value;

use mayi_core::call::{Access, Call, Door};
use mayi_core::gate::Session;

/// The call of a side door.
pub fn side_door_call(
    session: &Session,
    door: Door,
    title: String,
    raw_input: Value,
    accesses: Vec<Access>,
) -> Call {
    Call {
        door,
        agent: session.agent.clone(),
        session: session.id.clone(),
        tool_call_id: None,
        roots: session.roots.clone(),
        cwd: session.cwd.clone(),
        env: BTreeMap::new(),
        title,
        kind: accesses.first().map(|access| access.selector().to_string()).unwrap_or_default(),
        name: None,
        raw_input,
        diffs: Vec::new(),
        notes: Vec::new(),
        locations: Vec::new(),
        accesses,
        not_shown: Vec::new(),
        by_hand: None,
        server: None,
        blocked: None,
        cautions: Vec::new(),
        flagged: Vec::new(),
        parent: None,
        about: None,
        held: false,
    }
}
