//! The MCP servers of a tab: children of the backend, behind the tab's own gate. What the agent starts are relays.

use std::sync::{Arc, Weak};

use mayi_acp::{GatedServers, Launch, OpenSession};
use mayi_core::config::{ServerLaunch, spare_servers};
use mayi_mcp::{NoticeSinks, SessionOptions, SessionServers};

use super::Tab;
use crate::backend::Backend;
use crate::error::RpcError;

/// Whether mayi stands before a tab's servers, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct GatewayOptions {
    /// It does not: the agent gets them as they are.
    pub(super) none: bool,
    /// Two tools in place of all.
    pub(super) toolbelt: bool,
}

/// Puts `servers` into the session that is to be opened: as relays to what the tab has from now on.
///
/// # Errors
/// If relays can't come in anywhere.
pub(super) fn add_servers(
    (session, launch): (&mut OpenSession, &mut Launch),
    tab: &Arc<Tab>,
    backend: &Backend,
    gateway: GatewayOptions,
    servers: Vec<ServerLaunch>,
) -> Result<(), RpcError> {
    if gateway.none || servers.is_empty() {
        session.servers = servers;
        return Ok(());
    }
    let options = SessionOptions {
        agent: session.agent.clone(),
        cwd: session.cwd.clone(),
        roots: std::iter::once(&session.cwd).chain(&session.more_roots).cloned().collect(),
        toolbelt: gateway.toolbelt,
        sinks: notice_sinks(tab),
        tokens: backend.sources_for(&session.cwd).folders.data,
        program: backend.options.relay.clone(),
    };
    let behind = SessionServers::new(&tab.gate, Some(&backend.options.store), &options, servers)
        .map_err(RpcError::Internal)?;
    session.servers = behind.relays().to_vec();
    spare_servers(&mut launch.env, behind.relays().iter().map(|relay| relay.name.as_str()));
    session.behind =
        Some(GatedServers { names: behind.server_names().to_vec(), before: behind.tool_lookup() });
    let _ = tab.servers.set(behind);
    Ok(())
}

fn notice_sinks(tab: &Arc<Tab>) -> NoticeSinks {
    let (people, errors): (Weak<Tab>, Weak<Tab>) = (Arc::downgrade(tab), Arc::downgrade(tab));
    NoticeSinks {
        people: Arc::new(move |server, text| {
            if let Some(tab) = people.upgrade() {
                tab.push_notice(format!("{server}: {text}"));
            }
        }),
        errors: Arc::new(move |server, text| {
            if let Some(tab) = errors.upgrade() {
                tracing::info!(tab = %tab.id, server, "{text}");
            }
        }),
    }
}
