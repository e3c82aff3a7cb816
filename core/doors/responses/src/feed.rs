//! What a stream says, for everybody who reads it: whoever joins later reads it from its beginning.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures::stream;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use tokio::sync::{Notify, watch};

use crate::again::{Ends, SharedAnswer};
use crate::plain::Whole;
use crate::refusal::Trouble;

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
    places: Mutex<Places>,
    moved: Notify,
    begun: OnceLock<Begun>,
}

/// How far those have read who are there.
#[derive(Default)]
struct Places {
    next: u64,
    of: HashMap<u64, usize>,
}

impl Readers {
    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many chunks has the fastest of them read.
    fn taken(&self) -> usize {
        self.places().of.values().copied().max().unwrap_or_default()
    }

    fn enter(&self) -> u64 {
        let mut places = self.places();
        places.next += 1;
        let number = places.next;
        places.of.insert(number, 0);
        number
    }

    fn take(&self, number: u64, place: usize) {
        self.places().of.insert(number, place);
        self.moved.notify_one();
    }
}

/// What an answer begins with.
#[derive(Clone)]
pub(crate) enum Begun {
    /// It is a stream, with this head.
    Stream((StatusCode, HeaderMap)),
    /// It is no stream: the endpoint has answered otherwise.
    Whole(Whole),
    /// It is mayi's own error.
    Trouble(Trouble),
}

impl Ends for Feed {
    fn is_over(&self) -> bool {
        self.end.is_some()
    }

    fn is_whole(&self) -> bool {
        self.dropped == 0
    }
}

/// A place of a reader in a feed.
enum At {
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
        let to = if is_read { self.readers.taken() } else { usize::MAX };
        while self.bytes > KEPT && self.dropped < to {
            let Some(first) = self.chunks.pop_front() else { return };
            self.bytes -= first.len();
            self.dropped += 1;
        }
    }

    fn said(&self) -> usize {
        self.dropped + self.chunks.len()
    }

    fn at(&self, position: usize) -> At {
        let Some(position) = position.checked_sub(self.dropped) else { return At::Lost };
        match (self.chunks.get(position), &self.end) {
            (Some(chunk), _) => At::Chunk(chunk.clone()),
            (None, Some(end)) => At::Over(end.clone()),
            (None, None) => At::Waits,
        }
    }
}

/// The end of a feed that is written to.
pub(crate) struct Writer {
    pub(crate) answer: SharedAnswer<Feed>,
    readers: Arc<Readers>,
}

impl Writer {
    pub(crate) fn new(answer: SharedAnswer<Feed>, receiver: &watch::Receiver<Feed>) -> Self {
        let readers = Arc::clone(&receiver.borrow().readers);
        Self { answer, readers }
    }

    /// Says how the answer begins. A stream that has begun already stays one: `begun` comes back.
    pub(crate) fn begin(&self, begun: Begun) -> Option<Begun> {
        let late = self.readers.begun.set(begun).err();
        self.answer.change(|_| ());
        late
    }

    /// Says something, and waits for those who read; `false`, if nobody reads any more, and nobody comes back.
    pub(crate) async fn send(&self, chunk: Bytes) -> bool {
        let (is_read, mut said) = (self.answer.is_read(), 0);
        self.answer.change(|feed| {
            feed.push(chunk, is_read);
            said = feed.said();
        });
        while self.answer.is_read() && said.saturating_sub(self.readers.taken()) > AHEAD {
            tokio::select! {
                () = self.readers.moved.notified() => {}
                () = self.answer.unread() => {}
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
struct Reader {
    feed: watch::Receiver<Feed>,
    readers: Arc<Readers>,
    number: u64,
    position: usize,
    over: bool,
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.readers.places().of.remove(&self.number);
        self.readers.moved.notify_one();
    }
}

impl Reader {
    fn new(feed: watch::Receiver<Feed>, readers: Arc<Readers>) -> Self {
        let number = readers.enter();
        Self { feed, readers, number, position: 0, over: false }
    }

    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        while !self.over {
            let at = self.feed.borrow_and_update().at(self.position);
            let end = match at {
                At::Chunk(chunk) => {
                    self.position += 1;
                    self.readers.take(self.number, self.position);
                    return Some(Ok(chunk));
                }
                At::Waits if self.feed.changed().await.is_ok() => continue,
                At::Waits => Err("mayi has broken it off".to_owned()),
                At::Lost => Err("it was read too slowly".to_owned()),
                At::Over(end) => end,
            };
            self.over = true;
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
pub(crate) async fn answer(mut feed: watch::Receiver<Feed>) -> Result<Response<Body>, Trouble> {
    let readers = Arc::clone(&feed.borrow().readers);
    let known = feed.wait_for(|feed| feed.readers.begun.get().is_some() || feed.end.is_some());
    let known = tokio::time::timeout(SOON, known).await.map(|known| known.is_ok());
    if known == Ok(false) && readers.begun.get().is_none() {
        return Err(Trouble::ending());
    }
    let events = || {
        let kind = HeaderValue::from_static("text/event-stream; charset=utf-8");
        Begun::Stream((StatusCode::OK, HeaderMap::from_iter([(header::CONTENT_TYPE, kind)])))
    };
    match readers.begun.get_or_init(events).clone() {
        Begun::Stream(head) => {
            if !feed.borrow().is_whole() {
                let message = "the same request has been sent before, and its answer is too long to be joined now: send it \
                               again in a while to have it made anew";
                return Err(Trouble::new(StatusCode::CONFLICT, "mayi_twice", message));
            }
            Ok(body(Reader::new(feed, readers), head))
        }
        Begun::Whole(whole) => Ok(whole.into_response()),
        Begun::Trouble(trouble) => Err(trouble),
    }
}

fn body(reader: Reader, (status, headers): (StatusCode, HeaderMap)) -> Response<Body> {
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
