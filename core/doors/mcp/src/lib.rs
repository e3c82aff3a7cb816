//! The Model Context Protocol: a gateway between clients and servers, where `tools/call` waits for the gate and
//! everything else passes as it came.
//!
//! Both eras of the protocol: with `initialize` (up to 2025-11-25) and stateless (2026-07-28); over standard streams
//! and over Streamable HTTP.

mod belonging;
mod door;
mod era;
mod frame;
mod front;
mod headers;
mod http;
mod lines;
mod oauth;
mod pinned;
mod relay;
mod server;
mod session;
pub mod stdio;
mod tls;
pub(crate) mod wire;

pub(crate) use mayi_doors::members;

pub use belonging::Belonging;
pub use door::{Asks, Hears, McpDoor, McpOptions, PATIENCE, Say, new_token};
pub use frame::{Frame, Kind, Malformed, code};
pub use front::{Caller, Client, Clients, Conversation, Gateway, Key};
pub use http::{HttpOptions, Schemas, serve};
pub use mayi_doors::members::Members;
pub use oauth::{Login, LoginError, LoginRequest, Logins};
pub use relay::{SessionOptions, SessionServers, relay};
