//! Lists: tools as they may be shown, and the lists of several servers as one.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::json;
use serde_json::value::RawValue;

use super::Session;
use crate::era::{ClientSays, Era};
use crate::frame::{Frame, code};
use crate::front::Key;
use crate::members::{Members, raw};
use crate::server::{Catalogue, Server, tools_of};
use mayi_core::approval::visible;

/// The member that a list stands in, by its method.
const LISTS: &[(&str, &str)] = &[
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
];

impl Session {
    /// `tools/list`.
    pub(super) async fn list_tools(self: Arc<Self>, frame: Frame, key: Key) {
        let (era, says) = self.says(&frame);
        if self.shared.options.toolbelt {
            return self.respond(key, listed("tools", super::toolbelt::tools(), era));
        }
        if self.single().is_some() {
            return self.list_single(frame, key).await;
        }
        if era == Era::Stateless {
            self.begin_all(&says).await;
        }
        let tools = self.all_tools(&says).await;
        let offered = tools.iter().flat_map(|(index, catalogue)| {
            let server = self.at(*index);
            let name = |tool: &str| self.joined(&tools, *index, tool);
            server
                .map(|server| self.shared.pinned.offered(server, &catalogue.tools, name))
                .unwrap_or_default()
        });
        self.respond(key, listed("tools", offered.collect(), era));
    }

    /// The only server's list, page by page as the client asks for it.
    async fn list_single(self: &Arc<Self>, frame: Frame, key: Key) {
        let whole = frame.params().is_none_or(|params| params.get("cursor").is_none());
        let changes = self.at(0).map_or(0, |server| server.changes());
        let answer = match self.exchange(frame, key, 0).await {
            Ok(answer) => answer,
            Err(failure) => return self.respond_with(key, Err(failure)),
        };
        let (Some(server), Some(result)) = (self.at(0), answer.member("result")) else {
            return self.respond(key, answer);
        };
        let tools = match tools_of(result) {
            Ok(tools) => tools,
            Err(why) => {
                let message = format!("the server {}: {why}", server.name);
                return self.respond_error(key, code::INTERNAL, &message);
            }
        };
        let offered = self.shared.pinned.offered(server, &tools, str::to_owned);
        let Some(mut result) = answer.outcome() else { return self.respond(key, answer) };
        // As it came, unless something is blocked.
        let same = offered.iter().zip(&tools).all(|(offered, tool)| offered.get() == tool.raw.raw().get());
        if !same {
            result.set("tools", raw(&offered));
        }
        if whole && result.get("nextCursor").is_none() {
            let catalogue = server.keep_tools(tools, changes);
            self.shared.pinned.compared(server, &catalogue);
        }
        self.respond(key, if same { answer } else { answer.with("result", result.raw()) });
    }

    /// The tools of every server that answers, in the order of servers. Who does not answer is told of.
    pub(super) async fn all_tools(&self, says: &ClientSays) -> Vec<(usize, Arc<Catalogue>)> {
        self.tools_of(says, |_| true).await
    }

    /// The same of some servers: a call of one does not wait for the others.
    pub(super) async fn tools_of(
        &self,
        says: &ClientSays,
        which: impl Fn(&Server) -> bool,
    ) -> Vec<(usize, Arc<Catalogue>)> {
        let servers: Vec<_> = self.servers.iter().enumerate().filter(|(_, server)| which(server)).collect();
        let catalogues = join_all(servers.iter().map(|(_, server)| server.catalogue(says))).await;
        let mut tools = Vec::new();
        for ((index, server), catalogue) in servers.into_iter().zip(catalogues) {
            match catalogue {
                Ok(catalogue) => tools.push((index, catalogue)),
                Err(failure) => self.say(&server.name, &failure.message),
            }
        }
        tools
    }

    pub(super) async fn begin_all(&self, says: &ClientSays) {
        for begun in join_all(self.servers.iter().map(|server| server.begin_stateless(says))).await {
            if let Err(failure) = begun {
                tracing::debug!(failure = failure.message, "a server does not begin");
            }
        }
    }

    /// A list of several servers as one: prompts get joined names, resources are found again by their addresses.
    pub(super) async fn list(self: Arc<Self>, frame: Frame, key: Key) {
        let method = frame.method().unwrap_or_default().to_owned();
        let Some((_, member)) = LISTS.iter().find(|(known, _)| *known == method) else { return };
        let (era, says) = self.says(&frame);
        if era == Era::Stateless {
            self.begin_all(&says).await;
        }
        let pages = join_all(self.servers.iter().map(|server| server.pages(&method, &says))).await;
        let mut all: Vec<Box<RawValue>> = Vec::new();
        for (index, pages) in pages.into_iter().enumerate() {
            let pages = match pages {
                Ok(pages) => pages,
                Err(failure) => {
                    tracing::debug!(failure = failure.message, "a list is missing");
                    continue;
                }
            };
            for item in pages.iter().filter_map(|page| page.get(member)).flat_map(items) {
                all.push(self.listed_item(index, member, item));
            }
        }
        self.respond(key, listed(member, all, era));
    }

    fn listed_item(&self, server: usize, member: &str, mut item: Members) -> Box<RawValue> {
        match member {
            "prompts" => {
                if let (Some(name), Some(server)) = (item.string("name"), self.at(server)) {
                    item.set("name", raw(&super::route::join(&server.name, &name)));
                }
            }
            _ => {
                let address = item.string("uri").or_else(|| item.string("uriTemplate"));
                if let Some(address) = address {
                    self.lock().routes.resource(address, server);
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
fn listed(member: &str, items: Vec<Box<RawValue>>, era: Era) -> Frame {
    let mut result = Members::default();
    if era == Era::Stateless {
        result.set("resultType", raw("complete"));
        result.set("ttlMs", raw(&0));
        result.set("cacheScope", raw("private"));
    }
    result.set(member, raw(&items));
    Frame::result(RawValue::NULL, &result)
}

/// A text for a person of what a client named, escaped.
pub(super) fn shown(name: &str) -> String {
    visible(&name.chars().take(200).collect::<String>())
}

/// An empty object.
pub(super) fn nothing() -> Box<RawValue> {
    raw(&json!({}))
}
