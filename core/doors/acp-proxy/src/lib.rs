//! The Agent Client Protocol, between an editor and an agent: mayi is the editor's agent on standard input and output, and the
//! agent's client. What is not mayi's business passes as it came, to the byte; what has an effect passes the gate.
//!
//! Messages are read and changed as text, in place: the SDK's proxies read them into types, and write anew what they read.

mod agent;
mod cards;
mod editor;
mod host;
mod in_flight;
mod json_members;
mod line;
mod lines;
mod numbers;
mod outbox;
mod own_terminals;
mod proxy;
mod session;
mod shared;
mod splice;
mod turns;

pub use host::{Host, SessionGateway, SessionRequest, SessionSetup};
pub use proxy::{EndReason, ProxyOptions, ProxyOutcome, serve_editor};
