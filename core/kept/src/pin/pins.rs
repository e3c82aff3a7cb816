//! All pins that count in this process.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use thiserror::Error;

use super::{Definition, Flag, Item, MayChange, PinnedItem, flags_of};
use crate::approval::escape_line;
use crate::store::{Change, Store, StoreError};
use mayi_call::Digest;

/// How an item stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinStatus {
    /// It is what it was when it was first seen or accepted.
    Trusted,
    /// The same, and it holds something that deserves caution, which no person has accepted.
    Flagged(Vec<Flag>),
    /// It is something else than what is trusted: blocked until a person accepts it ([`Item::Program`] is only said).
    Changed,
}

/// What came of what a server said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// How each item stands.
    pub standings: Vec<(Item, PinStatus)>,
    /// The tools that were not there before, though the server was known: trusted on first use.
    pub new: Vec<String>,
}

/// Why what a server said is not kept, and so not trusted.
#[derive(Debug, Error)]
pub enum ObserveError {
    /// The store can't be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It has said too much over time.
    #[error(
        "the server {name} has had more than {MOST} tools, or {MIB} MiB of what it says of them, so far: what is new is \
         not trusted; a person can have all of it forgotten with `mayi mcp pins forget {name}`",
        name = escape_line(.0), MIB = MOST_BYTES / 1024 / 1024
    )]
    Full(String),
}

/// So much is kept of one server, also of tools that it does not list any more: twice what it may list at once.
const MOST: usize = 20_000;
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// A server that was first seen so long ago is one that people know, in a process that has heard of no other.
const KNOWN: SignedDuration = SignedDuration::from_hours(1);

/// The most definitions of which it is remembered what is odd about them.
const MOST_FLAGS: usize = 2 * MOST;

/// Why an item of a server may not be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BlockReason {
    /// Another program answers under the server's name: everything of it is blocked.
    #[error(
        "the server {name} is started or reached in another way than the one that was accepted; a person can look at \
         it with `mayi mcp pins diff {name}` and accept it with `mayi mcp pins accept {name}`",
        name = escape_line(.0)
    )]
    Launch(String),
    /// It is not what it was.
    #[error(
        "what the server {name} says of its {item} has changed since it was accepted; a person can look at it with \
         `mayi mcp pins diff {name}` and accept it with `mayi mcp pins accept {name}`",
        name = escape_line(.0), item = .1
    )]
    Changed(String, Item),
    /// Nobody has accepted it, and it should not be handed on unseen.
    #[error(
        "what the server {name} says in its {item} deserves a look first: {flag}; a person can accept it with \
         `mayi mcp pins accept {name}`",
        name = escape_line(.0), item = .1, flag = .2
    )]
    Flagged(String, Item, Flag),
}

impl BlockReason {
    /// The same for the model, which is to read nothing of what is withheld.
    #[must_use]
    pub fn model_text(&self) -> String {
        let Self::Flagged(server, item, flag) = self else { return self.to_string() };
        let (server, what) = (escape_line(server), item.kind());
        format!(
            "what the server {server} says of this {what} is withheld, since it {}; a person can look at it with `mayi mcp \
             pins diff {server}` and accept it with `mayi mcp pins accept {server}`",
            flag.reason
        )
    }
}

/// What is trusted of each server, and what the servers of this process said.
///
/// What counts is what this process heard: another process may have another program behind the same name, and
/// what that one says is pending for both, but blocks only there.
pub struct Pins {
    store: Option<Arc<dyn Store>>,
    state: Mutex<PinsState>,
}

#[derive(Default)]
struct PinsState {
    /// The store's stamp when `kept` was read.
    stamp: Option<u64>,
    /// By server.
    stored_pins: HashMap<String, BTreeMap<Item, PinnedItem>>,
    /// What the servers of this process said last.
    definitions: HashMap<String, BTreeMap<Item, Definition>>,
    /// When they said something first, and last.
    first_observed_at: Option<Timestamp>,
    last_observed_at: Option<Timestamp>,
    /// By digest: they are looked for once.
    flags: HashMap<(Item, Digest), Vec<Flag>>,
}

impl Pins {
    /// Pins in `store`; without one, for this process.
    #[must_use]
    pub fn new(store: Option<Arc<dyn Store>>) -> Self {
        Self { store, state: Mutex::default() }
    }

    /// A server said all this of itself. What is new is kept, and trusted on first use; what has changed is kept
    /// beside what is trusted. All of it or nothing. Say `Item::Launch` first, or with the rest: while another
    /// program answers, nothing that it says is trusted, also not on first use.
    ///
    /// # Errors
    /// If the store can't be read or written, or the server has said too much.
    pub fn observe(
        &self,
        server: &str,
        said: &[(Item, Value)],
        now: Timestamp,
    ) -> Result<Observation, ObserveError> {
        self.observe_changing(server, said, &MayChange::default(), now)
    }

    /// The same, where a person lets some of the server's words change: other words in their place are trusted as words that
    /// are new, and flagged as such.
    ///
    /// # Errors
    /// The same.
    pub fn observe_changing(
        &self,
        server: &str,
        said: &[(Item, Value)],
        may_change: &MayChange,
        now: Timestamp,
    ) -> Result<Observation, ObserveError> {
        let mut state = self.lock();
        self.refresh_server(&mut state, server)?;
        if !state.has_room(server, said) {
            return Err(ObserveError::Full(server.to_owned()));
        }
        let new = state.new_tools(server, said, now);
        let program = said.iter().find(|(item, _)| *item == Item::Program).map(|(_, value)| value);
        let heard = state.definitions.entry(server.to_owned()).or_default();
        for (item, value) in said {
            let same = heard.get(item).is_some_and(|before| before.value == *value);
            if !same {
                heard.insert(item.clone(), Definition::from_server(value.clone(), program, may_change));
            }
        }
        state.last_observed_at = Some(now);
        state.first_observed_at.get_or_insert(now);
        self.commit_said(&mut state, server, now)?;
        let standing = |state: &mut PinsState, item: &Item| state.item_status(server, item);
        let standings: Vec<(Item, PinStatus)> =
            said.iter().filter_map(|(item, _)| Some((item.clone(), standing(&mut state, item)?))).collect();
        // What another program says first is not trusted.
        let blocked = |item: &Item| standings.contains(&(item.clone(), PinStatus::Changed));
        let new = if blocked(&Item::Launch) { Vec::new() } else { new };
        Ok(Observation { standings, new })
    }

    /// How an item stands; `None` if nobody has said anything of it. Cheap while nothing has changed in the store.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn item_status(&self, server: &str, item: &Item) -> Result<Option<PinStatus>, StoreError> {
        let mut state = self.lock();
        self.load_server(&mut state, server)?;
        Ok(state.item_status(server, item))
    }

    /// Why an item may not be used, if it may not: it has changed, or another program answers under the server's
    /// name, which blocks everything of it. What reaches the model without a question waits for a person too where it is
    /// flagged; of a tool that is flagged, each call is asked about.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn why_blocked(&self, server: &str, item: &Item) -> Result<Option<BlockReason>, StoreError> {
        let why = self.why_withheld(server, item)?;
        Ok(why.filter(|why| !matches!((why, item), (BlockReason::Flagged(..), Item::Tool(_)))))
    }

    /// Why the words of an item may not be handed on to a model, if they may not: it may not be used, or it is flagged.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn why_withheld(&self, server: &str, item: &Item) -> Result<Option<BlockReason>, StoreError> {
        let mut state = self.lock();
        self.load_server(&mut state, server)?;
        Ok(state.why_withheld(server, item, None))
    }

    /// Why the words `said` of an item may not be handed on to a model, if they may not: whoever else is behind the same
    /// name in this process, and whatever that one said.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn why_said_withheld(
        &self,
        server: &str,
        item: &Item,
        said: &Value,
    ) -> Result<Option<BlockReason>, StoreError> {
        let mut state = self.lock();
        self.load_server(&mut state, server)?;
        Ok(state.why_withheld(server, item, Some(said)))
    }

    /// What is odd about an item that its server says now as `said`, and why it may not be used, if it may not: whoever
    /// else is behind the same name in this process, and whatever that one said. `digest` is that of `said`.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn flags_and_block(
        &self,
        server: &str,
        item: &Item,
        (said, digest): (&Value, &Digest),
    ) -> Result<(Vec<Flag>, Option<BlockReason>), StoreError> {
        let mut state = self.lock();
        self.load_server(&mut state, server)?;
        let heard = state.definitions.get(server).and_then(|heard| heard.get(item));
        let as_heard = heard.is_some_and(|heard| heard.digest == *digest);
        let standing = state.said_status(server, item, (!as_heard).then_some(said));
        let blocked = if state.is_launch_changed(server) {
            Some(BlockReason::Launch(server.to_owned()))
        } else {
            let changed = matches!(standing, None | Some(PinStatus::Changed));
            changed.then(|| BlockReason::Changed(server.to_owned(), item.clone()))
        };
        let flags = match standing {
            Some(PinStatus::Flagged(flags)) => flags,
            _ => Vec::new(),
        };
        Ok((flags, blocked))
    }

    fn lock(&self) -> MutexGuard<'_, PinsState> {
        // What a panic elsewhere left is read again from the store, or was complete.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what `server` said in this process, as far as that is not kept yet.
    fn commit_said(&self, state: &mut PinsState, server: &str, now: Timestamp) -> Result<(), StoreError> {
        let changes = state.pending_changes(server, now);
        match &self.store {
            _ if changes.is_empty() => Ok(()),
            Some(store) => {
                store.commit(changes)?;
                state.stamp = None;
                self.refresh_server(state, server)
            }
            None => {
                state.apply_changes(changes);
                Ok(())
            }
        }
    }

    /// What is kept of `server` as it is now. What a person has had forgotten is trusted as it is said next: that was
    /// said already, where the server runs on.
    fn load_server(&self, state: &mut PinsState, server: &str) -> Result<(), StoreError> {
        self.refresh_server(state, server)?;
        match state.last_observed_at.filter(|_| state.is_forgotten(server)) {
            Some(heard_at) => self.commit_said(state, server, heard_at),
            None => Ok(()),
        }
    }

    /// Reads what is kept of `server`, if anything has changed in the store.
    fn refresh_server(&self, state: &mut PinsState, server: &str) -> Result<(), StoreError> {
        let Some(store) = &self.store else { return Ok(()) };
        let stamp = store.change_stamp()?;
        if state.stamp != Some(stamp) {
            state.stored_pins.clear();
        }
        if !state.stored_pins.contains_key(server) {
            let pins = store.read_pins(Some(server))?;
            let pins = pins.into_iter().map(|pin| (pin.item.clone(), pin)).collect();
            state.stored_pins.insert(server.to_owned(), pins);
        }
        state.stamp = Some(stamp);
        Ok(())
    }
}

impl PinsState {
    /// Whether `server` said something here, and nothing of it is kept.
    fn is_forgotten(&self, server: &str) -> bool {
        let nothing = self.stored_pins.get(server).is_none_or(BTreeMap::is_empty);
        nothing && self.definitions.get(server).is_some_and(|said| !said.is_empty())
    }

    /// Whether what is new of `said` can be kept.
    fn has_room(&self, server: &str, said: &[(Item, Value)]) -> bool {
        let kept = self.stored_pins.get(server);
        let known = |item: &Item| kept.is_some_and(|kept| kept.contains_key(item));
        let bytes = |value: &Value| value.to_string().len();
        let mut new = said.iter().filter(|(item, _)| !known(item)).peekable();
        if new.peek().is_none() {
            return true;
        }
        let sizes = |pin: &PinnedItem| {
            [&pin.trusted, &pin.pending].into_iter().flatten().map(|kept| bytes(&kept.value)).sum::<usize>()
        };
        let before = kept.map_or(0, BTreeMap::len);
        let bytes_before: usize = kept.into_iter().flat_map(BTreeMap::values).map(sizes).sum();
        let (count, size) =
            new.fold((before, bytes_before), |(count, size), (_, value)| (count + 1, size + bytes(value)));
        count <= MOST && size <= MOST_BYTES
    }

    /// The tools of `said` that were not there before, if the server was: before this process, or for long.
    fn new_tools(&self, server: &str, said: &[(Item, Value)], now: Timestamp) -> Vec<String> {
        let Some(kept) = self.stored_pins.get(server) else { return Vec::new() };
        let is_known = |pin: &PinnedItem| {
            self.first_observed_at.is_none_or(|began| pin.first_seen < began) || pin.first_seen < now - KNOWN
        };
        if !kept.get(&Item::Launch).is_some_and(is_known) {
            return Vec::new();
        }
        let new = |(item, _): &(Item, Value)| match item {
            Item::Tool(name) if !kept.contains_key(item) => Some(name.clone()),
            _ => None,
        };
        said.iter().filter_map(new).collect()
    }

    /// What has to be kept of what `server` said: nothing if all of it is as it was.
    fn pending_changes(&self, server: &str, now: Timestamp) -> Vec<Change> {
        let (Some(said), kept) = (self.definitions.get(server), self.stored_pins.get(server)) else {
            return Vec::new();
        };
        let same = |(item, said): (&Item, &Definition)| {
            kept.and_then(|kept| kept.get(item)).is_some_and(|pin| {
                let trusted = pin.trusted.as_ref().is_some_and(|trusted| said.is_same_as(trusted));
                let pending = pin.pending.as_ref();
                if trusted {
                    pending.is_none()
                } else {
                    pending.is_some_and(|pending| said.is_same_as(pending)) && pin.trusted.is_some()
                }
            })
        };
        if said.iter().all(same) {
            return Vec::new();
        }
        // `Item::Launch` comes first by its order: the others are judged by it.
        let pin = |(item, said): (&Item, &Definition)| Change::Pin {
            server: server.to_owned(),
            item: item.clone(),
            said: Box::new(said.clone()),
            at: now,
        };
        said.iter().map(pin).collect()
    }

    /// Keeps it here.
    fn apply_changes(&mut self, changes: Vec<Change>) {
        for change in changes {
            let Change::Pin { server, item, said, at } = change else { continue };
            let kept = self.stored_pins.entry(server.clone()).or_default();
            let strange = kept.get(&Item::Launch).is_some_and(PinnedItem::is_changed);
            let pin = match kept.remove(&item) {
                Some(pin) => pin.updated_with(*said, strange, at),
                None => PinnedItem::on_first_use(&server, item.clone(), *said, strange, at),
            };
            kept.insert(item, pin);
        }
    }

    /// Whether another program answers under the server's name.
    fn is_launch_changed(&mut self, server: &str) -> bool {
        self.item_status(server, &Item::Launch) == Some(PinStatus::Changed)
    }

    fn why_withheld(&mut self, server: &str, item: &Item, said: Option<&Value>) -> Option<BlockReason> {
        if self.is_launch_changed(server) {
            return Some(BlockReason::Launch(server.to_owned()));
        }
        match self.said_status(server, item, said)? {
            PinStatus::Trusted => None,
            PinStatus::Changed => Some(BlockReason::Changed(server.to_owned(), item.clone())),
            PinStatus::Flagged(flags) => {
                let first = flags.into_iter().next();
                first.map(|flag| BlockReason::Flagged(server.to_owned(), item.clone(), flag))
            }
        }
    }

    fn item_status(&mut self, server: &str, item: &Item) -> Option<PinStatus> {
        self.said_status(server, item, None)
    }

    /// How an item stands, as it was heard last, or as it is `said` now.
    fn said_status(&mut self, server: &str, item: &Item, said: Option<&Value>) -> Option<PinStatus> {
        let heard = self.definitions.get(server).and_then(|heard| heard.get(item));
        let pin = self.stored_pins.get(server).and_then(|kept| kept.get(item));
        let said = said.filter(|said| heard.is_none_or(|heard| heard.value != **said));
        let now = said.map(|said| match heard {
            Some(heard) => heard.with_value(said),
            None => Definition::from_value(said.clone()),
        });
        let (pin, said) = match (pin, now.as_ref().or(heard)) {
            (None, None) => return None,
            (Some(pin), said) => (pin, said),
            (None, Some(_)) => return Some(PinStatus::Changed),
        };
        let Some(trusted) = &pin.trusted else { return Some(PinStatus::Changed) };
        // What other processes hear of words that may change is not what is kept.
        let (same, shown) = match said {
            Some(said) if said.is_same_as(trusted) => (true, trusted),
            Some(said) if said.is_variant_of(item, trusted) => (false, said),
            None if !pin.is_changed() => (true, trusted),
            _ => return Some(PinStatus::Changed),
        };
        if same && pin.accepted_at.is_some() {
            return Some(PinStatus::Trusted);
        }
        if self.flags.len() >= MOST_FLAGS {
            self.flags.clear();
        }
        let key = (item.clone(), shown.digest.clone());
        let flags = self.flags.entry(key).or_insert_with(|| flags_of(item, &shown.value)).clone();
        Some(if flags.is_empty() { PinStatus::Trusted } else { PinStatus::Flagged(flags) })
    }
}
