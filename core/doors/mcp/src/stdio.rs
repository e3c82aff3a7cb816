//! A client at standard input and output.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mayi_doors::task::spawn;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

use super::frame::{Frame, FrameKind};
use super::front::{Caller, Client, ClientCount, Conversation, Gateway, RequestKey};
use super::lines::{Line, Lines, write_all};

/// The longest message that is read from a client: 16 MiB.
const LONGEST: usize = 16 * 1024 * 1024;

/// So many messages may wait for a client that does not read: as many of servers, and the answers to all that it asked.
const WAITING: usize = 8192;

/// So much room is for answers alone.
const ANSWERS: usize = 4096 + 64;

/// As much of what servers say by themselves may wait: 64 MiB.
const WAITING_BYTES: usize = 64 * 1024 * 1024;

/// So long after its input has ended a client still gets answers.
const DRAIN: Duration = Duration::from_secs(5);

struct StdioClient {
    to: Mutex<Option<mpsc::Sender<Frame>>>,
    /// How much waits, in bytes.
    waiting: Arc<AtomicUsize>,
}

impl StdioClient {
    /// Nothing is sent from now on; what was is still written.
    fn stop_sending(&self) {
        self.to.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Client for StdioClient {
    fn send(&self, frame: Frame, _: Option<RequestKey>) {
        let to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(to) = to.as_ref() else { return };
        // What servers say by themselves never takes the place of an answer.
        let size = frame.approximate_size();
        let waiting = self.waiting.load(Ordering::Relaxed);
        let full = waiting > 0 && waiting.saturating_add(size) > WAITING_BYTES || to.capacity() <= ANSWERS;
        if full && frame.kind() != FrameKind::Response {
            tracing::warn!("the client does not read: a message to it is lost");
            return;
        }
        self.waiting.fetch_add(size, Ordering::Relaxed);
        if let Err(mpsc::error::TrySendError::Full(_)) = to.try_send(frame) {
            self.waiting.fetch_sub(size, Ordering::Relaxed);
            tracing::warn!("the client does not read: an answer to it is lost");
        }
    }
}

/// A conversation that is closed when nobody serves it any more.
struct ConversationGuard(Arc<dyn Conversation>);

impl Drop for ConversationGuard {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Serves one client until its input ends.
///
/// # Errors
/// If its input can't be read.
pub async fn serve<R, W>(gateway: &dyn Gateway, input: R, writer: W) -> std::io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (to, outgoing) = mpsc::channel(WAITING);
    let waiting = Arc::new(AtomicUsize::new(0));
    let left = Arc::clone(&waiting);
    let taken = move |size| {
        left.fetch_sub(size, Ordering::Relaxed);
    };
    let mut writing = spawn(write_all(writer, outgoing, taken));
    let output = Arc::new(StdioClient { to: Mutex::new(Some(to)), waiting });
    let client: Arc<dyn Client> = Arc::clone(&output) as Arc<dyn Client>;
    let conversation = gateway.open(Arc::clone(&client), Caller("stdio".to_owned()), ClientCount::One);
    // Also if this is given up.
    let conversation = ConversationGuard(conversation);
    let mut lines = Lines::new(input, LONGEST);
    let ended = loop {
        let line = match lines.next().await {
            Ok(Some(line)) => line,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        };
        let frame = match line {
            Line::Text(text) => Frame::parse(&text),
            Line::TooLong(_) => {
                let message = format!("a message longer than {} MiB is not read", LONGEST / 1024 / 1024);
                Err(super::Malformed::new(super::code::INVALID_REQUEST, message))
            }
            Line::NotText => Err(super::Malformed::new(super::code::PARSE, "not UTF-8")),
        };
        match frame {
            Ok(frame) => {
                let key = (frame.kind() == FrameKind::Request).then(RequestKey::next);
                conversation.0.receive(frame, key);
            }
            Err(malformed) => client.send(malformed.error_response(), None),
        }
        if writing.is_finished() {
            break Ok(());
        }
    };
    // What was asked before the input ended is answered still.
    let _ = tokio::time::timeout(DRAIN, conversation.0.wait_until_drained()).await;
    drop(conversation);
    output.stop_sending();
    let _ = tokio::time::timeout(DRAIN, &mut writing).await;
    ended
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::RawValue;

    use super::*;

    /// Every request gets exactly one answer, also if a server floods a client that does not read.
    #[test]
    fn given_a_client_that_does_not_read_then_news_are_lost_and_answers_are_not() {
        let (to, mut from) = mpsc::channel(WAITING);
        let output = StdioClient { to: Mutex::new(Some(to)), waiting: Arc::default() };
        let news = |length: usize| Frame::notification("notifications/message", &json!("x".repeat(length)));
        for _ in 0..3 {
            output.send(news(WAITING_BYTES / 2), None);
        }
        assert!(from.try_recv().is_ok() && from.try_recv().is_err());
        output.waiting.store(0, Ordering::Relaxed);
        for _ in 0..2 * WAITING {
            output.send(news(1), None);
        }
        let id = RawValue::from_string("1".to_owned()).unwrap();
        for _ in 0..ANSWERS {
            output.send(Frame::result(&id, &json!({})), Some(RequestKey(1)));
        }
        let mut answers = 0;
        while let Ok(frame) = from.try_recv() {
            answers += usize::from(frame.kind() == FrameKind::Response);
        }
        assert_eq!(answers, ANSWERS);
    }

    struct Counts(Arc<AtomicUsize>);

    impl Gateway for Counts {
        fn open(&self, _: Arc<dyn Client>, _: Caller, _: ClientCount) -> Arc<dyn Conversation> {
            Arc::new(Self(Arc::clone(&self.0)))
        }
    }

    impl Conversation for Counts {
        fn receive(&self, _: Frame, _: Option<RequestKey>) {}
        fn abandon_request(&self, _: RequestKey) {}
        fn wait_until_drained(&self) -> futures::future::BoxFuture<'static, ()> {
            Box::pin(async {})
        }
        fn close(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// D0.12: nothing that mayi started outlives it, also if it is interrupted.
    #[tokio::test]
    async fn given_a_client_that_is_not_served_any_more_then_its_conversation_is_closed_once() {
        let closed = Arc::new(AtomicUsize::new(0));
        let gateway = Counts(Arc::clone(&closed));
        let (input, _open) = tokio::io::simplex(64);
        let served =
            tokio::time::timeout(Duration::from_millis(50), serve(&gateway, input, tokio::io::sink()));
        assert!(served.await.is_err());
        assert_eq!(closed.load(Ordering::Relaxed), 1);
        serve(&gateway, tokio::io::empty(), tokio::io::sink()).await.unwrap();
        assert_eq!(closed.load(Ordering::Relaxed), 2);
    }
}
