//! Linux: a process is confined in stages, each a process that becomes less and starts the next one.
//!
//! ```text
//! whoever starts it ──▶ outer: namespaces, mounts ──▶ inner: process 1 there; capabilities, Landlock, seccomp ──▶ the command
//! ```
//!
//! Each stage is mayi's own program again ([`run_if_stage`]). A stage dies with the one before it, and with the inner one all
//! that runs in its namespace of processes: a mayi that is killed leaves nothing running or mounted.

mod absent;
mod filters;
mod inner;
mod landlock;
mod loopback;
mod mount_table;
mod mounts;
mod outer;
mod outlet;
mod overlays;
mod probe;
mod signals;
mod stage;

pub use probe::{available_tier, try_caches};
pub(crate) use stage::{Confined, run_if_stage};
