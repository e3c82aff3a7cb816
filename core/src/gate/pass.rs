//! Passes: what one door has just allowed, the gateway does not ask about again (surfaces, section 5).

use jiff::Timestamp;

use super::{Ledger, Memory};
use crate::call::{Access, Call, Door};
use crate::policy::{Decision, Effect};
use crate::store::{Change, Pass, PassedCall};

impl Memory {
    /// What a pass for `call` is about: one tool of a server that is known for certain.
    fn passed(&self, call: &Call) -> Option<PassedCall> {
        let mut tools = call.accesses.iter().filter_map(|access| match access {
            Access::Mcp(mcp) => Some(mcp),
            _ => None,
        });
        let (mcp, None) = (tools.next()?, tools.next()) else { return None };
        let (_, tool) = mcp.certain()?;
        Some(PassedCall {
            agent: call.agent.clone(),
            server: call.server.clone()?,
            tool: tool.to_owned(),
            arguments: self.writer.arguments(&mcp.arguments),
        })
    }

    /// The change that leaves a pass for `call`, which is allowed: an agent that asked first meets it again at the
    /// gateway. `person`: by a person, who saw exactly this.
    pub(super) fn leaving(&self, call: &Call, person: bool, at: Timestamp) -> Option<Change> {
        if call.door != Door::AcpPermission {
            return None;
        }
        let pass = Pass::leave(self.owner.id, self.passed(call)?, person, at)?;
        Some(Change::LeavePass(Box::new(pass)))
    }
}

impl Ledger {
    /// The pass that lets `call` through in place of an answer, if there is one.
    pub(super) fn pass(&self, call: &Call, decision: &Decision, now: Timestamp) -> Option<Pass> {
        if call.door != Door::Mcp || decision.effect != Effect::Ask {
            return None;
        }
        let memory = self.memory()?;
        match memory.store.pass(&memory.passed(call)?, now) {
            // What is always asked about, a person has to have seen.
            Ok(pass) => pass.filter(|pass| pass.person || !decision.always()),
            Err(error) => {
                tracing::warn!(%error, "what another door has allowed could not be read");
                None
            }
        }
    }
}
