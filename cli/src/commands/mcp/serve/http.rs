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

/// Says something to the person.
type Tells<'t> = &'t dyn Fn(&str);

/// Serves clients until `interrupted`. `data`: mayi's own folder; `told`: says something to the person.
///
/// # Errors
/// If the address can't be listened at, or would be open to everybody.
pub(super) async fn listen(
    door: McpDoor,
    at: SocketAddr,
    args: &McpArgs,
    (data, told): (Option<&Path>, Tells<'_>),
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
        (None, Some(data)) => Some(own_file(data)?),
        (None, None) => {
            return Err(CliError::usage(
                "there is no folder for a token: name a file with --token-file FILE",
            ));
        }
    };
    let token = token_file.as_deref().map(token).transpose()?;
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
    match token {
        Some(token) => options.require(token),
        None => told("every program of this machine can call the tools here, since --open asks for no token"),
    }
    options.schemas = door.schemas();
    print::json(&Versioned::of(Ready { url: format!("http://{bound}/mcp"), token_file }))?;
    serve(listener, Arc::new(door), options, interrupted).await;
    Ok(())
}

/// The file of mayi's own token: the same from one start to the next, as what clients are told of it.
fn own_file(data: &Path) -> Result<PathBuf, CliError> {
    let trouble = |error| CliError::usage(format!("the folder {} can't be made: {error}", data.display()));
    let mut folder = std::fs::DirBuilder::new();
    folder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
    folder.create(data).map_err(trouble)?;
    Ok(data.join("mcp-token"))
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
            // Another gateway may have been quicker: then its token is the one that clients read.
            Ok(std::fs::read_to_string(path).map_or(token, |text| text.trim().to_owned()))
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

/// Writes the token as a whole, to a file that is not there yet and that only the user can read.
fn write_new(path: &Path, token: &str) -> std::io::Result<()> {
    use std::io::Write;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or_else(|| Path::new(".")))?;
    writeln!(file, "{token}")?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != std::io::ErrorKind::AlreadyExists => Err(error.error),
        _ => Ok(()),
    }
}
