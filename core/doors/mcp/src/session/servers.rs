//! The servers of a conversation, and which of them a name, an address or a task belongs to. Identity is always the pair of
//! server and tool; the joined name is only a way to write it (D1.23).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::join_all;

use crate::era::{ClientSays, Era};
use crate::frame::Frame;
use crate::members::{Members, raw};
use crate::pinned::Told;
use crate::server::{Begun, Catalogue, Failure, Server};
use mayi_core::approval::visible;

/// As many addresses and tasks are remembered.
const MOST: usize = 20_000;

/// A server, and its tools.
pub(super) type Listed = (Arc<Server>, Arc<Catalogue>);

/// The servers, in the order of the configuration.
pub(super) struct Servers {
    all: Vec<Arc<Server>>,
    told: Arc<Told>,
    seen: Mutex<Seen>,
}

/// Where resources and tasks were seen.
#[derive(Default)]
struct Seen {
    resources: HashMap<String, Arc<Server>>,
    tasks: HashMap<String, Arc<Server>>,
}

/// A tool's or prompt's name among those of several servers.
pub(super) fn join(server: &str, name: &str) -> String {
    format!("{server}__{name}")
}

/// What is left of a joined name behind the server's part, if it can be one of that server's.
fn own_part<'a>(server: &Server, joined: &'a str) -> Option<&'a str> {
    joined.strip_prefix(&server.name)?.strip_prefix("__")
}

/// A text for a person of what a client named, escaped.
pub(super) fn shown(name: &str) -> String {
    visible(&name.chars().take(200).collect::<String>())
}

impl Servers {
    pub(super) fn new(all: Vec<Arc<Server>>, told: Arc<Told>) -> Self {
        Self { all, told, seen: Mutex::default() }
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Arc<Server>> {
        self.all.iter()
    }

    /// The only server, if there is just one: then names are its own.
    pub(super) fn single(&self) -> Option<&Arc<Server>> {
        match self.all.as_slice() {
            [server] => Some(server),
            _ => None,
        }
    }

    /// Begins with all of them for a client of the stateless era.
    pub(super) async fn begin(&self, says: &ClientSays) -> Vec<Result<Begun, Failure>> {
        join_all(self.iter().map(|server| server.begin_stateless(says))).await
    }

    /// The tools of every server that answers, in the order of servers. Who does not answer is told of.
    pub(super) async fn tools(&self, says: &ClientSays) -> Vec<Listed> {
        let catalogues = join_all(self.iter().map(|server| server.catalogue(says))).await;
        let mut tools = Vec::new();
        for (server, catalogue) in self.iter().zip(catalogues) {
            match catalogue {
                Ok(catalogue) => tools.push((Arc::clone(server), catalogue)),
                Err(failure) => self.told.say(&server.name, &failure.message),
            }
        }
        tools
    }

    /// The name under which the client knows a tool. Where two would be the same, the later one gets a number, in the
    /// order of servers and tools.
    pub(super) fn joined(&self, tools: &[Listed], server: &Arc<Server>, tool: &str) -> String {
        if self.single().is_some() {
            return tool.to_owned();
        }
        let name = join(&server.name, tool);
        let own = |(other, found): &(Arc<Server>, String)| Arc::ptr_eq(other, server) && found == tool;
        match readings(tools, &name).iter().position(own) {
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
        says: &ClientSays,
    ) -> Result<(Arc<Server>, String), String> {
        if let Some(server) = self.single() {
            return Ok((Arc::clone(server), name.to_owned()));
        }
        // Those that could have it, and no others: one that does not answer is in nobody else's way.
        let mut tools = Vec::new();
        for server in self.iter().filter(|server| own_part(server, name).is_some()) {
            // Without it the name could lead to another one's tool.
            let catalogue = catalogue_of(server, says).await.map_err(|failure| failure.message)?;
            tools.push((Arc::clone(server), catalogue));
        }
        if let Some(first) = readings(&tools, name).into_iter().next() {
            return Ok(first);
        }
        // One with a number behind it.
        if let Some((plain, number)) = name.rsplit_once('_')
            && let Ok(at) = number.parse::<usize>()
            && at >= 2
            // One spelling only: the one that was listed.
            && at.to_string() == number
            && let Some(reading) = readings(&tools, plain).into_iter().nth(at - 1)
        {
            return Ok(reading);
        }
        Err(format!("unknown tool: {}", shown(name)))
    }

    /// Where a request about one prompt, resource or task belongs, and its parameters for that server.
    pub(super) async fn route(
        &self,
        frame: &Frame,
        mut params: Members,
        says: &ClientSays,
    ) -> Option<(Arc<Server>, Members)> {
        match frame.method().unwrap_or_default() {
            "prompts/get" => {
                let (server, name) = self.prompt(&params.string("name")?)?;
                params.set("name", raw(&name));
                Some((server, params))
            }
            "completion/complete" => {
                let mut of = params.object("ref")?;
                if let Some(name) = of.string("name") {
                    let (server, name) = self.prompt(&name)?;
                    of.set("name", raw(&name));
                    params.set("ref", of.raw());
                    return Some((server, params));
                }
                Some((self.resource(&of.string("uri")?, says).await?, params))
            }
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
                Some((self.resource(&params.string("uri")?, says).await?, params))
            }
            method if method.starts_with("tasks/") => {
                let id = params.string("taskId")?;
                let server = self.seen().tasks.get(&id).cloned()?;
                Some((server, params))
            }
            _ => None,
        }
    }

    fn prompt(&self, joined: &str) -> Option<(Arc<Server>, String)> {
        self.iter().find_map(|server| Some((Arc::clone(server), own_part(server, joined)?.to_owned())))
    }

    /// The server that listed this address; else the first one with resources that has it.
    async fn resource(&self, address: &str, says: &ClientSays) -> Option<Arc<Server>> {
        if let Some(server) = self.seen().resources.get(address) {
            return Some(Arc::clone(server));
        }
        for server in self.iter() {
            if !server.begun().is_some_and(|begun| begun.can("resources")) {
                continue;
            }
            let mut params = Members::default();
            params.set("uri", raw(address));
            if server.era() == Some(Era::Stateless) {
                params = says.stamp(params, None);
            }
            let there =
                server.ask("resources/read", &params).await.is_ok_and(|read| read.member("result").is_some());
            if there {
                self.saw_resource(address.to_owned(), server);
                return Some(Arc::clone(server));
            }
        }
        None
    }

    /// A server has listed this address. The first one that does has it.
    pub(super) fn saw_resource(&self, address: String, server: &Arc<Server>) {
        let resources = &mut self.seen().resources;
        if resources.len() < MOST {
            resources.entry(address).or_insert_with(|| Arc::clone(server));
        }
    }

    /// A server has begun this task.
    pub(super) fn saw_task(&self, id: String, server: &Arc<Server>) {
        let tasks = &mut self.seen().tasks;
        if tasks.len() < MOST {
            tasks.entry(id).or_insert_with(|| Arc::clone(server));
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Every server and tool whose joined name is `name`.
fn readings(tools: &[Listed], name: &str) -> Vec<(Arc<Server>, String)> {
    tools
        .iter()
        .filter_map(|(server, catalogue)| {
            catalogue.get(own_part(server, name)?).map(|tool| (Arc::clone(server), tool.name.clone()))
        })
        .collect()
}

/// The tools of a server, which has begun by then.
async fn catalogue_of(server: &Server, says: &ClientSays) -> Result<Arc<Catalogue>, Failure> {
    if says.era == Era::Stateless && server.era().is_none() {
        server.begin_stateless(says).await?;
    }
    server.catalogue(says).await
}
