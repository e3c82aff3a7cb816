//! What `mayi hook` takes.

use std::ffi::OsString;

use clap::{Args, Subcommand};

pub(crate) const AFTER: &str = "\
Examples:
  mayi hook claude-code < event.json    what a harness starts for each event

An event's answer is written as the harness wants it; exit code 2 blocks what the event is about, and is given whenever mayi
fails. Options of an event: --ask-via harness|inbox, --time-limit 10s, --config FILE.";

/// What `mayi hook` takes.
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: HookCommand,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum HookCommand {
    /// One event of a harness on standard input, the answer on standard output
    #[command(external_subcommand)]
    Event(Vec<OsString>),
}
