//! The Agent Client Protocol, as its client: mayi starts the agent, sends prompts, and answers what
//! the agent asks. Protocol version 1; the facts it is built on are those of the specification and
//! of the agents' recorded sessions.
//!
//! This module alone knows the SDK.

mod adapt;
mod asks;
mod briefing;
mod connection;
mod dispatch;
mod error;
mod event;
mod files;
mod input;
mod launch;
mod lines;
mod modes;
mod options;
mod permission;
mod session;
mod shared;
mod side_door;
mod stdio;
mod terminals;
mod tool_calls;

pub use briefing::Briefing;
pub use connection::{Connection, Offer};
pub use error::AgentError;
pub use event::AcpEvent;
pub use launch::{Launch, resolve_program};
pub use mayi_doors::places::folder_caveat;
pub use modes::AskingMode;
pub use permission::permission_call;
pub use session::{OpenSession, Opened, Servers, StopReason};
