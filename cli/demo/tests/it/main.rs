//! The demo agent seen by a client: over a channel, in one process.
#![cfg(test)]

mod cancelling;
mod desk;
mod scenarios;
mod sessions;
mod touring;
