//! The servers of a conversation, and which of them a name, an address or a task belongs to. Identity is always the pair of
//! server and tool; the joined name is only a way to write it (D1.23).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::join_all;

use crate::era::{ClientProfile, Era};
use crate::frame::Frame;
use crate::members::{Members, to_raw_json};
use crate::pins::ServerNotices;
use crate::server::{Catalogue, Failure, Handshake, Server};
use mayi_core::approval::escape_line;

/// As many addresses and tasks are remembered.
const MOST: usize = 20_000;

/// A server, and its tools.
pub(super) type ListedServer = (Arc<Server>, Arc<Catalogue>);

/// The servers, in the order of the configuration.
pub(super) struct Servers {
    all: Vec<Arc<Server>>,
    told: Arc<ServerNotices>,
    seen_addresses: Mutex<SeenAddresses>,
}

/// Where resources and tasks were seen.
#[derive(Default)]
struct SeenAddresses {
    resources: HashMap<String, Arc<Server>>,
    tasks: HashMap<String, Arc<Server>>,
}

/// A tool's or prompt's name among those of several servers.
pub(super) fn join_name(server: &str, name: &str) -> String {
    format!("{server}__{name}")
}

/// What is left of a joined name behind the server's part, if it can be one of that server's.
fn own_part<'a>(server: &Server, joined: &'a str) -> Option<&'a str> {
    joined.strip_prefix(&server.name)?.strip_prefix("__")
}

/// A text for a person of what a client named, escaped.
pub(super) fn visible_name(name: &str) -> String {
    escape_line(&name.chars().take(200).collect::<String>())
}

impl Servers {
    pub(super) fn new(all: Vec<Arc<Server>>, told: Arc<ServerNotices>) -> Self {
        Self { all, told, seen_addresses: Mutex::default() }
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Arc<Server>> {
        self.all.iter()
    }

    /// The only server, if there is just one: then names are its own.
    pub(super) fn only_server(&self) -> Option<&Arc<Server>> {
        match self.all.as_slice() {
            [server] => Some(server),
            _ => None,
        }
    }

    /// Begins with all of them for a client of the stateless era.
    pub(super) async fn begin_all(&self, says: &ClientProfile) -> Vec<Result<Handshake, Failure>> {
        join_all(self.iter().map(|server| server.begin_stateless(says))).await
    }

    /// The tools of every server that answers, in the order of servers. Who does not answer is told of.
    pub(super) async fn list_tools(&self, says: &ClientProfile) -> Vec<ListedServer> {
        let catalogues = join_all(self.iter().map(|server| server.load_catalogue(says))).await;
        let mut tools = Vec::new();
        for (server, catalogue) in self.iter().zip(catalogues) {
            match catalogue {
                Ok(catalogue) => tools.push((Arc::clone(server), catalogue)),
                Err(failure) => self.told.notify(&server.name, &failure.message),
            }
        }
        tools
    }

    /// The name under which the client knows a tool. Where two would be the same, the later one gets a number, in the
    /// order of servers and tools.
    pub(super) fn client_tool_name(
        &self,
        tools: &[ListedServer],
        server: &Arc<Server>,
        tool: &str,
    ) -> String {
        if self.only_server().is_some() {
            return tool.to_owned();
        }
        let name = join_name(&server.name, tool);
        let own = |(other, found): &(Arc<Server>, String)| Arc::ptr_eq(other, server) && found == tool;
        match name_readings(tools, &name).iter().position(own) {
            None | Some(0) => name,
            Some(at) => format!("{name}_{}", at + 1),
        }
    }

    /// The tool that the client means by `name`.
    ///
    /// # Errors
    /// If there is none: one line for the client.
    pub(super) async fn tool_named(
        &self,
        name: &str,
        says: &ClientProfile,
    ) -> Result<(Arc<Server>, String), String> {
        if let Some(server) = self.only_server() {
            return Ok((Arc::clone(server), name.to_owned()));
        }
        // Those that could have it, and no others: one that does not answer is in nobody else's way.
        let mut tools = Vec::new();
        for server in self.iter().filter(|server| own_part(server, name).is_some()) {
            // Without it the name could lead to another one's tool.
            let catalogue = catalogue_of(server, says).await.map_err(|failure| failure.message)?;
            tools.push((Arc::clone(server), catalogue));
        }
        if let Some(first) = name_readings(&tools, name).into_iter().next() {
            return Ok(first);
        }
        // One with a number behind it.
        if let Some((plain, number)) = name.rsplit_once('_')
            && let Ok(at) = number.parse::<usize>()
            && at >= 2
            // One spelling only: the one that was listed.
            && at.to_string() == number
            && let Some(reading) = name_readings(&tools, plain).into_iter().nth(at - 1)
        {
            return Ok(reading);
        }
        Err(format!("unknown tool: {}", visible_name(name)))
    }

    /// Where a request about one prompt, resource or task belongs, and its parameters for that server.
    pub(super) async fn route_request(
        &self,
        frame: &Frame,
        mut params: Members,
        says: &ClientProfile,
    ) -> Option<(Arc<Server>, Members)> {
        match frame.method().unwrap_or_default() {
            "prompts/get" => {
                let (server, name) = self.prompt_server(&params.string_member("name")?)?;
                params.set("name", to_raw_json(&name));
                Some((server, params))
            }
            "completion/complete" => {
                let mut of = params.object_member("ref")?;
                if let Some(name) = of.string_member("name") {
                    let (server, name) = self.prompt_server(&name)?;
                    of.set("name", to_raw_json(&name));
                    params.set("ref", of.to_raw_value());
                    return Some((server, params));
                }
                Some((self.resource_server(&of.string_member("uri")?, says).await?, params))
            }
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
                Some((self.resource_server(&params.string_member("uri")?, says).await?, params))
            }
            method if method.starts_with("tasks/") => {
                let id = params.string_member("taskId")?;
                let server = self.lock_seen().tasks.get(&id).cloned()?;
                Some((server, params))
            }
            _ => None,
        }
    }

    fn prompt_server(&self, joined: &str) -> Option<(Arc<Server>, String)> {
        self.iter().find_map(|server| Some((Arc::clone(server), own_part(server, joined)?.to_owned())))
    }

    /// The server that listed this address; else the first one with resources that has it.
    async fn resource_server(&self, address: &str, says: &ClientProfile) -> Option<Arc<Server>> {
        if let Some(server) = self.lock_seen().resources.get(address) {
            return Some(Arc::clone(server));
        }
        for server in self.iter() {
            if !server.handshake().is_some_and(|begun| begun.has_capability("resources")) {
                continue;
            }
            let mut params = Members::default();
            params.set("uri", to_raw_json(address));
            if server.era() == Some(Era::Stateless) {
                params = says.stamp_params(params, None);
            }
            let there = server
                .send_own_request("resources/read", &params)
                .await
                .is_ok_and(|read| read.member("result").is_some());
            if there {
                self.saw_resource(address.to_owned(), server);
                return Some(Arc::clone(server));
            }
        }
        None
    }

    /// A server has listed this address. The first one that does has it.
    pub(super) fn saw_resource(&self, address: String, server: &Arc<Server>) {
        let resources = &mut self.lock_seen().resources;
        if resources.len() < MOST {
            resources.entry(address).or_insert_with(|| Arc::clone(server));
        }
    }

    /// A server has begun this task.
    pub(super) fn saw_task(&self, id: String, server: &Arc<Server>) {
        let tasks = &mut self.lock_seen().tasks;
        if tasks.len() < MOST {
            tasks.entry(id).or_insert_with(|| Arc::clone(server));
        }
    }

    fn lock_seen(&self) -> MutexGuard<'_, SeenAddresses> {
        self.seen_addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Every server and tool whose joined name is `name`.
fn name_readings(tools: &[ListedServer], name: &str) -> Vec<(Arc<Server>, String)> {
    tools
        .iter()
        .filter_map(|(server, catalogue)| {
            catalogue.get(own_part(server, name)?).map(|tool| (Arc::clone(server), tool.name.clone()))
        })
        .collect()
}

/// The tools of a server, which has begun by then.
async fn catalogue_of(server: &Server, says: &ClientProfile) -> Result<Arc<Catalogue>, Failure> {
    if says.era == Era::Stateless && server.era().is_none() {
        server.begin_stateless(says).await?;
    }
    server.load_catalogue(says).await
}
