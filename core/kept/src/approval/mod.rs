//! Asking: cards, and answers to them.

mod alike;
mod answer;
mod card;
pub(crate) mod families;
mod glance;
mod history;
mod places;
mod suggest;
mod visible;

pub use alike::alike;
pub use answer::{AnswerError, ApprovalResolved, ApprovalResponse, Outcome, Remember, RememberScope};
pub use card::{
    AgentOption, ApprovalId, Card, CardAccess, CardOption, CardServer, CardToolCall, PermissionType, State,
    choice,
};
pub use glance::at_a_glance;
pub use history::History;
pub use places::places;
pub use suggest::{Suggestion, suggestions};
pub(crate) use visible::hides;
pub use visible::{visible, visible_block};
