//! Side doors: `fs/*` and `terminal/*` are covered once by an approved call that announced exactly
//! this (decisions, section 6).

use std::collections::VecDeque;

use crate::call::{Access, Call, Diff, Door, PathAccess, SessionId};

/// As many approved calls are remembered.
const MOST: usize = 256;

/// Calls that were approved and have not finished.
#[derive(Debug, Default)]
pub(super) struct Cover {
    approved: VecDeque<Approved>,
}

#[derive(Debug)]
struct Approved {
    session: SessionId,
    tool_call_id: String,
    cwd: std::path::PathBuf,
    env: std::collections::BTreeMap<String, String>,
    accesses: Vec<Access>,
    diffs: Vec<Diff>,
}

impl Cover {
    /// Remembers an approved call.
    pub(super) fn approved(&mut self, call: &Call) {
        // What does not say what it does announces nothing.
        let covers = call.door == Door::AcpPermission && call.without_substance().is_none();
        let Some(id) = call.tool_call_id.clone().filter(|_| covers) else { return };
        if self.approved.len() >= MOST {
            self.approved.pop_front();
        }
        self.approved.push_back(Approved {
            session: call.session.clone(),
            tool_call_id: id,
            cwd: call.cwd.clone(),
            env: call.env.clone(),
            accesses: call.accesses.clone(),
            diffs: call.diffs.clone(),
        });
    }

    /// Forgets a call that has finished.
    pub(super) fn finished(&mut self, session: &SessionId, tool_call_id: &str) {
        self.approved
            .retain(|approved| approved.session != *session || approved.tool_call_id != tool_call_id);
    }

    /// Forgets all calls of a session: their turn is over.
    pub(super) fn end_turn(&mut self, session: &SessionId) {
        self.approved.retain(|approved| approved.session != *session);
    }

    /// Whether an approved call covers `call`, which came by a side door; it does so once.
    pub(super) fn spend(&mut self, call: &Call) -> bool {
        self.approved
            .iter_mut()
            .filter(|approved| approved.session == call.session)
            .any(|approved| approved.spend(call))
    }
}

impl Approved {
    /// Takes what `call` does out of what was approved, if all of it is there.
    fn spend(&mut self, call: &Call) -> bool {
        let mut left = self.accesses.clone();
        for access in &call.accesses {
            let Some(at) = left.iter().position(|other| self.announced(other, access, call)) else {
                return false;
            };
            left.remove(at);
        }
        self.accesses = left;
        !call.accesses.is_empty()
    }

    /// Whether `announced` is `access`, to the content of what is written and the words of what is run.
    fn announced(&self, announced: &Access, access: &Access, call: &Call) -> bool {
        match (access, announced) {
            // A command's own files: the same command, in the same place.
            _ if call.door == Door::AcpTerminal => {
                access == announced && call.cwd == self.cwd && call.env == self.env
            }
            (Access::Write(_, path), Access::Write(_, announced)) => {
                same(path, announced)
                    && call.diffs.first().is_some_and(|diff| {
                        self.diffs.iter().any(|announced| gives(announced, diff, &self.cwd))
                    })
            }
            (Access::Read(path), Access::Read(announced)) => same(path, announced),
            _ => false,
        }
    }
}

fn same(path: &PathAccess, announced: &PathAccess) -> bool {
    path.lexical == announced.lexical && path.resolved == announced.resolved
}

/// Whether writing `written` is what `announced` showed: the same text, or the announced change
/// applied to the text that is there (agents announce a part of the file, and write all of it).
fn gives(announced: &Diff, written: &Diff, cwd: &std::path::Path) -> bool {
    if cwd.join(&announced.path) != cwd.join(&written.path) {
        return false;
    }
    if announced.new_text == written.new_text
        && (announced.old_text.is_none() || announced.old_text == written.old_text)
    {
        return true;
    }
    match (&announced.old_text, &written.old_text) {
        (Some(old), Some(before)) if !old.is_empty() => {
            before.replacen(old.as_str(), &announced.new_text, 1) == written.new_text
        }
        _ => false,
    }
}
