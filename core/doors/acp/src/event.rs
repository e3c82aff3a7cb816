//! What the door tells the front end, besides cards.

use serde_json::Value;

use mayi_core::call::SessionId;
use mayi_core::policy::Decision;

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
    /// A tool call ran without asking.
    Unasked {
        /// The agent's title: data.
        title: String,
        /// What would have been decided.
        decision: Decision,
    },
    /// Something that a person should know, one line.
    Notice(String),
    /// A line of the agent's own error output.
    Stderr(String),
}
