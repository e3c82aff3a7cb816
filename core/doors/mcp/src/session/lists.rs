//! Lists: tools as they may be shown, and the lists of several servers as one.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::Value;
use serde_json::value::RawValue;

use super::bridge::Bridge;
use super::servers::{Servers, join_name, server_tools};
use super::toolbelt;
use crate::door::Shared;
use crate::era::{ClientProfile, Era, Introduction};
use crate::frame::Frame;
use crate::front::RequestKey;
use crate::members::{Members, to_raw_json};
use crate::pins::ListKind;
use crate::server::{Failure, Server, tools_of};

/// What servers have, for one conversation.
pub(super) struct Lists {
    shared: Arc<Shared>,
    introduction: Arc<Introduction>,
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
            introduction: Arc::clone(said),
            servers: Arc::clone(servers),
            bridge: Arc::clone(bridge),
        }
    }

    /// `tools/list`.
    ///
    /// # Errors
    /// If the only server does not answer.
    pub(super) async fn list_tools(&self, frame: Frame, key: RequestKey) -> Result<Frame, Failure> {
        let says = self.introduction.profile_for(&frame);
        if self.shared.options.toolbelt {
            return Ok(list_response("tools", &toolbelt::toolbelt_tools(), says.era));
        }
        if let Some(server) = self.servers.only_server() {
            return self.tools_at(server, frame, key, &says).await;
        }
        Ok(list_response("tools", &self.offered_tools(&says).await, says.era))
    }

    /// The only server's list, page by page as the client asks for it.
    async fn tools_at(
        &self,
        server: &Arc<Server>,
        frame: Frame,
        key: RequestKey,
        says: &ClientProfile,
    ) -> Result<Frame, Failure> {
        let cursor = frame.params().and_then(|params| params.string_member("cursor"));
        let changes = server.change_count();
        let answer = self.bridge.exchange_request(frame, key, server, says).await?;
        let Some(said) = answer.member("result") else { return Ok(answer) };
        // The pages before count, too: it is one list.
        let before = server.tools_before(cursor.as_deref());
        let tools = tools_of(said, before)
            .map_err(|why| Failure::new(format!("the server {}: {why}", server.name)))?;
        let next = answer.result_object().and_then(|result| result.string_member("nextCursor"));
        let whole = cursor.is_none() && next.is_none();
        if let Some(next) = next {
            server.saw_tools(next, before + tools.len())?;
        }
        let names = self.servers.client_names(&[(&**server, tools.as_slice())]);
        let name = |tool: &str| names.name_of(server, tool).into_owned();
        let offered = self.shared.pinned.offered_tools(server, &tools, name);
        let Some(mut result) = answer.result_object() else { return Ok(answer) };
        // As it came, unless something is blocked, or its name is too long.
        let same =
            offered.iter().zip(&tools).all(|(offered, tool)| offered.get() == tool.raw.to_raw_value().get());
        if !same {
            result.set("tools", to_raw_json(&offered));
        }
        if whole {
            let catalogue = server.keep_tools(tools, changes);
            self.shared.pinned.mark_compared(server, &catalogue);
        }
        Ok(if same { answer } else { answer.with_member("result", result.to_raw_value()) })
    }

    /// What `find_tools` of the toolbelt returns.
    pub(super) async fn search_tools(&self, query: &Value, says: &ClientProfile) -> Frame {
        toolbelt::search_tools(query, &self.offered_tools(says).await, says.era)
    }

    /// All tools as they may be shown: what is blocked says so.
    async fn offered_tools(&self, says: &ClientProfile) -> Vec<Box<RawValue>> {
        self.begin_servers(says).await;
        let tools = self.servers.list_tools(says).await;
        let names = self.servers.client_names(&server_tools(&tools));
        let offered = tools.iter().flat_map(|(server, catalogue)| {
            let name = |tool: &str| names.name_of(server, tool).into_owned();
            self.shared.pinned.offered_tools(server, &catalogue.tools, name)
        });
        offered.collect()
    }

    /// A client of the stateless era does not begin by itself.
    async fn begin_servers(&self, says: &ClientProfile) {
        if says.era == Era::Stateless {
            for failure in self.servers.begin_all(says).await.into_iter().filter_map(Result::err) {
                tracing::debug!(failure = failure.message, "a server does not begin");
            }
        }
    }

    /// Another list of the only server: as it came, but for what is withheld of it.
    ///
    /// # Errors
    /// If the server does not answer, or readers could take its answer for different things.
    pub(super) async fn list_at(
        &self,
        list: ListKind,
        server: &Arc<Server>,
        frame: Frame,
        key: RequestKey,
    ) -> Result<Frame, Failure> {
        let says = self.introduction.profile_for(&frame);
        let answer = self.bridge.exchange_request(frame, key, server, &says).await?;
        if answer.member("result").is_none() {
            return Ok(answer);
        }
        let (name, member) = (&server.name, list.member());
        let refused = || Failure::new(format!("the server {name}: its list of {member} can't be read"));
        let mut result = answer.result_object().ok_or_else(refused)?;
        if result.ambiguous_member(&[member]).is_some() {
            return Err(refused());
        }
        let Some(items) = result.get(member) else { return Ok(answer) };
        let items: Vec<Members> = serde_json::from_str(items.get()).map_err(|_| refused())?;
        let offered: Vec<_> =
            items.iter().filter_map(|item| self.shared.pinned.offer_item(server, list, item)).collect();
        let as_it_came = offered.len() == items.len()
            && offered.iter().zip(&items).all(|(offered, item)| offered.get() == item.to_raw_value().get());
        if as_it_came {
            return Ok(answer);
        }
        result.set(member, to_raw_json(&offered));
        Ok(answer.with_member("result", result.to_raw_value()))
    }

    /// A list of several servers as one: prompts get joined names, resources are found again by their addresses.
    pub(super) async fn merged_list(&self, list: ListKind, frame: Frame) -> Frame {
        let (method, member) = (frame.method().unwrap_or_default(), list.member());
        let says = self.introduction.profile_for(&frame);
        self.begin_servers(&says).await;
        let (says, method) = (&says, method);
        let lists = self.servers.iter().map(async |server| {
            let mut list = Vec::new();
            let pages = server.fetch_pages(method, says, |page| {
                list.extend(page.get(member).map(parse_items).unwrap_or_default());
                Ok(())
            });
            pages.await.map(|()| list)
        });
        let mut all: Vec<Box<RawValue>> = Vec::new();
        for (server, items) in self.servers.iter().zip(join_all(lists).await) {
            match items {
                Ok(items) => all.extend(items.iter().filter_map(|item| self.listed_item(server, list, item))),
                Err(failure) => tracing::debug!(failure = failure.message, "a list is missing"),
            }
        }
        list_response(member, &all, says.era)
    }

    fn listed_item(&self, server: &Arc<Server>, list: ListKind, item: &Members) -> Option<Box<RawValue>> {
        let offered = self.shared.pinned.offer_item(server, list, item)?;
        let mut item = Members::parse(offered.get()).ok()?;
        match list {
            ListKind::Prompts => {
                if let Some(name) = item.string_member("name") {
                    item.set("name", to_raw_json(&join_name(&server.name, &name)));
                }
            }
            ListKind::Resources | ListKind::Templates => {
                if let Some(address) = item.string_member("uri").or_else(|| item.string_member("uriTemplate"))
                {
                    self.servers.saw_resource(address, server);
                }
            }
        }
        Some(item.to_raw_value())
    }
}

fn parse_items(list: &RawValue) -> Vec<Members> {
    serde_json::from_str(list.get()).unwrap_or_default()
}

/// The response with a whole list.
fn list_response(member: &str, items: &[Box<RawValue>], era: Era) -> Frame {
    let mut result = Members::default();
    if era == Era::Stateless {
        result.set("resultType", to_raw_json("complete"));
        result.set("ttlMs", to_raw_json(&0));
        result.set("cacheScope", to_raw_json("private"));
    }
    result.set(member, to_raw_json(&items));
    Frame::result(RawValue::NULL, &result)
}
