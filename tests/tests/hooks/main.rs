//! `mayi hook` as harnesses start it: a process for each event, with the event on standard input. Nothing has to be installed.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on has failed, and a missing key of JSON reads as null"
)]

#[path = "../../../cli/tests/support/pty.rs"]
mod pty;

mod scene;

mod asking;
mod compiled;
mod decisions;
mod desktop;
mod failures;
mod heavy;
mod install;
mod record;
