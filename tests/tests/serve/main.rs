//! The backend of editors (`mayi serve`): a real process, real agents behind it, and clients of somebody else's making.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "only tests"
)]

mod answers;
mod asking;
mod ends;
mod events;
mod heavy;
mod history;
mod hostile;
mod hosts;
mod hosts_bounds;
mod loose;
mod scene;
mod servers;
mod settings;
mod starting;
mod tabs;
mod undigested;
