//! The answer to a request: JSON if the response is there at once, else a stream of events.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode};
use axum::response::IntoResponse;
use axum::response::sse::{Event as Line, KeepAlive, Sse};
use futures::StreamExt;
use futures::stream;

use super::refusal::{HttpRefusal, json_response};
use super::stream::{StreamEvent, StreamReader};
use crate::code;

/// As long is waited for the response before the stream begins: its status is certain then. Not longer, since a
/// client that hears nothing gives up, and one that has seen no event can't come back.
const SOON: Duration = Duration::from_secs(1);
/// As often something is sent when there is nothing to say.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// When a client should come back after its connection broke.
const RETRY: Duration = Duration::from_secs(1);

/// How events are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventFormat {
    /// They have ids to come back with.
    pub(super) ids: bool,
    /// The first one has no data, and only an id.
    pub(super) primed: bool,
}

/// Something that is done once nobody reads any more.
pub(super) type DropGuard = Box<dyn Send>;

/// The answer to a request. `status` says which status a response with this error has.
pub(super) async fn answer_response(
    mut reader: StreamReader,
    shape: EventFormat,
    guard: DropGuard,
    status: impl Fn(Option<i64>) -> StatusCode,
) -> Response<Body> {
    match tokio::time::timeout(SOON, reader.next()).await {
        // It was cancelled, or the session was ended: nobody waits for more.
        Ok(None) if shape.ids => empty_stream_response(),
        Ok(None) => {
            let message = "mayi ends, or there was too much to send: try again";
            HttpRefusal::for_request(None, StatusCode::SERVICE_UNAVAILABLE, code::INTERNAL, message)
                .into_response()
        }
        Ok(Some(event)) if event.last => json_response(status(event.code), event.text.to_string()),
        first => event_stream_response(reader, shape, first.ok().flatten(), guard),
    }
}

/// A stream of events: `first`, then what `reader` gets.
pub(super) fn event_stream_response(
    reader: StreamReader,
    shape: EventFormat,
    first: Option<StreamEvent>,
    guard: DropGuard,
) -> Response<Body> {
    let number = reader.stream().number;
    let primer = shape.primed.then(|| {
        // What it has seen so far: nothing.
        Line::default().id(format!("{number}-0")).retry(RETRY).data("")
    });
    let rest = stream::unfold((reader, guard), |(mut reader, guard)| async move {
        reader.next().await.map(|event| (event, (reader, guard)))
    });
    let lines = stream::iter(first).chain(rest).map(move |event| {
        let line = Line::default().data(&*event.text);
        if shape.ids { line.id(format!("{number}-{}", event.number)) } else { line }
    });
    let lines = stream::iter(primer).chain(lines).map(Ok::<_, Infallible>);
    without_buffering(Sse::new(lines).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}

/// A stream that ends at once: there is nothing to come back to. An error would have the client try for ever.
pub(super) fn empty_stream_response() -> Response<Body> {
    without_buffering(Sse::new(stream::empty::<Result<Line, Infallible>>()).into_response())
}

fn without_buffering(mut response: Response<Body>) -> Response<Body> {
    // Some proxies collect an answer before they pass it on.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// The stream and the event of a `Last-Event-ID`.
pub(super) fn event_id(text: &str) -> Option<(u64, u64)> {
    let (stream, event) = text.split_once('-')?;
    Some((stream.parse().ok()?, event.parse().ok()?))
}
