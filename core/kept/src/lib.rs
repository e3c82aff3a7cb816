//! What outlives a process: the record, remembered answers, what waits for one, and the tools of servers as they were
//! first seen. It stands on calls and policy, and knows no door.

pub mod approval;
mod permanent;
pub mod pin;
pub mod record;
pub mod store;
pub mod writer;

pub use permanent::{AnswerPersistence, KeepError, NoPersistence};
