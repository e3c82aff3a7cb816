//! All pins that count in this process.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::Value;
use thiserror::Error;

use super::{Definition, Flag, Item, Pinned, flags_of};
use crate::approval::visible;
use crate::store::{Change, Store, StoreError};
use mayi_call::Digest;

/// How an item stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is what it was when it was first seen or accepted.
    Trusted,
    /// The same, and it holds something that deserves caution.
    Flagged(Vec<Flag>),
    /// It is something else than what is trusted: blocked until a person accepts it.
    Changed,
}

/// Why an item of a server may not be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Why {
    /// Another program answers under the server's name: everything of it is blocked.
    #[error(
        "the server {name} is started or reached in another way than the one that was accepted; a person can look at \
         it with `mayi mcp pins diff {name}` and accept it with `mayi mcp pins accept {name}`",
        name = visible(.0)
    )]
    Launch(String),
    /// It is not what it was.
    #[error(
        "what the server {name} says of its {item} has changed since it was accepted; a person can look at it with \
         `mayi mcp pins diff {name}` and accept it with `mayi mcp pins accept {name}`",
        name = visible(.0), item = .1
    )]
    Changed(String, Item),
}

/// What is trusted of each server, and what the servers of this process said.
///
/// What counts is what this process heard: another process may have another program behind the same name, and
/// what that one says is pending for both, but blocks only there.
pub struct Pins {
    store: Option<Arc<dyn Store>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The store's stamp when `kept` was read.
    stamp: Option<u64>,
    /// By server.
    kept: HashMap<String, BTreeMap<Item, Pinned>>,
    /// What the servers of this process said last.
    said: HashMap<String, BTreeMap<Item, Definition>>,
    /// When they said something last.
    heard_at: Option<Timestamp>,
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
    /// If the store can't be read or written.
    pub fn observe(
        &self,
        server: &str,
        said: &[(Item, Value)],
        now: Timestamp,
    ) -> Result<Vec<(Item, Standing)>, StoreError> {
        let mut state = self.lock();
        let heard = state.said.entry(server.to_owned()).or_default();
        for (item, value) in said {
            heard.insert(item.clone(), Definition::of(value.clone()));
        }
        state.heard_at = Some(now);
        self.refresh(&mut state, server)?;
        self.keep(&mut state, server, now)?;
        let standing = |state: &mut State, item: &Item| state.standing(server, item);
        Ok(said.iter().filter_map(|(item, _)| Some((item.clone(), standing(&mut state, item)?))).collect())
    }

    /// How an item stands; `None` if nobody has said anything of it. Cheap while nothing has changed in the store.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn standing(&self, server: &str, item: &Item) -> Result<Option<Standing>, StoreError> {
        let mut state = self.lock();
        self.look(&mut state, server)?;
        Ok(state.standing(server, item))
    }

    /// Why an item may not be used, if it may not: it has changed, or another program answers under the server's
    /// name, which blocks everything of it.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn blocked(&self, server: &str, item: &Item) -> Result<Option<Why>, StoreError> {
        let mut state = self.lock();
        self.look(&mut state, server)?;
        if state.standing(server, &Item::Launch) == Some(Standing::Changed) {
            return Ok(Some(Why::Launch(server.to_owned())));
        }
        let changed = state.standing(server, item) == Some(Standing::Changed);
        Ok(changed.then(|| Why::Changed(server.to_owned(), item.clone())))
    }

    /// Why an item may not be used that its server says now as `said`: whoever else is behind the same name in this
    /// process, and whatever that one said.
    ///
    /// # Errors
    /// If the store can't be read.
    pub fn differs(&self, server: &str, item: &Item, said: &Digest) -> Result<Option<Why>, StoreError> {
        let mut state = self.lock();
        self.look(&mut state, server)?;
        if state.standing(server, &Item::Launch) == Some(Standing::Changed) {
            return Ok(Some(Why::Launch(server.to_owned())));
        }
        let trusted = state.kept.get(server).and_then(|kept| kept.get(item)?.trusted.as_ref());
        let same = trusted.is_some_and(|trusted| trusted.digest == *said);
        Ok((!same).then(|| Why::Changed(server.to_owned(), item.clone())))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // What a panic elsewhere left is read again from the store, or was complete.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what `server` said in this process, as far as that is not kept yet.
    fn keep(&self, state: &mut State, server: &str, now: Timestamp) -> Result<(), StoreError> {
        let changes = state.telling(server, now);
        match &self.store {
            _ if changes.is_empty() => Ok(()),
            Some(store) => {
                store.commit(changes)?;
                state.stamp = None;
                self.refresh(state, server)
            }
            None => {
                state.take(changes);
                Ok(())
            }
        }
    }

    /// What is kept of `server` as it is now. What a person has had forgotten is trusted as it is said next: that was
    /// said already, where the server runs on.
    fn look(&self, state: &mut State, server: &str) -> Result<(), StoreError> {
        self.refresh(state, server)?;
        match state.heard_at.filter(|_| state.is_forgotten(server)) {
            Some(heard_at) => self.keep(state, server, heard_at),
            None => Ok(()),
        }
    }

    /// Reads what is kept of `server`, if anything has changed in the store.
    fn refresh(&self, state: &mut State, server: &str) -> Result<(), StoreError> {
        let Some(store) = &self.store else { return Ok(()) };
        let stamp = store.stamp()?;
        if state.stamp != Some(stamp) {
            state.kept.clear();
        }
        if !state.kept.contains_key(server) {
            let pins = store.pins(Some(server))?;
            let pins = pins.into_iter().map(|pin| (pin.item.clone(), pin)).collect();
            state.kept.insert(server.to_owned(), pins);
        }
        state.stamp = Some(stamp);
        Ok(())
    }
}

impl State {
    /// Whether `server` said something here, and nothing of it is kept.
    fn is_forgotten(&self, server: &str) -> bool {
        let nothing = self.kept.get(server).is_none_or(BTreeMap::is_empty);
        nothing && self.said.get(server).is_some_and(|said| !said.is_empty())
    }

    /// What has to be kept of what `server` said: nothing if all of it is as it was.
    fn telling(&self, server: &str, now: Timestamp) -> Vec<Change> {
        let (Some(said), kept) = (self.said.get(server), self.kept.get(server)) else { return Vec::new() };
        let same = |(item, said): (&Item, &Definition)| {
            kept.and_then(|kept| kept.get(item)).is_some_and(|pin| {
                let trusted = pin.trusted.as_ref().is_some_and(|trusted| trusted.digest == said.digest);
                let pending = pin.pending.as_ref().map(|pending| &pending.digest);
                if trusted {
                    pending.is_none()
                } else {
                    pending == Some(&said.digest) && pin.trusted.is_some()
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
    fn take(&mut self, changes: Vec<Change>) {
        for change in changes {
            let Change::Pin { server, item, said, at } = change else { continue };
            let kept = self.kept.entry(server.clone()).or_default();
            let strange = kept.get(&Item::Launch).is_some_and(Pinned::is_changed);
            let pin = match kept.remove(&item) {
                Some(pin) => pin.after(*said, strange, at),
                None => Pinned::first(&server, item.clone(), *said, strange, at),
            };
            kept.insert(item, pin);
        }
    }

    fn standing(&mut self, server: &str, item: &Item) -> Option<Standing> {
        let said = self.said.get(server).and_then(|said| said.get(item));
        let pin = self.kept.get(server).and_then(|kept| kept.get(item));
        let trusted = match (pin, said) {
            (None, None) => return None,
            (Some(Pinned { trusted: Some(trusted), .. }), Some(said)) if trusted.digest == said.digest => {
                trusted
            }
            (Some(Pinned { trusted: Some(trusted), pending: None, .. }), None) => trusted,
            _ => return Some(Standing::Changed),
        };
        let key = (item.clone(), trusted.digest.clone());
        let flags = self.flags.entry(key).or_insert_with(|| flags_of(item, &trusted.value)).clone();
        Some(if flags.is_empty() { Standing::Trusted } else { Standing::Flagged(flags) })
    }
}
