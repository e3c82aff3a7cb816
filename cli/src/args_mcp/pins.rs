//! `mayi mcp pins`.

use clap::Args;

pub(crate) const PINS_AFTER: &str = "Example:\n  mayi mcp pins";

/// `mayi mcp pins`
#[derive(Clone, Debug, Args)]
pub(crate) struct PinsArgs {}
