//! Requests of the client that have no response yet: each gets one, unless nobody waits for it any more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mayi_doors::task::spawn;
use serde_json::value::RawValue;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::frame::{Frame, code};
use crate::front::{Client, ClientCount, RequestKey};
use crate::members::to_raw_json;
use crate::server::{Failure, Server};

/// So many requests of one client may wait at once.
const MOST: usize = 4096;

/// The requests of one conversation.
pub(super) struct Requests {
    client: Arc<dyn Client>,
    clients: ClientCount,
    state: Mutex<State>,
    /// A request has got its response.
    settled: Notify,
}

#[derive(Default)]
struct State {
    closed: bool,
    open: HashMap<RequestKey, OpenRequest>,
    /// So many responses are on their way to the client: their requests are open no more, and have none yet.
    answering: usize,
}

/// A request.
struct OpenRequest {
    /// Its id, as the client wrote it.
    id: Box<RawValue>,
    /// Its `progressToken`.
    token: Option<Box<RawValue>>,
    /// The server that has it.
    server: Option<Arc<Server>>,
    /// Ends what mayi does for it.
    cancel: CancellationToken,
}

/// The right to answer a request: once, since answering takes it. If it is lost on the way, that is the answer.
pub(super) struct ResponseSlot {
    pub(super) key: RequestKey,
    cancel: CancellationToken,
    requests: Arc<Requests>,
}

impl ResponseSlot {
    /// Answers the request, if it still waits.
    pub(super) fn respond(self, answer: Result<Frame, Failure>) {
        self.requests.send_answer(self.key, || answer.unwrap_or_else(|failure| failure.error_response()));
    }

    /// Answers it with what `work` comes to, in a task of its own; given up when the request is cancelled.
    pub(super) fn answer_with<F>(self, work: F)
    where
        F: Future<Output = Result<Frame, Failure>> + Send + 'static,
    {
        spawn(async move {
            if let Some(answer) = self.unless_cancelled(work).await {
                self.respond(answer);
            }
        });
    }

    /// What `work` comes to; nothing, and it is given up, when the request is cancelled.
    pub(super) async fn unless_cancelled<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            () = self.cancel.cancelled() => None,
            done = work => Some(done),
        }
    }
}

impl Drop for ResponseSlot {
    /// Work that broke off answers nothing any more, and the client would wait for ever.
    fn drop(&mut self) {
        self.requests.send_answer(self.key, || Failure::new("mayi failed at this request").error_response());
    }
}

impl Requests {
    pub(super) fn new(client: Arc<dyn Client>, clients: ClientCount) -> Arc<Self> {
        Arc::new(Self { client, clients, state: Mutex::default(), settled: Notify::new() })
    }

    /// A request comes in. One that can't be taken is answered with the reason.
    pub(super) fn open(self: &Arc<Self>, frame: &Frame, key: RequestKey) -> Option<ResponseSlot> {
        let id = frame.id()?.to_owned();
        let meta = frame.params().and_then(|params| params.object_member("_meta"));
        let token = meta.and_then(|meta| meta.get("progressToken").map(ToOwned::to_owned));
        let mut state = self.lock();
        if state.closed {
            return None;
        }
        // Several clients may well use the same ids.
        let twice =
            self.clients == ClientCount::One && state.open.values().any(|open| open.id.get() == id.get());
        let why = if twice {
            "a request with this id waits already"
        } else if state.open.len() >= MOST {
            "too many requests wait already"
        } else {
            let cancel = CancellationToken::new();
            let open = OpenRequest { id, token, server: None, cancel: cancel.clone() };
            state.open.insert(key, open);
            return Some(ResponseSlot { key, cancel, requests: Arc::clone(self) });
        };
        drop(state);
        self.client.send(Frame::error(&id, code::INVALID_REQUEST, why), Some(key));
        None
    }

    /// What `work` for a request comes to; nothing, and it is given up, when the request is cancelled or was.
    pub(super) async fn unless_cancelled<T>(
        &self,
        key: RequestKey,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let cancel = self.lock().open.get(&key)?.cancel.clone();
        cancel.run_until_cancelled(work).await
    }

    /// Sends the answer to a request, if it still waits.
    fn send_answer(&self, key: RequestKey, answer: impl FnOnce() -> Frame) {
        let mut state = self.lock();
        let Some(open) = state.open.remove(&key) else { return };
        state.answering += 1;
        drop(state);
        self.client.send(answer().with_id(open.id), Some(key));
        self.lock().answering -= 1;
        self.settled.notify_waiters();
    }

    /// Notes who has the request; `false` if nobody waits for it any more.
    pub(super) fn given_to(&self, key: RequestKey, server: &Arc<Server>) -> bool {
        match self.lock().open.get_mut(&key) {
            Some(open) => {
                open.server = Some(Arc::clone(server));
                true
            }
            None => false,
        }
    }

    /// Sends a request to the server that it was given to. If it was given up since, there was nothing to cancel there yet:
    /// then the server is told now.
    pub(super) fn send(
        &self,
        key: RequestKey,
        to: &Server,
        frame: Frame,
        done: impl FnOnce(Result<Frame, Failure>) + Send + 'static,
    ) {
        to.send(key, frame.with_id(to_raw_json(&key.0)), Box::new(done));
        if !self.lock().open.contains_key(&key) {
            to.cancel_request(key, None);
        }
    }

    /// The client cancels the request to which it gave this id.
    pub(super) fn cancel_request(&self, id: &RawValue, reason: Option<&RawValue>) {
        // In the stateless era a client may not know other clients' requests, and closes its stream.
        if self.clients == ClientCount::Several {
            return;
        }
        let key = self.lock().open.iter().find(|(_, open)| open.id.get() == id.get()).map(|(key, _)| *key);
        if let Some(key) = key {
            self.give_up(key, reason);
        }
    }

    /// Nobody waits for the request any more.
    pub(super) fn give_up(&self, key: RequestKey, reason: Option<&RawValue>) {
        let open = self.lock().open.remove(&key);
        let Some(open) = open else { return };
        open.cancel.cancel();
        if let Some(server) = &open.server {
            server.cancel_request(key, reason);
        }
        self.client.forget_request(key);
        self.settled.notify_waiters();
    }

    /// The one request that waits for this server, if there is just one.
    pub(super) fn only_at(&self, server: &Server) -> Option<RequestKey> {
        let waiting = server.waiting_keys();
        let state = self.lock();
        let mut open = waiting.into_iter().filter(|key| state.open.contains_key(key));
        let first = open.next()?;
        open.next().is_none().then_some(first)
    }

    /// The one request with this `progressToken`.
    pub(super) fn with_token(&self, token: &RawValue) -> Option<RequestKey> {
        let state = self.lock();
        let has = |open: &OpenRequest| open.token.as_ref().is_some_and(|own| own.get() == token.get());
        let mut with = state.open.iter().filter(|(_, open)| has(open));
        let (key, _) = with.next()?;
        with.next().is_none().then_some(*key)
    }

    /// The id that the client gave to a request.
    pub(super) fn id_of(&self, key: RequestKey) -> Option<Box<RawValue>> {
        self.lock().open.get(&key).map(|open| open.id.clone())
    }

    /// Returns once every request has its response.
    pub(super) async fn wait_until_drained(self: Arc<Self>) {
        loop {
            let settled = self.settled.notified();
            {
                let state = self.lock();
                if state.open.is_empty() && state.answering == 0 {
                    return;
                }
            }
            settled.await;
        }
    }

    /// The client is gone: no request is taken from now on. Returns what ends the work for those that waited.
    pub(super) fn close(&self) -> Vec<CancellationToken> {
        let mut state = self.lock();
        state.closed = true;
        state.open.drain().map(|(_, open)| open.cancel).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
