//! An answer as a stream of events.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures::stream;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use tokio::sync::{mpsc, oneshot};

use crate::events::{Block, Blocks};
use crate::exchange::{Exchange, Next};
use crate::joined::{Held, Step};
use crate::own;
use crate::recording::Told;
use crate::refusal::Trouble;
use crate::start::{Start, Started};
use crate::upstream::{head, why, within};

/// The longest event: an image can be in one.
const LONGEST: usize = 64 * 1024 * 1024;
/// Events that an app has not read yet.
const AHEAD: usize = 64;
/// As often something is sent while an answer waits for a person. Clients give up where nothing comes.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A stream begins after this time, also where a person has to be asked before the endpoint is.
const SOON: Duration = Duration::from_secs(2);

/// What a client reads, and what is recorded of it.
struct Out {
    sender: mpsc::Sender<io::Result<Bytes>>,
    told: Told,
}

impl Out {
    /// Sends something; `false`, if nobody reads any more.
    async fn send(&self, bytes: impl Into<Bytes>) -> bool {
        let bytes = bytes.into();
        self.told.bytes(&bytes);
        self.sender.send(Ok(bytes)).await.is_ok()
    }
}

/// What a stream begins with.
enum Begins {
    Response(reqwest::Response),
    Own(Start, oneshot::Sender<Begun>),
}

/// What is known of an answer before its stream begins.
enum Begun {
    Stream((StatusCode, HeaderMap)),
    Passed(Response<Body>),
    Trouble(Trouble),
}

/// Why nothing more comes.
enum Over {
    /// All was said.
    Said,
    /// Nobody reads any more.
    Gone,
    Broken(io::Error),
    Trouble(Trouble),
}

impl From<Trouble> for Over {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

/// How a response of the endpoint ended.
enum Ended {
    Asks(Held),
    Over,
}

/// The answer that begins with `first`.
pub(crate) fn streamed(exchange: Exchange, first: reqwest::Response) -> Response<Body> {
    let head = head(&first);
    let (out, read) = mpsc::channel(AHEAD);
    tokio::spawn(run(exchange, Begins::Response(first), out));
    body(read, head)
}

/// The answer to a request with approvals of the app's own. Where a person has to be asked first, the stream begins before the
/// endpoint's, so that the app has something to read.
///
/// # Errors
/// What is known before that: what the app hears.
pub(crate) async fn own(exchange: Exchange, start: Start) -> Result<Response<Body>, Trouble> {
    let (out, read) = mpsc::channel(AHEAD);
    let (begun, begins) = oneshot::channel();
    tokio::spawn(run(exchange, Begins::Own(start, begun), out));
    match tokio::time::timeout(SOON, begins).await {
        Ok(Ok(Begun::Stream(head))) => Ok(body(read, head)),
        Ok(Ok(Begun::Passed(response))) => Ok(response),
        Ok(Ok(Begun::Trouble(trouble))) => Err(trouble),
        Ok(Err(_)) => Err(Trouble::ending()),
        Err(_) => {
            let kind = HeaderValue::from_static("text/event-stream; charset=utf-8");
            Ok(body(read, (StatusCode::OK, HeaderMap::from_iter([(header::CONTENT_TYPE, kind)]))))
        }
    }
}

fn body(
    read: mpsc::Receiver<io::Result<Bytes>>,
    (status, headers): (StatusCode, HeaderMap),
) -> Response<Body> {
    let body = stream::unfold(read, |mut read| async move {
        let chunk = read.recv().await?;
        if chunk.is_err() {
            // What comes before is sent first.
            tokio::task::yield_now().await;
        }
        Some((chunk, read))
    });
    let mut response = Response::new(Body::from_stream(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    // Some proxies collect an answer before they pass it on.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response
}

async fn run(mut exchange: Exchange, begins: Begins, sender: mpsc::Sender<io::Result<Bytes>>) {
    let told = Told::new(exchange.recording.clone(), LONGEST);
    let out = Out { sender, told };
    let closing = exchange.shared.closing.clone();
    let over = tokio::select! {
        over = work(&mut exchange, begins, &out) => over,
        // The app is gone: what waits is withdrawn.
        () = out.sender.closed() => Over::Gone,
        () = closing.cancelled() => Over::Trouble(exchange.ending()),
    };
    exchange.breaks_off();
    let whole = matches!(over, Over::Said | Over::Trouble(_));
    match over {
        Over::Said | Over::Gone => {}
        // The connection breaks off, as the endpoint's did: clients raise.
        Over::Broken(error) => {
            let _ = out.sender.send(Err(error)).await;
        }
        Over::Trouble(trouble) => {
            let event = trouble.event(exchange.joined.sequence);
            out.send(event).await;
        }
    }
    out.told.end(whole);
}

/// The endpoint's first answer.
async fn first(exchange: &mut Exchange, begins: Begins, out: &Out) -> Result<reqwest::Response, Over> {
    let (start, begun) = match begins {
        Begins::Response(response) => return Ok(response),
        Begins::Own(start, begun) => (start, begun),
    };
    let started = match kept_alive(own::judged(exchange, start.previous.as_deref(), &start.sent), out).await {
        Ok(()) => start.sent(exchange).await,
        Err(trouble) => Err(trouble),
    };
    let (begins, response) = match started {
        Ok(Started::Answer(answer)) if is_stream(&answer) => (Begun::Stream(head(&answer)), Some(answer)),
        Ok(Started::Answer(_)) => {
            (Begun::Trouble(exchange.broken("the endpoint answers with something else than events")), None)
        }
        Ok(Started::Passed(response)) => (Begun::Passed(response), None),
        Err(trouble) => (Begun::Trouble(trouble), None),
    };
    match (begun.send(begins), response) {
        (_, Some(response)) => Ok(response),
        (Ok(()), None) => Err(Over::Said),
        // The stream has begun already: it hears it as an event.
        (Err(Begun::Trouble(trouble)), None) => Err(Over::Trouble(trouble)),
        (Err(Begun::Passed(response)), None) => {
            let message = format!("the endpoint answers {}", response.status());
            Err(Over::Trouble(Trouble { status: response.status(), ..Trouble::upstream(message) }))
        }
        (Err(Begun::Stream(_)), None) => Err(Over::Said),
    }
}

async fn work(exchange: &mut Exchange, begins: Begins, out: &Out) -> Over {
    let mut response = match first(exchange, begins, out).await {
        Ok(response) => response,
        Err(over) => return over,
    };
    let mut later = false;
    loop {
        // Where something may have run, the end is looked for.
        let limited = later || exchange.any_open();
        let held = match passed(exchange, response, out, limited).await {
            Ok(Ended::Asks(held)) => held,
            Ok(Ended::Over) => return Over::Said,
            Err(over) => return over,
        };
        // Comments tell of a person who is waited for. An endpoint that is silent afterwards is silent for the app too, whose
        // own limits then count.
        let next = match kept_alive(exchange.answer(held), out).await {
            Ok(Next::GoOn(body)) => exchange.go_on(body).await,
            Ok(Next::Close(text)) => {
                out.send(text).await;
                return Over::Said;
            }
            Err(trouble) => Err(trouble),
        };
        match next {
            Ok(next) if is_stream(&next) => response = next,
            Ok(_) => return Over::Trouble(exchange.broken("the endpoint went on with something else")),
            Err(trouble) => return Over::Trouble(trouble),
        }
        later = true;
    }
}

/// Whether an answer is a stream of events.
pub(crate) fn is_stream(answer: &reqwest::Response) -> bool {
    let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.split(';').next().unwrap_or_default().trim() == "text/event-stream")
}

/// Passes a response on, up to its end or to where it asks.
async fn passed(
    exchange: &mut Exchange,
    mut response: reqwest::Response,
    out: &Out,
    later: bool,
) -> Result<Ended, Over> {
    let mut blocks = Blocks::new(LONGEST);
    let mut closed = false;
    loop {
        let chunk = match if later {
            within(response.chunk()).await
        } else {
            response.chunk().await.map_err(|error| why(&error))
        } {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(error) if closed || !later => return Err(Over::Broken(io::Error::other(error))),
            Err(error) => return Err(exchange.broken(&error).into()),
        };
        let Ok(all) = blocks.take(&chunk) else {
            return Err(exchange.broken("an event of the endpoint's is too long").into());
        };
        if let Some(held) = told(exchange, all, out, &mut closed).await? {
            return Ok(Ended::Asks(held));
        }
    }
    // The last event, where the empty line after it is missing: clients may read it all the same.
    let rest = blocks.rest();
    if !rest.is_empty()
        && let Some(held) = told(exchange, vec![Block { raw: rest }], out, &mut closed).await?
    {
        return Ok(Ended::Asks(held));
    }
    if later && !closed {
        return Err(exchange.broken("the endpoint's answer ended before its end").into());
    }
    Ok(Ended::Over)
}

/// Tells the app of events, up to the one that asks.
async fn told(
    exchange: &mut Exchange,
    blocks: Vec<Block>,
    out: &Out,
    closed: &mut bool,
) -> Result<Option<Held>, Over> {
    let (mut text, mut held) = (Vec::new(), None);
    for block in blocks {
        match exchange.joined.event(block) {
            Step::Send(bytes) => text.extend_from_slice(&bytes),
            Step::Hide => {}
            Step::Asks(asks) => {
                held = Some(asks);
                break;
            }
            Step::Close(bytes) => {
                *closed = true;
                // Before the app hears of the end, and goes on from it.
                exchange.finish();
                text.extend_from_slice(&bytes);
            }
        }
    }
    if !text.is_empty() && !out.send(text).await {
        return Err(Over::Gone);
    }
    Ok(held)
}

/// Waits, and says something now and then.
async fn kept_alive<T>(waited: impl Future<Output = T>, out: &Out) -> T {
    let mut waited = std::pin::pin!(waited);
    loop {
        match tokio::time::timeout(KEEP_ALIVE, waited.as_mut()).await {
            Ok(done) => return done,
            Err(_) => {
                // A comment: no client sees it.
                out.send(Bytes::from_static(b": mayi waits for an answer\n\n")).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Recording;

    /// SSE comments keep a stream alive: every 15 seconds, and no client takes one for an event. Attack 512.
    #[tokio::test(start_paused = true)]
    async fn given_a_long_wait_then_comments_come() {
        let (sender, mut read) = mpsc::channel(AHEAD);
        let out = Out { sender, told: Told::new(Recording::default(), LONGEST) };
        kept_alive(tokio::time::sleep(Duration::from_secs(50)), &out).await;
        drop(out);
        let mut comments = Vec::new();
        while let Some(chunk) = read.recv().await {
            comments.extend_from_slice(&chunk.unwrap());
        }
        assert_eq!(comments, b": mayi waits for an answer\n\n".repeat(3));
        let mut blocks = Blocks::new(1000);
        assert!(blocks.take(&comments).unwrap().iter().all(|block| block.data().is_none()));
    }
}
