//! What `mayi hook` takes.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use crate::options::ListArgs;

pub(crate) const AFTER: &str = "\
Examples:
  mayi hook install claude-code         put mayi in front of every tool call of Claude Code
  mayi hook install codex --ask-via inbox --time-limit 5m
  mayi hook install claude-code --ask-via inbox --notify     ask by a desktop notification too
  mayi hook status                      where hooks are, and whether they are in force
  mayi hook uninstall claude-code       take it away again, to the byte
  mayi hook claude-code < event.json    what a harness starts for each event

Harnesses: claude-code, codex, gemini, qwen, copilot, cursor, vscode, opencode, agy.
An event's answer is written as the harness wants it; exit code 2 blocks what the event is about, and is given
whenever mayi fails. Options of an event: --ask-via harness|inbox, --notify SOCKET, --time-limit 10s, --config FILE.";

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
    /// Have a harness ask mayi before each of its tool calls
    Install(InstallArgs),
    /// Take mayi out of a harness's settings again
    Uninstall(InstallArgs),
    /// Say where hooks are, whether they are in force, and when one ran last
    Status(ListArgs),
    /// One event of a harness on standard input, the answer on standard output
    #[command(external_subcommand)]
    Event(Vec<OsString>),
}

/// What becomes of an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AskViaArg {
    /// The harness's own prompt, where it has one
    Harness,
    /// Any surface of mayi: inbox, editor, page
    Inbox,
}

/// What `install` and `uninstall` take.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// The harness
    #[arg(value_name = "HARNESS")]
    pub harness: String,
    /// The project's settings, which others who work in it share, instead of your own
    #[arg(long, conflicts_with = "file")]
    pub project: bool,
    /// This file of settings
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// What becomes of a question
    #[arg(long, value_name = "WHERE", value_enum, default_value = "harness")]
    pub ask_via: AskViaArg,
    /// Also ask by a desktop notification, with Deny and, where it shows all of the call, Allow once; with --ask-via
    /// inbox. SOCKET: of the session bus [default: the one that the desktop uses]
    #[arg(long, value_name = "SOCKET", num_args = 0..=1, require_equals = true)]
    pub notify: Option<Option<PathBuf>>,
    /// Answer within this time, or block
    #[arg(long, value_name = "DURATION", value_parser = crate::options::parse_duration)]
    pub time_limit: Option<Duration>,
    /// Do not ask before the file is changed
    #[arg(long, short)]
    pub yes: bool,
    /// Show the change, and write nothing
    #[arg(long)]
    pub dry_run: bool,
}
