//! Pins: what an MCP server said of itself, trusted on first use. What changes later is blocked until a person
//! accepts it (S5.6).
//!
//! A [`PinnedItem`] item is the definition that is trusted, and beside it another one that was said since. [`Pins`] keeps
//! them, in a store or for this process. [`flags_of`] looks for what a definition should not hold: that is caution
//! only, and looser is nothing by it.

mod flag;
mod pins;

pub use crate::store::{ChangingPart, Definition, Item, MayChange, PinnedItem, TOOL_MEMBERS};
pub use flag::{Flag, FlagKind, flags_of};
pub use pins::{BlockReason, Observation, ObserveError, PinStatus, Pins};

#[cfg(test)]
mod tests;
