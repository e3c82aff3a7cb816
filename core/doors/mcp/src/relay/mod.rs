//! MCP servers of an agent's session (decisions, amendment 13): they are children of the session's own process, which judges
//! every call by the session's gate. What the agent starts in the place of each is a relay, which carries lines and knows
//! nothing. Its credential is good for one server of one session; session, server, definitions and annotations are never
//! taken from who calls.

mod channel;
mod hello;
mod known;
mod listen;
mod program;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::belonging::Belonging;
use super::door::{Asks, Hears, McpDoor, McpOptions, PATIENCE, new_token};
use channel::Listener;
use known::Known;
use listen::Way;
use mayi_core::call::{AgentId, ServerId, SessionId};
use mayi_core::config::ServerLaunch;
use mayi_core::gate::{Behind, Gate};
use mayi_core::pin::Pins;
use mayi_core::store::Store;

pub use program::relay;

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
    pub hears: Hears,
    /// Where the tokens of remote servers are; none: nowhere.
    pub tokens: Option<PathBuf>,
    /// What starts a relay: a program and its arguments.
    pub program: Vec<String>,
}

/// What an agent starts in the place of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relay {
    /// The name that the agent knows the server by.
    pub name: String,
    /// Which server it leads to.
    pub identity: ServerId,
    /// What starts it.
    pub command: Vec<String>,
    /// Its variables.
    pub env: BTreeMap<String, String>,
}

/// The servers of one session. Dropping it ends them, and lets no relay in any more.
pub struct SessionServers {
    doors: Vec<Arc<McpDoor>>,
    relays: Vec<Relay>,
    known: Arc<Known>,
    opened: watch::Sender<Option<SessionId>>,
    over: CancellationToken,
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
        let (opened, belongs) = Belonging::agents();
        let toolbelt = options.toolbelt.then(|| free_name(&servers));
        let groups: Vec<(String, ServerId, Vec<ServerLaunch>)> = match &toolbelt {
            Some(name) if !servers.is_empty() => {
                vec![(name.clone(), ServerId::of(&json!({ "toolbelt": name })), servers)]
            }
            _ => {
                let alone =
                    |server: ServerLaunch| (server.name.clone(), server.transport.identity(), vec![server]);
                servers.into_iter().map(alone).collect()
            }
        };
        let (mut doors, mut ways, mut relays) = (Vec::new(), Vec::new(), Vec::new());
        for (name, identity, servers) in groups {
            let door =
                McpDoor::new(gate.clone(), Pins::new(store.cloned()), door_of(options, &belongs), servers)?;
            let (door, token) = (Arc::new(door), new_token()?);
            let env = [(ADDRESS.to_owned(), listener.address()), (TOKEN.to_owned(), token.clone())];
            relays.push(Relay { name, identity, command: options.program.clone(), env: env.into() });
            ways.push(Way::new(token, Arc::clone(&door)));
            doors.push(door);
        }
        let known =
            Arc::new(Known::new(doors.iter().map(|door| Arc::clone(&door.shared)).collect(), toolbelt));
        let (over, served) = (CancellationToken::new(), TaskTracker::new());
        served.spawn(listen::listen(listener, ways.into(), over.clone(), served.clone()));
        Ok(Self { doors, relays, known, opened, over, served })
    }

    /// What the agent is to start.
    #[must_use]
    pub fn relays(&self) -> &[Relay] {
        &self.relays
    }

    /// What stands before the servers, for the session's gate.
    #[must_use]
    pub fn before(&self) -> Arc<dyn Behind> {
        Arc::clone(&self.known) as Arc<dyn Behind>
    }

    /// Says which session it is: from now on calls are judged, as what is done in this one.
    pub fn belong_to(&self, session: &SessionId) {
        self.opened.send_replace(Some(session.clone()));
    }

    /// Ends the servers, and returns when they have ended. No relay comes in any more.
    pub async fn end(&self) {
        self.over.cancel();
        self.served.close();
        let _ = tokio::time::timeout(ENDING, self.served.wait()).await;
        for door in &self.doors {
            door.ended().await;
        }
    }
}

impl Drop for SessionServers {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

impl std::fmt::Debug for SessionServers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.relays.iter().map(|relay| relay.name.as_str()).collect();
        f.debug_struct("SessionServers").field("relays", &names).finish_non_exhaustive()
    }
}

fn door_of(options: &SessionOptions, belongs: &Belonging) -> McpOptions {
    McpOptions {
        agent: options.agent.clone(),
        cwd: options.cwd.clone(),
        roots: options.roots.clone(),
        mode: None,
        belongs: Some(belongs.clone()),
        toolbelt: options.toolbelt,
        asks: Asks::Session,
        surface: Box::new(|| true),
        hears: options.hears.clone(),
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
