//! `mayi responses` between an app and an endpoint that is as strict as the real one: what passes, what is asked, what the app
//! sees, and what nobody gets to run. Real processes, a real database, a person at a real terminal.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on has failed, and a missing key of JSON reads as null"
)]

#[path = "../../cli/tests/support/pty.rs"]
mod pty;

#[path = "responses/scene.rs"]
mod scene;

#[path = "responses/again.rs"]
mod again;
#[path = "responses/crowd.rs"]
mod crowd;
#[path = "responses/edges.rs"]
mod edges;
#[path = "responses/ends.rs"]
mod ends;
#[path = "responses/flows.rs"]
mod flows;
#[path = "responses/heavy.rs"]
mod heavy;
#[path = "responses/hostile.rs"]
mod hostile;
#[path = "responses/open.rs"]
mod open;
#[path = "responses/passes.rs"]
mod passes;
#[path = "responses/pins.rs"]
mod pins;
#[path = "responses/recordings.rs"]
mod recordings;
#[path = "responses/run.rs"]
mod run;
#[path = "responses/unseen.rs"]
mod unseen;
