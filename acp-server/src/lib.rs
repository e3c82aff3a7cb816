//! The JSON-RPC backend for editors: a front end on `mayi-core`, beside the command line. It starts agents, shows what is
//! asked, and hands answers in; it decides nothing. README.md says what it speaks.

pub mod api;

mod backend;
mod cards;
mod credentials;
mod error;
mod events;
mod front;
mod hosts;
mod judging_keys;
mod other_processes;
mod permanent_answers;
mod presence;
mod reload;
mod rpc;
mod tabs;

pub use backend::{Backend, BackendOptions, SourcesFactory, WriterFactory};
pub use credentials::Credentials;
pub use front::{FrontOptions, PairingCodes, pairing_codes, serve};
