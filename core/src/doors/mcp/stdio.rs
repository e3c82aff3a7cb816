//! A client at standard input and output.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

use super::frame::{Frame, Kind};
use super::front::{Caller, Client, Gateway, Key, Span};
use super::lines::{Line, Lines, write_all};

/// The longest message that is read from a client: 16 MiB.
const LONGEST: usize = 16 * 1024 * 1024;

/// So many messages may wait for a client that does not read.
const WAITING: usize = 8192;

struct Output {
    to: mpsc::Sender<Frame>,
}

impl Client for Output {
    fn send(&self, frame: Frame, _: Option<Key>) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.to.try_send(frame) {
            tracing::warn!("the client does not read: a message to it is lost");
        }
    }
}

/// Serves one client until its input ends.
///
/// # Errors
/// If its input can't be read.
pub async fn serve<R, W>(gateway: &dyn Gateway, input: R, output: W) -> std::io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (to, outgoing) = mpsc::channel(WAITING);
    let writing = tokio::spawn(write_all(output, outgoing));
    let client: Arc<dyn Client> = Arc::new(Output { to });
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
                Err(super::Malformed { code: super::code::INVALID_REQUEST, message })
            }
            Line::NotText => {
                Err(super::Malformed { code: super::code::PARSE, message: "not UTF-8".to_owned() })
            }
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
    conversation.close();
    ended
}
