//! The command line of `mayi inbox`.

use std::time::Duration;

use clap::{Args, Subcommand};
use mayi_core::approval::RememberScope;
use mayi_core::policy::Level;

use crate::options::parse_duration;

pub(in crate::commands) const AFTER: &str = "\
What waits in any of your mayi processes can be answered here, at a terminal.
An ID names the call as it was listed: if it changes meanwhile, the answer is refused.

Examples:
  mayi inbox                                              what is waiting
  mayi inbox approve 7f3a2c.9b1e04d7a6                    allow it, once
  mayi inbox approve 7f3a2c.9b1e04d7a6 81d0e5.44c2a9b310  two that differ, each once
  mayi inbox approve 7f3a2c.9b1e04d7a6 --for-session
  mayi inbox approve --alike 7f3a2c.9b1e04d7a6            and all like it that wait in its session, each once
  mayi inbox approve 7f3a2c.9b1e04d7a6 --level read       all tools of its server that read, in this folder
  mayi inbox deny 7f3a2c.9b1e04d7a6 --reason \"use the staging server\"
  mayi inbox deny 7f3a2c.9b1e04d7a6 --remember workspace  and the same from now on, in this folder
  mayi inbox watch                                        answer cards as they come";

/// `mayi inbox`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct InboxArgs {
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<InboxCommand>,
}

/// What to do with what waits.
#[derive(Debug, Subcommand)]
pub(crate) enum InboxCommand {
    /// List what is waiting
    List {
        /// Print one JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Allow a call that waits: once, or for longer
    Approve(ApproveArgs),
    /// Do not allow a call that waits
    Deny(DenyArgs),
    /// Answer cards here as they come, until Ctrl-C
    Watch,
}

/// `mayi inbox approve`
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The ID that the list shows; several: each is allowed once
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    /// Also everything alike that waits in its session, each once: it is listed, and asked about once more
    #[arg(long, conflicts_with_all = ["for_session", "always", "workspace", "level", "expires_in", "uses"])]
    pub alike: bool,
    /// With --alike: do not ask once more
    #[arg(long, short, requires = "alike")]
    pub yes: bool,
    /// Also the like, until the session ends
    #[arg(long, conflicts_with_all = ["always", "workspace"])]
    pub for_session: bool,
    /// Also what matches PATTERN, for good: a rule in your configuration (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub always: Vec<String>,
    /// Also what matches PATTERN, in this folder (repeatable)
    #[arg(long, value_name = "PATTERN", conflicts_with = "always")]
    pub workspace: Vec<String>,
    /// Also every tool of its MCP server up to LEVEL: in this folder, or until the session ends
    #[arg(long, value_name = "LEVEL", value_enum, conflicts_with_all = ["always", "workspace"])]
    pub level: Option<LevelArg>,
    /// Remember it for so long, such as 30m or 8h
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub expires_in: Option<Duration>,
    /// Remember it for so many calls
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub uses: Option<u32>,
}

/// What may be granted to an MCP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LevelArg {
    /// Tools that read
    Read,
    /// Tools that read and write
    Write,
    /// Every tool
    All,
}

impl From<LevelArg> for Level {
    fn from(level: LevelArg) -> Self {
        match level {
            LevelArg::Read => Self::Read,
            LevelArg::Write => Self::Write,
            LevelArg::All => Self::All,
        }
    }
}

/// `mayi inbox deny`
#[derive(Debug, Args)]
pub(crate) struct DenyArgs {
    /// The ID that the list shows, or several of them
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    /// Also everything alike that waits in its session
    #[arg(long, conflicts_with = "remember")]
    pub alike: bool,
    /// With --alike: do not ask once more
    #[arg(long, short, requires = "alike")]
    pub yes: bool,
    /// Why: the agent is told
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Deny the same from now on: until the session ends, in this folder, or everywhere
    #[arg(long, value_name = "SCOPE", value_enum)]
    pub remember: Option<ScopeArg>,
    /// What is denied from now on, in place of exactly this call (repeatable)
    #[arg(long, value_name = "PATTERN", requires = "remember")]
    pub pattern: Vec<String>,
    /// Remember it for so long, such as 30m or 8h
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, requires = "remember")]
    pub expires_in: Option<Duration>,
}

/// Where, and how long, an answer is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ScopeArg {
    /// Until the session ends
    Session,
    /// In this folder
    Workspace,
    /// Everywhere
    User,
}

impl From<ScopeArg> for RememberScope {
    fn from(scope: ScopeArg) -> Self {
        match scope {
            ScopeArg::Session => Self::Session,
            ScopeArg::Workspace => Self::Workspace,
            ScopeArg::User => Self::User,
        }
    }
}
