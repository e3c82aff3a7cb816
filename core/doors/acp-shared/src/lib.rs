//! What both doors of the Agent Client Protocol share, the client (`mayi-acp`) and the proxy (`mayi-acp-proxy`): what a
//! request means as a call, which option an answer picks, how an agent is started and in which mode it asks, and what its
//! model is told. The protocol is read as JSON here: nothing in this crate knows an SDK.

pub mod adapt;
mod agent_notices;
mod briefing;
mod error;
pub mod files;
pub mod input;
mod launch;
pub mod modes;
pub mod options;
mod patch;
pub mod permission;
mod side_door;
pub mod subject;
pub mod terminals;
mod tool_calls;

pub use agent_notices::describe_doubt;
pub use briefing::Briefing;
pub use error::AgentError;
pub use launch::{Launch, Pipes, Process, resolve_program, safe_path};
pub use modes::AskingMode;
pub use permission::permission_call;
pub use side_door::side_door_call as side_call;
pub use tool_calls::{ToolCallState, ToolCalls};

/// The longest line that is read of an agent or an editor: larger than any message of those that people use.
pub const LONGEST: usize = 64 * 1024 * 1024;
