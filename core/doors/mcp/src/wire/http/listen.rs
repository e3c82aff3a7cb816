//! Streams of events: that of a request, until its response; and the one that belongs to none.

use std::time::{Duration, Instant};

use axum::http::{Method, StatusCode, header};
use reqwest::Response;

use super::events::EventParser;
use super::exchange::StreamEnd;
use super::reply::{RequestFailure, content_type, failure_reason, too_long};
use super::{Limits, Shared};
use crate::headers::LAST_EVENT;
use crate::wire::Incoming;
use crate::{Frame, FrameKind};

/// So often in a row a stream is asked for again without anything new in it.
const AGAIN: u32 = 5;
/// The longest time until then, whatever the server says.
const LONGEST_RETRY: Duration = Duration::from_secs(30);

/// A stream that was there for so long was worth asking for.
const LASTED: Duration = Duration::from_secs(20);

/// Where a stream is.
struct StreamPosition {
    /// The last event with an id.
    last: Option<String>,
    retry: Duration,
    /// How often it was asked for without anything new.
    tries: u32,
}

impl StreamPosition {
    fn new(limits: Limits) -> Self {
        Self { last: None, retry: limits.retry, tries: 0 }
    }

    /// Waits until it is time to ask again; `false` if that was done often enough.
    async fn wait(&mut self) -> bool {
        if self.tries >= AGAIN {
            return false;
        }
        tokio::time::sleep(self.retry.saturating_mul(1 << self.tries).min(LONGEST_RETRY)).await;
        self.tries += 1;
        true
    }
}

impl Shared {
    /// Reads the stream of the request `asked`, across connections if its server makes that possible.
    pub(super) async fn follow_stream(
        &self,
        asked: &Frame,
        id: u64,
        mut response: Response,
        older: bool,
    ) -> Result<(), RequestFailure> {
        let mut place = StreamPosition::new(self.limits);
        loop {
            let why = match self.read(response, &mut place, Some((asked, id))).await? {
                StreamEnd::Given => return Ok(()),
                StreamEnd::Broken { why } => why,
            };
            if !older || place.last.is_none() {
                return Err(RequestFailure::internal_failure(why));
            }
            response = loop {
                if !place.wait().await {
                    return Err(RequestFailure::internal_failure(why));
                }
                match self.open(&place).await {
                    Ok(response) if is_stream(&response) => break response,
                    Ok(response) if response.status() == StatusCode::NOT_FOUND => {
                        return Err(RequestFailure::Ended);
                    }
                    Ok(response) if response.status().is_server_error() => {}
                    Ok(_) => return Err(RequestFailure::internal_failure(why)),
                    Err(_) => {}
                }
            };
        }
    }

    /// Reads what belongs to no request, if the server has a stream for it.
    pub(super) async fn listen_general(&self) {
        let mut place = StreamPosition::new(self.limits);
        loop {
            match self.open(&place).await {
                Ok(response) if is_stream(&response) => match self.read(response, &mut place, None).await {
                    Ok(_) => {}
                    Err(RequestFailure::Failed { message, .. }) => {
                        tracing::warn!(server = self.name, message, "stopped to listen");
                        return;
                    }
                    Err(_) => return,
                },
                Ok(response) if response.status() == StatusCode::NOT_FOUND && self.has_session() => {
                    self.end("the session ended").await;
                    return;
                }
                Ok(response) if response.status().is_server_error() => {}
                // It has none: 405, or something else that does not change.
                Ok(_) => return,
                Err(_) => {}
            }
            if !place.wait().await {
                return;
            }
        }
    }

    fn has_session(&self) -> bool {
        self.lock().session.is_some()
    }

    async fn open(&self, place: &StreamPosition) -> Result<Response, RequestFailure> {
        self.send(|| {
            let request = self.in_session(Method::GET).header(header::ACCEPT, "text/event-stream");
            match &place.last {
                Some(last) => request.header(LAST_EVENT, last),
                None => request,
            }
        })
        .await
    }

    /// Gives on the messages of a stream, until the response to `asked` or the stream's end.
    async fn read(
        &self,
        mut response: Response,
        place: &mut StreamPosition,
        asked: Option<(&Frame, u64)>,
    ) -> Result<StreamEnd, RequestFailure> {
        let mut events = EventParser::new(self.limits.longest);
        let began = Instant::now();
        loop {
            let chunk = response.chunk().await;
            // A stream that lasted is no broken one.
            if began.elapsed() > LASTED {
                place.tries = 0;
            }
            let chunk = match chunk {
                Ok(Some(chunk)) => chunk,
                Ok(None) => {
                    return Ok(StreamEnd::Broken { why: "the stream ended before the answer".to_owned() });
                }
                Err(error) => {
                    return Ok(StreamEnd::Broken {
                        why: format!("the stream broke off: {}", failure_reason(error)),
                    });
                }
            };
            for event in events.take_events(&chunk).map_err(|_| too_long(self.limits.longest))? {
                // An event of another kind is none of MCP's.
                if !event.is_message() {
                    continue;
                }
                if let Some(retry) = event.retry {
                    place.retry = Duration::from_millis(retry).min(LONGEST_RETRY);
                }
                if let Some(id) = event.id.filter(|id| place.last.as_ref() != Some(id)) {
                    place.last = Some(id).filter(|id| !id.is_empty());
                    place.tries = 0;
                }
                if event.data.trim().is_empty() {
                    continue;
                }
                place.tries = 0;
                let mut answered = false;
                for frame in self.parse_frames(&event.data).map_err(|wrong| {
                    RequestFailure::internal_failure(format!(
                        "the server sent what is no message: {}",
                        wrong.message
                    ))
                })? {
                    match (frame.kind(), asked) {
                        (FrameKind::Response, Some((asked, id)))
                            if frame.numeric_id() == Some(id) && !answered =>
                        {
                            self.deliver_answer(asked, frame, id).await;
                            answered = true;
                        }
                        // The answer to something else has no place here.
                        (FrameKind::Response, _) => {
                            tracing::warn!(server = self.name, "a response in a stream that is not its own");
                        }
                        _ => self.deliver(Incoming::Frame { frame, about: asked.map(|(_, id)| id) }).await,
                    }
                }
                if answered {
                    return Ok(StreamEnd::Given);
                }
            }
        }
    }
}

pub(super) fn is_stream(response: &Response) -> bool {
    response.status().is_success() && content_type(response) == "text/event-stream"
}
