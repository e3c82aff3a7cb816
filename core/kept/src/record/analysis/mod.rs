//! What the record tells: figures, what another policy would have decided, and rules that would have
//! saved questions. Pure: entries go in, values come out.

mod parts;
mod replay;
mod stats;
mod story;
mod suggest;

pub use parts::Parts;
pub use replay::{Difference, Example, NotReplayed, Replay, Replaying, Spoken, replay};
pub use stats::{Answers, Counted, Counts, Day, Figures, RuleCount, Stats, stats};
pub use suggest::{Proposal, Suggested, suggest};

#[cfg(test)]
mod tests;
