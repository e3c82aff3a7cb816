//! The MCP servers of a tab: children of the backend, behind the tab's own gate. What the agent starts are relays.

use std::sync::{Arc, Weak};

use mayi_acp::{OpenSession, Servers};
use mayi_core::config::ServerLaunch;
use mayi_mcp::{Hears, SessionOptions, SessionServers};

use super::Tab;
use crate::backend::Backend;
use crate::error::Refused;

/// Whether mayi stands before a tab's servers, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gateway {
    /// It does not: the agent gets them as they are.
    pub(super) none: bool,
    /// Two tools in place of all.
    pub(super) toolbelt: bool,
}

/// Puts `servers` into the session that is to be opened: as relays to what the tab has from now on.
///
/// # Errors
/// If relays can't come in anywhere.
pub(super) fn put_in(
    session: &mut OpenSession,
    tab: &Arc<Tab>,
    backend: &Backend,
    gateway: Gateway,
    servers: Vec<ServerLaunch>,
) -> Result<(), Refused> {
    if gateway.none || servers.is_empty() {
        session.servers = servers;
        return Ok(());
    }
    let options = SessionOptions {
        agent: session.agent.clone(),
        cwd: session.cwd.clone(),
        roots: vec![session.cwd.clone()],
        toolbelt: gateway.toolbelt,
        hears: hears(tab),
        tokens: backend.sources(&session.cwd).folders.data,
        program: backend.options.relay.clone(),
    };
    let behind = SessionServers::new(&tab.gate, Some(&backend.options.store), &options, servers)
        .map_err(Refused::Internal)?;
    session.servers = behind.relays().to_vec();
    session.behind = Some(Servers { names: behind.names().to_vec(), before: behind.before() });
    let _ = tab.servers.set(behind);
    Ok(())
}

fn hears(tab: &Arc<Tab>) -> Hears {
    let (people, errors): (Weak<Tab>, Weak<Tab>) = (Arc::downgrade(tab), Arc::downgrade(tab));
    Hears {
        people: Arc::new(move |server, text| {
            if let Some(tab) = people.upgrade() {
                tab.notice(format!("{server}: {text}"));
            }
        }),
        errors: Arc::new(move |server, text| {
            if let Some(tab) = errors.upgrade() {
                tracing::info!(tab = %tab.id, server, "{text}");
            }
        }),
    }
}
