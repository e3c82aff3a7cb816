//! The Agent Client Protocol, as its client: mayi starts the agent, sends prompts, and answers what
//! the agent asks. Protocol version 1; the facts it is built on are those of the specification and
//! of the agents' recorded sessions.
//!
//! This module alone knows the SDK.

mod connection;
mod dispatch;
mod event;
mod files;
mod lines;
mod permission;
mod session;
mod shared;
mod stdio;
mod terminals;

pub use connection::{Connection, OfferedCapabilities};
pub use event::{AcpEvent, SessionEvent};
pub use mayi_acp_shared::{AgentError, AskingMode, Briefing, Launch, permission_call, resolve_program};
pub use mayi_doors::folders::folder_caveat;
pub use session::{GatedServers, OpenSession, OpenedSession, StopReason};
