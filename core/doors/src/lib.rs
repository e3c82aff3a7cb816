//! What doors share: processes that are started for others, connections and requests over HTTP before anybody looks at what
//! they want, what MCP servers say of their tools, and JSON as it came.
//!
//! A door is where agents come in: protocol in, `mayi_core::call::Call` out; answer in, protocol out. It decides nothing.
//! Each is a crate of its own beside this one.

pub mod folders;
pub mod listen;
pub mod members;
mod mode_briefing;
pub mod patch_headers;
pub mod pins;
pub mod process;
pub mod readings;
pub mod task;
pub mod unknown_connections;
pub mod web;

pub use mode_briefing::{AFTER_A_REFUSAL, mode_briefing};
