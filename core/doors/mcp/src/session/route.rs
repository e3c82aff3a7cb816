//! Which of several servers a name, an address or a task belongs to. Identity is always the pair of server and tool; the
//! joined name is only a way to write it (decisions, section 1).

use std::collections::HashMap;
use std::sync::Arc;

use super::Session;
use super::lists::shown;
use crate::era::{ClientSays, Era};
use crate::frame::Frame;
use crate::members::{Members, raw};
use crate::server::{Catalogue, Failure, Server};

/// As many addresses and tasks are remembered.
const MOST: usize = 20_000;

/// Where resources and tasks were seen.
#[derive(Debug, Default)]
pub(super) struct Routes {
    resources: HashMap<String, usize>,
    tasks: HashMap<String, usize>,
}

impl Routes {
    /// The first server that listed it has it.
    pub(super) fn resource(&mut self, address: String, server: usize) {
        if self.resources.len() < MOST {
            self.resources.entry(address).or_insert(server);
        }
    }

    /// A task that a server has begun.
    pub(super) fn task(&mut self, id: String, server: usize) {
        if self.tasks.len() < MOST {
            self.tasks.entry(id).or_insert(server);
        }
    }
}

/// A tool's or prompt's name among those of several servers.
pub(super) fn join(server: &str, name: &str) -> String {
    format!("{server}__{name}")
}

impl Session {
    /// The name under which the client knows a tool. Where two would be the same, the later one gets a number, in the
    /// order of servers and tools.
    pub(super) fn joined(&self, tools: &[(usize, Arc<Catalogue>)], server: usize, tool: &str) -> String {
        let Some(owner) = self.at(server) else { return tool.to_owned() };
        let name = join(&owner.name, tool);
        match self.readings(tools, &name).iter().position(|reading| *reading == (server, tool.to_owned())) {
            None | Some(0) => name,
            Some(at) => format!("{name}_{}", at + 1),
        }
    }

    /// Every server and tool whose joined name is `name`.
    fn readings(&self, tools: &[(usize, Arc<Catalogue>)], name: &str) -> Vec<(usize, String)> {
        tools
            .iter()
            .filter_map(|(index, catalogue)| {
                let rest = name.strip_prefix(&self.at(*index)?.name)?.strip_prefix("__")?;
                catalogue.get(rest).map(|tool| (*index, tool.name.clone()))
            })
            .collect()
    }

    /// The tool that the client means by `name`.
    ///
    /// # Errors
    /// If there is none: one line for the client.
    pub(super) async fn tool_named(
        &self,
        name: &str,
        says: &ClientSays,
        era: Era,
    ) -> Result<(usize, String), String> {
        if self.single().is_some() {
            return Ok((0, name.to_owned()));
        }
        // Those that could have it, and no others: one that does not answer is in nobody else's way.
        let could =
            |server: &Server| name.strip_prefix(&server.name).is_some_and(|rest| rest.starts_with("__"));
        let mut tools = Vec::new();
        for (index, server) in self.servers.iter().enumerate().filter(|(_, server)| could(server)) {
            // Without it the name could lead to another one's tool.
            match self.catalogue_of(server, says, era).await {
                Ok(catalogue) => tools.push((index, catalogue)),
                Err(failure) => return Err(failure.message),
            }
        }
        if let Some(first) = self.readings(&tools, name).into_iter().next() {
            return Ok(first);
        }
        // One with a number behind it.
        if let Some((plain, number)) = name.rsplit_once('_')
            && let Ok(at) = number.parse::<usize>()
            && at >= 2
            // One spelling only: the one that was listed.
            && at.to_string() == number
            && let Some(reading) = self.readings(&tools, plain).into_iter().nth(at - 1)
        {
            return Ok(reading);
        }
        Err(format!("unknown tool: {}", shown(name)))
    }

    /// The tools of a server, which has begun by then.
    async fn catalogue_of(
        &self,
        server: &Server,
        says: &ClientSays,
        era: Era,
    ) -> Result<Arc<Catalogue>, Failure> {
        if era == Era::Stateless && server.era().is_none() {
            server.begin_stateless(says).await?;
        }
        server.catalogue(says).await
    }

    /// Where a request about one prompt, resource or task belongs, and its parameters for that server.
    pub(super) async fn route(&self, frame: &Frame, params: Members) -> Option<(usize, Members)> {
        let method = frame.method().unwrap_or_default();
        let (_, says) = self.says(frame);
        match method {
            "prompts/get" => {
                let (server, name) = self.prompt(&params.string("name")?)?;
                Some((server, Self::renamed(params, "name", &name)))
            }
            "completion/complete" => {
                let mut params = params;
                let mut of = params.object("ref")?;
                if let Some(name) = of.string("name") {
                    let (server, name) = self.prompt(&name)?;
                    of.set("name", raw(&name));
                    params.set("ref", of.raw());
                    return Some((server, params));
                }
                let server = self.resource(&of.string("uri")?, &says).await?;
                Some((server, params))
            }
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
                Some((self.resource(&params.string("uri")?, &says).await?, params))
            }
            _ if method.starts_with("tasks/") => {
                let id = params.string("taskId")?;
                Some((*self.lock().routes.tasks.get(&id)?, params))
            }
            _ => None,
        }
    }

    fn prompt(&self, joined: &str) -> Option<(usize, String)> {
        self.servers.iter().enumerate().find_map(|(index, server)| {
            let name = joined.strip_prefix(&server.name)?.strip_prefix("__")?;
            Some((index, name.to_owned()))
        })
    }

    /// The server that listed this address; else the first one with resources that has it.
    async fn resource(&self, address: &str, says: &ClientSays) -> Option<usize> {
        if let Some(server) = self.lock().routes.resources.get(address) {
            return Some(*server);
        }
        for (index, server) in self.servers.iter().enumerate() {
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
                self.lock().routes.resource(address.to_owned(), index);
                return Some(index);
            }
        }
        None
    }
}
