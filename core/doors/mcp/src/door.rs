//! The gateway: what all its conversations share, and how one begins.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use rmcp::model::RequestStateCodec;
use serde_json::Value;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::front::{Caller, Client, ClientCount, Conversation, Gateway};
use super::http::SchemaLookup;
use super::pins::{Pinned, ServerNotices};
use super::server::Server;
use super::session::{Session, renamed_tool};
use super::session_binding::SessionBinding;
use super::wire::{self, ServerTarget};
use mayi_core::call::{AgentId, ServerId, SessionId};
use mayi_core::config::ServerLaunch;
use mayi_core::gate::{self, Gate};
use mayi_core::pin::Pins;
use mayi_core::policy::Mode;

/// The longest that servers may take to end.
const ENDING: Duration = Duration::from_secs(3);

/// Who answers questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answerer {
    /// A surface that is open, else the client if it is trusted, else nobody.
    Auto,
    /// A surface, also one that is opened later.
    Surface,
    /// Nobody.
    Nobody,
    /// Whoever answers for the agent's session that the calls belong to.
    Session,
}

pub use mayi_doors::pins::NoticeSink;

/// Who hears of servers.
#[derive(Clone)]
pub struct NoticeSinks {
    /// What people should know.
    pub people: NoticeSink,
    /// What servers write to their error output.
    pub errors: NoticeSink,
}

/// How the gateway is to be.
pub struct McpOptions {
    /// Who calls through it: as the user configured it, never what a client says of itself.
    pub agent: AgentId,
    /// The folder that names in arguments and commands start from.
    pub cwd: PathBuf,
    /// The folders that may be worked in, links resolved.
    pub roots: Vec<PathBuf>,
    /// The mode, if one was chosen.
    pub mode: Option<Mode>,
    /// The agent's session that all calls belong to; none: each conversation has one of its own.
    pub binding: Option<SessionBinding>,
    /// Two tools in place of all.
    pub toolbelt: bool,
    /// Who answers questions.
    pub asks: Answerer,
    /// Whether a surface is open where a person could answer.
    pub surface: Box<dyn Fn() -> bool + Send + Sync>,
    /// Who hears of servers.
    pub sinks: NoticeSinks,
    /// Where the tokens of remote servers are; none: nowhere.
    pub tokens: Option<PathBuf>,
    /// So long a question waits for a client to come back with its answer: [`PATIENCE`].
    pub patience: Duration,
}

/// So long a question waits for a client to come back, where nothing else is said.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// What all conversations share.
pub(super) struct Shared {
    pub(super) gate: Gate,
    pub(super) pinned: Pinned,
    pub(super) options: McpOptions,
    pub(super) codec: RequestStateCodec,
    launches: Vec<ServerLaunch>,
    /// The servers that were started, of all conversations, by their names.
    started: Mutex<HashMap<String, Vec<Weak<Server>>>>,
    /// Servers that were stopped, and may run still.
    pub(super) ending: TaskTracker,
    pub(super) told: Arc<ServerNotices>,
}

impl Shared {
    /// A server of this name that runs: the last one that has listed its tools, else the last one.
    pub(super) fn running_server(&self, name: &str) -> Option<Arc<Server>> {
        let running: Vec<_> = self.lock_started().get(name)?.iter().filter_map(Weak::upgrade).collect();
        let listed = running.iter().rfind(|server| server.last_catalogue().is_some());
        listed.or(running.last()).cloned()
    }

    /// The server and tool that a joined name leads to, by what servers have listed.
    pub(super) fn tool_called(&self, name: &str) -> Option<(String, String)> {
        let own = |launch: &ServerLaunch| {
            let tool = match self.launches.as_slice() {
                [_] => name,
                _ => name.strip_prefix(&launch.name)?.strip_prefix("__")?,
            };
            self.running_server(&launch.name)?.last_catalogue()?.get(tool)?;
            Some((launch.name.clone(), tool.to_owned()))
        };
        let mut listed: Vec<_> = self.launches.iter().filter_map(own).collect();
        if listed.is_empty() {
            let known = |launch: &ServerLaunch| {
                let server = self.running_server(&launch.name)?;
                let catalogue = server.last_catalogue()?;
                Some((server, catalogue))
            };
            let known: Vec<_> = self.launches.iter().filter_map(known).collect();
            let renamed = renamed_tool(&known, name, self.launches.len() > 1);
            listed.extend(renamed.map(|(server, tool)| (server.name.clone(), tool)));
        }
        // Before they are listed, the server's part of the name says whose it is.
        let named = |launch: &ServerLaunch| {
            let tool = name.strip_prefix(&launch.name)?.strip_prefix("__")?;
            Some((launch.name.clone(), tool.to_owned()))
        };
        let found = if listed.is_empty() { self.launches.iter().filter_map(named).collect() } else { listed };
        // What could be two is none.
        match found.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        }
    }

    fn lock_started(&self) -> MutexGuard<'_, HashMap<String, Vec<Weak<Server>>>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The `inputSchema` of a tool that was listed, by the name that clients know.
    fn tool_schema(&self, name: &str) -> Option<Value> {
        let listed = self.pinned.tool_schema(|server| match self.launches.as_slice() {
            [_] => Some(name),
            _ => name.strip_prefix(server)?.strip_prefix("__"),
        });
        listed.or_else(|| {
            let (server, tool) = self.tool_called(name)?;
            let catalogue = self.running_server(&server)?.last_catalogue()?;
            catalogue.get(&tool)?.parsed.get("inputSchema").cloned()
        })
    }
}

/// The gateway.
pub struct McpDoor {
    pub(super) shared: Arc<Shared>,
}

impl McpDoor {
    /// A gateway in front of `servers`, in this order.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn new(
        gate: Gate,
        pins: Pins,
        options: McpOptions,
        servers: Vec<ServerLaunch>,
    ) -> Result<Self, String> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| format!("the system has no random numbers: {error}"))?;
        let codec = RequestStateCodec::try_new(key.to_vec()).map_err(|error| error.to_string())?;
        let told = Arc::new(ServerNotices::new(Arc::clone(&options.sinks.people), options.binding.is_none()));
        let shared = Shared {
            gate,
            pinned: Pinned::new(pins, Arc::clone(&told)),
            options,
            codec,
            launches: servers,
            started: Mutex::default(),
            ending: TaskTracker::new(),
            told,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// The schemas of the tools that were listed last, by the names that clients know.
    #[must_use]
    pub fn tool_schemas(&self) -> SchemaLookup {
        let shared = Arc::clone(&self.shared);
        Arc::new(move |name| shared.tool_schema(name))
    }

    /// Returns once the servers of conversations that are over have ended: whoever ends the process waits for this, or some
    /// may stay.
    pub fn wait_for_servers(&self) -> impl Future<Output = ()> + Send + use<> {
        let ending = self.shared.ending.clone();
        async move {
            ending.close();
            let _ = tokio::time::timeout(ENDING, ending.wait()).await;
        }
    }

    fn start_servers(&self) -> Vec<Arc<Server>> {
        let start = |launch: &ServerLaunch| {
            let of_server = |say: &NoticeSink| {
                let (say, name) = (Arc::clone(say), launch.name.clone());
                let say: wire::stdio::LineSink = Arc::new(move |text| say(&name, text));
                say
            };
            let hears = &self.shared.options.sinks;
            let reach = ServerTarget {
                transport: launch.transport.clone(),
                name: launch.name.clone(),
                cwd: self.shared.options.cwd.clone(),
                tokens: self.shared.options.tokens.clone(),
            };
            let errors = of_server(&hears.errors);
            let server = Server::new(
                launch.clone(),
                &self.shared.options.cwd,
                Box::new(move || reach.connect(Arc::clone(&errors))),
                of_server(&hears.people),
                self.shared.ending.clone(),
            );
            self.shared.told.notify_progress(&launch.name, "starting");
            let mut started = self.shared.lock_started();
            let of_name = started.entry(launch.name.clone()).or_default();
            of_name.retain(|server| server.strong_count() > 0);
            of_name.push(Arc::downgrade(&server));
            drop(started);
            server.start();
            server
        };
        self.shared.launches.iter().map(start).collect()
    }
}

impl Gateway for McpDoor {
    fn open(&self, client: Arc<dyn Client>, caller: Caller, clients: ClientCount) -> Arc<dyn Conversation> {
        let belongs = match &self.shared.options.binding {
            Some(belongs) => belongs.clone(),
            None => SessionBinding::Own(self.own_session(clients)),
        };
        let servers = self.start_servers();
        Arc::new(Session::new(Arc::clone(&self.shared), client, (caller, clients), belongs, servers))
    }
}

impl McpDoor {
    /// Opens a session of the gate's for one conversation.
    fn own_session(&self, clients: ClientCount) -> SessionId {
        let options = &self.shared.options;
        let id = SessionId(format!("mcp-{}", Uuid::now_v7()));
        self.shared.gate.open_session(gate::Session {
            id: id.clone(),
            agent: options.agent.clone(),
            parent: None,
            roots: options.roots.clone(),
            cwd: options.cwd.clone(),
            mode: options.mode,
        });
        let identities: Vec<(String, ServerId)> = self
            .shared
            .launches
            .iter()
            .map(|launch| (launch.name.clone(), launch.transport.server_id()))
            .collect();
        self.shared.gate.set_own_servers(&id, identities);
        if clients == ClientCount::Several {
            self.shared.gate.mark_requests_independent(&id);
        }
        id
    }
}

/// A token for whoever may call: 256 random bits, as hexadecimal digits.
///
/// # Errors
/// If the system has no random numbers.
pub fn new_token() -> Result<String, String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system has no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
