//! What the front end hears of: what the agent does and says, and what the gate asks and decides, in one order.

use serde_json::Value;

use mayi_core::call::SessionId;
use mayi_core::gate::{GateEvent, ReportedEnd};
use mayi_core::policy::Decision;

/// What a front end hears of, of both sides in one channel: a question stands behind the call that it is about, and what the
/// agent says next behind the answer.
#[derive(Clone, Debug)]
pub enum SessionEvent {
    /// Something happened at the agent's side.
    Agent(AcpEvent),
    /// Something was asked, answered or decided.
    Gate(GateEvent),
}

impl From<AcpEvent> for SessionEvent {
    fn from(event: AcpEvent) -> Self {
        Self::Agent(event)
    }
}

impl From<GateEvent> for SessionEvent {
    fn from(event: GateEvent) -> Self {
        Self::Gate(event)
    }
}

/// Something happened at the agent's side.
#[derive(Clone, Debug)]
pub enum AcpEvent {
    /// `session/update`, as it came.
    Update {
        /// The session.
        session: SessionId,
        /// The `update` object.
        update: Value,
    },
    /// A tool call ran without asking, which the policy asks about or denies. Nothing was decided of it.
    Unasked {
        /// The session: a sub-agent's is another one than the run's.
        session: SessionId,
        /// The protocol's id of the tool call.
        tool_call_id: String,
        /// The agent's title: data.
        title: String,
        /// What the policy says of it.
        decision: Decision,
        /// Whether it has run, or was tried and failed.
        end: ReportedEnd,
    },
    /// Something that a person should know, one line.
    Notice(String),
    /// A line of the agent's own error output.
    Stderr(String),
}
