//! `--gateway`: the MCP servers of a session, each behind a gateway of mayi's own. What the agent asks about is asked about
//! once: the gateway lets through what was just allowed here. What it does not ask about is judged there.

use std::collections::BTreeMap;

use mayi_acp::McpServer;
use mayi_core::call::AgentId;
use mayi_core::config::ServerLaunch;

use super::args::RunArgs;
use crate::context::Context;
use crate::error::CliError;

/// The server with a gateway in front of it, which has the same name and identity.
///
/// # Errors
/// If mayi does not know where it is itself.
pub(super) fn in_front_of(
    server: &ServerLaunch,
    args: &RunArgs,
    ctx: &Context,
    agent: &AgentId,
) -> Result<McpServer, CliError> {
    let program = std::env::current_exe()?;
    let mut command = vec![text(&program)?, "mcp".to_owned(), server.name.clone()];
    let mut option = |name: &str, value: &str| command.extend([name.to_owned(), value.to_owned()]);
    option("--agent", agent.as_str());
    option("--cwd", &text(&ctx.cwd)?);
    if let Some(file) = &ctx.sources.only {
        option("--config", &text(file)?);
    }
    if let Some(mode) = args.mode {
        option("--mode", mode.as_str());
    }
    for (name, patterns) in [("--allow", &args.allow), ("--ask", &args.ask), ("--deny", &args.deny)] {
        for pattern in patterns {
            option(name, pattern);
        }
    }
    Ok(McpServer::Stdio {
        name: server.name.clone(),
        command,
        env: own_variables(),
        identity: server.transport.identity(),
    })
}

/// Where the user's files are. An agent may have another environment than the user, and the gateway is to find the same
/// rules and the same record.
const PLACES: &[&str] = &["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

/// What the user said to mayi by the environment, which agents do not get, and where the user's files are.
fn own_variables() -> BTreeMap<String, String> {
    let own = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os()
        .filter_map(own)
        .filter(|(name, _)| name.starts_with("MAYI_") || PLACES.contains(&name.as_str()))
        .collect()
}

fn text(path: &std::path::Path) -> Result<String, CliError> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| CliError::usage(format!("--gateway needs a path in UTF-8: {}", path.display())))
}
