//! What servers say of themselves and of their tools, held to what is trusted: what a client and its model are told of it,
//! and what may not be called.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use jiff::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;

use super::door::Say;
use super::members::raw;
use super::server::{Catalogue, Server, Tool, blocked};
use mayi_core::approval::visible;
use mayi_core::pin::{Flag, Item, NotKept, Pins, Standing, definition_of};
use mayi_core::store::StoreError;

/// So much is told: a server that says something else each time is to fill neither the memory nor the log.
const TOLD: usize = 10_000;

/// So many new tools are told of by their names.
const NAMED: usize = 8;

/// Tells people of servers, and knows what is to be told only once.
pub(super) struct Told {
    say: Say,
    /// Also that all is as it should be.
    progress: bool,
    told: Mutex<HashSet<String>>,
}

impl Told {
    pub(super) fn new(say: Say, progress: bool) -> Self {
        Self { say, progress, told: Mutex::default() }
    }

    /// Tells a person something about a server, once.
    pub(super) fn once(&self, server: &str, text: &str) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let new = told.len() < TOLD && told.insert(format!("{server}\n{text}"));
        drop(told);
        if new {
            self.say(server, text);
        }
    }

    /// Tells how a server gets on. In an agent's session that is the agent's to say.
    pub(super) fn progress(&self, server: &str, text: &str) {
        if self.progress {
            self.once(server, text);
        }
    }

    /// Tells a person something about a server, as often as it happens.
    pub(super) fn say(&self, server: &str, text: &str) {
        (self.say)(server, text);
    }
}

/// What is trusted, for all conversations.
pub(super) struct Pinned {
    pins: Pins,
    told: Arc<Told>,
    /// The list of tools that was compared last, by server.
    seen: Mutex<HashMap<String, Weak<Catalogue>>>,
}

impl Pinned {
    pub(super) fn new(pins: Pins, told: Arc<Told>) -> Self {
        Self { pins, told, seen: Mutex::default() }
    }

    /// Compares a list with what is trusted, unless it is the one that was compared last.
    ///
    /// # Errors
    /// If it can't be kept: then nothing of it is trusted.
    pub(super) fn compare(&self, server: &Server, catalogue: &Arc<Catalogue>) -> Result<(), String> {
        let last = |last: &Weak<Catalogue>| std::ptr::eq(last.as_ptr(), Arc::as_ptr(catalogue));
        if self.seen().get(&server.name).is_some_and(last) {
            return Ok(());
        }
        self.observe(server, items_of(&catalogue.tools))?;
        self.compared(server, catalogue);
        Ok(())
    }

    /// This list was compared. Said only afterwards: until then everybody compares it.
    pub(super) fn compared(&self, server: &Server, catalogue: &Arc<Catalogue>) {
        self.seen().insert(server.name.clone(), Arc::downgrade(catalogue));
    }

    /// The `inputSchema` of a tool in the lists that were compared last. `own` gives, for a server's name, the name that the
    /// tool would have there.
    pub(super) fn schema<'a>(&self, own: impl Fn(&str) -> Option<&'a str>) -> Option<Value> {
        let schema = |(server, catalogue): (&String, &Weak<Catalogue>)| {
            catalogue.upgrade()?.get(own(server)?)?.said.get("inputSchema").cloned()
        };
        self.seen().iter().find_map(schema)
    }

    /// The tools as the client gets them, each under the name that it knows: one that is not what was trusted is listed
    /// with mayi's words in place of the server's. What is new is trusted, and said.
    pub(super) fn offered(
        &self,
        server: &Server,
        tools: &[Tool],
        name: impl Fn(&str) -> String,
    ) -> Vec<Box<RawValue>> {
        if let Err(error) = self.observe(server, items_of(tools)) {
            let error = format!("[mayi] {error}");
            return tools.iter().map(|tool| raw(&blocked(&name(&tool.name), &error))).collect();
        }
        tools.iter().map(|tool| self.offer(server, tool, &name(&tool.name))).collect()
    }

    fn offer(&self, server: &Server, tool: &Tool, name: &str) -> Box<RawValue> {
        match self.why_blocked(server, &Item::Tool(tool.name.clone())) {
            Some(why) => raw(&blocked(name, &format!("[mayi] This tool is blocked: {why}"))),
            None if name == tool.name => tool.raw.raw(),
            None => {
                let mut renamed = tool.raw.clone();
                renamed.set("name", raw(name));
                renamed.raw()
            }
        }
    }

    /// The server's own instructions, if they are what they were, and not odd. That there are none is something that it
    /// says, too: else it could add some at any time.
    pub(super) fn instructions_of(&self, server: &Server, said: Option<String>) -> Option<String> {
        let item = (Item::Instructions, said.clone().map_or(Value::Null, Value::String));
        if let Err(error) = self.observe(server, std::iter::once(item)) {
            self.told.say(&server.name, &error);
            return None;
        }
        said.filter(|_| self.why_blocked(server, &Item::Instructions).is_none())
    }

    /// Why a tool may not be called, if it may not. `said` is what this very server says of it now: another conversation
    /// has a process of its own, which may say something else.
    pub(super) fn blocked(&self, server: &Server, tool: &str, said: Option<&Tool>) -> Option<String> {
        let item = Item::Tool(tool.to_owned());
        match said {
            Some(said) => match self.pins.differs(&server.name, &item, said.digest()) {
                Ok(why) => why.map(|why| why.to_string()),
                Err(error) => Some(unreadable(server, &error)),
            },
            None => {
                self.why_blocked(server, &item).or_else(|| match self.pins.standing(&server.name, &item) {
                    // Nothing is known of it, and so nothing could be trusted.
                    Ok(None) => Some(format!("the server {} does not list a tool of this name", server.name)),
                    Ok(Some(_)) => {
                        Some(format!("the server {} does not list this tool any more", server.name))
                    }
                    Err(error) => Some(unreadable(server, &error)),
                })
            }
        }
    }

    /// What is odd about what a server says of a tool, and why the tool may not be called, if it may not. `said` as in
    /// [`Self::blocked`].
    pub(super) fn found(
        &self,
        server: &Server,
        tool: &str,
        said: Option<&Tool>,
    ) -> (Vec<Flag>, Option<String>) {
        let item = Item::Tool(tool.to_owned());
        let flags = |standing| match standing {
            Some(Standing::Flagged(flags)) => flags,
            _ => Vec::new(),
        };
        match said {
            Some(said) => match self.pins.found(&server.name, &item, said.digest()) {
                Ok((standing, why)) => (flags(standing), why.map(|why| why.to_string())),
                Err(error) => (Vec::new(), Some(unreadable(server, &error))),
            },
            None => {
                let standing = self.pins.standing(&server.name, &item).ok().flatten();
                (flags(standing), self.blocked(server, tool, None))
            }
        }
    }

    /// Keeps what a server says of itself, and tells what is odd about it.
    fn observe(&self, server: &Server, said: impl Iterator<Item = (Item, Value)>) -> Result<(), String> {
        let mut items = vec![(Item::Launch, server.launch.transport.describe())];
        items.extend(server.leads_to().map(|program| (Item::Program, program)));
        items.extend(said);
        let heard =
            self.pins.observe(&server.name, &items, Timestamp::now()).map_err(|error| match error {
                NotKept::Store(error) => {
                    format!("what the server says can't be compared with what it said: {error}")
                }
                full @ NotKept::Full(_) => full.to_string(),
            })?;
        self.told_of_new(&server.name, &heard.new);
        for (item, standing) in heard.standings {
            match standing {
                Standing::Trusted => {}
                Standing::Flagged(flags) => {
                    for flag in flags {
                        self.told.once(&server.name, &format!("{item}: {flag}"));
                    }
                    if let Some(why) = self.why_blocked(server, &item) {
                        self.told.once(&server.name, &format!("withheld: {why}"));
                    }
                }
                Standing::Changed if item == Item::Program => {
                    self.told.once(
                        &server.name,
                        &format!(
                            "its command leads to another program than before, or to a script that holds something else; \
                             nothing is blocked by it. Look at it with `mayi mcp pins diff {name}`, and accept it with \
                             `mayi mcp pins accept {name}`",
                            name = server.name
                        ),
                    );
                }
                Standing::Changed => {
                    if let Some(why) = self.why_blocked(server, &item) {
                        self.told.once(&server.name, &format!("blocked: {why}"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Tools that a server has besides those that were known.
    fn told_of_new(&self, server: &str, new: &[String]) {
        if new.is_empty() {
            return;
        }
        let names: Vec<String> = new.iter().take(NAMED).map(|name| visible(name)).collect();
        let more = new.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let tools = if new.len() == 1 { "a new tool, which is" } else { "new tools, which are" };
        self.told.once(server, &format!("has {tools} trusted as said now: {}{more}", names.join(", ")));
    }

    /// Why an item may not be used, if it may not.
    fn why_blocked(&self, server: &Server, item: &Item) -> Option<String> {
        match self.pins.blocked(&server.name, item) {
            Ok(why) => why.map(|why| why.to_string()),
            Err(error) => Some(unreadable(server, &error)),
        }
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<String, Weak<Catalogue>>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tools, as they are pinned.
fn items_of(tools: &[Tool]) -> impl Iterator<Item = (Item, Value)> {
    tools.iter().map(|tool| (Item::Tool(tool.name.clone()), definition_of(&tool.said)))
}

fn unreadable(server: &Server, error: &StoreError) -> String {
    format!("what is trusted of the server {} can't be read: {error}", server.name)
}
