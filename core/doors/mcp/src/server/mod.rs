//! A server behind the gateway, for one conversation: its connection, what waits for its answers, and what it said
//! of its tools.

mod catalogue;
mod handshake;
mod restarts;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::era::{Era, WITH_BATCHES};
use super::frame::{Frame, FrameKind, code};
use super::front::RequestKey;
use super::wire::stdio::LineSink;
use super::wire::{Incoming, Wire};
use mayi_core::call::ServerId;
use mayi_core::config::ServerLaunch;

pub(super) use catalogue::{Catalogue, Tool, blocked_tool, tools_of};
pub(super) use handshake::{Handshake, is_stateless_hello};

/// How long mayi's own requests may take: lists of tools, versions.
const OWN: Duration = Duration::from_secs(30);

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// JSON-RPC's code.
    pub(super) code: i64,
    /// One line, escaped.
    pub(super) message: String,
    /// Whether the request may have come to the server: `false` where it is certain that it did not.
    pub(super) sent: bool,
}

impl Failure {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { code: code::INTERNAL, message: message.into(), sent: false }
    }

    /// What fails a request that the server may have got.
    pub(super) fn of_sent(message: impl Into<String>) -> Self {
        Self { sent: true, ..Self::new(message) }
    }

    /// The response that says so.
    pub(super) fn error_response(&self) -> Frame {
        Frame::error(RawValue::NULL, self.code, &self.message)
    }
}

/// Does something with an answer. Called in the order of what the server sends.
type AnswerCallback = Box<dyn FnOnce(Result<Frame, Failure>) + Send>;

/// Hears what a server sends by itself.
pub(super) trait ServerListener: Send + Sync {
    /// A request of the server's.
    fn receive_request(&self, from: &Arc<Server>, frame: Frame, about: Option<RequestKey>);
    /// A notification of the server's.
    fn receive_notification(&self, from: &Arc<Server>, frame: Frame, about: Option<RequestKey>);
}

/// Makes a connection.
pub(super) type Connect = Box<dyn Fn() -> Result<Wire, String> + Send + Sync>;

/// A server.
pub(super) struct Server {
    /// Its name in rules and on cards.
    pub(super) name: String,
    /// Which one it is.
    pub(super) id: ServerId,
    /// How it is reached.
    pub(super) launch: ServerLaunch,
    /// The folder that its program starts in, and what its command led to there when it was started last.
    cwd: PathBuf,
    leads_to: Mutex<Option<Value>>,
    connect: Connect,
    say: LineSink,
    /// What still has to be done when it was stopped.
    ending: TaskTracker,
    /// Only one beginning at a time.
    beginning: tokio::sync::Mutex<()>,
    above: Mutex<Option<Weak<dyn ServerListener>>>,
    state: Mutex<State>,
}

struct State {
    link: Link,
    /// Counts connections, so that what comes late from an earlier one is known.
    generation: u64,
    /// How often it has failed without having run for a while.
    failures: u32,
    pending: HashMap<u64, AnswerCallback>,
    begun: Option<Handshake>,
    catalogue: Option<Arc<Catalogue>>,
    /// By the cursor of a page of its list of tools: so many were on the pages before it.
    pages: HashMap<String, usize>,
    /// Counts how often the list of tools was forgotten: one that was asked for before is not kept.
    changes: u64,
}

enum Link {
    /// There is a connection. `ready` unless it has to begin again first.
    Up {
        outgoing: mpsc::Sender<Frame>,
        ready: bool,
        guard: Box<dyn Send + Sync>,
        /// Nothing comes any more.
        over: CancellationToken,
    },
    /// There is none, and why.
    Down(String),
    /// There is none, and there will be none.
    Closed,
}

impl Server {
    pub(super) fn new(
        launch: ServerLaunch,
        cwd: &Path,
        connect: Connect,
        say: LineSink,
        ending: TaskTracker,
    ) -> Arc<Self> {
        let state = State {
            link: Link::Down("it was not started yet".to_owned()),
            generation: 0,
            failures: 0,
            pending: HashMap::new(),
            begun: None,
            catalogue: None,
            pages: HashMap::new(),
            changes: 0,
        };
        Arc::new(Self {
            name: launch.name.clone(),
            id: launch.transport.server_id(),
            launch,
            cwd: cwd.to_owned(),
            leads_to: Mutex::default(),
            connect,
            say,
            ending,
            beginning: tokio::sync::Mutex::new(()),
            above: Mutex::new(None),
            state: Mutex::new(state),
        })
    }

    /// Who hears what the server sends by itself.
    pub(super) fn set_listener(&self, above: Weak<dyn ServerListener>) {
        *self.above.lock().unwrap_or_else(PoisonError::into_inner) = Some(above);
    }

    /// What its command led to when it was started last.
    pub(super) fn leads_to(&self) -> Option<Value> {
        self.leads_to.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn listener(&self) -> Option<Arc<dyn ServerListener>> {
        self.above.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.upgrade()
    }

    /// What it speaks, once that is known.
    pub(super) fn era(&self) -> Option<Era> {
        self.lock().begun.as_ref().map(|begun| begun.era)
    }

    /// How it began, once it has.
    pub(super) fn handshake(&self) -> Option<Handshake> {
        self.lock().begun.clone()
    }

    /// Sends a request under the id `key`; `done` gets its answer, once.
    pub(super) fn send(&self, key: RequestKey, frame: Frame, done: AnswerCallback) {
        let mut state = self.lock();
        let sent = match &state.link {
            Link::Up { ready: false, .. } => Err("it is starting again".to_owned()),
            link => link.send(frame),
        };
        match sent {
            Ok(()) => {
                state.pending.insert(key.0, done);
            }
            Err(why) => {
                drop(state);
                done(Err(Failure::new(format!("the server {} does not answer: {why}", self.name))));
            }
        }
    }

    /// Sends a notification or a response; lost if there is no connection.
    pub(super) fn send_frame(&self, frame: Frame) {
        let _ = self.lock().link.send(frame);
    }

    /// Nobody waits for the answer to `key` any more; the server is told why.
    pub(super) fn cancel_request(&self, key: RequestKey, reason: Option<&RawValue>) {
        let mut state = self.lock();
        let Some(done) = state.pending.remove(&key.0) else { return };
        let mut params = super::members::Members::default();
        params.set("requestId", super::members::to_raw_json(&key.0));
        if let Some(reason) = reason {
            params.set("reason", reason.to_owned());
        }
        let _ = state.link.send(Frame::notification("notifications/cancelled", &params));
        // It may hold the right to answer, which looks elsewhere when it goes: not under this lock.
        drop(state);
        drop(done);
    }

    /// Asks a server whether it is one of the stateless era, in the client's own words. `None`: it says nothing.
    ///
    /// # Errors
    /// If there is no connection.
    pub(super) async fn probe(&self, params: &impl Serialize) -> Result<Option<Frame>, Failure> {
        match self.ask_within("server/discover", params, handshake::PROBE).await {
            Ok(answer) => Ok(Some(answer)),
            Err(failure) if self.is_down() => Err(failure),
            Err(_) => Ok(None),
        }
    }

    /// A request of mayi's own.
    ///
    /// # Errors
    /// If there is no answer in time. An error of the server is an answer.
    pub(super) async fn send_own_request(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<Frame, Failure> {
        if matches!(self.lock().link, Link::Up { ready: false, .. }) {
            return Err(Failure::new(format!(
                "the server {} does not answer: it is starting again",
                self.name
            )));
        }
        self.ask_within(method, params, OWN).await
    }

    async fn ask_within(
        &self,
        method: &str,
        params: &impl Serialize,
        limit: Duration,
    ) -> Result<Frame, Failure> {
        let (answer, answered) = oneshot::channel();
        let key = RequestKey::next();
        let frame = Frame::request(key.0, method, params);
        let done: AnswerCallback = Box::new(move |response| drop(answer.send(response)));
        {
            // Also before it is ready: this is how it becomes so.
            let mut state = self.lock();
            match state.link.send(frame) {
                Ok(()) => drop(state.pending.insert(key.0, done)),
                Err(why) => {
                    return Err(Failure::new(format!("the server {} does not answer: {why}", self.name)));
                }
            }
        }
        match tokio::time::timeout(limit, answered).await {
            Ok(Ok(response)) => response,
            Ok(Err(_)) => Err(Failure::new(format!("the server {} is gone", self.name))),
            Err(_) => {
                self.lock().pending.remove(&key.0);
                let seconds = limit.as_secs();
                Err(Failure::of_sent(format!(
                    "the server {} did not answer `{method}` within {seconds} s",
                    self.name
                )))
            }
        }
    }

    /// Takes what comes over the connection `generation`. Returns whether more is to come.
    fn receive_incoming(self: &Arc<Self>, generation: u64, incoming: Incoming) -> bool {
        if self.lock().generation != generation {
            return false;
        }
        match incoming {
            Incoming::Batch(messages) => {
                let legal = self.has_batches();
                for message in messages {
                    let message = if legal { message } else { self.reject_batched(message) };
                    self.receive_incoming(generation, message);
                }
            }
            Incoming::Frame { frame, about } => match frame.kind() {
                FrameKind::Response => {
                    let done = frame.numeric_id().and_then(|id| self.lock().pending.remove(&id));
                    if let Some(done) = done {
                        done(Ok(frame));
                    }
                }
                FrameKind::Request => {
                    if let Some(above) = self.listener() {
                        above.receive_request(self, frame, about.map(RequestKey));
                    }
                }
                FrameKind::Notification => {
                    if frame.method() == Some("notifications/tools/list_changed") {
                        self.lock().forget_tools();
                    }
                    if let Some(above) = self.listener() {
                        above.receive_notification(self, frame, about.map(RequestKey));
                    }
                }
            },
            Incoming::Failed { id, code, message, sent } => {
                let done = self.lock().pending.remove(&id);
                if let Some(done) = done {
                    let message = format!("the server {}: {message}", self.name);
                    done(Err(Failure { code, message, sent }));
                }
            }
            Incoming::Ended(why) => {
                self.connection_ended(generation, &why);
                return false;
            }
        }
        true
    }

    /// Whether it speaks the one version in which several messages may come at once.
    fn has_batches(&self) -> bool {
        let version = self.handshake().and_then(|begun| begun.hello.string_member("protocolVersion"));
        version.as_deref() == Some(WITH_BATCHES)
    }

    /// What becomes of a message that came with others in a version that has no such thing: who waits for it hears that at
    /// once, and the server does if it asks.
    fn reject_batched(&self, message: Incoming) -> Incoming {
        const WHY: &str = "several messages in one array, which its version of the protocol does not have";
        match message {
            Incoming::Frame { frame, .. }
                if frame.kind() == FrameKind::Response && frame.numeric_id().is_some() =>
            {
                let id = frame.numeric_id().unwrap_or_default();
                Incoming::Failed {
                    id,
                    code: code::INTERNAL,
                    message: format!("its answer came as one of {WHY}"),
                    sent: true,
                }
            }
            Incoming::Frame { frame, .. } => {
                if let (FrameKind::Request, Some(id)) = (frame.kind(), frame.id()) {
                    self.send_frame(Frame::error(id, code::INVALID_REQUEST, WHY));
                }
                Incoming::Batch(Vec::new())
            }
            other => other,
        }
    }

    /// The requests that wait for its answer, for what a server sends without saying what it belongs to.
    pub(super) fn waiting_keys(&self) -> Vec<RequestKey> {
        self.lock().pending.keys().copied().map(RequestKey).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget_tools(&mut self) {
        self.catalogue = None;
        self.changes += 1;
    }
}

impl Link {
    fn send(&self, frame: Frame) -> Result<(), String> {
        match self {
            Self::Up { outgoing: out, .. } => out.try_send(frame).map_err(|error| match error {
                mpsc::error::TrySendError::Full(_) => "it does not read what is sent to it".to_owned(),
                mpsc::error::TrySendError::Closed(_) => "it has ended".to_owned(),
            }),
            Self::Down(why) => Err(why.clone()),
            Self::Closed => Err("it was stopped".to_owned()),
        }
    }
}
