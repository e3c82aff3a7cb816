//! Lists: tools as they may be shown, and the lists of several servers as one.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::Value;
use serde_json::value::RawValue;

use super::bridge::Bridge;
use super::servers::{Servers, join};
use super::toolbelt;
use crate::door::Shared;
use crate::era::{ClientSays, Era, Introduction};
use crate::frame::Frame;
use crate::front::Key;
use crate::members::{Members, raw};
use crate::server::{Failure, Server, tools_of};

/// The member that a list stands in, by its method.
const LISTS: &[(&str, &str)] = &[
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
];

/// What servers have, for one conversation.
pub(super) struct Lists {
    shared: Arc<Shared>,
    said: Arc<Introduction>,
    servers: Arc<Servers>,
    bridge: Arc<Bridge>,
}

impl Lists {
    pub(super) fn new(
        shared: &Arc<Shared>,
        said: &Arc<Introduction>,
        servers: &Arc<Servers>,
        bridge: &Arc<Bridge>,
    ) -> Self {
        Self {
            shared: Arc::clone(shared),
            said: Arc::clone(said),
            servers: Arc::clone(servers),
            bridge: Arc::clone(bridge),
        }
    }

    /// `tools/list`.
    ///
    /// # Errors
    /// If the only server does not answer.
    pub(super) async fn tools(&self, frame: Frame, key: Key) -> Result<Frame, Failure> {
        let says = self.said.says(&frame);
        if self.shared.options.toolbelt {
            return Ok(listed("tools", &toolbelt::tools(), says.era));
        }
        if let Some(server) = self.servers.single() {
            return self.tools_at(server, frame, key, &says).await;
        }
        Ok(listed("tools", &self.offered(&says).await, says.era))
    }

    /// The only server's list, page by page as the client asks for it.
    async fn tools_at(
        &self,
        server: &Arc<Server>,
        frame: Frame,
        key: Key,
        says: &ClientSays,
    ) -> Result<Frame, Failure> {
        let cursor = frame.params().and_then(|params| params.string("cursor"));
        let changes = server.changes();
        let answer = self.bridge.exchange(frame, key, server, says).await?;
        let Some(said) = answer.member("result") else { return Ok(answer) };
        // The pages before count, too: it is one list.
        let before = server.tools_before(cursor.as_deref());
        let tools = tools_of(said, before)
            .map_err(|why| Failure::new(format!("the server {}: {why}", server.name)))?;
        let next = answer.outcome().and_then(|result| result.string("nextCursor"));
        let whole = cursor.is_none() && next.is_none();
        if let Some(next) = next {
            server.saw_tools(next, before + tools.len())?;
        }
        let offered = self.shared.pinned.offered(server, &tools, str::to_owned);
        let Some(mut result) = answer.outcome() else { return Ok(answer) };
        // As it came, unless something is blocked.
        let same = offered.iter().zip(&tools).all(|(offered, tool)| offered.get() == tool.raw.raw().get());
        if !same {
            result.set("tools", raw(&offered));
        }
        if whole {
            let catalogue = server.keep_tools(tools, changes);
            self.shared.pinned.compared(server, &catalogue);
        }
        Ok(if same { answer } else { answer.with("result", result.raw()) })
    }

    /// What `find_tools` of the toolbelt returns.
    pub(super) async fn found(&self, query: &Value, says: &ClientSays) -> Frame {
        toolbelt::found(query, &self.offered(says).await, says.era)
    }

    /// All tools as they may be shown: what is blocked says so.
    async fn offered(&self, says: &ClientSays) -> Vec<Box<RawValue>> {
        self.begin(says).await;
        let tools = self.servers.tools(says).await;
        let offered = tools.iter().flat_map(|(server, catalogue)| {
            let name = |tool: &str| self.servers.joined(&tools, server, tool);
            self.shared.pinned.offered(server, &catalogue.tools, name)
        });
        offered.collect()
    }

    /// A client of the stateless era does not begin by itself.
    async fn begin(&self, says: &ClientSays) {
        if says.era == Era::Stateless {
            for failure in self.servers.begin(says).await.into_iter().filter_map(Result::err) {
                tracing::debug!(failure = failure.message, "a server does not begin");
            }
        }
    }

    /// A list of several servers as one: prompts get joined names, resources are found again by their addresses.
    pub(super) async fn list(&self, frame: Frame) -> Frame {
        let method = frame.method().unwrap_or_default();
        let member = LISTS.iter().find(|(known, _)| *known == method).map_or("", |(_, member)| member);
        let says = self.said.says(&frame);
        self.begin(&says).await;
        let (says, method) = (&says, method);
        let lists = self.servers.iter().map(async |server| {
            let mut list = Vec::new();
            let pages = server.pages(method, says, |page| {
                list.extend(page.get(member).map(items).unwrap_or_default());
                Ok(())
            });
            pages.await.map(|()| list)
        });
        let mut all: Vec<Box<RawValue>> = Vec::new();
        for (server, list) in self.servers.iter().zip(join_all(lists).await) {
            match list {
                Ok(list) => all.extend(list.into_iter().map(|item| self.listed_item(server, member, item))),
                Err(failure) => tracing::debug!(failure = failure.message, "a list is missing"),
            }
        }
        listed(member, &all, says.era)
    }

    fn listed_item(&self, server: &Arc<Server>, member: &str, mut item: Members) -> Box<RawValue> {
        match member {
            "prompts" => {
                if let Some(name) = item.string("name") {
                    item.set("name", raw(&join(&server.name, &name)));
                }
            }
            _ => {
                if let Some(address) = item.string("uri").or_else(|| item.string("uriTemplate")) {
                    self.servers.saw_resource(address, server);
                }
            }
        }
        item.raw()
    }
}

fn items(list: &RawValue) -> Vec<Members> {
    serde_json::from_str(list.get()).unwrap_or_default()
}

/// The response with a whole list.
fn listed(member: &str, items: &[Box<RawValue>], era: Era) -> Frame {
    let mut result = Members::default();
    if era == Era::Stateless {
        result.set("resultType", raw("complete"));
        result.set("ttlMs", raw(&0));
        result.set("cacheScope", raw("private"));
    }
    result.set(member, raw(&items));
    Frame::result(RawValue::NULL, &result)
}
