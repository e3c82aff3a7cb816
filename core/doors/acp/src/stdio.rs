//! The agent's standard streams as the SDK's transport: bounded lines, strict reading, and a note of
//! what broke.

use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::Lines;
use futures::{Sink, SinkExt, Stream, StreamExt};
use tokio::sync::{mpsc, watch};
use tokio_util::codec::{FramedRead, FramedWrite, LinesCodec, LinesCodecError};

use super::lines::{self, Line};
use super::{AcpEvent, SessionEvent};
use mayi_acp_shared::{LONGEST, Pipes};

/// So long after the agent has ended, what it started may still hold its output open.
const AFTER: std::time::Duration = std::time::Duration::from_millis(200);

/// Before the agent has answered anything, so many stray lines are forgiven: installers and
/// wrappers speak on standard output too.
const STRAY: usize = 200;

/// What broke, if anything: the first thing counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Fault(Arc<Mutex<Option<String>>>);

impl Fault {
    pub(super) fn set_first(&self, what: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
    }

    pub(super) fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The transport. It ends at the first line that breaks the protocol, and `fault` says why.
pub(super) fn agent_transport(
    pipes: Pipes,
    fault: Fault,
    events: mpsc::UnboundedSender<SessionEvent>,
) -> Lines<
    impl Sink<String, Error = std::io::Error> + Send + 'static,
    impl Stream<Item = std::io::Result<String>> + Send + 'static,
> {
    let lines = FramedWrite::new(pipes.stdin, LinesCodec::new());
    let outgoing = SinkExt::<String>::sink_map_err(lines, io_error);
    let reader = FramedRead::new(pipes.stdout, LinesCodec::new_with_max_length(LONGEST));
    let state = TransportReader { reader, exited: pipes.exited, fault, events, spoken: false, stray: 0 };
    let incoming = futures::stream::unfold(state, |mut state| async move {
        let line = state.next().await?;
        Some((Ok(line), state))
    });
    Lines::new(outgoing, Box::pin(incoming))
}

struct TransportReader<R> {
    reader: FramedRead<R, LinesCodec>,
    exited: watch::Receiver<Option<ExitStatus>>,
    fault: Fault,
    events: mpsc::UnboundedSender<SessionEvent>,
    spoken: bool,
    stray: usize,
}

impl<R: tokio::io::AsyncRead + Unpin> TransportReader<R> {
    async fn next(&mut self) -> Option<String> {
        loop {
            let line = tokio::select! {
                biased;
                line = self.reader.next() => line?,
                () = wait_for_exit(&mut self.exited) => return None,
            };
            let line = match line {
                Ok(line) => line,
                Err(LinesCodecError::MaxLineLengthExceeded) => {
                    self.fault.set_first(format!("a line longer than {} MiB", LONGEST / 1024 / 1024));
                    return None;
                }
                Err(LinesCodecError::Io(error)) => {
                    if error.kind() == std::io::ErrorKind::InvalidData {
                        self.fault.set_first("a line that is not UTF-8".to_owned());
                    }
                    return None;
                }
            };
            match lines::read(line) {
                Line::Message(message) => {
                    self.spoken = true;
                    return Some(message);
                }
                Line::Empty => {}
                Line::NotJson(start) if !self.spoken && self.stray < STRAY => {
                    self.stray += 1;
                    let stray = format!("on standard output, before the first message: {start}");
                    let _ = self.events.send(AcpEvent::Stderr(stray).into());
                }
                Line::NotJson(start) => {
                    self.fault.set_first(format!("a line that is not JSON: {start}"));
                    return None;
                }
                Line::NotRpc(what) => {
                    self.fault.set_first(what);
                    return None;
                }
            }
        }
    }
}

/// The agent has ended, and what it wrote before has had the time to arrive.
async fn wait_for_exit(exited: &mut watch::Receiver<Option<ExitStatus>>) {
    let _ = exited.wait_for(Option::is_some).await;
    tokio::time::sleep(AFTER).await;
}

fn io_error(error: LinesCodecError) -> std::io::Error {
    match error {
        LinesCodecError::Io(error) => error,
        LinesCodecError::MaxLineLengthExceeded => std::io::Error::other("a line too long"),
    }
}
