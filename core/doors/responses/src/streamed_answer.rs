//! An answer as a stream of events.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use http::{Response, header};
use mayi_core::call::Digest;
use mayi_doors::task::spawn;
use tokio::sync::watch;

use crate::events::{BlockReader, EventBlock};
use crate::exchange::{Exchange, KeepAnswer, NextStep};
use crate::first_request::{StartOutcome, UnsentRequest};
use crate::joined_response::{HeldResponse, Step};
use crate::json_answer::WholeAnswer;
use crate::own_approvals;
use crate::recording::EventRecording;
use crate::refusal::ApiError;
use crate::returning_clients::SharedAnswer;
use crate::shared_stream::{AnswerStart, Feed, FeedWriter, answer_from_feed};
use crate::upstream::{answer_head, error_cause, with_idle_limit};

/// The longest event: an image can be in one.
const LONGEST: usize = 64 * 1024 * 1024;
/// As often something is sent while an answer waits for a person. Clients give up where nothing comes.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// What a client reads, and what is recorded of it.
struct StreamOutput {
    writer: FeedWriter,
    recording: EventRecording,
}

impl StreamOutput {
    fn new(exchange: &Exchange, request: Option<Digest>) -> (Self, watch::Receiver<Feed>) {
        let (answer, read) = SharedAnswer::new(&exchange.shared.streams, request, Feed::new());
        let told = EventRecording::new(exchange.recording.clone(), LONGEST);
        (Self { writer: FeedWriter::new(answer, &read), recording: told }, read)
    }

    /// Sends something; `false`, if nobody reads any more, and nobody comes back.
    async fn send(&self, bytes: impl Into<Bytes>) -> bool {
        let bytes = bytes.into();
        self.recording.record_bytes(&bytes);
        self.writer.send(bytes).await
    }
}

/// What a stream begins with.
enum StreamStart {
    Response(reqwest::Response),
    OwnApprovals(UnsentRequest),
}

/// Why nothing more comes.
enum StreamStop {
    /// All was said.
    Finished,
    /// Nobody reads any more.
    Abandoned,
    Broken(io::Error),
    Trouble(ApiError),
}

impl From<ApiError> for StreamStop {
    fn from(trouble: ApiError) -> Self {
        Self::Trouble(trouble)
    }
}

/// How a response of the endpoint ended.
enum ResponseEnd {
    Asks(HeldResponse),
    Over,
}

/// The answer that begins with `first`.
///
/// # Errors
/// If mayi ends.
pub(crate) async fn answer_streamed(
    exchange: Exchange,
    first: reqwest::Response,
    request: Option<Digest>,
) -> Result<Response<Body>, ApiError> {
    let (out, read) = StreamOutput::new(&exchange, request);
    let _ = out.writer.begin_answer(AnswerStart::Stream(answer_head(&first)));
    spawn(run(exchange, StreamStart::Response(first), out));
    answer_from_feed(read).await
}

/// The answer to a request with approvals of the app's own. Where a person has to be asked first, the stream begins before the
/// endpoint's, so that the app has something to read.
///
/// # Errors
/// What is known before that: what the app hears.
pub(crate) async fn answer_own_approvals(
    exchange: Exchange,
    start: UnsentRequest,
    request: Option<Digest>,
) -> Result<Response<Body>, ApiError> {
    let (out, read) = StreamOutput::new(&exchange, request);
    if let Err(other) = out.writer.answer.claim_request() {
        // One question is enough.
        return answer_from_feed(other).await;
    }
    spawn(run(exchange, StreamStart::OwnApprovals(start), out));
    answer_from_feed(read).await
}

async fn run(mut exchange: Exchange, begins: StreamStart, out: StreamOutput) {
    let (closing, open) = (exchange.shared.closing.clone(), exchange.open());
    let over = tokio::select! {
        over = stream_answer(&mut exchange, begins, &out) => over,
        // The app is gone: what waits is withdrawn.
        () = out.writer.answer.wait_until_abandoned(&open) => StreamStop::Abandoned,
        () = closing.cancelled() => StreamStop::Trouble(exchange.shutdown_error()),
    };
    exchange.breaks_off();
    let whole = matches!(over, StreamStop::Finished | StreamStop::Trouble(_));
    let end = match over {
        StreamStop::Finished => Some(Ok(())),
        StreamStop::Abandoned => None,
        // The connection breaks off, as the endpoint's did: clients raise.
        StreamStop::Broken(error) => Some(Err(error.to_string())),
        StreamStop::Trouble(trouble) => {
            // A stream that has begun hears it as an event.
            if let Some(AnswerStart::Trouble(trouble)) =
                out.writer.begin_answer(AnswerStart::Trouble(trouble))
            {
                out.send(trouble.error_event(exchange.joined.sequence)).await;
            }
            Some(Ok(()))
        }
    };
    if let Some(end) = end {
        out.writer.finish(end);
    }
    out.recording.record_end(whole);
}

/// The endpoint's first answer.
async fn first_response(
    exchange: &mut Exchange,
    begins: StreamStart,
    out: &StreamOutput,
) -> Result<reqwest::Response, StreamStop> {
    let start = match begins {
        StreamStart::Response(response) => return Ok(response),
        StreamStart::OwnApprovals(start) => start,
    };
    let started = match kept_alive(
        own_approvals::judge_approvals(exchange, start.previous.as_deref(), &start.sent),
        out,
    )
    .await
    {
        Ok(()) => start.send_request(exchange).await,
        Err(trouble) => Err(trouble),
    };
    let begun = match started {
        Ok(StartOutcome::Answer(answer)) if is_stream(&answer) => {
            // Where the stream has begun already, it goes on with this.
            let _ = out.writer.begin_answer(AnswerStart::Stream(answer_head(&answer)));
            return Ok(answer);
        }
        Ok(StartOutcome::Answer(_)) => AnswerStart::Trouble(
            exchange.broken_error("the endpoint answers with something else than events"),
        ),
        Ok(StartOutcome::Passed(response)) => match WholeAnswer::read(response).await {
            Ok(whole) => AnswerStart::Whole(whole),
            Err(trouble) => AnswerStart::Trouble(trouble),
        },
        Err(trouble) => AnswerStart::Trouble(trouble),
    };
    Err(match out.writer.begin_answer(begun) {
        None | Some(AnswerStart::Stream(_)) => StreamStop::Finished,
        Some(AnswerStart::Trouble(trouble)) => StreamStop::Trouble(trouble),
        Some(AnswerStart::Whole(whole)) => StreamStop::Trouble(whole.as_trouble()),
    })
}

async fn stream_answer(exchange: &mut Exchange, begins: StreamStart, out: &StreamOutput) -> StreamStop {
    let mut response = match first_response(exchange, begins, out).await {
        Ok(response) => response,
        Err(over) => return over,
    };
    let mut later = false;
    loop {
        // Where something may have run, the end is looked for.
        let limited = later || exchange.any_open();
        let held = match pass_response(exchange, response, out, limited).await {
            Ok(ResponseEnd::Asks(held)) => held,
            Ok(ResponseEnd::Over) => return StreamStop::Finished,
            Err(over) => return over,
        };
        // A person may be asked: whoever asks the same from now on joins. Where another one's is on its way already, the two
        // go on beside each other, for both have begun.
        let _ = out.writer.answer.claim_request();
        // Comments tell of a person who is waited for. An endpoint that is silent afterwards is silent for the app too, whose
        // own limits then count.
        let next = match kept_alive(exchange.answer_approvals(held), out).await {
            Ok(NextStep::GoOn(body)) => exchange.go_on(body).await,
            Ok(NextStep::Close(text, kept)) => {
                if kept == KeepAnswer::No {
                    out.writer.answer.release_claim();
                }
                out.send(text).await;
                return StreamStop::Finished;
            }
            Err(trouble) => Err(trouble),
        };
        match next {
            Ok(next) if is_stream(&next) => response = next,
            Ok(_) => {
                return StreamStop::Trouble(
                    exchange.broken_error("the endpoint went on with something else"),
                );
            }
            Err(trouble) => return StreamStop::Trouble(trouble),
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
async fn pass_response(
    exchange: &mut Exchange,
    mut response: reqwest::Response,
    out: &StreamOutput,
    later: bool,
) -> Result<ResponseEnd, StreamStop> {
    let mut blocks = BlockReader::new(LONGEST);
    let mut closed = false;
    loop {
        let chunk = match if later {
            with_idle_limit(response.chunk()).await
        } else {
            response.chunk().await.map_err(|error| error_cause(&error))
        } {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(error) if closed || !later => return Err(StreamStop::Broken(io::Error::other(error))),
            Err(error) => return Err(exchange.broken_error(&error).into()),
        };
        let Ok(all) = blocks.take_blocks(&chunk) else {
            return Err(exchange.broken_error("an event of the endpoint's is too long").into());
        };
        if let Some(held) = send_events(exchange, all, out, &mut closed).await? {
            return Ok(ResponseEnd::Asks(held));
        }
    }
    // The last event, where the empty line after it is missing: clients may read it all the same.
    let rest = blocks.remaining_bytes();
    if !rest.is_empty()
        && let Some(held) = send_events(exchange, vec![EventBlock { raw: rest }], out, &mut closed).await?
    {
        return Ok(ResponseEnd::Asks(held));
    }
    if later && !closed {
        return Err(exchange.broken_error("the endpoint's answer ended before its end").into());
    }
    Ok(ResponseEnd::Over)
}

/// Tells the app of events, up to the one that asks.
async fn send_events(
    exchange: &mut Exchange,
    blocks: Vec<EventBlock>,
    out: &StreamOutput,
    closed: &mut bool,
) -> Result<Option<HeldResponse>, StreamStop> {
    let (mut text, mut held) = (Vec::new(), None);
    for block in blocks {
        match exchange.joined.add_event(block) {
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
        return Err(StreamStop::Abandoned);
    }
    if *closed && out.writer.answer.is_read() {
        // They have all of it, whatever the endpoint still does.
        out.writer.answer.release_claim();
    }
    Ok(held)
}

/// Waits, and says something now and then.
async fn kept_alive<T>(waited: impl Future<Output = T>, out: &StreamOutput) -> T {
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
    use crate::recording::Recording;
    use crate::returning_clients::JoinableAnswers;

    /// SSE comments keep a stream alive: every 15 seconds, and no client takes one for an event. Attack 512.
    #[tokio::test(start_paused = true)]
    async fn given_a_long_wait_then_comments_come() {
        let (shared, read) = SharedAnswer::new(&JoinableAnswers::default(), None, Feed::new());
        let writer = FeedWriter::new(shared, &read);
        let out = StreamOutput { writer, recording: EventRecording::new(Recording::default(), LONGEST) };
        kept_alive(tokio::time::sleep(Duration::from_secs(50)), &out).await;
        out.writer.finish(Ok(()));
        let comments = to_bytes(answer_from_feed(read).await.unwrap().into_body(), 1000).await.unwrap();
        assert_eq!(comments, b": mayi waits for an answer\n\n".repeat(3));
        let mut blocks = BlockReader::new(1000);
        assert!(blocks.take_blocks(&comments).unwrap().iter().all(|block| block.data().is_none()));
    }
}
