//! The doors through which agents come: protocol in, [`crate::call::Call`] out; answer in, protocol
//! out. A door decides nothing.

pub mod acp;
pub mod mcp;
pub mod web;

mod process;
