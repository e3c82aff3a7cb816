//! The Model Context Protocol: a gateway between clients and servers, where `tools/call` waits for the gate and
//! everything else passes as it came.
//!
//! Both eras of the protocol: with `initialize` (up to 2025-11-25) and stateless (2026-07-28); over standard streams
//! and over Streamable HTTP.

mod door;
mod era;
mod frame;
mod front;
mod headers;
mod http;
mod lines;
mod oauth;
mod pins;
mod relay;
mod server;
mod session;
mod session_binding;
pub mod stdio;
mod tls;
pub(crate) mod wire;

pub(crate) use mayi_doors::members;

pub use door::{Answerer, McpDoor, McpOptions, NoticeSink, NoticeSinks, PATIENCE, new_token};
pub use frame::{Frame, FrameKind, Malformed, code};
pub use front::{Caller, Client, ClientCount, Conversation, Gateway, RequestKey};
pub use http::{HttpOptions, SchemaLookup, serve};
pub use mayi_doors::members::Members;
pub use oauth::{Login, LoginError, LoginRequest, Logins};
pub use relay::{SessionOptions, SessionServers, run_relay};
pub use session_binding::SessionBinding;
