//! `mayi exec` on a real kernel: what is tried from within, as root and as an ordinary user, in each tier that there is here.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "only tests, and a missing key of JSON reads as null"
)]

mod caches;
mod confined;
mod ends;
mod escapes;
mod left;
mod network;
mod place;
#[path = "../../../cli/tests/support/pty.rs"]
mod pty;
mod undo;
mod why;
