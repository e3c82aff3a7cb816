//! What the record tells: figures, what another policy would have decided, and rules that would have
//! saved questions. Pure: entries go in, values come out.

mod call_story;
mod record_parts;
mod replay;
mod stats;
mod suggest;

pub use record_parts::RecordParts;
pub use replay::{
    DecidingRule, Difference, Example, NotReplayed, ReplayBuilder, ReplayReport, replay_entries,
};
pub use stats::{Answers, Counted, Counts, Day, RuleCount, Stats, StatsBuilder, compute_stats};
pub use suggest::{Proposal, RuleSuggestions, suggest_rules};

#[cfg(test)]
mod tests;
