//! From the servers to the client: their requests and mayi's own questions, which wait for its answers, and their
//! notifications.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::requests::Requests;
use crate::era::{Introduction, meta};
use crate::frame::{Frame, code};
use crate::front::{Client, Key};
use crate::members::{Members, raw};
use crate::server::{Above, Server};

/// So many requests of servers may wait for the client.
const MOST: usize = 1024;

/// What goes up to the client.
pub(super) struct Upward {
    client: Arc<dyn Client>,
    said: Arc<Introduction>,
    requests: Arc<Requests>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    closed: bool,
    /// What the client has not answered yet, by the id that it sees.
    waiting: HashMap<u64, Asker>,
}

/// Who asks the client something.
enum Asker {
    /// A server, under this id.
    Server(Arc<Server>, Box<RawValue>),
    /// mayi itself.
    Own(oneshot::Sender<Frame>),
}

/// A question of mayi's to the client. It is taken back when nobody waits for its answer any more.
pub(super) struct Asked {
    upward: Arc<Upward>,
    key: Key,
    answered: oneshot::Receiver<Frame>,
}

impl Asked {
    /// What the client says; nothing if it is gone.
    pub(super) async fn answer(&mut self) -> Option<Frame> {
        (&mut self.answered).await.ok()
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let waits = self.upward.lock().waiting.remove(&self.key.0);
        if waits.is_some() {
            let params = json!({ "requestId": self.key.0, "reason": "it needs no answer any more" });
            self.upward.client.send(Frame::notification("notifications/cancelled", &params), None);
        }
    }
}

impl Upward {
    pub(super) fn new(
        client: Arc<dyn Client>,
        said: Arc<Introduction>,
        requests: Arc<Requests>,
    ) -> Arc<Self> {
        Arc::new(Self { client, said, requests, state: Mutex::default() })
    }

    /// Asks the client something; nothing if it is gone, and then there is no answer.
    pub(super) fn ask(
        self: &Arc<Self>,
        method: &str,
        params: &impl serde::Serialize,
        about: Option<Key>,
    ) -> Asked {
        let (answer, answered) = oneshot::channel();
        let key = Key::next();
        let mut state = self.lock();
        let open = !state.closed;
        if open {
            state.waiting.insert(key.0, Asker::Own(answer));
        }
        drop(state);
        if open {
            self.client.send(Frame::request(key.0, method, params), about);
        }
        Asked { upward: Arc::clone(self), key, answered }
    }

    /// The client answers a request of a server, or of mayi's.
    pub(super) fn answered(&self, frame: Frame) {
        let asker = frame.number().and_then(|id| self.lock().waiting.remove(&id));
        match asker {
            Some(Asker::Own(answer)) => drop(answer.send(frame)),
            Some(Asker::Server(server, id)) => server.pass(frame.under(id)),
            None => {}
        }
    }

    /// The client is gone: it is asked nothing by servers, and what it was asked has no answer.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.waiting.clear();
    }

    /// How many questions wait.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    /// A server takes back a request: the client knows it under another id.
    fn taken_back(&self, from: &Arc<Server>, frame: Frame, mut params: Members) -> Option<Frame> {
        let id = params.get("requestId")?.get().to_owned();
        let mut state = self.lock();
        let key = state.waiting.iter().find_map(|(key, asker)| match asker {
            Asker::Server(other, own) if Arc::ptr_eq(other, from) && own.get() == id => Some(*key),
            _ => None,
        })?;
        state.waiting.remove(&key);
        params.set("requestId", raw(&key));
        Some(frame.with("params", params.raw()))
    }

    /// What belongs to a subscription names the request that opened it: by the client's own id.
    fn of_subscription(&self, frame: Frame, mut params: Members, about: Option<Key>) -> (Frame, Option<Key>) {
        let Some(mut meta) = params.object("_meta") else { return (frame, about) };
        let named =
            meta.get(meta::SUBSCRIPTION).and_then(|id| id.get().trim_matches('"').parse().ok().map(Key));
        let Some(key) = named else { return (frame, about) };
        let Some(id) = self.requests.id_of(key) else { return (frame, about) };
        meta.set(meta::SUBSCRIPTION, id);
        params.set("_meta", meta.raw());
        (frame.with("params", params.raw()), Some(key))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Above for Upward {
    fn request(&self, from: &Arc<Server>, frame: Frame, about: Option<Key>) {
        let Some(id) = frame.id().map(ToOwned::to_owned) else { return };
        if frame.method() == Some("ping") {
            return from.pass(Frame::result(&id, &json!({})));
        }
        let about = about.or_else(|| self.requests.only_at(from));
        // A client of the stateless era takes no requests, and was not offered as one that does.
        let takes = self.said.has_begun();
        let mut state = self.lock();
        if !takes || state.closed || state.waiting.len() >= MOST {
            drop(state);
            let message = "the client takes no requests of servers";
            return from.pass(Frame::error(&id, code::METHOD_NOT_FOUND, message));
        }
        let key = Key::next();
        state.waiting.insert(key.0, Asker::Server(Arc::clone(from), id));
        drop(state);
        self.client.send(frame.under(raw(&key.0)), about);
    }

    fn notification(&self, from: &Arc<Server>, frame: Frame, about: Option<Key>) {
        let params = frame.params().unwrap_or_default();
        match frame.method().unwrap_or_default() {
            "notifications/cancelled" => {
                let Some(frame) = self.taken_back(from, frame, params) else { return };
                self.client.send(frame, about);
            }
            "notifications/progress" => {
                let token = params.get("progressToken");
                let about = about.or_else(|| self.requests.with_token(token?));
                // A token that belongs to nobody here is of a request that has ended.
                if about.is_some() {
                    self.client.send(frame, about);
                }
            }
            _ => {
                let (frame, about) = self.of_subscription(frame, params, about);
                self.client.send(frame, about.or_else(|| self.requests.only_at(from)));
            }
        }
    }
}
