//! An answer as one JSON text.

use axum::body::{Body, Bytes, to_bytes};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use mayi_core::call::Digest;
use mayi_doors::task::spawn;
use tokio::sync::watch;

use crate::exchange::{Exchange, KeepAnswer, NextStep};
use crate::first_request::{FirstAnswer, StartOutcome};
use crate::joined_response::Step;
use crate::refusal::ApiError;
use crate::returning_clients::{Completable, SharedAnswer};
use crate::upstream::{answer_head, read_limited, read_with_idle_limit};

/// The longest response.
const LONGEST: usize = 64 * 1024 * 1024;

/// An answer, for everybody who has asked the same.
#[derive(Clone, Debug)]
pub(crate) struct WholeAnswer {
    status: StatusCode,
    headers: HeaderMap,
    text: Bytes,
}

/// Where an answer will be.
type AnswerReceiver = watch::Receiver<Option<WholeAnswer>>;
/// An answer that is being made.
type PendingAnswer = SharedAnswer<Option<WholeAnswer>>;

impl Completable for Option<WholeAnswer> {
    fn is_over(&self) -> bool {
        self.is_some()
    }

    fn is_whole(&self) -> bool {
        true
    }
}

/// The answer that begins with `first`.
pub(crate) async fn answer_plain(
    exchange: Exchange,
    first: FirstAnswer,
    request: Option<Digest>,
) -> Response<Body> {
    let (making, seat) = SharedAnswer::new(&exchange.shared.answers, request, None);
    spawn(run(exchange, first, making));
    answer_joined(seat).await
}

/// Waits for an answer that is being made.
pub(crate) async fn answer_joined(seat: AnswerReceiver) -> Response<Body> {
    match wait_for_answer(seat).await {
        Some(whole) => whole.into_response(),
        None => ApiError::shutting_down().into_response(),
    }
}

async fn wait_for_answer(mut seat: AnswerReceiver) -> Option<WholeAnswer> {
    let whole = seat.wait_for(Option::is_some).await.ok()?;
    whole.clone()
}

async fn run(mut exchange: Exchange, first: FirstAnswer, making: PendingAnswer) {
    let (closing, open) = (exchange.shared.closing.clone(), exchange.open());
    let answer = tokio::select! {
        answer = make_answer(&mut exchange, first, &making) => answer.unwrap_or_else(|trouble| {
            exchange.recording.record_body(trouble.status.as_u16(), trouble.error_body().as_bytes());
            WholeAnswer::from_error(&trouble)
        }),
        // What waits is withdrawn.
        () = making.wait_until_abandoned(&open) => return,
        () = closing.cancelled() => WholeAnswer::from_error(&exchange.shutdown_error()),
    };
    making.finish(|last| *last = Some(answer));
}

async fn make_answer(
    exchange: &mut Exchange,
    first: FirstAnswer,
    making: &PendingAnswer,
) -> Result<WholeAnswer, ApiError> {
    let first = match first {
        FirstAnswer::Response(response) => response,
        FirstAnswer::OwnApprovals(start) => {
            if let Err(other) = making.claim_request() {
                return wait_for_answer(other).await.ok_or_else(ApiError::shutting_down);
            }
            match start.start(exchange).await? {
                StartOutcome::Answer(answer) => answer,
                StartOutcome::Passed(response) => return WholeAnswer::read(response).await,
            }
        }
    };
    let (status, mut headers) = answer_head(&first);
    let mut response = first;
    let mut later = false;
    loop {
        let limited = later || exchange.any_open();
        let read = if limited {
            read_with_idle_limit(response, LONGEST).await
        } else {
            read_limited(response, LONGEST).await
        };
        let text = read.map_err(|why| exchange.broken_error(&why))?;
        match exchange.joined.add_whole(text) {
            Step::Asks(held) => {
                if let Err(other) = making.claim_request() {
                    // One question is enough.
                    return wait_for_answer(other).await.ok_or_else(ApiError::shutting_down);
                }
                response = match exchange.answer_approvals(held).await? {
                    NextStep::GoOn(body) => exchange.go_on(body).await?,
                    NextStep::Close(text, kept) => {
                        if kept == KeepAnswer::No {
                            making.release_claim();
                        }
                        exchange.recording.record_body(status.as_u16(), &text);
                        return Ok(json_answer(status, headers, text));
                    }
                };
                later = true;
                headers = answer_head(&response).1;
            }
            Step::Send(text) | Step::Close(text) => {
                exchange.finish();
                exchange.recording.record_body(status.as_u16(), &text);
                return Ok(json_answer(status, headers, text));
            }
            Step::Hide => return Err(exchange.broken_error("the endpoint's answer is no response")),
        }
    }
}

fn json_answer(status: StatusCode, mut headers: HeaderMap, text: Vec<u8>) -> WholeAnswer {
    headers.entry(header::CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
    WholeAnswer { status, headers, text: text.into() }
}

impl WholeAnswer {
    fn from_error(trouble: &ApiError) -> Self {
        let response = trouble.clone().into_response();
        Self {
            status: response.status(),
            headers: response.headers().clone(),
            text: trouble.error_body().into(),
        }
    }

    pub(crate) async fn read(response: Response<Body>) -> Result<Self, ApiError> {
        let (parts, body) = response.into_parts();
        let text = to_bytes(body, LONGEST).await;
        let text =
            text.map_err(|_| ApiError::bad_gateway("the endpoint's answer broke off, or is too long"))?;
        let mut headers = parts.headers;
        headers.remove(header::CONTENT_LENGTH);
        Ok(Self { status: parts.status, headers, text })
    }

    /// What is said of it in a stream that has begun already.
    pub(crate) fn as_trouble(&self) -> ApiError {
        let message = format!("the endpoint answers {}", self.status);
        ApiError { status: self.status, ..ApiError::bad_gateway(message) }
    }

    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.text));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}
