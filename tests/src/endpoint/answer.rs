//! One response on its way: a text, or events.

use axum::body::{Body, Bytes};
use axum::http::{Response, StatusCode};
use futures::stream;
use serde_json::Value;

use super::turn::Turn;
use super::{Trouble, with};

/// A stream that no change of a byte could escape in: odd spaces, unknown events and fields, comments, a byte order mark.
pub const BYTES: &str = "\u{feff}: hello\r\n\r\nevent: response.created\r\ndata: {\"type\":\"response.created\", \"sequence_number\":0,\"response\":{\"id\":\"resp_b\",\"output\":[ ],\"n\":1.0}}\r\n\r\nevent: response.new_thing\nid: 7\nretry: 10\ndata: {\"type\":\"response.new_thing\",\ndata: \"sequence_number\":1,\"x\":123456789012345678901234567890}\n\nevent: response.completed\ndata:{\"type\":\"response.completed\",\"sequence_number\":2,\"response\":{\"id\":\"resp_b\",\"status\":\"completed\",\"output\":[],\"usage\":null,\"later\":{\"a\":\"\\u00e9\"}}}\n\ndata: [DONE]\n\n";

/// The answer to a request.
pub(super) fn answer(body: &Value, turn: &Turn, trouble: Option<&Trouble>) -> Response<Body> {
    if body["stream"] != true {
        if let Some(Trouble::BreaksOff(_) | Trouble::EndsEarly) = trouble {
            return with(StatusCode::OK, "application/json", broken(vec![Bytes::from_static(b"{\"id\":")]));
        }
        return with(StatusCode::OK, "application/json", Body::from(turn.body.to_string()));
    }
    let kind = "text/event-stream; charset=utf-8";
    if body["input"] == "bytes" {
        return with(StatusCode::OK, kind, Body::from(BYTES));
    }
    let line = |event: &Value| {
        Bytes::from(format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()))
    };
    let mut events: Vec<Bytes> = turn.events.iter().map(line).collect();
    match trouble {
        Some(Trouble::BreaksOff(after)) => {
            events.truncate(*after);
            return with(StatusCode::OK, kind, broken(events));
        }
        Some(Trouble::EndsEarly) => {
            events.pop();
        }
        _ => {}
    }
    let events = stream::iter(events.into_iter().map(Ok::<_, std::io::Error>));
    with(StatusCode::OK, kind, Body::from_stream(events))
}

/// A body that breaks off behind these pieces.
fn broken(pieces: Vec<Bytes>) -> Body {
    let end = stream::once(async { Err(std::io::Error::other("broken off")) });
    Body::from_stream(futures::StreamExt::chain(stream::iter(pieces.into_iter().map(Ok)), end))
}
