//! Side doors: `fs/*` and `terminal/*` are covered once by an approved call that announced exactly
//! this (D6.29).

use std::collections::VecDeque;

use super::authorized::ApprovalBasis;
use super::{Authorized, DecidedBy};
use crate::call::{Access, Call, Diff, Door, PathAccess, ServerId, SessionId};

/// As many approved calls are remembered.
const MOST: usize = 256;

/// Calls that were approved and have not finished.
#[derive(Debug, Default)]
pub(super) struct Cover {
    approved: VecDeque<ApprovedCall>,
}

#[derive(Debug)]
struct ApprovedCall {
    session: SessionId,
    tool_call_id: String,
    cwd: std::path::PathBuf,
    env: std::collections::BTreeMap<String, String>,
    accesses: Vec<Access>,
    diffs: Vec<Diff>,
    /// The server that a tool is called of.
    server: Option<ServerId>,
    /// A person did, who saw exactly this.
    person: bool,
    /// What was odd about the tool then, as the card said.
    flagged: Vec<String>,
    /// What held then.
    basis: ApprovalBasis,
}

impl Cover {
    /// Remembers an approved call.
    pub(super) fn remember_approved(&mut self, authorized: &Authorized<Call>) {
        let call = authorized.call();
        // What does not say what it does announces nothing.
        let covers = call.door == Door::AcpPermission && call.without_substance().is_none();
        let Some(id) = call.tool_call_id.clone().filter(|_| covers) else { return };
        if self.approved.len() >= MOST {
            self.approved.pop_front();
        }
        self.approved.push_back(ApprovedCall {
            session: call.session.clone(),
            tool_call_id: id,
            cwd: call.cwd.clone(),
            env: call.env.clone(),
            accesses: call.accesses.clone(),
            diffs: call.diffs.clone(),
            server: call.server.clone(),
            person: authorized.decided_by() == DecidedBy::Person,
            flagged: call.flagged.clone(),
            basis: authorized.basis(),
        });
    }

    /// Forgets a call that has finished.
    pub(super) fn forget_call(&mut self, session: &SessionId, tool_call_id: &str) {
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

    /// Whether an approved call covers `call`, which came in where its tool runs; it does so once. What is `always` asked
    /// about, a person has to have seen, and all that is odd about it; what nobody answered counts while the same policy and
    /// mode hold.
    pub(super) fn spend_tool(&mut self, call: &Call, always: bool, held: ApprovalBasis) -> bool {
        let seen = |approved: &ApprovedCall| call.flagged.iter().all(|flag| approved.flagged.contains(flag));
        self.approved
            .iter_mut()
            .filter(|approved| approved.session == call.session && seen(approved))
            .filter(|approved| approved.person || !always && approved.basis == held)
            .any(|approved| approved.spend_tool(call))
    }
}

impl ApprovedCall {
    /// Takes what `call` does out of what was approved, if all of it is there.
    fn spend(&mut self, call: &Call) -> bool {
        let mut left = self.accesses.clone();
        for access in &call.accesses {
            let Some(at) = left.iter().position(|other| self.is_announced(other, access, call)) else {
                return false;
            };
            left.remove(at);
        }
        self.accesses = left;
        !call.accesses.is_empty()
    }

    /// Takes the tool that `call` calls out of what was approved, if it is there with these arguments.
    fn spend_tool(&mut self, call: &Call) -> bool {
        let [Access::Mcp(called)] = call.accesses.as_slice() else { return false };
        let server = &self.server;
        let same = |access: &Access| {
            let Access::Mcp(announced) = access else { return false };
            *server == call.server
                && called.unique_reading().is_some()
                && announced.unique_reading() == called.unique_reading()
                && announced.arguments == called.arguments
        };
        let Some(at) = self.accesses.iter().position(same) else { return false };
        self.accesses.remove(at);
        true
    }

    /// Whether `announced` is `access`, to the content of what is written and the words of what is run.
    fn is_announced(&self, announced: &Access, access: &Access, call: &Call) -> bool {
        match (access, announced) {
            // A command's own files: the same command, in the same place.
            _ if call.door == Door::AcpTerminal => {
                access == announced && call.cwd == self.cwd && call.env == self.env
            }
            (Access::Write(_, path), Access::Write(_, announced)) => {
                is_same_path(path, announced)
                    && call.diffs.first().is_some_and(|diff| {
                        self.diffs.iter().any(|announced| is_announced_diff(announced, diff, &self.cwd))
                    })
            }
            (Access::Read(path), Access::Read(announced)) => is_same_path(path, announced),
            _ => false,
        }
    }
}

fn is_same_path(path: &PathAccess, announced: &PathAccess) -> bool {
    path.lexical == announced.lexical && path.resolved == announced.resolved
}

/// Whether writing `written` is what `announced` showed: the same text, or the announced change
/// applied to the text that is there (agents announce a part of the file, and write all of it).
fn is_announced_diff(announced: &Diff, written: &Diff, cwd: &std::path::Path) -> bool {
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
