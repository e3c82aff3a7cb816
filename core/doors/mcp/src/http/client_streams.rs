//! The way back to a client: each message into the stream of the request that it belongs to.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;

use super::stream::MessageStream;
use crate::headers::PRIMING;
use crate::{Client, Frame, FrameKind, Members, RequestKey};

/// So many requests of a session, or of all clients without one, may wait for their response.
const OPEN: usize = 1024;
/// So many answered requests of a session can be read again.
const ANSWERED: usize = 16;
/// The stream that belongs to no request.
const GENERAL: u64 = 0;

/// The streams to a client.
pub(super) struct ClientStreams {
    /// A session: streams are kept when a connection breaks.
    session: bool,
    /// Its client knows events without data.
    priming: AtomicBool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    streams: BTreeMap<u64, Arc<MessageStream>>,
    closed: bool,
}

impl ClientStreams {
    pub(super) fn new(session: bool) -> Arc<Self> {
        Arc::new(Self { session, priming: AtomicBool::new(false), state: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stream for the request `key`, which its client calls `id`; `None` if too many wait already.
    pub(super) fn open(&self, key: RequestKey, id: Option<&RawValue>) -> Option<Arc<MessageStream>> {
        let mut state = self.lock();
        let over: Vec<u64> = state
            .streams
            .iter()
            .filter(|(number, stream)| **number != GENERAL && stream.is_over() && !stream.is_read())
            .map(|(number, _)| *number)
            .collect();
        let spare = over.len().saturating_sub(if self.session { ANSWERED } else { 0 });
        for number in over.into_iter().take(spare) {
            state.streams.remove(&number);
        }
        if state.closed || state.streams.len() >= OPEN {
            return None;
        }
        let stream = MessageStream::new(key.0, id, self.session);
        state.streams.insert(key.0, Arc::clone(&stream));
        Some(stream)
    }

    /// The stream that belongs to no request.
    pub(super) fn general_stream(&self) -> Option<Arc<MessageStream>> {
        let mut state = self.lock();
        if state.closed {
            return None;
        }
        Some(Arc::clone(
            state.streams.entry(GENERAL).or_insert_with(|| MessageStream::new(GENERAL, None, true)),
        ))
    }

    /// The stream `number`, if it is still there.
    pub(super) fn find_stream(&self, number: u64) -> Option<Arc<MessageStream>> {
        self.lock().streams.get(&number).cloned()
    }

    /// Takes the stream `number` out.
    pub(super) fn remove_stream(&self, number: u64) {
        self.lock().streams.remove(&number);
    }

    /// Ends the stream of a request that its client has cancelled: there will be no response.
    pub(super) fn end_cancelled(&self, id: &RawValue) {
        for stream in self.lock().streams.values().filter(|stream| stream.is_of(id)) {
            stream.end();
        }
    }

    /// Ends all streams.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        for stream in state.streams.values() {
            stream.end();
        }
    }

    /// Whether a request waits, or somebody reads.
    pub(super) fn is_busy(&self) -> bool {
        let state = self.lock();
        state
            .streams
            .iter()
            .any(|(number, stream)| stream.is_read() || (*number != GENERAL && !stream.is_over()))
    }

    /// Whether the client knows events without data.
    pub(super) fn has_priming(&self) -> bool {
        self.priming.load(Ordering::Relaxed)
    }

    /// The stream for what belongs to no request: the one that is there for it, else the newest that is read.
    fn unsolicited_stream(&self) -> Option<Arc<MessageStream>> {
        let state = self.lock();
        let general = state.streams.get(&GENERAL);
        if let Some(general) = general.filter(|stream| stream.is_read()) {
            return Some(Arc::clone(general));
        }
        let open = |(number, stream): &(&u64, &Arc<MessageStream>)| {
            **number != GENERAL && stream.is_read() && !stream.is_over()
        };
        state.streams.iter().rev().find(open).map(|(_, stream)| Arc::clone(stream))
    }
}

impl Client for ClientStreams {
    fn send(&self, frame: Frame, about: Option<RequestKey>) {
        let last = frame.kind() == FrameKind::Response;
        let text = frame.to_line();
        match about {
            Some(key) => {
                let Some(stream) = self.find_stream(key.0) else { return };
                if last && self.session && !self.has_priming() {
                    // Only the response to `initialize` has it.
                    let version =
                        frame.result_object().and_then(|result| result.string_member("protocolVersion"));
                    let knows = version.is_some_and(|version| *version >= *PRIMING);
                    self.priming.store(knows, Ordering::Relaxed);
                }
                stream.push(&text, last, error_code(&frame));
            }
            // A response belongs to a request.
            None if last => {}
            None => match self.unsolicited_stream() {
                Some(stream) => {
                    stream.push(&text, false, None);
                }
                None if self.session => {
                    if let Some(general) = self.general_stream() {
                        general.push_over(&text);
                    }
                }
                None => {}
            },
        }
    }
}

/// The code of an error.
fn error_code(frame: &Frame) -> Option<i64> {
    let error = Members::parse(frame.member("error")?.get()).ok()?;
    error.get("code").map(RawValue::get).and_then(|code| code.parse().ok())
}
