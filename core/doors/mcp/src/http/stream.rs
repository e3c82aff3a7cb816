//! What goes to a client in the answer to one of its requests: written without waiting, read by whoever is connected.
//!
//! A stream is bounded. In a session some of what was read is kept, since a connection that broke may have lost it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use tokio::sync::Notify;

/// So many messages may wait for the client to read them.
const WAITING: usize = 512;
/// So many bytes, unless it is one message.
const WAITING_BYTES: usize = 64 * 1024 * 1024;
/// So many messages that were read are kept.
const KEPT: usize = 64;
/// So many bytes of them.
const KEPT_BYTES: usize = 1024 * 1024;

/// One message on its way.
#[derive(Clone, Debug)]
pub(super) struct StreamEvent {
    /// Its number in the stream, from one.
    pub(super) number: u64,
    /// The message, on one line.
    pub(super) text: Arc<str>,
    /// It is the response: nothing comes after it.
    pub(super) last: bool,
    /// The code, if it is an error.
    pub(super) code: Option<i64>,
}

/// A bounded line of messages, for one reader at a time.
pub(super) struct MessageStream {
    /// Its number in its session: that of the request's key, or zero.
    pub(super) number: u64,
    /// The request's id as its client wrote it.
    id: Option<Box<str>>,
    keeps_read: bool,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    events: VecDeque<StreamEvent>,
    /// How many of them are read, at the front.
    read: usize,
    written: u64,
    waiting_bytes: usize,
    kept_bytes: usize,
    answered: bool,
    ended: bool,
    reader: u64,
    attached: bool,
}

impl MessageStream {
    pub(super) fn new(number: u64, id: Option<&RawValue>, keeps: bool) -> Arc<Self> {
        let id = id.map(|id| id.get().into());
        Arc::new(Self { number, id, keeps_read: keeps, state: Mutex::default(), changed: Notify::new() })
    }

    /// Whether it is that of the request `id`.
    pub(super) fn is_of(&self, id: &RawValue) -> bool {
        self.id.as_deref() == Some(id.get())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a message in. Too much of it ends the stream; `false` if it is not open.
    pub(super) fn push(&self, text: &str, last: bool, code: Option<i64>) -> bool {
        let mut state = self.lock();
        let open = !(state.answered || state.ended);
        if open {
            let waiting = state.events.len().saturating_sub(state.read);
            let full = state.waiting_bytes.saturating_add(text.len()) > WAITING_BYTES && waiting > 0;
            // The response itself always has room.
            if full || (waiting >= WAITING && !last) {
                state.ended = true;
            } else {
                state.written += 1;
                state.waiting_bytes += text.len();
                state.answered = last;
                let number = state.written;
                state.events.push_back(StreamEvent { number, text: text.into(), last, code });
            }
        }
        let taken = open && !state.ended;
        drop(state);
        self.changed.notify_waiters();
        taken
    }

    /// Puts a message in that may be lost: the oldest one goes if there is no room.
    pub(super) fn push_over(&self, text: &str) {
        let mut state = self.lock();
        while state.events.len() > state.read
            && (state.events.len() - state.read >= WAITING
                || state.waiting_bytes.saturating_add(text.len()) > WAITING_BYTES)
        {
            let at = state.read;
            if let Some(gone) = state.events.remove(at) {
                state.waiting_bytes = state.waiting_bytes.saturating_sub(gone.text.len());
            }
        }
        drop(state);
        self.push(text, false, None);
    }

    /// Nothing comes any more.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_waiters();
    }

    /// The response is in it, or it was ended.
    pub(super) fn is_over(&self) -> bool {
        let state = self.lock();
        state.answered || state.ended
    }

    /// The response is in it.
    pub(super) fn is_answered(&self) -> bool {
        self.lock().answered
    }

    /// Somebody is reading.
    pub(super) fn is_read(&self) -> bool {
        self.lock().attached
    }

    /// Reads on: after event `after` as far as that is still there, else what was not read yet. Whoever has been
    /// reading gets nothing more.
    pub(super) fn read(self: &Arc<Self>, after: Option<u64>) -> StreamReader {
        let mut state = self.lock();
        state.reader += 1;
        state.attached = true;
        if let Some(after) = after {
            let read = state.events.iter().take_while(|event| event.number <= after).count();
            state.read = read;
            state.waiting_bytes = state.events.iter().skip(read).map(|event| event.text.len()).sum();
            state.kept_bytes = state.events.iter().take(read).map(|event| event.text.len()).sum();
        }
        let turn = state.reader;
        drop(state);
        self.changed.notify_waiters();
        StreamReader { stream: Arc::clone(self), turn }
    }

    /// The next event; `Some(None)` at the end, `None` if there is none yet.
    fn take_event(&self, turn: u64) -> Option<Option<StreamEvent>> {
        let mut state = self.lock();
        if state.reader != turn {
            return Some(None);
        }
        let Some(event) = state.events.get(state.read).cloned() else {
            return (state.answered || state.ended).then_some(None);
        };
        let size = event.text.len();
        state.waiting_bytes = state.waiting_bytes.saturating_sub(size);
        state.kept_bytes = state.kept_bytes.saturating_add(size);
        state.read += 1;
        while state.read > 0 && (!self.keeps_read || state.read > KEPT || state.kept_bytes > KEPT_BYTES) {
            state.read -= 1;
            let gone = state.events.pop_front().map_or(0, |gone| gone.text.len());
            state.kept_bytes = state.kept_bytes.saturating_sub(gone);
        }
        Some(Some(event))
    }
}

/// Whoever reads a stream now.
pub(super) struct StreamReader {
    stream: Arc<MessageStream>,
    turn: u64,
}

impl StreamReader {
    /// The next message; `None` at the end, and once somebody else reads.
    pub(super) async fn next(&mut self) -> Option<StreamEvent> {
        loop {
            let news = self.stream.changed.notified();
            tokio::pin!(news);
            // From here on no news are missed.
            news.as_mut().enable();
            if let Some(step) = self.stream.take_event(self.turn) {
                return step;
            }
            news.await;
        }
    }

    /// The stream that it reads.
    pub(super) fn stream(&self) -> &Arc<MessageStream> {
        &self.stream
    }
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        let mut state = self.stream.lock();
        if state.reader == self.turn {
            state.attached = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MCP 2025-11-25, transports, "Resumability and redelivery".
    #[tokio::test]
    async fn given_a_reader_that_comes_back_then_it_gets_what_it_has_not_seen() {
        let stream = MessageStream::new(1, None, true);
        let mut first = stream.read(None);
        for text in ["a", "b", "c"] {
            assert!(stream.push(text, text == "c", None));
        }
        assert_eq!(&*first.next().await.unwrap().text, "a");
        assert_eq!(&*first.next().await.unwrap().text, "b");
        let mut second = stream.read(Some(1));
        assert!(first.next().await.is_none(), "only one reads");
        assert_eq!(&*second.next().await.unwrap().text, "b");
        let last = second.next().await.unwrap();
        assert!(last.last && last.number == 3);
        assert!(second.next().await.is_none());
        assert!(!stream.push("d", false, None));
    }

    /// D0.13: what waits is bounded.
    #[tokio::test]
    async fn given_a_reader_that_does_not_read_then_the_stream_ends_and_stays_small() {
        let stream = MessageStream::new(1, None, false);
        let mut reader = stream.read(None);
        let taken = (0..10_000).take_while(|_| stream.push("x", false, None)).count();
        assert_eq!(taken, WAITING);
        for _ in 0..WAITING {
            assert!(reader.next().await.is_some());
        }
        assert!(reader.next().await.is_none());
    }

    #[tokio::test]
    async fn given_nobody_who_reads_then_the_oldest_news_are_lost_and_not_the_newest() {
        let stream = MessageStream::new(0, None, true);
        for n in 0..WAITING + 5 {
            stream.push_over(&n.to_string());
        }
        assert_eq!(&*stream.read(None).next().await.unwrap().text, "5");
    }

    #[tokio::test]
    async fn given_what_was_read_then_only_so_much_of_it_is_kept() {
        let stream = MessageStream::new(1, None, true);
        let mut reader = stream.read(None);
        let big = "x".repeat(KEPT_BYTES / 2);
        for _ in 0..10 {
            assert!(stream.push(&big, false, None));
            reader.next().await.unwrap();
        }
        assert!(stream.lock().events.len() <= 2);
    }
}
