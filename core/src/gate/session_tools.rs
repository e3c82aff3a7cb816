//! MCP servers of a session that its agent reaches through mayi alone: what is known of their tools counts wherever the
//! agent asks about one, and a call that was judged where it runs did not run unasked.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Gate;
use crate::call::{Access, Call, Door, SessionId};
use crate::policy::Policy;

/// As many calls are remembered that no report of the agent's was about yet.
const MOST: usize = 1024;

/// What stands before the servers of a session, and knows what they say of their tools.
pub trait ToolFactsSource: Send + Sync + std::fmt::Debug {
    /// Puts into `call`, which came in at another door, what this one knows of the tool that it is about: what its server
    /// says of it, what is odd about that, and whether it may be called at all. Called while the gate is held: it must not
    /// ask the gate anything.
    fn add_tool_facts(&self, call: &mut Call, policy: &Policy);
}

impl Gate {
    /// Says that the servers which mayi has put into a session are reached through `before` alone.
    pub fn set_session_gateway(&self, id: &SessionId, before: Arc<dyn ToolFactsSource>) {
        self.lock().judge.sessions.set_gateway(id, before);
    }
}

/// Calls of tools that were judged where they run.
#[derive(Debug, Default)]
pub(super) struct GatewayCalls {
    calls: VecDeque<GatewayCall>,
}

#[derive(Debug)]
struct GatewayCall {
    session: SessionId,
    server: String,
    tool: String,
    arguments: serde_json::Value,
    /// It ran, and nobody was asked about it: the agent's report may have its arguments in a form of its own.
    ran: bool,
}

impl GatewayCalls {
    /// A call came in where it runs. `ran`: it does, without a question.
    pub(super) fn remember_call(&mut self, call: &Call, ran: bool) {
        let (Door::Mcp, [Access::Mcp(mcp)]) = (call.door, call.accesses.as_slice()) else { return };
        let Some((server, tool)) = mcp.unique_reading() else { return };
        if self.calls.len() >= MOST {
            self.calls.pop_front();
        }
        self.calls.push_back(GatewayCall {
            session: call.session.clone(),
            server: server.to_owned(),
            tool: tool.to_owned(),
            arguments: mcp.arguments.clone(),
            ran,
        });
    }

    /// Whether what an agent reports was judged where it ran: each such call answers for one report. Agents may report
    /// arguments in forms of their own, so that another call of the same tool will do, if that ran. A report that names no tool
    /// of a server, nor says that it is of another kind, is known by just its arguments, whatever its title is.
    pub(super) fn take_reported(&mut self, report: &Call) -> bool {
        let [Access::Mcp(mcp)] = report.accesses.as_slice() else {
            let of_server = matches!(report.kind.as_str(), "" | "other")
                && !report.accesses.iter().any(|access| matches!(access, Access::Mcp(_)));
            let same = |met: &GatewayCall| {
                met.session == report.session
                    && met.arguments == report.raw_input
                    && report.raw_input.is_object()
            };
            let at = self.calls.iter().position(same).filter(|_| of_server);
            return at.and_then(|at| self.calls.remove(at)).is_some();
        };
        let same = |met: &GatewayCall| {
            let named = |(server, tool): &(String, String)| *server == met.server && *tool == met.tool;
            met.session == report.session && mcp.readings.iter().any(named)
        };
        let exactly = |met: &GatewayCall| same(met) && met.arguments == mcp.arguments;
        let at = self
            .calls
            .iter()
            .position(exactly)
            .or_else(|| self.calls.iter().position(|met| met.ran && same(met)));
        at.and_then(|at| self.calls.remove(at)).is_some()
    }

    /// Forgets the calls of a session: it is over, or its turn is.
    pub(super) fn forget_session(&mut self, session: &SessionId) {
        self.calls.retain(|met| met.session != *session);
    }
}
