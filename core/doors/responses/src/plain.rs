//! An answer as one JSON text. A client that gives up while a question waits may come back with the same request: it then
//! joins the question that is there, and does not make a second one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use mayi_core::call::Digest;
use tokio::sync::oneshot;

use crate::door::Shared;
use crate::exchange::{Exchange, Next};
use crate::joined::Step;
use crate::refusal::Trouble;
use crate::upstream::{head, whole};

/// The longest response.
const LONGEST: usize = 64 * 1024 * 1024;
/// So long a question stays for a client that is gone: the official ones come back in a few seconds.
const BACK: Duration = Duration::from_secs(10);
/// So many are kept for those who may come back.
const MOST: usize = 64;

/// An answer that is being made.
type Coming = oneshot::Receiver<Response<Body>>;

/// Answers that nobody waits for at the moment, by the digest of their requests.
#[derive(Debug, Default)]
pub(crate) struct Leftovers(Mutex<HashMap<String, (u64, Coming)>>);

impl Leftovers {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, (u64, Coming)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to this very request, if its client is gone.
    pub(crate) fn take(&self, request: &Digest) -> Option<Coming> {
        self.lock().remove(request.as_str()).map(|(_, coming)| coming)
    }
}

/// The answer that begins with `first`.
pub(crate) async fn plain(exchange: Exchange, first: reqwest::Response, request: Digest) -> Response<Body> {
    let shared = Arc::clone(&exchange.shared);
    let waits = Arc::new(AtomicBool::new(false));
    let (done, coming) = oneshot::channel();
    tokio::spawn(run(exchange, first, done, Arc::clone(&waits)));
    waited(shared, coming, request, waits).await
}

/// Waits for an answer that is being made for somebody who was gone.
pub(crate) async fn joined(shared: Arc<Shared>, coming: Coming, request: Digest) -> Response<Body> {
    waited(shared, coming, request, Arc::new(AtomicBool::new(true))).await
}

async fn waited(
    shared: Arc<Shared>,
    coming: Coming,
    request: Digest,
    waits: Arc<AtomicBool>,
) -> Response<Body> {
    let mut seat = Seat { shared, coming: Some(coming), request, waits };
    let Some(coming) = &mut seat.coming else { return Trouble::ending().into_response() };
    let answer = coming.await;
    seat.coming = None;
    answer.unwrap_or_else(|_| Trouble::ending().into_response())
}

/// Somebody who waits. If they are gone before the answer is there, they may come back.
struct Seat {
    shared: Arc<Shared>,
    coming: Option<Coming>,
    request: Digest,
    waits: Arc<AtomicBool>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let Some(coming) = self.coming.take() else { return };
        if !self.waits.load(Ordering::Relaxed) {
            return;
        }
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let key = self.request.as_str().to_owned();
        {
            let mut left = self.shared.leftovers.lock();
            if left.len() >= MOST {
                return;
            }
            left.insert(key.clone(), (number, coming));
        }
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            tokio::time::sleep(BACK).await;
            let mut left = shared.leftovers.lock();
            if left.get(&key).is_some_and(|(other, _)| *other == number) {
                left.remove(&key);
            }
        });
    }
}

async fn run(
    mut exchange: Exchange,
    first: reqwest::Response,
    mut done: oneshot::Sender<Response<Body>>,
    waits: Arc<AtomicBool>,
) {
    let closing = exchange.shared.closing.clone();
    let answer = tokio::select! {
        answer = work(&mut exchange, first, &waits) => answer.unwrap_or_else(|trouble| {
            exchange.recording.body(trouble.status.as_u16(), trouble.text().as_bytes());
            trouble.into_response()
        }),
        // Nobody comes back: what waits is withdrawn.
        () = done.closed() => return,
        () = closing.cancelled() => Trouble::ending().into_response(),
    };
    let _ = done.send(answer);
}

async fn work(
    exchange: &mut Exchange,
    first: reqwest::Response,
    waits: &AtomicBool,
) -> Result<Response<Body>, Trouble> {
    let (status, mut headers) = head(&first);
    let mut response = first;
    loop {
        let text = whole(response, LONGEST).await.map_err(|why| exchange.broken(&why))?;
        match exchange.joined.whole(text) {
            Step::Asks(held) => {
                waits.store(true, Ordering::Relaxed);
                let next = exchange.answer(held).await;
                waits.store(false, Ordering::Relaxed);
                response = match next? {
                    Next::Response(next) => next,
                    Next::Close(text) => {
                        exchange.recording.body(status.as_u16(), &text);
                        return Ok(json(status, headers, text));
                    }
                };
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

fn json(status: StatusCode, mut headers: HeaderMap, text: Vec<u8>) -> Response<Body> {
    headers.entry(header::CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}
