//! An answer as a stream of events.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use http::{Response, header};
use mayi_core::call::Digest;
use tokio::sync::watch;

use crate::again::SharedAnswer;
use crate::events::{Block, Blocks};
use crate::exchange::{Exchange, Kept, Next};
use crate::feed::{Begun, Feed, Writer, answer};
use crate::joined::{Held, Step};
use crate::own;
use crate::plain::Whole;
use crate::recording::Told;
use crate::refusal::Trouble;
use crate::start::{Start, Started};
use crate::upstream::{head, why, within};

/// The longest event: an image can be in one.
const LONGEST: usize = 64 * 1024 * 1024;
/// As often something is sent while an answer waits for a person. Clients give up where nothing comes.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What a client reads, and what is recorded of it.
struct Out {
    writer: Writer,
    told: Told,
}

impl Out {
    fn new(exchange: &Exchange, request: Option<Digest>) -> (Self, watch::Receiver<Feed>) {
        let (answer, read) = SharedAnswer::new(&exchange.shared.streams, request, Feed::new());
        let told = Told::new(exchange.recording.clone(), LONGEST);
        (Self { writer: Writer::new(answer, &read), told }, read)
    }

    /// Sends something; `false`, if nobody reads any more, and nobody comes back.
    async fn send(&self, bytes: impl Into<Bytes>) -> bool {
        let bytes = bytes.into();
        self.told.bytes(&bytes);
        self.writer.send(bytes).await
    }
}

/// What a stream begins with.
enum Begins {
    Response(reqwest::Response),
    Own(Start),
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
///
/// # Errors
/// If mayi ends.
pub(crate) async fn streamed(
    exchange: Exchange,
    first: reqwest::Response,
    request: Option<Digest>,
) -> Result<Response<Body>, Trouble> {
    let (out, read) = Out::new(&exchange, request);
    let _ = out.writer.begin(Begun::Stream(head(&first)));
    tokio::spawn(run(exchange, Begins::Response(first), out));
    answer(read).await
}

/// The answer to a request with approvals of the app's own. Where a person has to be asked first, the stream begins before the
/// endpoint's, so that the app has something to read.
///
/// # Errors
/// What is known before that: what the app hears.
pub(crate) async fn own(
    exchange: Exchange,
    start: Start,
    request: Option<Digest>,
) -> Result<Response<Body>, Trouble> {
    let (out, read) = Out::new(&exchange, request);
    if let Err(other) = out.writer.answer.claim() {
        // One question is enough.
        return answer(other).await;
    }
    tokio::spawn(run(exchange, Begins::Own(start), out));
    answer(read).await
}

async fn run(mut exchange: Exchange, begins: Begins, out: Out) {
    let (closing, open) = (exchange.shared.closing.clone(), exchange.open());
    let over = tokio::select! {
        over = work(&mut exchange, begins, &out) => over,
        // The app is gone: what waits is withdrawn.
        () = out.writer.answer.gone(&open) => Over::Gone,
        () = closing.cancelled() => Over::Trouble(exchange.ending()),
    };
    exchange.breaks_off();
    let whole = matches!(over, Over::Said | Over::Trouble(_));
    let end = match over {
        Over::Said => Some(Ok(())),
        Over::Gone => None,
        // The connection breaks off, as the endpoint's did: clients raise.
        Over::Broken(error) => Some(Err(error.to_string())),
        Over::Trouble(trouble) => {
            // A stream that has begun hears it as an event.
            if let Some(Begun::Trouble(trouble)) = out.writer.begin(Begun::Trouble(trouble)) {
                out.send(trouble.event(exchange.joined.sequence)).await;
            }
            Some(Ok(()))
        }
    };
    if let Some(end) = end {
        out.writer.finish(end);
    }
    out.told.end(whole);
}

/// The endpoint's first answer.
async fn first(exchange: &mut Exchange, begins: Begins, out: &Out) -> Result<reqwest::Response, Over> {
    let start = match begins {
        Begins::Response(response) => return Ok(response),
        Begins::Own(start) => start,
    };
    let started = match kept_alive(own::judged(exchange, start.previous.as_deref(), &start.sent), out).await {
        Ok(()) => start.sent(exchange).await,
        Err(trouble) => Err(trouble),
    };
    let begun = match started {
        Ok(Started::Answer(answer)) if is_stream(&answer) => {
            // Where the stream has begun already, it goes on with this.
            let _ = out.writer.begin(Begun::Stream(head(&answer)));
            return Ok(answer);
        }
        Ok(Started::Answer(_)) => {
            Begun::Trouble(exchange.broken("the endpoint answers with something else than events"))
        }
        Ok(Started::Passed(response)) => match Whole::read(response).await {
            Ok(whole) => Begun::Whole(whole),
            Err(trouble) => Begun::Trouble(trouble),
        },
        Err(trouble) => Begun::Trouble(trouble),
    };
    Err(match out.writer.begin(begun) {
        None | Some(Begun::Stream(_)) => Over::Said,
        Some(Begun::Trouble(trouble)) => Over::Trouble(trouble),
        Some(Begun::Whole(whole)) => Over::Trouble(whole.as_trouble()),
    })
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
        // A person may be asked: whoever asks the same from now on joins. Where another one's is on its way already, the two
        // go on beside each other, for both have begun.
        let _ = out.writer.answer.claim();
        // Comments tell of a person who is waited for. An endpoint that is silent afterwards is silent for the app too, whose
        // own limits then count.
        let next = match kept_alive(exchange.answer(held), out).await {
            Ok(Next::GoOn(body)) => exchange.go_on(body).await,
            Ok(Next::Close(text, kept)) => {
                if kept == Kept::No {
                    out.writer.answer.release();
                }
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
    if *closed && out.writer.answer.is_read() {
        // They have all of it, whatever the endpoint still does.
        out.writer.answer.release();
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
    use axum::body::to_bytes;

    use super::*;
    use crate::again::JoinableAnswers;
    use crate::recording::Recording;

    /// SSE comments keep a stream alive: every 15 seconds, and no client takes one for an event. Attack 512.
    #[tokio::test(start_paused = true)]
    async fn given_a_long_wait_then_comments_come() {
        let (shared, read) = SharedAnswer::new(&JoinableAnswers::default(), None, Feed::new());
        let writer = Writer::new(shared, &read);
        let out = Out { writer, told: Told::new(Recording::default(), LONGEST) };
        kept_alive(tokio::time::sleep(Duration::from_secs(50)), &out).await;
        out.writer.finish(Ok(()));
        let comments = to_bytes(answer(read).await.unwrap().into_body(), 1000).await.unwrap();
        assert_eq!(comments, b": mayi waits for an answer\n\n".repeat(3));
        let mut blocks = Blocks::new(1000);
        assert!(blocks.take(&comments).unwrap().iter().all(|block| block.data().is_none()));
    }
}
