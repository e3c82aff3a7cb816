//! One conversation with a client: what it asks goes to servers, what servers send comes to it, and `tools/call` waits
//! for the gate.

mod ask;
mod begin;
mod bridge;
mod calls;
mod downward;
mod judge;
mod lists;
mod offer;
mod resume;
mod route;
#[cfg(test)]
mod tests;
mod toolbelt;
mod upward;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::BoxFuture;
use serde_json::value::RawValue;
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use super::door::Shared;
use super::era::{ClientSays, Era};
use super::frame::{Frame, Kind};
use super::front::{Caller, Client, Clients, Conversation, Key};
use super::server::{Above, Failure, Server};
use mayi_core::call::SessionId;

/// So many requests of one client may wait at once.
const MOST: usize = 4096;

/// A conversation.
pub(super) struct Session {
    shared: Arc<Shared>,
    client: Arc<dyn Client>,
    caller: Caller,
    clients: Clients,
    /// What the gate calls it.
    id: SessionId,
    servers: Vec<Arc<Server>>,
    state: Mutex<State>,
    /// A request has got its response.
    settled: Notify,
}

#[derive(Default)]
struct State {
    closed: bool,
    /// What a client of the older era said when it began; none before, and none in the stateless era.
    older: Option<ClientSays>,
    log_level: Option<String>,
    /// Requests of the client that have no response yet.
    open: HashMap<Key, Open>,
    /// Requests of servers that the client has not answered yet, by the id that the client sees.
    upward: HashMap<u64, Upward>,
    routes: route::Routes,
    parked: resume::Parked,
    unfinished: resume::Unfinished,
}

/// A request of the client.
struct Open {
    /// Its id, as the client wrote it.
    id: Box<RawValue>,
    /// Its `progressToken`.
    token: Option<Box<RawValue>>,
    /// The server that has it.
    server: Option<usize>,
    /// Ends what mayi does for it.
    cancel: CancellationToken,
}

/// A request to the client.
enum Upward {
    /// Of a server, under this id.
    Server(usize, Box<RawValue>),
    /// Of mayi's own.
    Own(oneshot::Sender<Frame>),
}

/// A question to the client. It is taken back when nobody waits for its answer any more.
struct Asked {
    session: Arc<Session>,
    key: Key,
    answered: oneshot::Receiver<Frame>,
}

impl Asked {
    /// What the client says; nothing if it is gone.
    async fn answer(&mut self) -> Option<Frame> {
        (&mut self.answered).await.ok()
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let waits = self.session.lock().upward.remove(&self.key.0);
        if waits.is_some() {
            let params =
                serde_json::json!({ "requestId": self.key.0, "reason": "it needs no answer any more" });
            self.session.client.send(Frame::notification("notifications/cancelled", &params), None);
        }
    }
}

impl Session {
    pub(super) fn new(
        shared: Arc<Shared>,
        client: Arc<dyn Client>,
        (caller, clients): (Caller, Clients),
        id: SessionId,
        servers: Vec<Arc<Server>>,
    ) -> Arc<Self> {
        let session = Arc::new(Self {
            shared,
            client,
            caller,
            clients,
            id,
            servers,
            state: Mutex::default(),
            settled: Notify::new(),
        });
        for server in &session.servers {
            let above: Arc<dyn Above> = Arc::clone(&session) as Arc<dyn Above>;
            server.tell(Arc::downgrade(&above));
        }
        session
    }

    /// The only server, if there is just one: then names are its own.
    fn single(&self) -> Option<&Arc<Server>> {
        match self.servers.as_slice() {
            [server] => Some(server),
            _ => None,
        }
    }

    fn at(&self, server: usize) -> Option<&Arc<Server>> {
        self.servers.get(server)
    }

    fn index_of(&self, server: &Arc<Server>) -> Option<usize> {
        self.servers.iter().position(|other| Arc::ptr_eq(other, server))
    }

    /// What the client speaks in this request, and what it says of itself.
    fn says(&self, frame: &Frame) -> (Era, ClientSays) {
        let params = frame.params();
        let era = super::era::of_request(frame.method().unwrap_or_default(), params.as_ref());
        match (era, params) {
            (Era::Stateless, Some(params)) => (era, ClientSays::in_meta(&params)),
            (Era::Stateless, None) => (era, ClientSays::default()),
            (Era::Older, _) => (era, self.lock().older.clone().unwrap_or_default()),
        }
    }

    /// Answers the request `key`, if it still waits.
    fn respond(&self, key: Key, frame: Frame) {
        let open = self.lock().open.remove(&key);
        if let Some(open) = open {
            self.client.send(frame.under(open.id), Some(key));
            self.settled.notify_waiters();
        }
    }

    fn respond_error(&self, key: Key, code: i64, message: &str) {
        self.respond(key, Frame::error(RawValue::NULL, code, message));
    }

    fn respond_with(&self, key: Key, answer: Result<Frame, Failure>) {
        match answer {
            Ok(frame) => self.respond(key, frame),
            Err(failure) => self.respond(key, failure.answer(RawValue::NULL)),
        }
    }

    /// Does something for a request in a task of its own; given up when the request is cancelled.
    fn spawn<F>(self: &Arc<Self>, key: Key, work: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let Some(cancel) = self.cancelled(key) else { return };
        tokio::spawn(async move {
            tokio::select! {
                () = cancel.cancelled() => {}
                () = work => {}
            }
        });
    }

    fn cancelled(&self, key: Key) -> Option<CancellationToken> {
        self.lock().open.get(&key).map(|open| open.cancel.clone())
    }

    /// Notes who has the request; `false` if nobody waits for it any more.
    fn given_to(&self, key: Key, server: usize) -> bool {
        match self.lock().open.get_mut(&key) {
            Some(open) => {
                open.server = Some(server);
                true
            }
            None => false,
        }
    }

    /// Nobody waits for the request any more.
    fn drop_request(&self, key: Key, reason: Option<&RawValue>) {
        let open = self.lock().open.remove(&key);
        let Some(open) = open else { return };
        open.cancel.cancel();
        if let Some(server) = open.server.and_then(|server| self.at(server)) {
            server.cancel(key, reason);
        }
        self.client.forget(key);
        self.settled.notify_waiters();
    }

    /// Asks the client something.
    fn ask_client(
        self: &Arc<Self>,
        method: &str,
        params: &impl serde::Serialize,
        about: Option<Key>,
    ) -> Asked {
        let (answer, answered) = oneshot::channel();
        let key = Key::next();
        self.lock().upward.insert(key.0, Upward::Own(answer));
        self.client.send(Frame::request(key.0, method, params), about);
        Asked { session: Arc::clone(self), key, answered }
    }

    fn say(&self, server: &str, text: &str) {
        self.shared.told.again(server, text);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Conversation for Arc<Session> {
    fn receive(&self, frame: Frame, key: Option<Key>) {
        match (frame.kind(), key) {
            (Kind::Request, Some(key)) => {
                let Some(id) = frame.id().map(ToOwned::to_owned) else { return };
                let meta = frame.params().and_then(|params| params.object("_meta"));
                let token = meta.and_then(|meta| meta.get("progressToken").map(ToOwned::to_owned));
                let mut state = self.lock();
                if state.closed {
                    return;
                }
                let twice =
                    self.clients == Clients::One && state.open.values().any(|open| open.id.get() == id.get());
                let full = state.open.len() >= MOST;
                if twice || full {
                    drop(state);
                    let why = if twice {
                        "a request with this id waits already"
                    } else {
                        "too many requests wait already"
                    };
                    self.client.send(Frame::error(&id, super::code::INVALID_REQUEST, why), Some(key));
                    return;
                }
                let open = Open { id, token, server: None, cancel: CancellationToken::new() };
                state.open.insert(key, open);
                drop(state);
                self.request(frame, key);
            }
            (Kind::Notification, _) => self.notified(frame),
            (Kind::Response, _) => self.answered(frame),
            (Kind::Request, None) => {}
        }
    }

    fn abandon(&self, key: Key) {
        self.drop_request(key, None);
    }

    fn drained(&self) -> BoxFuture<'static, ()> {
        let session = Self::clone(self);
        Box::pin(async move {
            loop {
                let settled = session.settled.notified();
                if session.lock().open.is_empty() {
                    return;
                }
                settled.await;
            }
        })
    }

    fn close(&self) {
        let open = {
            let mut state = self.lock();
            state.closed = true;
            state.parked = resume::Parked::default();
            state.upward.clear();
            std::mem::take(&mut state.open)
        };
        for open in open.into_values() {
            open.cancel.cancel();
        }
        for server in &self.servers {
            server.stop();
        }
        self.shared.gate.close_session(&self.id);
    }
}
