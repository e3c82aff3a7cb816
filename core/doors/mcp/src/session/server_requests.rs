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
use crate::front::{Client, RequestKey};
use crate::members::{Members, to_raw_json};
use crate::server::{Server, ServerListener};

/// So many requests of servers may wait for the client.
const MOST: usize = 1024;

/// What goes up to the client.
pub(super) struct Upward {
    client: Arc<dyn Client>,
    introduction: Arc<Introduction>,
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
pub(super) struct ClientQuestion {
    upward: Arc<Upward>,
    key: RequestKey,
    answered: oneshot::Receiver<Frame>,
}

impl ClientQuestion {
    /// What the client says; nothing if it is gone.
    pub(super) async fn wait_for_answer(&mut self) -> Option<Frame> {
        (&mut self.answered).await.ok()
    }
}

impl Drop for ClientQuestion {
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
        Arc::new(Self { client, introduction: said, requests, state: Mutex::default() })
    }

    /// Asks the client something; nothing if it is gone, and then there is no answer.
    pub(super) fn ask_client(
        self: &Arc<Self>,
        method: &str,
        params: &impl serde::Serialize,
        about: Option<RequestKey>,
    ) -> ClientQuestion {
        let (answer, answered) = oneshot::channel();
        let key = RequestKey::next();
        let mut state = self.lock();
        let open = !state.closed;
        if open {
            state.waiting.insert(key.0, Asker::Own(answer));
        }
        drop(state);
        if open {
            self.client.send(Frame::request(key.0, method, params), about);
        }
        ClientQuestion { upward: Arc::clone(self), key, answered }
    }

    /// The client answers a request of a server, or of mayi's.
    pub(super) fn receive_answer(&self, frame: Frame) {
        let asker = frame.numeric_id().and_then(|id| self.lock().waiting.remove(&id));
        match asker {
            Some(Asker::Own(answer)) => drop(answer.send(frame)),
            Some(Asker::Server(server, id)) => server.send_frame(frame.with_id(id)),
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
    pub(super) fn waiting_count(&self) -> usize {
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
        params.set("requestId", to_raw_json(&key));
        Some(frame.with_member("params", params.to_raw_value()))
    }

    /// What belongs to a subscription names the request that opened it: by the client's own id. None, if that is over: it is
    /// nobody else's.
    fn of_subscription(
        &self,
        frame: Frame,
        mut params: Members,
        about: Option<RequestKey>,
    ) -> Option<(Frame, Option<RequestKey>)> {
        let Some(mut meta) = params.object_member("_meta") else { return Some((frame, about)) };
        let named = meta
            .get(meta::SUBSCRIPTION)
            .and_then(|id| id.get().trim_matches('"').parse().ok().map(RequestKey));
        let Some(key) = named else { return Some((frame, about)) };
        let id = self.requests.id_of(key)?;
        meta.set(meta::SUBSCRIPTION, id);
        params.set("_meta", meta.to_raw_value());
        Some((frame.with_member("params", params.to_raw_value()), Some(key)))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerListener for Upward {
    fn receive_request(&self, from: &Arc<Server>, frame: Frame, about: Option<RequestKey>) {
        let Some(id) = frame.id().map(ToOwned::to_owned) else { return };
        if frame.method() == Some("ping") {
            return from.send_frame(Frame::result(&id, &json!({})));
        }
        let about = about.or_else(|| self.requests.only_at(from));
        // A client of the stateless era takes no requests, and was not offered as one that does.
        let takes = self.introduction.has_begun();
        let mut state = self.lock();
        if !takes || state.closed || state.waiting.len() >= MOST {
            drop(state);
            let message = "the client takes no requests of servers";
            return from.send_frame(Frame::error(&id, code::METHOD_NOT_FOUND, message));
        }
        let key = RequestKey::next();
        state.waiting.insert(key.0, Asker::Server(Arc::clone(from), id));
        drop(state);
        self.client.send(frame.with_id(to_raw_json(&key.0)), about);
    }

    fn receive_notification(&self, from: &Arc<Server>, frame: Frame, about: Option<RequestKey>) {
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
                let Some((frame, about)) = self.of_subscription(frame, params, about) else { return };
                self.client.send(frame, about.or_else(|| self.requests.only_at(from)));
            }
        }
    }
}
