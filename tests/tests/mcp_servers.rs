//! With MCP servers and clients of others, directly and with `mayi mcp` between: what works without the gateway works
//! the same with it, to the byte, and what it denies leaves no trace.
//!
//! `just test-mcp` installs them and runs this. Every test has a home of its own, and nothing is left running after it.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that can't go on has failed, a missing key of JSON reads as null, and figures are for people"
)]

#[path = "mcp_servers/ground.rs"]
mod ground;
#[path = "mcp_servers/program.rs"]
mod program;
#[path = "mcp_servers/raw.rs"]
mod raw;
#[path = "mcp_servers/sdk.rs"]
mod sdk;
#[path = "mcp_servers/servers.rs"]
mod servers;

#[path = "mcp_servers/conformance.rs"]
mod conformance;
#[path = "mcp_servers/denied.rs"]
mod denied;
#[path = "mcp_servers/inspector.rs"]
mod inspector;
#[path = "mcp_servers/same.rs"]
mod same;
#[path = "mcp_servers/sse.rs"]
mod sse;
