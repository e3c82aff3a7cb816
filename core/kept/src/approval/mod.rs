//! Asking: cards, and answers to them.

mod alike;
mod answer;
mod asked_marks;
mod card;
mod card_options;
mod card_size;
mod change_places;
pub(crate) mod command_families;
mod covers;
mod escape;
mod glance;
mod history;
mod input_changes;
mod look_alikes;
mod suggest;

pub use alike::likeness_key;
pub use answer::{AnswerError, ApprovalResolved, ApprovalResponse, Outcome, Remember, RememberScope};
pub use asked_marks::{MarkedLine, relative_path, written_line};
pub use card::{
    AgentOption, ApprovalId, Card, CardAccess, CardOption, CardServer, CardToolCall, OptionKind,
    PermissionType, State, choice,
};
pub use change_places::change_lines;
pub use covers::{EXACTLY_THIS_CALL, pattern_covers, session_covers, session_patterns};
pub(crate) use escape::hides;
pub use escape::{escape_block, escape_line};
pub use glance::one_line_summary;
pub use history::History;
pub use input_changes::{patch_diffs, untold_diffs};
pub use suggest::{Suggestion, suggest_patterns};
