//! `mayi acp` from end to end: the real program, with a test on both sides of it. What an editor sends and gets, and what an agent
//! sends and gets, are lines of the test's own.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "only tests"
)]

mod asking;
mod beside;
mod config;
mod demo;
mod ends;
mod frames;
mod heavy;
mod issues;
mod lenient;
mod many;
mod modes;
mod peers;
mod replay;
mod scene;
mod servers;
mod sessions;
mod shown;
mod sides;
mod sse;
mod tripwire;
mod turns;
mod v2;
mod v2_asking;
