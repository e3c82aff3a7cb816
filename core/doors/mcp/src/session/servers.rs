//! The servers of a conversation, and which of them a name, an address or a task belongs to. Identity is always the pair of
//! server and tool; the joined name is only a way to write it (D1.23).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::join_all;

use crate::era::{ClientProfile, Era};
use crate::frame::Frame;
use crate::members::{Members, to_raw_json};
use crate::pins::ServerNotices;
use crate::server::{Catalogue, Failure, Handshake, Server, Tool};
use mayi_core::approval::escape_line;
use mayi_core::call::digest_of;

/// As many addresses and tasks are remembered.
const MOST: usize = 20_000;

/// A server, and its tools.
pub(crate) type ListedServer = (Arc<Server>, Arc<Catalogue>);
/// A server, and tools of it.
pub(super) type ServerTools<'a> = (&'a Server, &'a [Tool]);

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

    /// The names under which the client knows the tools of `tools`.
    pub(super) fn client_names(&self, tools: &[ServerTools<'_>]) -> ToolNames {
        let joined = self.only_server().is_none();
        let names = ToolNames::of(tools, joined);
        for (server, tools) in tools {
            let short = |tool: &&str| is_long(&full_name(&server.name, tool, joined));
            let mut long = tools.iter().map(|tool| tool.name.as_str()).filter(short);
            if let Some(first) = long.next() {
                let more = match long.count() {
                    0 => String::new(),
                    more => format!(" (and {more} more)"),
                };
                self.told.notify_once(
                    &server.name,
                    &format!(
                        "its tool {}{more} has{} more than {LONGEST} characters, which providers refuse: \
                         it is listed as {}, and rules and pins know it by its own name",
                        visible_name(first),
                        if joined { " with the server's name" } else { "" },
                        visible_name(&names.name_of(server, first))
                    ),
                );
            }
        }
        names
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
            let own = Ok((Arc::clone(server), name.to_owned()));
            // One that is as long as a short one may be the tool's own.
            if !is_shortened(name) {
                return own;
            }
            let Ok(catalogue) = catalogue_of(server, says).await else { return own };
            return renamed_tool(&[(Arc::clone(server), catalogue)], name, false).map_or(own, Ok);
        }
        // Those that could have it, and no others: one that does not answer is in nobody else's way.
        let mut tools = Vec::new();
        for server in self.iter() {
            if could_have(&server.name, name) {
                // Without it the name could lead to another one's tool.
                let catalogue = catalogue_of(server, says).await.map_err(|failure| failure.message)?;
                tools.push((Arc::clone(server), catalogue));
            } else if is_shortened(name) {
                // What is known of the others counts for which names were free.
                tools.extend(server.last_catalogue().map(|catalogue| (Arc::clone(server), catalogue)));
            }
        }
        if let Some(first) = name_readings(&tools, name).into_iter().next() {
            return Ok(first);
        }
        // One with a number behind it, or a short one.
        renamed_tool(&tools, name, true).ok_or_else(|| format!("unknown tool: {}", visible_name(name)))
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

/// The longest name that providers take.
const LONGEST: usize = 64;
/// So many characters of a digest stand behind what is left of a longer one.
const DIGEST: usize = 8;

fn is_long(name: &str) -> bool {
    name.chars().count() > LONGEST
}

/// Whether a name has the form of one that was shortened.
fn is_shortened(name: &str) -> bool {
    name.chars().count() == LONGEST
}

/// A tool's name as a client has it, however long: its own where there is one server.
fn full_name(server: &str, tool: &str, joined: bool) -> String {
    if joined { join_name(server, tool) } else { tool.to_owned() }
}

/// A short name for a tool whose own, `full`, is too long: the same each time, and for no other tool. `round`: others were taken.
fn short_name(server: &str, tool: &str, full: &str, round: usize) -> String {
    let digest = digest_of(&serde_json::json!([server, tool, round]));
    let digest: String = digest.as_str().chars().take(DIGEST).collect();
    let stem: String = full.chars().take(LONGEST - DIGEST - 1).collect();
    format!("{stem}_{digest}")
}

/// Whether a tool of the server `server` could be called `name` by the client.
fn could_have(server: &str, name: &str) -> bool {
    let joined = join_name(server, "");
    let stem: String = name.chars().take(LONGEST - DIGEST - 1).collect();
    name.starts_with(&joined) || is_shortened(name) && joined.starts_with(&stem)
}

/// The names under which a client knows tools: their own where there is one server, else joined ones; where two are the same, the
/// later one has a number behind it, in the order of servers and tools; where one is too long, a short one.
pub(super) struct ToolNames {
    /// By server and tool.
    names: HashMap<(String, String), String>,
    joined: bool,
}

impl ToolNames {
    fn of(tools: &[ServerTools<'_>], joined: bool) -> Self {
        let all = || {
            tools.iter().flat_map(|(server, tools)| {
                tools.iter().map(move |tool| (server.name.as_str(), tool.name.as_str()))
            })
        };
        Self { names: Self::assign(all, joined), joined }
    }

    /// The names of all that is not called by its full name. What is called so goes first: no other tool takes such a name.
    fn assign<'a, I>(all: impl Fn() -> I, joined: bool) -> HashMap<(String, String), String>
    where
        I: Iterator<Item = (&'a str, &'a str)>,
    {
        let mut taken = HashSet::new();
        let mut others = Vec::new();
        for (server, tool) in all() {
            let name = full_name(server, tool, joined);
            if is_long(&name) || !taken.insert(name.clone()) {
                others.push((server, tool, name));
            }
        }
        let mut names = HashMap::new();
        for (server, tool, name) in others {
            let numbered = (2..).map(|number| format!("{name}_{number}")).take_while(|name| !is_long(name));
            let short = (0..).map(|round| short_name(server, tool, &name, round));
            let free = numbered.chain(short).find(|name| !taken.contains(name));
            let free = free.unwrap_or_default();
            taken.insert(free.clone());
            names.insert((server.to_owned(), tool.to_owned()), free);
        }
        names
    }

    /// The name of a tool.
    pub(super) fn name_of<'a>(&'a self, server: &Server, tool: &'a str) -> Cow<'a, str> {
        match self.names.get(&(server.name.clone(), tool.to_owned())) {
            Some(name) => Cow::Borrowed(name),
            None if !self.joined => Cow::Borrowed(tool),
            None => Cow::Owned(join_name(&server.name, tool)),
        }
    }

    /// The tool that has this name, if it is not one that is called by its full name.
    fn tool_of(&self, tools: &[ListedServer], name: &str) -> Option<(Arc<Server>, String)> {
        let ((server, tool), _) = self.names.iter().find(|(_, own)| *own == name)?;
        let (server, _) = tools.iter().find(|(listed, _)| listed.name == *server)?;
        Some((Arc::clone(server), tool.clone()))
    }
}

/// The tool that is called `name` where that is another name than its full one: `joined` with its server's, or its own.
pub(crate) fn renamed_tool(
    tools: &[ListedServer],
    name: &str,
    joined: bool,
) -> Option<(Arc<Server>, String)> {
    ToolNames::of(&server_tools(tools), joined).tool_of(tools, name)
}

/// Servers with all of their tools.
pub(super) fn server_tools(tools: &[ListedServer]) -> Vec<ServerTools<'_>> {
    tools.iter().map(|(server, catalogue)| (&**server, catalogue.tools.as_slice())).collect()
}

/// Every server and tool whose joined name is `name`.
fn name_readings(tools: &[ListedServer], name: &str) -> Vec<(Arc<Server>, String)> {
    if is_long(name) {
        return Vec::new();
    }
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
