//! What MCP servers say of themselves and of their tools, held to what is trusted: the same for every door that learns of it
//! (S5.6).

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use mayi_core::approval::escape_line;
use mayi_core::call::Digest;
use mayi_core::pin::{Flag, Item, MayChange, ObserveError, PinStatus, Pins};
use mayi_core::store::StoreError;
use serde_json::Value;

/// So much is told: a server that says something else each time is to fill neither the memory nor the log.
const TOLD: usize = 10_000;

/// So many new tools are told of by their names.
const NAMED: usize = 8;

/// Hears what people should know of a server: its name, and one line.
pub type NoticeSink = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// Tells people of servers, and knows what is to be told only once.
pub struct ServerNotices {
    say: NoticeSink,
    /// Also that all is as it should be.
    progress: bool,
    sent: Mutex<HashSet<String>>,
}

impl std::fmt::Debug for ServerNotices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Told").field("progress", &self.progress).finish_non_exhaustive()
    }
}

impl ServerNotices {
    /// Tells `say`; `progress`: also how servers get on.
    #[must_use]
    pub fn new(say: NoticeSink, progress: bool) -> Self {
        Self { say, progress, sent: Mutex::default() }
    }

    /// Tells a person something about a server, once.
    pub fn notify_once(&self, server: &str, text: &str) {
        let mut told = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let new = told.len() < TOLD && told.insert(format!("{server}\n{text}"));
        drop(told);
        if new {
            self.notify(server, text);
        }
    }

    /// Tells how a server gets on. In an agent's session that is the agent's to say.
    pub fn notify_progress(&self, server: &str, text: &str) {
        if self.progress {
            self.notify_once(server, text);
        }
    }

    /// Tells a person something about a server, as often as it happens.
    pub fn notify(&self, server: &str, text: &str) {
        (self.say)(server, text);
    }
}

/// What is trusted, and who hears of it.
pub struct ServerPins {
    pins: Pins,
    notices: Arc<ServerNotices>,
}

impl std::fmt::Debug for ServerPins {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pinned").finish_non_exhaustive()
    }
}

impl ServerPins {
    /// What is trusted by `pins`.
    #[must_use]
    pub fn new(pins: Pins, notices: Arc<ServerNotices>) -> Self {
        Self { pins, notices }
    }

    /// Keeps what a server says of itself, [`Item::Launch`] among it or said before, and tells what is odd about it. What
    /// `may_change` names may be said in other words.
    ///
    /// # Errors
    /// If it can't be kept: then nothing of it is trusted.
    pub fn observe_server(
        &self,
        server: &str,
        items: &[(Item, Value)],
        may_change: &MayChange,
    ) -> Result<(), String> {
        let heard = self.pins.observe_changing(server, items, may_change, Timestamp::now());
        let heard = heard.map_err(|error| match error {
            ObserveError::Store(error) => {
                format!("what the server says can't be compared with what it said: {error}")
            }
            full @ ObserveError::Full(_) => full.to_string(),
        })?;
        self.notify_new_tools(server, &heard.new);
        for (item, standing) in heard.standings {
            match standing {
                PinStatus::Trusted => {}
                PinStatus::Flagged(flags) => {
                    for flag in flags {
                        self.notices.notify_once(server, &format!("{item}: {flag}"));
                    }
                    if let Ok(Some(why)) = self.pins.why_withheld(server, &item) {
                        self.notices.notify_once(server, &format!("withheld: {why}"));
                    }
                }
                PinStatus::Changed if item == Item::Program => {
                    self.notices.notify_once(
                        server,
                        &format!(
                            "its command leads to another program than before, or to a script that holds something else; \
                             nothing is blocked by it. Look at it with `mayi mcp pins diff {name}`, and accept it with \
                             `mayi mcp pins accept {name}`",
                            name = escape_line(server)
                        ),
                    );
                }
                PinStatus::Changed => {
                    if let Some(why) = self.why_blocked(server, &item) {
                        self.notices.notify_once(server, &format!("blocked: {why}"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Tools that a server has besides those that were known.
    fn notify_new_tools(&self, server: &str, new: &[String]) {
        if new.is_empty() {
            return;
        }
        let names: Vec<String> = new.iter().take(NAMED).map(|name| escape_line(name)).collect();
        let more = new.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let tools = if new.len() == 1 { "a new tool, which is" } else { "new tools, which are" };
        self.notices
            .notify_once(server, &format!("has {tools} trusted as said now: {}{more}", names.join(", ")));
    }

    /// Why an item may not be used, if it may not.
    #[must_use]
    pub fn why_blocked(&self, server: &str, item: &Item) -> Option<String> {
        match self.pins.why_blocked(server, item) {
            Ok(why) => why.map(|why| why.to_string()),
            Err(error) => Some(unreadable_message(server, &error)),
        }
    }

    /// Why the words of an item are not handed on to a model, for the model to read, if they are not. `said`: what its server
    /// says now, where that may be another one than the last that was heard.
    #[must_use]
    pub fn why_withheld(&self, server: &str, item: &Item, said: Option<&Value>) -> Option<String> {
        let why = match said {
            Some(said) => self.pins.why_said_withheld(server, item, said),
            None => self.pins.why_withheld(server, item),
        };
        match why {
            Ok(why) => why.map(|why| why.model_text()),
            Err(error) => Some(unreadable_message(server, &error)),
        }
    }

    /// Whether anything was ever said of an item, here or in what is kept.
    ///
    /// # Errors
    /// If that can't be read; one line.
    pub fn is_known(&self, server: &str, item: &Item) -> Result<bool, String> {
        let standing =
            self.pins.item_status(server, item).map_err(|error| unreadable_message(server, &error))?;
        Ok(standing.is_some())
    }

    /// What is odd about an item, as it was said last.
    #[must_use]
    pub fn item_flags(&self, server: &str, item: &Item) -> Vec<Flag> {
        flags_of_status(self.pins.item_status(server, item).ok().flatten())
    }

    /// What is odd about an item that its server says now as `said`, and why it may not be used, if it may not: whoever else
    /// is behind the same name in this process, and whatever that one said. With the digest of what is said.
    #[must_use]
    pub fn flags_and_block(
        &self,
        server: &str,
        item: &Item,
        said: (&Value, &Digest),
    ) -> (Vec<Flag>, Option<String>) {
        match self.pins.flags_and_block(server, item, said) {
            Ok((flags, why)) => (flags, why.map(|why| why.to_string())),
            Err(error) => (Vec::new(), Some(unreadable_message(server, &error))),
        }
    }
}

/// What is odd about a tool, for who judges a call of it: one line each, and how it is accepted. Of what the server says
/// nothing stands there, since a model may be told why its call was refused.
#[must_use]
pub fn describe_flags(server: &str, tool: &str, flags: &[Flag]) -> Vec<String> {
    let mut lines: Vec<String> =
        flags.iter().map(|flag| format!("what the server says of the tool: {}", flag.summary())).collect();
    lines.dedup();
    if let Some(first) = lines.first_mut() {
        let accept = mayi_core::call::shell::join_words(
            &["mayi", "mcp", "pins", "accept", server, tool].map(str::to_owned),
        );
        first.push_str(&format!("; this is asked about until it is accepted: `{}`", escape_line(&accept)));
    }
    lines
}

fn flags_of_status(standing: Option<PinStatus>) -> Vec<Flag> {
    match standing {
        Some(PinStatus::Flagged(flags)) => flags,
        _ => Vec::new(),
    }
}

fn unreadable_message(server: &str, error: &StoreError) -> String {
    format!("what is trusted of the server {} can't be read: {error}", escape_line(server))
}
