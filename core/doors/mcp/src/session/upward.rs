//! From the servers to the client.

use std::sync::Arc;

use serde_json::json;
use serde_json::value::RawValue;

use super::{Session, Upward};
use crate::era::meta;
use crate::frame::{Frame, code};
use crate::front::Key;
use crate::members::{Members, raw};
use crate::server::{Above, Server};

/// So many requests of servers may wait for the client.
const MOST: usize = 1024;

impl Above for Session {
    fn request(&self, from: &Arc<Server>, frame: Frame, about: Option<Key>) {
        let (Some(id), Some(server)) = (frame.id().map(ToOwned::to_owned), self.index_of(from)) else {
            return;
        };
        if frame.method() == Some("ping") {
            return from.pass(Frame::result(&id, &json!({})));
        }
        let about = about.or_else(|| self.only_request_at(from));
        let mut state = self.lock();
        // A client of the stateless era takes no requests, and was not offered as one that does.
        let refused = state.older.is_none() || state.closed || state.upward.len() >= MOST;
        if refused {
            drop(state);
            let message = "the client takes no requests of servers";
            return from.pass(Frame::error(&id, code::METHOD_NOT_FOUND, message));
        }
        let key = Key::next();
        state.upward.insert(key.0, Upward::Server(server, id));
        drop(state);
        self.client.send(frame.under(raw(&key.0)), about);
    }

    fn notification(&self, from: &Arc<Server>, frame: Frame, about: Option<Key>) {
        let params = frame.params().unwrap_or_default();
        match frame.method().unwrap_or_default() {
            "notifications/cancelled" => {
                let Some(frame) = self.cancel_upward(from, frame, params) else { return };
                self.client.send(frame, about);
            }
            "notifications/progress" => {
                let token = params.get("progressToken").map(RawValue::get);
                let about = about.or_else(|| self.request_with(token));
                // A token that belongs to nobody here is of a request that has ended.
                if about.is_some() {
                    self.client.send(frame, about);
                }
            }
            _ => {
                let (frame, about) = self.of_subscription(frame, params, about);
                self.client.send(frame, about.or_else(|| self.only_request_at(from)));
            }
        }
    }
}

impl Session {
    /// The one request that waits for this server, if there is just one.
    fn only_request_at(&self, server: &Server) -> Option<Key> {
        let waiting = server.waiting();
        let state = self.lock();
        let mut open = waiting.into_iter().filter(|key| state.open.contains_key(key));
        let first = open.next()?;
        open.next().is_none().then_some(first)
    }

    /// The one request with this `progressToken`.
    fn request_with(&self, token: Option<&str>) -> Option<Key> {
        let token = token?;
        let state = self.lock();
        let mut with =
            state.open.iter().filter(|(_, open)| open.token.as_ref().is_some_and(|own| own.get() == token));
        let (key, _) = with.next()?;
        with.next().is_none().then_some(*key)
    }

    /// A server takes back a request: the client knows it under another id.
    fn cancel_upward(&self, from: &Arc<Server>, frame: Frame, mut params: Members) -> Option<Frame> {
        let (server, id) = (self.index_of(from)?, params.get("requestId")?.get().to_owned());
        let mut state = self.lock();
        let key = state.upward.iter().find_map(|(key, upward)| match upward {
            Upward::Server(other, own) if *other == server && own.get() == id => Some(*key),
            _ => None,
        })?;
        state.upward.remove(&key);
        params.set("requestId", raw(&key));
        Some(frame.with("params", params.raw()))
    }

    /// What belongs to a subscription names the request that opened it: by the client's own id.
    fn of_subscription(&self, frame: Frame, mut params: Members, about: Option<Key>) -> (Frame, Option<Key>) {
        let Some(mut meta) = params.object("_meta") else { return (frame, about) };
        let named =
            meta.get(meta::SUBSCRIPTION).and_then(|id| id.get().trim_matches('"').parse().ok().map(Key));
        let Some(key) = named else { return (frame, about) };
        let Some(id) = self.lock().open.get(&key).map(|open| open.id.clone()) else { return (frame, about) };
        meta.set(meta::SUBSCRIPTION, id);
        params.set("_meta", meta.raw());
        (frame.with("params", params.raw()), Some(key))
    }
}
