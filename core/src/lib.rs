//! What mayi decides, asks and remembers: the way of a call from a door to an answer.
//!
//! Data flows one way: door → [`call::Call`] → [`policy::decide`] → queue → surface → answer →
//! [`gate::Authorized`] → door. docs/architecture/knows.md says which module may know what.

pub mod gate;

pub use mayi_call as call;
pub use mayi_config as config;
pub use mayi_import as import;
pub use mayi_kept::{approval, pin, record, store, writer};
pub use mayi_policy as policy;
pub use mayi_policy::grant;
