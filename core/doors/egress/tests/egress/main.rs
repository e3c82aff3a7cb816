//! The proxy, over real sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "only tests"
)]

mod addresses;
mod bounds;
mod forward;
mod hostile;
mod origin;
mod questions;
mod tls;
mod tools;
mod tunnel;
mod world;
