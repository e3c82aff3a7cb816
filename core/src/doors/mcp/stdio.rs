//! A client at standard input and output.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

use super::frame::{Frame, Kind};
use super::front::{Caller, Client, Gateway, Key, Span};
use super::lines::{Line, Lines, write_all};

/// The longest message that is read from a client: 16 MiB.
const LONGEST: usize = 16 * 1024 * 1024;

/// So many messages may wait for a client that does not read.
const WAITING: usize = 8192;

/// So long after its input has ended a client still gets answers.
const DRAIN: Duration = Duration::from_secs(5);

struct Output {
    to: Mutex<Option<mpsc::Sender<Frame>>>,
}

impl Output {
    /// Nothing is sent from now on; what was is still written.
    fn end(&self) {
        self.to.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Client for Output {
    fn send(&self, frame: Frame, _: Option<Key>) {
        let to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Err(mpsc::error::TrySendError::Full(_))) = to.as_ref().map(|to| to.try_send(frame)) {
            tracing::warn!("the client does not read: a message to it is lost");
        }
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
    let mut writing = tokio::spawn(write_all(writer, outgoing));
    let output = Arc::new(Output { to: Mutex::new(Some(to)) });
    let client: Arc<dyn Client> = Arc::clone(&output) as Arc<dyn Client>;
    let conversation = gateway.open(Arc::clone(&client), Caller("stdio".to_owned()), Span::Session);
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
                let key = (frame.kind() == Kind::Request).then(Key::next);
                conversation.receive(frame, key);
            }
            Err(malformed) => client.send(malformed.answer(), None),
        }
        if writing.is_finished() {
            break Ok(());
        }
    };
    // What was asked before the input ended is answered still.
    let _ = tokio::time::timeout(DRAIN, conversation.drained()).await;
    conversation.close();
    output.end();
    let _ = tokio::time::timeout(DRAIN, &mut writing).await;
    ended
}
