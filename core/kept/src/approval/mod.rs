//! Asking: cards, answers, and the queue of what waits.

mod answer;
mod card;
mod families;
mod history;
mod queue;
mod suggest;
mod visible;

pub use answer::{AnswerError, ApprovalResolved, ApprovalResponse, Outcome, Remember, RememberScope};
pub use card::{
    AgentOption, ApprovalId, Card, CardAccess, CardOption, CardServer, CardToolCall, PermissionType, State,
    choice,
};
pub use history::History;
pub use queue::{Event, MOST_WAITING, Output, Queue};
pub use suggest::{Suggestion, suggestions};
pub(crate) use visible::hides;
pub use visible::{visible, visible_block};
