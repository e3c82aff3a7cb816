//! What goes through a connection: counted, and noticed if nothing does.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes in both directions.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    read: AtomicU64,
    written: AtomicU64,
}

impl Traffic {
    pub(crate) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Ends when nothing went either way for `time`, and at most twice that.
    pub(crate) async fn idle(&self, time: Duration) {
        loop {
            let before = (self.read(), self.written());
            tokio::time::sleep(time).await;
            if before == (self.read(), self.written()) {
                return;
            }
        }
    }
}

/// A stream whose bytes are counted.
pub(crate) struct Counted<S> {
    stream: S,
    traffic: Arc<Traffic>,
}

impl<S> Counted<S> {
    pub(crate) fn new(stream: S) -> (Self, Arc<Traffic>) {
        let traffic = Arc::<Traffic>::default();
        (Self { stream, traffic: Arc::clone(&traffic) }, traffic)
    }

    fn wrote(&self, done: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = &done {
            self.traffic.written.fetch_add(u64::try_from(*bytes).unwrap_or_default(), Ordering::Relaxed);
        }
        done
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let done = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let bytes = buffer.filled().len().saturating_sub(before);
        self.traffic.read.fetch_add(u64::try_from(bytes).unwrap_or_default(), Ordering::Relaxed);
        done
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.wrote(done)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.wrote(done)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
