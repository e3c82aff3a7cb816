//! An answer as one JSON text.

use axum::body::{Body, Bytes, to_bytes};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use mayi_core::call::Digest;
use tokio::sync::watch;

use crate::again::{Ends, SharedAnswer};
use crate::exchange::{Exchange, Kept, Next};
use crate::joined::Step;
use crate::refusal::Trouble;
use crate::start::{First, Started};
use crate::upstream::{chunks, head, whole};

/// The longest response.
const LONGEST: usize = 64 * 1024 * 1024;

/// An answer, for everybody who has asked the same.
#[derive(Clone, Debug)]
pub(crate) struct Whole {
    status: StatusCode,
    headers: HeaderMap,
    text: Bytes,
}

/// Where an answer will be.
type Seat = watch::Receiver<Option<Whole>>;
/// An answer that is being made.
type Making = SharedAnswer<Option<Whole>>;

impl Ends for Option<Whole> {
    fn is_over(&self) -> bool {
        self.is_some()
    }

    fn is_whole(&self) -> bool {
        true
    }
}

/// The answer that begins with `first`.
pub(crate) async fn plain(exchange: Exchange, first: First, request: Option<Digest>) -> Response<Body> {
    let (making, seat) = SharedAnswer::new(&exchange.shared.answers, request, None);
    tokio::spawn(run(exchange, first, making));
    joined(seat).await
}

/// Waits for an answer that is being made.
pub(crate) async fn joined(seat: Seat) -> Response<Body> {
    match waited(seat).await {
        Some(whole) => whole.into_response(),
        None => Trouble::ending().into_response(),
    }
}

async fn waited(mut seat: Seat) -> Option<Whole> {
    let whole = seat.wait_for(Option::is_some).await.ok()?;
    whole.clone()
}

async fn run(mut exchange: Exchange, first: First, making: Making) {
    let (closing, open) = (exchange.shared.closing.clone(), exchange.open());
    let answer = tokio::select! {
        answer = work(&mut exchange, first, &making) => answer.unwrap_or_else(|trouble| {
            exchange.recording.body(trouble.status.as_u16(), trouble.text().as_bytes());
            Whole::of(&trouble)
        }),
        // What waits is withdrawn.
        () = making.gone(&open) => return,
        () = closing.cancelled() => Whole::of(&exchange.ending()),
    };
    making.finish(|last| *last = Some(answer));
}

async fn work(exchange: &mut Exchange, first: First, making: &Making) -> Result<Whole, Trouble> {
    let first = match first {
        First::Response(response) => response,
        First::Own(start) => {
            if let Err(other) = making.claim() {
                return waited(other).await.ok_or_else(Trouble::ending);
            }
            match start.start(exchange).await? {
                Started::Answer(answer) => answer,
                Started::Passed(response) => return Whole::read(response).await,
            }
        }
    };
    let (status, mut headers) = head(&first);
    let mut response = first;
    let mut later = false;
    loop {
        let limited = later || exchange.any_open();
        let read = if limited { chunks(response, LONGEST).await } else { whole(response, LONGEST).await };
        let text = read.map_err(|why| exchange.broken(&why))?;
        match exchange.joined.whole(text) {
            Step::Asks(held) => {
                if let Err(other) = making.claim() {
                    // One question is enough.
                    return waited(other).await.ok_or_else(Trouble::ending);
                }
                response = match exchange.answer(held).await? {
                    Next::GoOn(body) => exchange.go_on(body).await?,
                    Next::Close(text, kept) => {
                        if kept == Kept::No {
                            making.release();
                        }
                        exchange.recording.body(status.as_u16(), &text);
                        return Ok(json(status, headers, text));
                    }
                };
                later = true;
                headers = head(&response).1;
            }
            Step::Send(text) | Step::Close(text) => {
                exchange.finish();
                exchange.recording.body(status.as_u16(), &text);
                return Ok(json(status, headers, text));
            }
            Step::Hide => return Err(exchange.broken("the endpoint's answer is no response")),
        }
    }
}

fn json(status: StatusCode, mut headers: HeaderMap, text: Vec<u8>) -> Whole {
    headers.entry(header::CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
    Whole { status, headers, text: text.into() }
}

impl Whole {
    fn of(trouble: &Trouble) -> Self {
        let response = trouble.clone().into_response();
        Self { status: response.status(), headers: response.headers().clone(), text: trouble.text().into() }
    }

    pub(crate) async fn read(response: Response<Body>) -> Result<Self, Trouble> {
        let (parts, body) = response.into_parts();
        let text = to_bytes(body, LONGEST).await;
        let text = text.map_err(|_| Trouble::upstream("the endpoint's answer broke off, or is too long"))?;
        let mut headers = parts.headers;
        headers.remove(header::CONTENT_LENGTH);
        Ok(Self { status: parts.status, headers, text })
    }

    /// What is said of it in a stream that has begun already.
    pub(crate) fn as_trouble(&self) -> Trouble {
        let message = format!("the endpoint answers {}", self.status);
        Trouble { status: self.status, ..Trouble::upstream(message) }
    }

    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.text));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}
