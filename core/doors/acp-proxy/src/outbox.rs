//! Lines on their way to one side. Whoever passes something on waits while much lies there; what mayi itself says is put there
//! at once, so that nobody who reads from one side ever waits for the same side to read.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

/// So much lies there before whoever passes something on waits.
const FULL: usize = 4 * 1024 * 1024;

/// With so much unread, whoever should read it has stopped.
const MOST: usize = 256 * 1024 * 1024;

/// So much is written at a time.
const CHUNK: usize = 64 * 1024;

/// Lines on their way.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    queue: Mutex<Queue>,
    more: Notify,
    room: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    lines: VecDeque<String>,
    bytes: usize,
    /// Nothing more comes.
    closed: bool,
    /// Nobody reads it any more.
    broken: bool,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a line there, which ends with it.
    pub(crate) fn push(&self, line: String) {
        let _ = self.has_place(line);
    }

    /// The same. False, if so much lies there already that whoever should read it has stopped.
    #[must_use]
    pub(crate) fn has_place(&self, line: String) -> bool {
        let mut queue = self.lock();
        if queue.closed || queue.broken {
            return true;
        }
        queue.bytes += line.len() + 1;
        let too_much = queue.bytes > MOST;
        if too_much {
            queue.broken = true;
            queue.lines.clear();
        } else {
            queue.lines.push_back(line);
        }
        drop(queue);
        self.more.notify_one();
        !too_much
    }

    /// Waits until there is room, or nobody reads it any more.
    pub(crate) async fn wait_for_room(&self) {
        loop {
            let room = self.room.notified();
            {
                let queue = self.lock();
                if queue.bytes < FULL || queue.broken || queue.closed {
                    return;
                }
            }
            room.await;
        }
    }

    /// Nothing more comes: what lies there is still written.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.more.notify_one();
        self.room.notify_one();
    }

    /// Writes what comes, until nothing more does.
    ///
    /// # Errors
    /// If nobody reads it any more.
    pub(crate) async fn write(self: Arc<Self>, to: impl AsyncWrite + Unpin) -> std::io::Result<()> {
        let written = self.write_queued(to).await;
        if written.is_err() {
            let mut queue = self.lock();
            queue.broken = true;
            queue.lines.clear();
            drop(queue);
            self.room.notify_one();
        }
        written
    }

    async fn write_queued(&self, mut to: impl AsyncWrite + Unpin) -> std::io::Result<()> {
        let mut chunk = Vec::with_capacity(CHUNK);
        loop {
            let more = self.more.notified();
            let over = {
                let mut queue = self.lock();
                if queue.broken {
                    return Err(std::io::Error::other("too much lies unread"));
                }
                while chunk.len() < CHUNK
                    && let Some(line) = queue.lines.pop_front()
                {
                    chunk.extend_from_slice(line.as_bytes());
                    chunk.push(b'\n');
                }
                queue.closed
            };
            if chunk.is_empty() {
                if over {
                    return to.shutdown().await;
                }
                more.await;
                continue;
            }
            to.write_all(&chunk).await?;
            to.flush().await?;
            self.lock().bytes -= chunk.len();
            chunk.clear();
            chunk.shrink_to(CHUNK * 4);
            self.room.notify_one();
        }
    }
}

/// What lines are written to. It is closed in another thread: whoever has stopped reading a pipe may hold it, and with it whoever would
/// close it.
#[derive(Debug)]
pub(crate) struct ClosedElsewhere<W: Send + 'static>(Option<W>);

impl<W: Send + 'static> ClosedElsewhere<W> {
    pub(crate) fn new(to: W) -> Self {
        Self(Some(to))
    }
}

impl<W: Send + 'static> Drop for ClosedElsewhere<W> {
    fn drop(&mut self) {
        if let (Some(to), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn_blocking(move || drop(to));
        }
    }
}

impl<W: AsyncWrite + Unpin + Send + 'static> AsyncWrite for ClosedElsewhere<W> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut self.0 {
            Some(to) => Pin::new(to).poll_write(cx, bytes),
            None => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.as_mut().map_or(Poll::Ready(Ok(())), |to| Pin::new(to).poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.as_mut().map_or(Poll::Ready(Ok(())), |to| Pin::new(to).poll_shutdown(cx))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::io::AsyncReadExt;

    /// Attack 404: one side that does not read must not hold up the other.
    #[tokio::test]
    async fn given_nobody_who_reads_then_passing_on_waits_and_mayis_own_words_do_not() {
        let outbox = Arc::new(Outbox::default());
        let (to, mut from) = tokio::io::duplex(16);
        let writer = tokio::spawn(Arc::clone(&outbox).write(to));
        outbox.push("x".repeat(FULL + 1));
        assert!(tokio::time::timeout(Duration::from_millis(50), outbox.wait_for_room()).await.is_err());
        outbox.push("own".to_owned());
        let mut read = vec![0; FULL + 2];
        from.read_exact(&mut read).await.unwrap();
        outbox.wait_for_room().await;
        outbox.close();
        let mut rest = String::new();
        from.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "own\n");
        writer.await.unwrap().unwrap();
    }

    /// S4.21, attack 498: what waits for who does not read is bounded, and whoever puts it there hears so.
    #[test]
    fn given_more_than_is_kept_for_who_does_not_read_then_that_is_said_once() {
        let outbox = Outbox::default();
        let part = "x".repeat(MOST / 4);
        let places: Vec<bool> = (0..5).map(|_| outbox.has_place(part.clone())).collect();
        assert_eq!(places, [true, true, true, false, true]);
    }

    #[tokio::test]
    async fn given_a_reader_that_is_gone_then_nobody_waits_for_room() {
        let outbox = Arc::new(Outbox::default());
        let (to, from) = tokio::io::duplex(16);
        drop(from);
        outbox.push("x".repeat(FULL * 2));
        assert!(Arc::clone(&outbox).write(to).await.is_err());
        outbox.wait_for_room().await;
    }
}
