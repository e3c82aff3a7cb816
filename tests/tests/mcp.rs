//! `mayi mcp` between a client that knows only lines and servers that misbehave: nothing is allowed wrongly, whatever
//! either side sends. Real processes throughout; nothing has to be installed.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on has failed, and a missing key of JSON reads as null"
)]

#[path = "../../cli/tests/support/pty.rs"]
mod pty;

#[path = "mcp/client.rs"]
mod client;
#[path = "mcp/scene.rs"]
mod scene;

#[path = "mcp/ambiguous.rs"]
mod ambiguous;
#[path = "mcp/bridge.rs"]
mod bridge;
#[path = "mcp/clients.rs"]
mod clients;
#[path = "mcp/expiry.rs"]
mod expiry;
#[path = "mcp/heavy.rs"]
mod heavy;
#[path = "mcp/http.rs"]
mod http;
#[path = "mcp/loose.rs"]
mod loose;
#[path = "mcp/many.rs"]
mod many;
#[path = "mcp/names.rs"]
mod names;
#[path = "mcp/older.rs"]
mod older;
#[path = "mcp/pins.rs"]
mod pins;
#[path = "mcp/poisoned.rs"]
mod poisoned;
#[path = "mcp/rules.rs"]
mod rules;
#[path = "mcp/servers.rs"]
mod servers;
#[path = "mcp/state.rs"]
mod state;
#[path = "mcp/subscriptions.rs"]
mod subscriptions;
#[path = "mcp/toolbelt.rs"]
mod toolbelt;
#[path = "mcp/waiting.rs"]
mod waiting;
