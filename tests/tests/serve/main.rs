//! The backend of editors (`mayi serve`): a real process, real agents behind it, and clients of somebody else's making.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "only tests"
)]

mod answers;
mod asking;
mod events;
mod hostile;
mod scene;
mod settings;
mod starting;
mod tabs;
