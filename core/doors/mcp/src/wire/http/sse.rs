//! HTTP with SSE, the transport of MCP 2024-11-05: one stream of events down, whose first event names the address that messages
//! are POSTed to. All answers come from the stream.
//!
//! The stream is opened when there is something to send. When it breaks, what waits for an answer fails, and is not sent again:
//! whoever has the wire connects anew, at once where a conversation had begun.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{Method, header};
use reqwest::Response;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use url::Url;

use super::Shared;
use super::events::{EventParser, ServerSentEvent};
use super::listen::is_stream;
use super::reply::{RequestFailure, failure_reason, read_text};
use super::run::{INITIALIZED, MOST, cancelled_request};
use crate::wire::stdio::STRAY;
use crate::wire::{Incoming, read_messages};
use crate::{Frame, FrameKind, code};
use mayi_core::approval::escape_line;

/// The longest address that messages are sent to, in bytes.
const ADDRESS: usize = 8 * 1024;

/// What a server says when it takes a message is passed over: so many bytes, and for so long, so that its connection can be used
/// again.
const TAKEN: (usize, Duration) = (64 * 1024, Duration::from_secs(1));

/// So long a message without an answer may take to arrive.
const ONE_WAY: Duration = Duration::from_secs(30);

/// A stream that has said where messages go.
pub(super) struct EventStream {
    response: Response,
    parser: EventParser,
    /// What has come and was not looked at yet.
    events: VecDeque<ServerSentEvent>,
    /// Where messages go: an address of the server's own origin.
    endpoint: Url,
}

/// Why there is no stream.
pub(super) enum OpenFailure {
    /// The server has none.
    NoStream(RequestFailure),
    /// It has one that can't be used; one line.
    Stream(String),
}

impl OpenFailure {
    fn into_words(self) -> (i64, String) {
        match self {
            Self::NoStream(failure) => failure.into_words(),
            Self::Stream(why) => (code::INTERNAL, why),
        }
    }
}

/// Sends what comes from `out`, until the wire is dropped or its stream ends.
pub(super) async fn run(shared: Arc<Shared>, mut out: mpsc::Receiver<Frame>) {
    loop {
        let frame = tokio::select! {
            () = shared.closing.cancelled() => return,
            frame = out.recv() => frame,
        };
        let Some(frame) = frame else { return };
        // Without a stream there is nobody to hear of anything else.
        let Some(id) = frame.numeric_id().filter(|_| frame.kind() == FrameKind::Request) else { continue };
        if let Some(refusal) = stateless_refusal(&frame) {
            shared.deliver(refusal).await;
            continue;
        }
        let opened = tokio::select! {
            () = shared.closing.cancelled() => return,
            opened = shared.open_stream() => opened,
        };
        let (code, message) = match opened {
            Ok(stream) => return run_open(shared, stream, frame, out).await,
            Err(failure) => failure.into_words(),
        };
        // What has come meanwhile is not to wait for the next try.
        let mut ids = vec![id];
        while let Ok(frame) = out.try_recv() {
            ids.extend(frame.numeric_id().filter(|_| frame.kind() == FrameKind::Request));
        }
        for id in ids {
            shared.deliver(Incoming::Failed { id, code, message: message.clone(), sent: false }).await;
        }
    }
}

/// The same with a stream, on which `first` is sent before what comes from `out`.
pub(super) async fn run_open(
    shared: Arc<Shared>,
    mut stream: EventStream,
    first: Frame,
    mut out: mpsc::Receiver<Frame>,
) {
    let endpoint = Arc::new(stream.endpoint.clone());
    let reading = Arc::clone(&shared);
    let mut reader = JoinSet::new();
    reader.spawn(async move { stream.read(&reading).await });
    let mut posts = Posts { shared: Arc::clone(&shared), endpoint, tasks: JoinSet::new() };
    posts.send(first).await;
    let mut open = true;
    while open || !posts.tasks.is_empty() {
        let frame = tokio::select! {
            () = shared.closing.cancelled() => return,
            Some(why) = reader.join_next() => {
                let why = why.unwrap_or_else(|_| "its stream of events ended".to_owned());
                return shared.end(&why).await;
            }
            Some(done) = posts.tasks.join_next() => {
                if let Ok(Some(id)) = done {
                    shared.lock().under_way.remove(&id);
                }
                continue;
            }
            frame = out.recv(), if open && posts.tasks.len() < MOST => frame,
        };
        match frame {
            Some(frame) => {
                tokio::select! {
                    () = shared.closing.cancelled() => return,
                    () = posts.send(frame) => {}
                }
            }
            None => open = false,
        }
    }
}

/// `server/discover` belongs to versions that do not have this transport.
fn stateless_refusal(frame: &Frame) -> Option<Incoming> {
    let id = frame.numeric_id().filter(|_| frame.method() == Some("server/discover"))?;
    let message = "it is reached over SSE, where conversations begin with `initialize`".to_owned();
    Some(Incoming::Failed { id, code: code::METHOD_NOT_FOUND, message, sent: false })
}

/// Messages that are under way to the server.
struct Posts {
    shared: Arc<Shared>,
    endpoint: Arc<Url>,
    tasks: JoinSet<Option<u64>>,
}

impl Posts {
    /// Sends a message; waits only for the one that has to arrive before others do.
    async fn send(&mut self, frame: Frame) {
        if let Some(refusal) = stateless_refusal(&frame) {
            return self.shared.deliver(refusal).await;
        }
        let (shared, endpoint) = (Arc::clone(&self.shared), Arc::clone(&self.endpoint));
        if frame.kind() == FrameKind::Request
            && let Some(id) = frame.numeric_id()
        {
            // Until it is noted, the answer, which may come at once, is not looked at.
            let mut state = self.shared.lock();
            if frame.method() == Some("initialize") {
                state.initialize = Some(id);
            }
            let task = self.tasks.spawn(async move {
                if let Err(failure) = shared.post_to_endpoint(&endpoint, &frame, Some(id)).await {
                    shared.deliver_refusal(id, failure).await;
                }
                Some(id)
            });
            state.under_way.insert(id, task);
            return;
        }
        let cancelled = cancelled_request(&frame);
        if let Some(task) = cancelled.and_then(|id| self.shared.lock().under_way.remove(&id)) {
            task.abort();
        }
        let initialized = frame.method() == Some("notifications/initialized");
        let sending = async move {
            if let Err(failure) = shared.post_to_endpoint(&endpoint, &frame, None).await {
                let (_, message) = failure.into_words();
                tracing::warn!(server = shared.name, message, "a message did not arrive");
            }
        };
        if initialized {
            let _ = tokio::time::timeout(INITIALIZED, sending).await;
        } else {
            self.tasks.spawn(async move {
                let _ = tokio::time::timeout(ONE_WAY, sending).await;
                None
            });
        }
    }
}

impl Shared {
    /// Opens the stream, and waits for the event that says where messages go.
    pub(super) async fn open_stream(&self) -> Result<EventStream, OpenFailure> {
        let limit = self.limits.endpoint;
        tokio::time::timeout(limit, self.open_within()).await.unwrap_or_else(|_| {
            let seconds = limit.as_secs();
            Err(OpenFailure::Stream(format!("it did not say within {seconds} s where messages go")))
        })
    }

    async fn open_within(&self) -> Result<EventStream, OpenFailure> {
        let get = || {
            let request = self.http.request(Method::GET, self.url.clone()).headers(self.headers.clone());
            request.header(header::ACCEPT, "text/event-stream")
        };
        let mut response = self.send(get).await.map_err(OpenFailure::NoStream)?;
        if !response.status().is_success() {
            return Err(OpenFailure::NoStream(self.status_failure(response, None, false).await));
        }
        if !is_stream(&response) {
            let failure = "its address gives no stream of events".to_owned();
            return Err(OpenFailure::NoStream(RequestFailure::internal_failure(failure)));
        }
        let mut parser = EventParser::new(self.limits.longest);
        loop {
            let mut events = next_events(&mut response, &mut parser).await.map_err(OpenFailure::Stream)?;
            while let Some(event) = events.pop_front() {
                if event.kind == "endpoint" {
                    let endpoint =
                        self.check_endpoint(response.url(), &event.data).map_err(OpenFailure::Stream)?;
                    return Ok(EventStream { response, parser, events, endpoint });
                }
            }
        }
    }

    /// The address that a stream at `at` names for messages. They hold what only the server may get, as headers do.
    fn check_endpoint(&self, at: &Url, named: &str) -> Result<Url, String> {
        let named = named.trim();
        let url = Some(named).filter(|named| !named.is_empty() && named.len() <= ADDRESS);
        let mut url = url
            .and_then(|named| at.join(named).ok())
            .ok_or_else(|| "it says that messages go to what is no address".to_owned())?;
        if url.origin() != self.url.origin() {
            return Err(format!(
                "it says that messages go elsewhere, to {}: they are sent to {} alone",
                escape_line(&url.origin().ascii_serialization()),
                self.url.origin().ascii_serialization()
            ));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it says that messages go to an address with a password".to_owned());
        }
        url.set_fragment(None);
        Ok(url)
    }

    /// POSTs a message; its answer comes from the stream.
    async fn post_to_endpoint(&self, to: &Url, frame: &Frame, id: Option<u64>) -> Result<(), RequestFailure> {
        let response = self.post_message(to, frame, id).await?;
        let (longest, limit) = TAKEN;
        let _ = tokio::time::timeout(limit, read_text(response, longest)).await;
        Ok(())
    }

    async fn deliver_refusal(&self, id: u64, failure: RequestFailure) {
        let incoming = match failure {
            RequestFailure::Response(frame) => Incoming::Frame { frame, about: Some(id) },
            failure => failure.into_failed(id),
        };
        self.deliver(incoming).await;
    }

    /// Notes what has been answered by a server of the older transport.
    fn note_answers(&self, incoming: &Incoming) {
        let frame = match incoming {
            Incoming::Frame { frame, .. } if frame.kind() == FrameKind::Response => frame,
            Incoming::Batch(each) => return each.iter().for_each(|one| self.note_answers(one)),
            Incoming::Failed { id, .. } => return self.end_answered_post(*id),
            Incoming::Frame { .. } | Incoming::Ended(_) => return,
        };
        let Some(id) = frame.numeric_id() else { return };
        self.end_answered_post(id);
        let mut state = self.lock();
        // Later messages name the version that it speaks.
        if state.initialize == Some(id) {
            state.initialize = None;
            state.agreed_version =
                frame.result_object().and_then(|result| result.string_member("protocolVersion"));
        }
    }
}

impl Shared {
    /// Whoever answers a request has taken it: its own answer to the POST is waited for a moment more, and no longer, or one that
    /// never comes would keep a connection for each call.
    fn end_answered_post(&self, id: u64) {
        let Some(task) = self.lock().under_way.remove(&id).filter(|task| !task.is_finished()) else { return };
        tokio::spawn(async move {
            tokio::time::sleep(TAKEN.1).await;
            task.abort();
        });
    }
}

impl EventStream {
    /// Gives on the messages of the stream until it ends; returns why it did.
    async fn read(&mut self, shared: &Shared) -> String {
        let mut strays = 0;
        loop {
            while let Some(event) = self.events.pop_front() {
                // A second address, and whatever else there is, is none of MCP's.
                if !event.is_message() || event.data.trim().is_empty() {
                    continue;
                }
                let mut stray = |what: &str| {
                    strays += 1;
                    if strays <= STRAY {
                        tracing::warn!(server = shared.name, what, "no message in its stream of events");
                    }
                };
                if let Some(incoming) = read_messages(&event.data, &mut stray) {
                    shared.note_answers(&incoming);
                    shared.deliver(incoming).await;
                }
            }
            match next_events(&mut self.response, &mut self.parser).await {
                Ok(events) => self.events = events,
                Err(why) => return why,
            }
        }
    }
}

/// What comes next; an error says in one line why nothing does.
async fn next_events(
    response: &mut Response,
    parser: &mut EventParser,
) -> Result<VecDeque<ServerSentEvent>, String> {
    match response.chunk().await {
        Ok(Some(chunk)) => match parser.take_events(&chunk) {
            Ok(events) => Ok(events.into()),
            Err(_) => Err("it sent an event that is too long".to_owned()),
        },
        Ok(None) => Err("its stream of events ended".to_owned()),
        Err(error) => Err(format!("its stream of events broke off: {}", failure_reason(error))),
    }
}
