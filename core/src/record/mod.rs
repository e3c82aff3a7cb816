//! The record: what was proposed, decided, asked, answered and done, so that changing it later shows.

mod entry;

pub use entry::{CallId, Entry, Kind, Recorded};
