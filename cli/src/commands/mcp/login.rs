//! `mayi mcp login` and `logout`.

use std::process::{Command, Stdio};

use std::time::Duration;

use clap::{Args, ValueHint};
use mayi_core::approval::escape_line;
use mayi_core::config::Transport;
use mayi_mcp::{LoginError, LoginRequest, Logins};

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::options::parse_duration;
use crate::print;
use crate::progress::Progress;

pub(super) const AFTER: &str = "\
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
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "5m")]
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

/// What opens a page in the browser.
#[cfg(target_os = "macos")]
const OPENS: &str = "open";
#[cfg(not(target_os = "macos"))]
const OPENS: &str = "xdg-open";

pub(super) async fn login(args: &LoginArgs, ctx: &Context) -> Result<Exit, CliError> {
    let url = server_address(args.name.as_deref(), args.url.as_deref(), ctx)?;
    let client_secret = match &args.client_secret_env {
        None => None,
        Some(name) => Some(std::env::var(name).map_err(|_| {
            CliError::usage(format!(
                "the variable {} is not set: it should hold the secret",
                escape_line(name)
            ))
        })?),
    };
    let request = LoginRequest {
        url: url.clone(),
        scopes: args.scope.clone(),
        client_id: args.client_id.clone(),
        client_secret,
        port: args.port.unwrap_or(0),
        private_network: args.private_network,
    };
    let login = stored_logins(ctx)?.begin_login(request).await.map_err(login_error)?;
    let page = escape_line(login.url());
    print::stderr_line(format!(
        "Log in to {} on this page; it comes back to this machine:",
        escape_line(&url)
    ));
    print::stdout_line(&page)?;
    if args.open {
        open_in_browser(&page, ctx);
    }
    let waits = Progress::new(ctx, false, "waiting for the page");
    let finished = login.finish(args.timeout).await;
    drop(waits);
    finished.map_err(login_error)?;
    ctx.print_note("You are logged in.");
    Ok(Exit::Done)
}

pub(super) fn logout(args: &LogoutArgs, ctx: &Context) -> Result<Exit, CliError> {
    let url = server_address(args.name.as_deref(), args.url.as_deref(), ctx)?;
    if !stored_logins(ctx)?.forget_login(&url).map_err(login_error)? {
        return Err(CliError::usage(format!("there is no login to {}", escape_line(&url))));
    }
    ctx.print_note(format!(
        "The login to {} is forgotten here; its server may still know it.",
        escape_line(&url)
    ));
    Ok(Exit::Done)
}

/// The address that is meant.
fn server_address(name: Option<&str>, url: Option<&str>, ctx: &Context) -> Result<String, CliError> {
    let name = match (name, url) {
        (_, Some(url)) => return Ok(url.to_owned()),
        (Some(name), None) => name,
        (None, None) => return Err(CliError::usage("name a server, or its address with --url")),
    };
    let loaded = ctx.load()?;
    match loaded.servers.get(name).map(|server| &server.transport) {
        Some(Transport::Http { url, .. } | Transport::Sse { url, .. }) => Ok(url.clone()),
        Some(Transport::Stdio { .. }) => {
            let message =
                format!("the server {} is a program: it needs no login of mayi's", escape_line(name));
            Err(CliError::usage(message))
        }
        None => {
            let message = format!(
                "no MCP server is called `{}`: add it as [servers.NAME], or give its address with --url",
                escape_line(name)
            );
            Err(CliError::usage(message))
        }
    }
}

fn stored_logins(ctx: &Context) -> Result<Logins, CliError> {
    let hint = "there is no home folder: set HOME, or XDG_DATA_HOME";
    let data = ctx.sources.folders.data.as_ref().ok_or_else(|| CliError::internal(hint))?;
    Ok(Logins::new(data))
}

/// Has the browser show `page`, which is an address of the web: no option, and no file.
fn open_in_browser(page: &str, ctx: &Context) {
    let mut command = Command::new(OPENS);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(error) = command.spawn() {
        ctx.print_note(format!("mayi: the browser could not be opened ({error}): open the page yourself"));
    }
}

fn login_error(error: LoginError) -> CliError {
    let exit = match error {
        LoginError::Address(_) | LoginError::Listen { .. } => Exit::Usage,
        LoginError::Refused(_) => Exit::Agent,
        LoginError::Late(_) => Exit::Timeout,
        _ => Exit::Internal,
    };
    CliError::new(exit, error.to_string())
}
