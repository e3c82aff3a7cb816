//! An answer as one JSON text. A client that gives up while a question waits, or while a call that was approved runs, may come
//! back with the same request: it then joins what is there. No second question is made of it, and nothing runs twice.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use mayi_core::call::Digest;
use tokio::sync::watch;

use crate::door::Shared;
use crate::exchange::{Exchange, Next};
use crate::joined::Step;
use crate::refusal::Trouble;
use crate::start::{First, Started};
use crate::upstream::{chunks, head, whole};

/// The longest response.
const LONGEST: usize = 64 * 1024 * 1024;
/// So long a question stays for a client that is gone, and an answer that nobody got: the official clients come back in a few
/// seconds.
const BACK: Duration = Duration::from_secs(10);
/// So many are known by their requests.
const MOST: usize = 64;

/// An answer, for everybody who has asked the same.
#[derive(Clone, Debug)]
struct Whole {
    status: StatusCode,
    headers: HeaderMap,
    text: Bytes,
}

/// Where an answer will be.
type Seat = watch::Receiver<Option<Whole>>;

/// Answers that wait for somebody, or that nobody has got yet, by the digests of their requests.
#[derive(Debug, Default)]
pub(crate) struct Leftovers(Mutex<HashMap<String, Arc<watch::Sender<Option<Whole>>>>>);

/// Somebody else has asked the same, and is waited for.
pub(crate) struct Coming(Seat);

impl Leftovers {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<watch::Sender<Option<Whole>>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to this very request, if it is on its way.
    pub(crate) fn take(&self, request: &Digest) -> Option<Coming> {
        let mut left = self.lock();
        let seat = left.get(request.as_str())?.subscribe();
        // It was kept for whoever comes back, which is one.
        if seat.borrow().is_some() {
            left.remove(request.as_str());
        }
        Some(Coming(seat))
    }
}

/// An answer that is being made.
struct Making {
    shared: Arc<Shared>,
    request: Digest,
    answer: Arc<watch::Sender<Option<Whole>>>,
    /// It is known by its request.
    claimed: AtomicBool,
}

impl Making {
    /// From now on whoever asks the same gets this answer.
    ///
    /// # Errors
    /// If somebody else's is on its way: that one.
    fn claim(&self) -> Result<(), Seat> {
        if self.claimed.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut left = self.shared.leftovers.lock();
        if let Some(other) = left.get(self.request.as_str()) {
            return Err(other.subscribe());
        }
        if left.len() < MOST {
            left.insert(self.request.as_str().to_owned(), Arc::clone(&self.answer));
            self.claimed.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Returns when nobody waits any more, and nobody comes back. While something runs that was approved, somebody may.
    async fn gone(&self, open: &AtomicBool) {
        loop {
            self.answer.closed().await;
            if !self.claimed.load(Ordering::Relaxed) {
                return;
            }
            tokio::time::sleep(BACK).await;
            if self.answer.receiver_count() == 0 && !open.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    /// Hands the answer over. Where nobody is there, it stays for a while.
    fn finish(&self, whole: Whole) {
        let mut left = self.shared.leftovers.lock();
        self.answer.send_replace(Some(whole));
        if self.answer.receiver_count() > 0 || !self.claimed.load(Ordering::Relaxed) {
            return;
        }
        // Dropping this forgets it otherwise.
        self.claimed.store(false, Ordering::Relaxed);
        let (shared, answer) = (Arc::clone(&self.shared), Arc::clone(&self.answer));
        let key = self.request.as_str().to_owned();
        left.insert(key.clone(), Arc::clone(&answer));
        drop(left);
        tokio::spawn(async move {
            tokio::time::sleep(BACK).await;
            forget(&shared, &key, &answer);
        });
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        if self.claimed.load(Ordering::Relaxed) {
            forget(&self.shared, self.request.as_str(), &self.answer);
        }
    }
}

fn forget(shared: &Shared, key: &str, answer: &Arc<watch::Sender<Option<Whole>>>) {
    let mut left = shared.leftovers.lock();
    if left.get(key).is_some_and(|other| Arc::ptr_eq(other, answer)) {
        left.remove(key);
    }
}

/// The answer that begins with `first`.
pub(crate) async fn plain(exchange: Exchange, first: First, request: Digest) -> Response<Body> {
    let (answer, seat) = watch::channel(None);
    let making = Making {
        shared: Arc::clone(&exchange.shared),
        request,
        answer: Arc::new(answer),
        claimed: AtomicBool::new(false),
    };
    tokio::spawn(run(exchange, first, making));
    joined(Coming(seat)).await
}

/// Waits for an answer that is being made.
pub(crate) async fn joined(coming: Coming) -> Response<Body> {
    match waited(coming.0).await {
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
    making.finish(answer);
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
                    Next::Close(text) => {
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

    async fn read(response: Response<Body>) -> Result<Self, Trouble> {
        let (parts, body) = response.into_parts();
        let text = to_bytes(body, LONGEST).await;
        let text = text.map_err(|_| Trouble::upstream("the endpoint's answer broke off, or is too long"))?;
        let mut headers = parts.headers;
        headers.remove(header::CONTENT_LENGTH);
        Ok(Self { status: parts.status, headers, text })
    }

    fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.text));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}
