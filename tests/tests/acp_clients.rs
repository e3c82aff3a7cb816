//! `mayi acp` between agents and clients that others wrote: `acpx`, and the SDKs of the protocol for Python and TypeScript. Real
//! agents (Claude Code's and Codex's, with the scripted model), and the demo agent.
//!
//! `just test-acp` installs all of them and runs this. It also records sessions for `tests/tests/acp/replay.rs`.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on has failed, and a missing key of JSON reads as null"
)]

#[allow(dead_code, reason = "what the tests with real agents need of it")]
#[path = "real_agents/agent.rs"]
mod agent;
#[allow(dead_code, reason = "what the tests with real agents need of it")]
#[path = "real_agents/model.rs"]
mod model;
#[allow(dead_code, reason = "what the tests with real agents need of it")]
#[path = "real_agents/processes.rs"]
mod processes;

#[path = "acp_clients/cases.rs"]
mod cases;
#[path = "acp_clients/client.rs"]
mod client;
#[path = "acp_clients/preview.rs"]
mod preview;
#[path = "acp_clients/recorded.rs"]
mod recorded;
#[path = "acp_clients/scene.rs"]
mod scene;
#[path = "acp_clients/seen.rs"]
mod seen;
#[path = "acp_clients/serving.rs"]
mod serving;
