//! `mayi mcp`: the gateway, and what belongs to it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use mayi_core::config::CommandLine;
use mayi_core::policy::Mode;

use super::install::{self, InstallArgs};
use super::login::{self, LoginArgs, LogoutArgs};
use super::pins::{self, PinsArgs};
use crate::options::{mode_value_parser, parse_duration};

pub(in crate::commands) const AFTER: &str = "\
Without SERVER, all servers of the configuration are behind it. Tools of several servers are called SERVER__TOOL.

Examples:
  mayi mcp -- npx -y some-server               in place of the server's own command, in any client's configuration
  mayi mcp github                              the server [servers.github]
  mayi mcp --name docs --url https://docs.example.com/mcp
  mayi mcp --http 127.0.0.1:8931               every configured server, over Streamable HTTP
  mayi mcp install cursor                      put it in front of the servers that Cursor has";

/// `mayi mcp`
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct McpArgs {
    /// What else to do than to be the gateway.
    #[command(subcommand)]
    pub command: Option<McpCommand>,
    /// Servers of the configuration (default: all)
    #[arg(value_name = "SERVER")]
    pub servers: Vec<String>,
    /// The command of a server that is not in the configuration
    #[arg(last = true, value_name = "CMD ARGS", value_hint = ValueHint::CommandWithArguments, conflicts_with_all = ["servers", "url"])]
    pub launch: Vec<String>,
    /// The address of a server that is not in the configuration
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, conflicts_with = "servers")]
    pub url: Option<String>,
    /// Send the header NAME, with the value of the variable VAR, to the server at --url (repeatable)
    #[arg(long, value_name = "NAME=VAR", requires = "url")]
    pub header_env: Vec<String>,
    /// The name of that server in rules and on cards [default: from its command or address]
    #[arg(long, value_name = "NAME", conflicts_with = "servers")]
    pub name: Option<String>,
    /// The agent that this gateway is for: what is stricter for that name counts, and rules for mcp:NAME
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Offer find_tools and run_tool in place of all the tools
    #[arg(long)]
    pub toolbelt: bool,
    /// Serve Streamable HTTP at ADDR (such as 127.0.0.1:0) in place of standard input and output
    #[arg(long, value_name = "ADDR", help_heading = "HTTP")]
    pub http: Option<SocketAddr>,
    /// Take requests for this name too (repeatable)
    #[arg(long, value_name = "HOST", requires = "http", help_heading = "HTTP")]
    pub allow_host: Vec<String>,
    /// Take requests of web pages of this origin, such as http://localhost:3000 (repeatable)
    #[arg(long, value_name = "ORIGIN", requires = "http", help_heading = "HTTP")]
    pub allow_origin: Vec<String>,
    /// Ask for the bearer token in FILE, which is made if there is none [default: one of mayi's own, which it tells]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "http", help_heading = "HTTP")]
    pub token_file: Option<PathBuf>,
    /// Ask for no token: every program of this machine, of any user, may call what is here. Only at loopback
    #[arg(long, requires = "http", conflicts_with_all = ["token_file", "allow_host"], help_heading = "HTTP")]
    pub open: bool,
    /// How much is asked: plan only reads, default asks, auto (dangerous) asks only where a rule or protection says so, and before what destroys elsewhere
    #[arg(long, value_name = "MODE", value_parser = mode_value_parser(), help_heading = "Permissions")]
    pub mode: Option<Mode>,
    /// Allow what matches PATTERN (repeatable), such as 'mcp(github/list_*)'
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub allow: Vec<String>,
    /// Ask about what matches PATTERN (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub ask: Vec<String>,
    /// Deny what matches PATTERN (repeatable)
    #[arg(long, value_name = "PATTERN", help_heading = "Permissions")]
    pub deny: Vec<String>,
    /// Who answers a question: another surface of mayi if one is open, else the client if it is trusted; a surface,
    /// however long that takes; or nobody
    #[arg(long, value_enum, default_value_t, value_name = "WHO", help_heading = "Permissions")]
    pub on_ask: McpOnAsk,
    /// Deny a question that nobody answered in this time, such as 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, help_heading = "Permissions")]
    pub approval_timeout: Option<Duration>,
    /// Write no record, and remember answers for this process only
    #[arg(long, help_heading = "Permissions")]
    pub no_record: bool,
}

/// What belongs to the gateway.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Put the gateway in front of the servers in a client's configuration
    #[command(after_help = install::AFTER)]
    Install(InstallArgs),
    /// Take the gateway out of a client's configuration again
    #[command(after_help = install::UNINSTALL_AFTER)]
    Uninstall(InstallArgs),
    /// Look at what servers said of their tools, and accept what has changed
    #[command(after_help = pins::AFTER)]
    Pins(PinsArgs),
    /// Log in to a remote server (OAuth)
    #[command(after_help = login::AFTER)]
    Login(LoginArgs),
    /// Forget the login of a remote server
    Logout(LogoutArgs),
}

/// Who answers a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpOnAsk {
    /// A surface that is open, else the client if it is trusted, else nobody
    #[default]
    Auto,
    /// A surface: wait for one
    Wait,
    /// Nobody
    Deny,
}

impl McpArgs {
    /// What the options say about permissions.
    #[must_use]
    pub(crate) fn command_line(&self) -> CommandLine {
        CommandLine {
            mode: self.mode,
            allow: self.allow.clone(),
            ask: self.ask.clone(),
            deny: self.deny.clone(),
        }
    }
}
