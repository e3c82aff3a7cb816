//! MCP servers of an agent's session (S4.3): they are children of the session's own process, which judges
//! every call by the session's gate. What the agent starts in the place of each is a relay, which carries lines and knows
//! nothing. Its credential is good for one server of one session; session, server, definitions and annotations are never
//! taken from who calls.

mod channel;
mod handshake;
mod listen;
mod program;
mod tool_lookup;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::door::{Answerer, McpDoor, McpOptions, NoticeSinks, PATIENCE, new_token};
use super::session_binding::SessionBinding;
use channel::Listener;
use listen::RelayCredential;
use mayi_core::call::{AgentId, ServerId, SessionId};
use mayi_core::config::{ServerLaunch, Transport};
use mayi_core::gate::{Gate, ToolFactsSource};
use mayi_core::pin::{MayChange, Pins};
use mayi_core::store::Store;
use mayi_doors::task::SpawnBoxed as _;
use tool_lookup::SessionTools;

pub use program::run_relay;

/// What tells a relay where to go, and lets it in. They are no `MAYI_*`: such are the user's own words to mayi.
const ADDRESS: &str = "RELAY_ADDRESS";
const TOKEN: &str = "RELAY_TOKEN";

/// So long may relays and servers take to end.
const ENDING: Duration = Duration::from_secs(3);

/// How the servers of a session are to be.
pub struct SessionOptions {
    /// Who works in the session.
    pub agent: AgentId,
    /// The folder that names in arguments and commands start from.
    pub cwd: PathBuf,
    /// The folders that may be worked in, links resolved.
    pub roots: Vec<PathBuf>,
    /// Two tools in place of all, of all servers together.
    pub toolbelt: bool,
    /// Who hears of servers.
    pub sinks: NoticeSinks,
    /// Where the tokens of remote servers are; none: nowhere.
    pub tokens: Option<PathBuf>,
    /// What starts a relay: a program and its arguments.
    pub program: Vec<String>,
}

/// The servers of one session. Dropping it ends them, and lets no relay in any more.
pub struct SessionServers {
    doors: Vec<Arc<McpDoor>>,
    /// Which servers they are.
    names: Vec<(String, ServerId)>,
    /// What the agent is to start in their place.
    relays: Vec<ServerLaunch>,
    known: Arc<SessionTools>,
    opened: watch::Sender<Option<SessionId>>,
    closing: CancellationToken,
    served: TaskTracker,
}

impl SessionServers {
    /// Stands before `servers`, each of which starts when the agent starts its relay. What they say of themselves is held to
    /// what is kept in `store`, if there is one. Needs a runtime.
    ///
    /// # Errors
    /// If nothing can be listened at, or the system has no random numbers.
    pub fn new(
        gate: &Gate,
        store: Option<&Arc<dyn Store>>,
        options: &SessionOptions,
        servers: Vec<ServerLaunch>,
    ) -> Result<Self, String> {
        let listener = Listener::bind().map_err(|error| format!("relays can't come in anywhere: {error}"))?;
        let (opened, belongs) = SessionBinding::pending_agent();
        let toolbelt = options.toolbelt.then(|| free_name(&servers));
        let names =
            servers.iter().map(|server| (server.name.clone(), server.transport.server_id())).collect();
        // A name that the agent knows, and what is behind it.
        let groups: Vec<(String, Vec<ServerLaunch>)> = match &toolbelt {
            Some(name) => vec![(name.clone(), servers)],
            None => servers.into_iter().map(|server| (server.name.clone(), vec![server])).collect(),
        };
        let (mut doors, mut ways, mut relays) = (Vec::new(), Vec::new(), Vec::new());
        for (name, servers) in groups {
            let Some(origin) = servers.first().map(|server| server.origin.clone()) else { continue };
            let pins = Pins::new(store.cloned());
            let door = Arc::new(McpDoor::new(gate.clone(), pins, door_of(options, &belongs), servers)?);
            let token = new_token()?;
            let env = [(ADDRESS.to_owned(), listener.address()), (TOKEN.to_owned(), token.clone())].into();
            let transport = Transport::Stdio { command: options.program.clone(), env };
            relays.push(ServerLaunch { name, transport, origin, may_change: MayChange::default() });
            ways.push(RelayCredential::new(token, Arc::clone(&door)));
            doors.push(door);
        }
        let known = Arc::new(SessionTools::new(
            doors.iter().map(|door| Arc::clone(&door.shared)).collect(),
            toolbelt,
        ));
        let (over, served) = (CancellationToken::new(), TaskTracker::new());
        served.spawn_boxed(listen::admit_relays(listener, ways.into(), over.clone(), served.clone()));
        Ok(Self { doors, names, relays, known, opened, closing: over, served })
    }

    /// What the agent is to start in the place of the servers.
    #[must_use]
    pub fn relays(&self) -> &[ServerLaunch] {
        &self.relays
    }

    /// The servers' names in the configuration, and which they are.
    #[must_use]
    pub fn server_names(&self) -> &[(String, ServerId)] {
        &self.names
    }

    /// What stands before the servers, for the session's gate.
    #[must_use]
    pub fn tool_lookup(&self) -> Arc<dyn ToolFactsSource> {
        Arc::clone(&self.known) as Arc<dyn ToolFactsSource>
    }

    /// Says which session it is: from now on calls are judged, as what is done in this one.
    pub fn belong_to(&self, session: &SessionId) {
        self.opened.send_replace(Some(session.clone()));
    }

    /// Ends the servers, and returns when they have ended. No relay comes in any more.
    pub async fn end(&self) {
        self.closing.cancel();
        self.served.close();
        let _ = tokio::time::timeout(ENDING, self.served.wait()).await;
        for door in &self.doors {
            door.wait_for_servers().await;
        }
    }
}

impl Drop for SessionServers {
    fn drop(&mut self) {
        self.closing.cancel();
    }
}

impl std::fmt::Debug for SessionServers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.relays.iter().map(|relay| relay.name.as_str()).collect();
        f.debug_struct("SessionServers").field("relays", &names).finish_non_exhaustive()
    }
}

fn door_of(options: &SessionOptions, belongs: &SessionBinding) -> McpOptions {
    McpOptions {
        agent: options.agent.clone(),
        cwd: options.cwd.clone(),
        roots: options.roots.clone(),
        mode: None,
        binding: Some(belongs.clone()),
        toolbelt: options.toolbelt,
        asks: Answerer::Session,
        surface: Box::new(|| true),
        sinks: options.sinks.clone(),
        tokens: options.tokens.clone(),
        patience: PATIENCE,
    }
}

/// A name for the two tools, which no server has.
fn free_name(servers: &[ServerLaunch]) -> String {
    let taken = |name: &str| servers.iter().any(|server| server.name == name);
    let mut name = "toolbelt".to_owned();
    while taken(&name) {
        name.push('-');
    }
    name
}
