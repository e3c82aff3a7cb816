//! One request from within this process, as `mayi run` makes it: nothing listens, and nobody needs a token.

use std::collections::VecDeque;

use axum::body::{Body, BodyDataStream, to_bytes};
use futures::StreamExt;
use http::{HeaderMap, HeaderValue, Response, header};
use serde_json::Value;

use crate::door::ResponsesDoor;
use crate::events::{BlockReader, TooLong};
use crate::front::create_response;

/// The longest event of an answer, in bytes: it may hold an image.
const LONGEST_EVENT: usize = 64 * 1024 * 1024;
/// The longest text of an error, in bytes.
const LONGEST_ERROR: usize = 1024 * 1024;

/// The events of an answer, as they come. Once it is dropped, nobody waits for it any more, and what is asked about is taken back.
pub struct AnswerEvents {
    stream: BodyDataStream,
    blocks: BlockReader,
    events: VecDeque<Value>,
}

impl std::fmt::Debug for AnswerEvents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer").finish_non_exhaustive()
    }
}

impl ResponsesDoor {
    /// Has a response made for `request`, which is the body of `POST /responses` and is streamed whatever it says of that.
    ///
    /// # Errors
    /// One line: what the endpoint says against it, or mayi.
    pub async fn request_response(&self, mut request: Value) -> Result<AnswerEvents, String> {
        let Some(members) = request.as_object_mut() else {
            return Err("a request is a JSON object, such as {\"model\": …, \"input\": …}".to_owned());
        };
        members.insert("stream".to_owned(), Value::Bool(true));
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        let body = Body::from(request.to_string());
        let answer =
            create_response(&self.shared, body, headers, None).await.map_err(|trouble| trouble.message)?;
        if !answer.status().is_success() {
            return Err(error_text(answer).await);
        }
        let stream = answer.into_body().into_data_stream();
        Ok(AnswerEvents { stream, blocks: BlockReader::new(LONGEST_EVENT), events: VecDeque::new() })
    }
}

impl AnswerEvents {
    /// The next event; `None` at the end.
    ///
    /// # Errors
    /// One line, if the answer breaks off or is not made of events.
    pub async fn next(&mut self) -> Option<Result<Value, String>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(Ok(event));
            }
            let chunk = match self.stream.next().await? {
                Ok(chunk) => chunk,
                Err(error) => return Some(Err(format!("the answer broke off: {error}"))),
            };
            let blocks = match self.blocks.take_blocks(&chunk) {
                Ok(blocks) => blocks,
                Err(TooLong) => return Some(Err(format!("an event is longer than {LONGEST_EVENT} bytes"))),
            };
            // Comments have no data, and the end of older endpoints is no JSON.
            let events = blocks.iter().filter_map(|block| serde_json::from_str(&block.data()?).ok());
            self.events.extend(events);
        }
    }
}

/// What is said against a request.
async fn error_text(answer: Response<Body>) -> String {
    let status = answer.status();
    let text = to_bytes(answer.into_body(), LONGEST_ERROR).await.unwrap_or_default();
    let message = serde_json::from_slice::<Value>(&text)
        .ok()
        .and_then(|body| Some(body.pointer("/error/message")?.as_str()?.to_owned()));
    match message {
        Some(message) => format!("the endpoint said no ({status}): {message}"),
        None => format!("the endpoint said no: {status}"),
    }
}
