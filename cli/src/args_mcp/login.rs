//! `mayi mcp login` and `logout`.

use clap::Args;

pub(crate) const LOGIN_AFTER: &str = "Example:\n  mayi mcp login docs";

/// `mayi mcp login`
#[derive(Clone, Debug, Args)]
pub(crate) struct LoginArgs {}

/// `mayi mcp logout`
#[derive(Clone, Debug, Args)]
pub(crate) struct LogoutArgs {}
