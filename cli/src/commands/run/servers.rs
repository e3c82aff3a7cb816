//! The MCP servers of a run: children of this process, behind the run's own gate. What the agent starts are relays.

use std::sync::Arc;

use mayi_acp::{AcpEvent, GatedServers, SessionEvent};
use mayi_core::config::{LoadedConfig, ServerLaunch, spare_servers};
use mayi_core::gate::Gate;
use mayi_core::store::Store;
use mayi_mcp::{NoticeSinks, SessionOptions, SessionServers};
use tokio::sync::mpsc;

use super::args::RunArgs;
use super::setup::Setup;
use crate::context::Context;
use crate::error::CliError;

/// The servers that go into the session.
///
/// # Errors
/// If one is named that is not configured.
pub(super) fn select_servers(args: &RunArgs, loaded: &LoadedConfig) -> Result<Vec<ServerLaunch>, CliError> {
    for name in &args.mcp {
        if !loaded.servers.contains_key(name) {
            let known: Vec<&str> = loaded.servers.keys().map(String::as_str).collect();
            let known = if known.is_empty() { "none is configured".to_owned() } else { known.join(", ") };
            return Err(CliError::usage(format!(
                "no MCP server is called `{}` ({known}): add it as [servers.NAME]",
                mayi_core::approval::escape_line(name)
            )));
        }
    }
    let wanted = |server: &&ServerLaunch| args.mcp.is_empty() || args.mcp.contains(&server.name);
    Ok(loaded.servers.values().filter(wanted).cloned().collect())
}

/// Stands before the servers of the run, and has its agent start relays in their place.
///
/// # Errors
/// If relays can't come in anywhere.
pub(super) fn start_gateway(
    setup: &mut Setup,
    (args, ctx): (&RunArgs, &Context),
    gate: &Gate,
    store: Option<&Arc<dyn Store>>,
    events: &mpsc::UnboundedSender<SessionEvent>,
) -> Result<Option<SessionServers>, CliError> {
    if args.no_gateway || setup.servers.is_empty() {
        setup.open.servers.clone_from(&setup.servers);
        return Ok(None);
    }
    let options = SessionOptions {
        agent: setup.agent.clone(),
        cwd: setup.open.cwd.clone(),
        roots: std::iter::once(&setup.open.cwd).chain(&setup.open.more_roots).cloned().collect(),
        toolbelt: args.toolbelt,
        sinks: event_sinks(events),
        tokens: ctx.sources.folders.data.clone(),
        program: crate::commands::relay::command_words()?,
    };
    let servers =
        SessionServers::new(gate, store, &options, setup.servers.clone()).map_err(CliError::internal)?;
    setup.open.servers = servers.relays().to_vec();
    spare_servers(&mut setup.launch.env, servers.relays().iter().map(|relay| relay.name.as_str()));
    setup.open.behind =
        Some(GatedServers { names: servers.server_names().to_vec(), before: servers.tool_lookup() });
    Ok(Some(servers))
}

/// What is said of servers goes where what the agent says goes, as long as somebody listens there.
fn event_sinks(events: &mpsc::UnboundedSender<SessionEvent>) -> NoticeSinks {
    let tell = |make: fn(String) -> AcpEvent| {
        let events = events.downgrade();
        Arc::new(move |server: &str, text: &str| {
            if let Some(events) = events.upgrade() {
                let _ = events.send(make(format!("{server}: {text}")).into());
            }
        })
    };
    NoticeSinks { people: tell(AcpEvent::Notice), errors: tell(AcpEvent::Stderr) }
}
