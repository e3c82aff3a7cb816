//! Agents' hooks: a door for agents that run in their own terminal, where neither ACP nor MCP reaches.
//!
//! A harness starts a process for each event, writes the event to its standard input as JSON, and reads the answer from its
//! standard output and exit code. An adapter ([`harness`]) reads the event into an [`HookEvent`] and writes the answer; what tools
//! would touch is the same table for all of them ([`tools`]). The gate decides, by the user's policy, with the record that
//! all of mayi's processes share: a session's answers live there, since no process of this door sees two events.
//!
//! **A failure blocks.** Most harnesses run the tool when a hook fails. So what the harness starts is a parent ([`guard`]) that does
//! nothing but start the same program again as a worker, bound it in time, and say "blocked" in the harness's words if the worker
//! ends in any other way than by an answer. Elsewhere than on Unix there is no parent yet, and each event is blocked.

mod call;
mod door;
mod event;
#[cfg(unix)]
pub mod guard;
#[cfg(not(unix))]
#[path = "guard/elsewhere.rs"]
pub mod guard;
pub mod harness;
mod session;
pub mod tools;

pub use call::HomeFolders;
pub use door::{AskVia, HookDoor, LONGEST_SESSION};
pub use event::{EventKind, HookEvent, OwnMode};
pub use harness::{HARNESSES, Harness, HookAnswer, HookOutput, HookReply};
pub use session::{KnownSession, SessionStore};

/// The largest event that is read: 16 MiB.
pub const LARGEST: u64 = 16 << 20;
