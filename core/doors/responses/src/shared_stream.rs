//! What a stream says, for everybody who reads it: whoever joins later reads it from its beginning.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures::stream;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use tokio::sync::{Notify, watch};

use crate::json_answer::WholeAnswer;
use crate::refusal::ApiError;
use crate::returning_clients::{Completable, SharedAnswer};

/// Chunks that nobody has read yet.
const AHEAD: usize = 64;
/// So many bytes are kept for whoever joins. What is longer can't be joined any more, and whoever is so far behind another
/// reader has lost it.
const KEPT: usize = 4 * 1024 * 1024;
/// A stream begins after this time, also where a person has to be asked before the endpoint is.
const SOON: Duration = Duration::from_secs(2);

/// What has been said so far.
pub(crate) struct Feed {
    chunks: VecDeque<Bytes>,
    /// So many chunks before them were dropped.
    dropped: usize,
    /// So many bytes are in the chunks.
    bytes: usize,
    /// Nothing more comes: all was said, or it broke off for this reason.
    end: Option<Result<(), String>>,
    readers: Arc<Readers>,
}

/// What readers tell whoever writes.
#[derive(Default)]
struct Readers {
    places: Mutex<ReadPositions>,
    moved: Notify,
    begun: OnceLock<AnswerStart>,
}

/// How far those have read who are there.
#[derive(Default)]
struct ReadPositions {
    next: u64,
    of: HashMap<u64, usize>,
}

impl Readers {
    fn lock_positions(&self) -> MutexGuard<'_, ReadPositions> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many chunks has the fastest of them read.
    fn furthest_read(&self) -> usize {
        self.lock_positions().of.values().copied().max().unwrap_or_default()
    }

    fn add_reader(&self) -> u64 {
        let mut places = self.lock_positions();
        places.next += 1;
        let number = places.next;
        places.of.insert(number, 0);
        number
    }

    fn record_position(&self, number: u64, place: usize) {
        self.lock_positions().of.insert(number, place);
        self.moved.notify_one();
    }
}

/// What an answer begins with.
#[derive(Clone)]
pub(crate) enum AnswerStart {
    /// It is a stream, with this head.
    Stream((StatusCode, HeaderMap)),
    /// It is no stream: the endpoint has answered otherwise.
    Whole(WholeAnswer),
    /// It is mayi's own error.
    Trouble(ApiError),
}

impl Completable for Feed {
    fn is_over(&self) -> bool {
        self.end.is_some()
    }

    fn is_whole(&self) -> bool {
        self.dropped == 0
    }
}

/// A place of a reader in a feed.
enum ReadState {
    Chunk(Bytes),
    Waits,
    /// It was dropped before it was read.
    Lost,
    Over(Result<(), String>),
}

impl Feed {
    pub(crate) fn new() -> Self {
        Self { chunks: VecDeque::new(), dropped: 0, bytes: 0, end: None, readers: Arc::default() }
    }

    fn push(&mut self, chunk: Bytes, is_read: bool) {
        self.bytes += chunk.len();
        self.chunks.push_back(chunk);
        // What nobody has read stays for who reads; without anybody it can't grow for ever.
        let to = if is_read { self.readers.furthest_read() } else { usize::MAX };
        while self.bytes > KEPT && self.dropped < to {
            let Some(first) = self.chunks.pop_front() else { return };
            self.bytes -= first.len();
            self.dropped += 1;
        }
    }

    fn chunk_count(&self) -> usize {
        self.dropped + self.chunks.len()
    }

    fn read_at(&self, position: usize) -> ReadState {
        let Some(position) = position.checked_sub(self.dropped) else { return ReadState::Lost };
        match (self.chunks.get(position), &self.end) {
            (Some(chunk), _) => ReadState::Chunk(chunk.clone()),
            (None, Some(end)) => ReadState::Over(end.clone()),
            (None, None) => ReadState::Waits,
        }
    }
}

/// The end of a feed that is written to.
pub(crate) struct FeedWriter {
    pub(crate) answer: SharedAnswer<Feed>,
    readers: Arc<Readers>,
}

impl FeedWriter {
    pub(crate) fn new(answer: SharedAnswer<Feed>, receiver: &watch::Receiver<Feed>) -> Self {
        let readers = Arc::clone(&receiver.borrow().readers);
        Self { answer, readers }
    }

    /// Says how the answer begins. A stream that has begun already stays one: `begun` comes back.
    pub(crate) fn begin_answer(&self, begun: AnswerStart) -> Option<AnswerStart> {
        let late = self.readers.begun.set(begun).err();
        self.answer.modify_answer(|_| ());
        late
    }

    /// Says something, and waits for those who read; `false`, if nobody reads any more, and nobody comes back.
    pub(crate) async fn send(&self, chunk: Bytes) -> bool {
        let (is_read, mut said) = (self.answer.is_read(), 0);
        self.answer.modify_answer(|feed| {
            feed.push(chunk, is_read);
            said = feed.chunk_count();
        });
        while self.answer.is_read() && said.saturating_sub(self.readers.furthest_read()) > AHEAD {
            tokio::select! {
                () = self.readers.moved.notified() => {}
                () = self.answer.wait_until_unread() => {}
            }
        }
        self.answer.is_wanted()
    }

    /// Nothing more comes: all was said, or it broke off.
    pub(crate) fn finish(&self, end: Result<(), String>) {
        self.answer.finish(|feed| feed.end = Some(end));
    }
}

/// Somebody who reads.
struct FeedReader {
    feed: watch::Receiver<Feed>,
    readers: Arc<Readers>,
    number: u64,
    position: usize,
    ended: bool,
}

impl Drop for FeedReader {
    fn drop(&mut self) {
        self.readers.lock_positions().of.remove(&self.number);
        self.readers.moved.notify_one();
    }
}

impl FeedReader {
    fn new(feed: watch::Receiver<Feed>, readers: Arc<Readers>) -> Self {
        let number = readers.add_reader();
        Self { feed, readers, number, position: 0, ended: false }
    }

    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        while !self.ended {
            let at = self.feed.borrow_and_update().read_at(self.position);
            let end = match at {
                ReadState::Chunk(chunk) => {
                    self.position += 1;
                    self.readers.record_position(self.number, self.position);
                    return Some(Ok(chunk));
                }
                ReadState::Waits if self.feed.changed().await.is_ok() => continue,
                ReadState::Waits => Err("mayi has broken it off".to_owned()),
                ReadState::Lost => Err("it was read too slowly".to_owned()),
                ReadState::Over(end) => end,
            };
            self.ended = true;
            if let Err(why) = end {
                // What comes before is sent first.
                tokio::task::yield_now().await;
                return Some(Err(io::Error::other(why)));
            }
        }
        None
    }
}

/// The answer that comes in `feed`, as soon as it is known how it begins.
///
/// # Errors
/// What the app hears in place of a stream.
pub(crate) async fn answer_from_feed(mut feed: watch::Receiver<Feed>) -> Result<Response<Body>, ApiError> {
    let readers = Arc::clone(&feed.borrow().readers);
    let known = feed.wait_for(|feed| feed.readers.begun.get().is_some() || feed.end.is_some());
    let known = tokio::time::timeout(SOON, known).await.map(|known| known.is_ok());
    if known == Ok(false) && readers.begun.get().is_none() {
        return Err(ApiError::shutting_down());
    }
    let events = || {
        let kind = HeaderValue::from_static("text/event-stream; charset=utf-8");
        AnswerStart::Stream((StatusCode::OK, HeaderMap::from_iter([(header::CONTENT_TYPE, kind)])))
    };
    match readers.begun.get_or_init(events).clone() {
        AnswerStart::Stream(head) => {
            if !feed.borrow().is_whole() {
                let message = "the same request has been sent before, and its answer is too long to be joined now: send it \
                               again in a while to have it made anew";
                return Err(ApiError::new(StatusCode::CONFLICT, "mayi_twice", message));
            }
            Ok(stream_response(FeedReader::new(feed, readers), head))
        }
        AnswerStart::Whole(whole) => Ok(whole.into_response()),
        AnswerStart::Trouble(trouble) => Err(trouble),
    }
}

fn stream_response(reader: FeedReader, (status, headers): (StatusCode, HeaderMap)) -> Response<Body> {
    let body = stream::unfold(reader, |mut reader| async move {
        let chunk = reader.next().await?;
        Some((chunk, reader))
    });
    let mut response = Response::new(Body::from_stream(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    // Some proxies collect an answer before they pass it on.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response
}

#[cfg(test)]
mod tests;
