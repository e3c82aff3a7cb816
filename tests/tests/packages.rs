//! The packages that `just dist` makes, installed as people install them: each in an empty home, on a search path without Rust, and
//! with no network to ask. Each brings a program that runs, with its man pages and completions, and goes as it came.
//!
//! `just test-dist` makes them of the program that all tests run, and runs this; what it measures is printed as a table.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on has failed, and a missing key of JSON reads as null"
)]

#[path = "packages/clients.rs"]
mod clients;
#[path = "packages/home.rs"]
mod home;
#[path = "packages/launcher.rs"]
mod launcher;
#[path = "packages/made.rs"]
mod made;
#[path = "packages/ways.rs"]
mod ways;
