//! `mayi mcp login` and `logout`.

use std::time::Duration;

use clap::{Args, ValueHint};

use crate::args::duration;

pub(crate) const LOGIN_AFTER: &str = "\
The tokens are kept in a file that only you can read, and are sent to that server only.

Examples:
  mayi mcp login docs                          the server [servers.docs]
  mayi mcp login --url https://docs.example.com/mcp --open";

/// `mayi mcp login`
#[derive(Clone, Debug, Args)]
pub(crate) struct LoginArgs {
    /// The server, as it is called in the configuration
    #[arg(value_name = "NAME", required_unless_present = "url")]
    pub name: Option<String>,
    /// The address of a server that is not in the configuration
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, conflicts_with = "name")]
    pub url: Option<String>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Give up after this time, such as 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5m")]
    pub timeout: Duration,
    /// Ask for SCOPE (repeatable) [default: what the server says is needed]
    #[arg(long, value_name = "SCOPE", help_heading = "OAuth")]
    pub scope: Vec<String>,
    /// The client that the authorization server knows [default: mayi registers itself]
    #[arg(long, value_name = "ID", help_heading = "OAuth")]
    pub client_id: Option<String>,
    /// Its secret is in the variable VAR
    #[arg(long, value_name = "VAR", requires = "client_id", help_heading = "OAuth")]
    pub client_secret_env: Option<String>,
    /// The port of 127.0.0.1 that the browser comes back to [default: any]
    #[arg(long, value_name = "PORT", help_heading = "OAuth")]
    pub port: Option<u16>,
    /// The authorization server is in a private network
    #[arg(long, help_heading = "OAuth")]
    pub private_network: bool,
}

/// `mayi mcp logout`
#[derive(Clone, Debug, Args)]
pub(crate) struct LogoutArgs {
    /// The server, as it is called in the configuration
    #[arg(value_name = "NAME", required_unless_present = "url")]
    pub name: Option<String>,
    /// The address of a server that is not in the configuration
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url, conflicts_with = "name")]
    pub url: Option<String>,
}
