//! What MCP servers say of themselves and of their tools, held to what is trusted: the same for every door that learns of it
//! (S5.6).

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use mayi_core::approval::visible;
use mayi_core::call::Digest;
use mayi_core::pin::{Flag, Item, NotKept, Pins, Standing};
use mayi_core::store::StoreError;
use serde_json::Value;

/// So much is told: a server that says something else each time is to fill neither the memory nor the log.
const TOLD: usize = 10_000;

/// So many new tools are told of by their names.
const NAMED: usize = 8;

/// Hears what people should know of a server: its name, and one line.
pub type Say = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// Tells people of servers, and knows what is to be told only once.
pub struct Told {
    say: Say,
    /// Also that all is as it should be.
    progress: bool,
    told: Mutex<HashSet<String>>,
}

impl std::fmt::Debug for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Told").field("progress", &self.progress).finish_non_exhaustive()
    }
}

impl Told {
    /// Tells `say`; `progress`: also how servers get on.
    #[must_use]
    pub fn new(say: Say, progress: bool) -> Self {
        Self { say, progress, told: Mutex::default() }
    }

    /// Tells a person something about a server, once.
    pub fn once(&self, server: &str, text: &str) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let new = told.len() < TOLD && told.insert(format!("{server}\n{text}"));
        drop(told);
        if new {
            self.say(server, text);
        }
    }

    /// Tells how a server gets on. In an agent's session that is the agent's to say.
    pub fn progress(&self, server: &str, text: &str) {
        if self.progress {
            self.once(server, text);
        }
    }

    /// Tells a person something about a server, as often as it happens.
    pub fn say(&self, server: &str, text: &str) {
        (self.say)(server, text);
    }
}

/// What is trusted, and who hears of it.
pub struct Pinned {
    pins: Pins,
    told: Arc<Told>,
}

impl std::fmt::Debug for Pinned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pinned").finish_non_exhaustive()
    }
}

impl Pinned {
    /// What is trusted by `pins`.
    #[must_use]
    pub fn new(pins: Pins, told: Arc<Told>) -> Self {
        Self { pins, told }
    }

    /// Keeps what a server says of itself, [`Item::Launch`] among it or said before, and tells what is odd about it.
    ///
    /// # Errors
    /// If it can't be kept: then nothing of it is trusted.
    pub fn observe(&self, server: &str, items: &[(Item, Value)]) -> Result<(), String> {
        let heard = self.pins.observe(server, items, Timestamp::now()).map_err(|error| match error {
            NotKept::Store(error) => {
                format!("what the server says can't be compared with what it said: {error}")
            }
            full @ NotKept::Full(_) => full.to_string(),
        })?;
        self.told_of_new(server, &heard.new);
        for (item, standing) in heard.standings {
            match standing {
                Standing::Trusted => {}
                Standing::Flagged(flags) => {
                    for flag in flags {
                        self.told.once(server, &format!("{item}: {flag}"));
                    }
                    if let Some(why) = self.why_blocked(server, &item) {
                        self.told.once(server, &format!("withheld: {why}"));
                    }
                }
                Standing::Changed if item == Item::Program => {
                    self.told.once(
                        server,
                        &format!(
                            "its command leads to another program than before, or to a script that holds something else; \
                             nothing is blocked by it. Look at it with `mayi mcp pins diff {name}`, and accept it with \
                             `mayi mcp pins accept {name}`",
                            name = visible(server)
                        ),
                    );
                }
                Standing::Changed => {
                    if let Some(why) = self.why_blocked(server, &item) {
                        self.told.once(server, &format!("blocked: {why}"));
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
    #[must_use]
    pub fn why_blocked(&self, server: &str, item: &Item) -> Option<String> {
        match self.pins.blocked(server, item) {
            Ok(why) => why.map(|why| why.to_string()),
            Err(error) => Some(unreadable(server, &error)),
        }
    }

    /// Why an item may not be used that its server says now as `said`, if it may not: whoever else is behind the same name in
    /// this process, and whatever that one said.
    #[must_use]
    pub fn differs(&self, server: &str, item: &Item, said: &Digest) -> Option<String> {
        match self.pins.differs(server, item, said) {
            Ok(why) => why.map(|why| why.to_string()),
            Err(error) => Some(unreadable(server, &error)),
        }
    }

    /// Whether anything was ever said of an item, here or in what is kept.
    ///
    /// # Errors
    /// If that can't be read; one line.
    pub fn is_known(&self, server: &str, item: &Item) -> Result<bool, String> {
        let standing = self.pins.standing(server, item).map_err(|error| unreadable(server, &error))?;
        Ok(standing.is_some())
    }

    /// What is odd about an item, as it was said last.
    #[must_use]
    pub fn flags(&self, server: &str, item: &Item) -> Vec<Flag> {
        flags(self.pins.standing(server, item).ok().flatten())
    }

    /// [`Self::flags`] and [`Self::differs`], by one look at the store.
    #[must_use]
    pub fn found(&self, server: &str, item: &Item, said: &Digest) -> (Vec<Flag>, Option<String>) {
        match self.pins.found(server, item, said) {
            Ok((standing, why)) => (flags(standing), why.map(|why| why.to_string())),
            Err(error) => (Vec::new(), Some(unreadable(server, &error))),
        }
    }
}

/// What is odd about a tool, for who judges a call of it: one line each, and how it is accepted.
#[must_use]
pub fn flagged(server: &str, tool: &str, flags: &[Flag]) -> Vec<String> {
    let mut lines: Vec<String> =
        flags.iter().map(|flag| format!("what the server says of the tool: {flag}")).collect();
    if let Some(first) = lines.first_mut() {
        let accept =
            mayi_core::call::shell::join(&["mayi", "mcp", "pins", "accept", server, tool].map(str::to_owned));
        first.push_str(&format!("; this is asked about until it is accepted: `{}`", visible(&accept)));
    }
    lines
}

fn flags(standing: Option<Standing>) -> Vec<Flag> {
    match standing {
        Some(Standing::Flagged(flags)) => flags,
        _ => Vec::new(),
    }
}

fn unreadable(server: &str, error: &StoreError) -> String {
    format!("what is trusted of the server {} can't be read: {error}", visible(server))
}
