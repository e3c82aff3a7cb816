//! The gateway at an address.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mayi_mcp::{HttpOptions, McpDoor, serve};
use serde::Serialize;
use tokio::net::TcpListener;

use crate::commands::mcp::args::McpArgs;
use crate::error::CliError;
use crate::print::{self, Versioned};
use crate::token;

/// What is printed once it listens.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Ready {
    url: String,
    token_file: Option<PathBuf>,
}

/// Says something to the person.
type PersonNotifier<'t> = &'t dyn Fn(&str);

/// Serves clients until `interrupted`. `data`: mayi's own folder; `told`: says something to the person.
///
/// # Errors
/// If the address can't be listened at, or would be open to everybody.
pub(super) async fn serve_http(
    door: McpDoor,
    at: SocketAddr,
    args: &McpArgs,
    (data, told): (Option<&Path>, PersonNotifier<'_>),
    interrupted: impl Future<Output = ()> + Send,
) -> Result<(), CliError> {
    if args.open && !at.ip().is_loopback() {
        return Err(CliError::usage(format!(
            "{at} can be reached from other machines, which need a token: leave out --open"
        )));
    }
    let token_file = match (&args.token_file, data) {
        _ if args.open => None,
        (Some(file), _) => Some(std::path::absolute(file)?),
        (None, Some(data)) => Some(token::own_file(data, "mcp-token")?),
        (None, None) => {
            return Err(CliError::usage(
                "there is no folder for a token: name a file with --token-file FILE",
            ));
        }
    };
    let token = token_file.as_deref().map(token::read_or_create_token).transpose()?;
    let listener = TcpListener::bind(at)
        .await
        .map_err(|error| CliError::usage(format!("can't listen at {at}: {error}; try another port")))?;
    let bound = listener.local_addr()?;
    let mut options = HttpOptions::for_localhost();
    options.hosts.extend(args.allow_host.iter().cloned());
    if !bound.ip().is_loopback() && !bound.ip().is_unspecified() {
        options.hosts.push(match bound {
            SocketAddr::V4(v4) => v4.ip().to_string(),
            SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
        });
    }
    options.origins.clone_from(&args.allow_origin);
    match token {
        Some(token) => options.require_token(token),
        None => told("every program of this machine can call the tools here, since --open asks for no token"),
    }
    options.schemas = door.tool_schemas();
    print::stdout_json(&Versioned::new(Ready { url: format!("http://{bound}/mcp"), token_file }))?;
    serve(listener, Arc::new(door), options, interrupted).await;
    Ok(())
}
