//! `mayi mcp install` and `uninstall`.

use clap::Args;

pub(crate) const INSTALL_AFTER: &str = "Example:\n  mayi mcp install cursor";
pub(crate) const UNINSTALL_AFTER: &str = "Example:\n  mayi mcp uninstall cursor";

/// `mayi mcp install`
#[derive(Clone, Debug, Args)]
pub(crate) struct InstallArgs {}
