//! `mayi serve`.

use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;

use crate::args::duration;

pub(crate) const SERVE_AFTER: &str = "\
When it listens, it prints one JSON line: the address, and the files of two credentials. Whoever has the one may answer,
whoever has the other may only ask. Editors' extensions start it by themselves.

Examples:
  mayi serve                                           for an editor: prints where it is, and goes on
  mayi serve --ui                                      also shows what waits as a page, after a code was typed there
  mayi serve --ui --listen 127.0.0.1:8930 --allow-host gate.example
                                                       the same through a tunnel of your own that ends at this port";

/// `mayi serve`
#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArgs {
    /// Listen at ADDR: an address of this machine alone; port 0 is any that is free
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub listen: SocketAddr,
    /// Serve a page with what waits, for a second screen; it is paired with a code that counts once
    #[arg(long)]
    pub ui: bool,
    /// Take requests for this name too, for a tunnel of your own (repeatable)
    #[arg(long, value_name = "NAME", requires = "ui")]
    pub allow_host: Vec<String>,
    /// End when nobody was connected for this time who can answer, such as 10m
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub exit_when_idle: Option<Duration>,
    /// Deny a question that nobody answered in this time, such as 30s or 5m
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub approval_timeout: Option<Duration>,
}
