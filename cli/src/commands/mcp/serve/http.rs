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

/// What is printed once it listens.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Ready {
    url: String,
    token_file: Option<PathBuf>,
}

/// Serves clients until `interrupted`.
///
/// # Errors
/// If the address can't be listened at, or would be open to everybody.
pub(super) async fn listen(
    door: McpDoor,
    at: SocketAddr,
    args: &McpArgs,
    interrupted: impl Future<Output = ()> + Send,
) -> Result<(), CliError> {
    if !at.ip().is_loopback() && args.token_file.is_none() {
        return Err(CliError::usage(format!(
            "{at} can be reached from other machines: ask for a token with --token-file FILE"
        )));
    }
    if !args.allow_host.is_empty() && args.token_file.is_none() {
        return Err(CliError::usage("--allow-host lets others in: ask for a token with --token-file FILE"));
    }
    let token = args.token_file.as_deref().map(token).transpose()?;
    let listener = TcpListener::bind(at)
        .await
        .map_err(|error| CliError::usage(format!("can't listen at {at}: {error}; try another port")))?;
    let bound = listener.local_addr()?;
    let mut options = HttpOptions::local();
    options.hosts.extend(args.allow_host.iter().cloned());
    if !bound.ip().is_loopback() && !bound.ip().is_unspecified() {
        options.hosts.push(match bound {
            SocketAddr::V4(v4) => v4.ip().to_string(),
            SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
        });
    }
    options.origins.clone_from(&args.allow_origin);
    if let Some(token) = token {
        options.require(token);
    }
    options.schemas = door.schemas();
    let token_file = args.token_file.as_ref().map(std::path::absolute).transpose()?;
    print::json(&Versioned::of(Ready { url: format!("http://{bound}/mcp"), token_file }))?;
    serve(listener, Arc::new(door), options, interrupted).await;
    Ok(())
}

/// The token in the file; made, if there is none.
fn token(path: &Path) -> Result<String, CliError> {
    let trouble = |what: String| CliError::usage(format!("the token file {}: {what}", path.display()));
    match std::fs::read_to_string(path) {
        Ok(text) => {
            only_mine(path).map_err(trouble)?;
            let token = text.trim().to_owned();
            let fits = token.len() >= 16 && token.bytes().all(|byte| byte.is_ascii_graphic());
            if fits {
                Ok(token)
            } else {
                Err(trouble("a token has at least 16 characters, on one line".to_owned()))
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let token = mayi_mcp::new_token().map_err(CliError::internal)?;
            write_new(path, &token).map_err(|error| trouble(error.to_string()))?;
            Ok(token)
        }
        Err(error) => Err(trouble(error.to_string())),
    }
}

#[cfg(unix)]
fn only_mine(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if metadata.mode() & 0o077 != 0 {
        return Err("others can read it: chmod 600 it".to_owned());
    }
    Ok(())
}

#[cfg(not(unix))]
fn only_mine(_: &Path) -> Result<(), String> {
    Ok(())
}

fn write_new(path: &Path, token: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    writeln!(options.open(path)?, "{token}")
}
