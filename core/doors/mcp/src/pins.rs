//! What servers say of themselves and of their tools, held to what is trusted: what a client and its model are told of it,
//! and what may not be called.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mayi_core::call::json;
use mayi_core::pin::{Flag, Item, Pins, flags_of};
pub(super) use mayi_doors::pins::ServerNotices;
use mayi_doors::pins::ServerPins as Held;
use serde_json::Value;
use serde_json::value::RawValue;

use super::members::{Members, to_raw_json};
use super::server::{Catalogue, Server, Tool, blocked_tool};

/// A list of a server's that a model may see, besides that of its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListKind {
    Prompts,
    Resources,
    Templates,
}

impl ListKind {
    /// The list that is asked for by `method`, if it is one of these.
    pub(super) fn of_method(method: &str) -> Option<Self> {
        match method {
            "prompts/list" => Some(Self::Prompts),
            "resources/list" => Some(Self::Resources),
            "resources/templates/list" => Some(Self::Templates),
            _ => None,
        }
    }

    /// The member of a result that the list stands in.
    pub(super) fn member(self) -> &'static str {
        match self {
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
        }
    }

    /// The member of an item by which it is called.
    fn key(self) -> &'static str {
        match self {
            Self::Prompts => "name",
            Self::Resources => "uri",
            Self::Templates => "uriTemplate",
        }
    }

    fn item(self, key: &str) -> Item {
        match self {
            Self::Prompts => Item::Prompt(key.to_owned()),
            Self::Resources => Item::Resource(key.to_owned()),
            Self::Templates => Item::ResourceTemplate(key.to_owned()),
        }
    }
}

/// What is trusted, for all conversations.
pub(super) struct Pinned {
    held: Held,
    told: Arc<ServerNotices>,
    /// The list of tools that was compared last, by server.
    compared_lists: Mutex<HashMap<String, Weak<Catalogue>>>,
}

impl Pinned {
    pub(super) fn new(pins: Pins, told: Arc<ServerNotices>) -> Self {
        Self { held: Held::new(pins, Arc::clone(&told)), told, compared_lists: Mutex::default() }
    }

    /// Compares a list with what is trusted, unless it is the one that was compared last.
    ///
    /// # Errors
    /// If it can't be kept: then nothing of it is trusted.
    pub(super) fn compare_catalogue(
        &self,
        server: &Server,
        catalogue: &Arc<Catalogue>,
    ) -> Result<(), String> {
        let last = |last: &Weak<Catalogue>| std::ptr::eq(last.as_ptr(), Arc::as_ptr(catalogue));
        if self.lock_seen().get(&server.name).is_some_and(last) {
            return Ok(());
        }
        self.observe_items(server, items_of(&catalogue.tools))?;
        self.mark_compared(server, catalogue);
        Ok(())
    }

    /// This list was compared. Said only afterwards: until then everybody compares it.
    pub(super) fn mark_compared(&self, server: &Server, catalogue: &Arc<Catalogue>) {
        self.lock_seen().insert(server.name.clone(), Arc::downgrade(catalogue));
    }

    /// The `inputSchema` of a tool in the lists that were compared last. `own` gives, for a server's name, the name that the
    /// tool would have there.
    pub(super) fn tool_schema<'a>(&self, own: impl Fn(&str) -> Option<&'a str>) -> Option<Value> {
        let schema = |(server, catalogue): (&String, &Weak<Catalogue>)| {
            catalogue.upgrade()?.get(own(server)?)?.parsed.get("inputSchema").cloned()
        };
        self.lock_seen().iter().find_map(schema)
    }

    /// The tools as the client gets them, each under the name that it knows: one that is not what was trusted, or that is
    /// flagged, is listed with mayi's words in place of the server's. What is new is trusted, and said.
    pub(super) fn offered_tools(
        &self,
        server: &Server,
        tools: &[Tool],
        name: impl Fn(&str) -> String,
    ) -> Vec<Box<RawValue>> {
        if let Err(error) = self.observe_items(server, items_of(tools)) {
            let error = format!("[mayi] {error}");
            return tools.iter().map(|tool| to_raw_json(&blocked_tool(&name(&tool.name), &error))).collect();
        }
        tools.iter().map(|tool| self.offer_tool(server, tool, &name(&tool.name))).collect()
    }

    fn offer_tool(&self, server: &Server, tool: &Tool, name: &str) -> Box<RawValue> {
        let item = Item::Tool(tool.name.clone());
        match self.held.why_withheld(&server.name, &item, Some(&tool.parsed)) {
            Some(why) => {
                let called = match self.block_reason(server, &tool.name, Some(tool)) {
                    Some(_) => "is blocked",
                    None => "is not described, and each call of it is asked about",
                };
                to_raw_json(&blocked_tool(name, &format!("[mayi] This tool {called}: {why}")))
            }
            None if name == tool.name => tool.raw.to_raw_value(),
            None => {
                let mut renamed = tool.raw.clone();
                renamed.set("name", to_raw_json(name));
                renamed.to_raw_value()
            }
        }
    }

    /// A prompt, a resource or a template of resources as the client gets it: one that is flagged is listed with mayi's words
    /// in place of the server's. Only such ones are pinned: others may change. Nothing, where it can't be listed at all.
    pub(super) fn offer_item(&self, server: &Server, list: ListKind, raw: &Members) -> Option<Box<RawValue>> {
        let text = raw.to_raw_value();
        let Ok(said) = json::parse_strict(text.get()) else {
            let what = list.member();
            self.told.notify_once(
                &server.name,
                &format!("one of its {what} is left out: readers disagree about it"),
            );
            return None;
        };
        let key = said.get(list.key()).and_then(Value::as_str).unwrap_or_default();
        let item = list.item(key);
        let flags = flags_of(&item, &said);
        if flags.is_empty() {
            return Some(text);
        }
        let why = match self.observe_items(server, std::iter::once((item.clone(), said.clone()))) {
            Ok(()) => self.held.why_withheld(&server.name, &item, Some(&said)),
            Err(why) => Some(why),
        };
        let Some(why) = why else { return Some(text) };
        // Without that by which it is called there is nothing to list.
        if flags.iter().any(|flag| flag.place == list.key()) || key.is_empty() {
            return None;
        }
        let mut withheld = Members::default();
        withheld.set(list.key(), to_raw_json(key));
        if list.key() != "name" {
            withheld.set("name", to_raw_json("withheld by mayi"));
        }
        withheld
            .set("description", to_raw_json(&format!("[mayi] This {} is not described: {why}", item.kind())));
        Some(withheld.to_raw_value())
    }

    /// The server's own instructions, if they are what they were, and not odd. That there are none is something that it
    /// says, too: else it could add some at any time.
    pub(super) fn instructions_of(&self, server: &Server, said: Option<String>) -> Option<String> {
        let item = (Item::Instructions, said.clone().map_or(Value::Null, Value::String));
        if let Err(error) = self.observe_items(server, std::iter::once(item)) {
            self.told.notify(&server.name, &error);
            return None;
        }
        said.filter(|_| self.why_blocked(server, &Item::Instructions).is_none())
    }

    /// Why a tool may not be called, if it may not. `said` is what this very server says of it now: another conversation
    /// has a process of its own, which may say something else.
    pub(super) fn block_reason(&self, server: &Server, tool: &str, said: Option<&Tool>) -> Option<String> {
        self.flags_and_block(server, tool, said).1
    }

    /// What is odd about what a server says of a tool, and why the tool may not be called, if it may not. `said` as in
    /// [`Self::block_reason`].
    pub(super) fn flags_and_block(
        &self,
        server: &Server,
        tool: &str,
        said: Option<&Tool>,
    ) -> (Vec<Flag>, Option<String>) {
        let item = Item::Tool(tool.to_owned());
        if let Some(said) = said {
            return self.held.flags_and_block(&server.name, &item, (&said.parsed, said.digest()));
        }
        let why = self.why_blocked(server, &item).or_else(|| match self.held.is_known(&server.name, &item) {
            // Nothing is known of it, and so nothing could be trusted.
            Ok(false) => Some(format!("the server {} does not list a tool of this name", server.name)),
            Ok(true) => Some(format!("the server {} does not list this tool any more", server.name)),
            Err(error) => Some(error),
        });
        (self.held.item_flags(&server.name, &item), why)
    }

    /// Keeps what a server says of itself, and tells what is odd about it.
    fn observe_items(
        &self,
        server: &Server,
        said: impl Iterator<Item = (Item, Value)>,
    ) -> Result<(), String> {
        let mut items = vec![(Item::Launch, server.launch.transport.describe())];
        items.extend(server.leads_to().map(|program| (Item::Program, program)));
        items.extend(said);
        self.held.observe_server(&server.name, &items, &server.launch.may_change)
    }

    /// Why an item may not be used, if it may not.
    fn why_blocked(&self, server: &Server, item: &Item) -> Option<String> {
        self.held.why_blocked(&server.name, item)
    }

    fn lock_seen(&self) -> MutexGuard<'_, HashMap<String, Weak<Catalogue>>> {
        self.compared_lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tools, as they are pinned.
fn items_of(tools: &[Tool]) -> impl Iterator<Item = (Item, Value)> {
    tools.iter().map(|tool| (Item::Tool(tool.name.clone()), tool.parsed.clone()))
}
