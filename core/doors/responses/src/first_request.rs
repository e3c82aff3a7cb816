//! The first request of an exchange: how it is sent, and what comes before it.

use std::time::Duration;

use axum::body::Body;
use http::{HeaderMap, Method, Response};
use mayi_doors::members::Members;

use crate::exchange::Exchange;
use crate::refusal::ApiError;
use crate::upstream::{self, answer_head, is_coded, pass_answer, read_limited};
use crate::{own_approvals, streamed_answer};

/// The longest answer that is recorded.
const LONGEST: usize = 64 * 1024 * 1024;
/// Headers have to come in this time where something may have run.
pub(crate) const HEADERS: Duration = Duration::from_secs(600);

/// What an answer to the app begins with.
pub(crate) enum FirstAnswer {
    /// What the endpoint has answered.
    Response(reqwest::Response),
    /// What the app itself approves, which is judged before anything is sent.
    OwnApprovals(UnsentRequest),
}

/// A first request that is not sent yet.
pub(crate) struct UnsentRequest {
    /// What the endpoint is told to go on from.
    pub(crate) previous: Option<String>,
    /// The app's headers.
    pub(crate) sent: HeaderMap,
}

/// What came of it.
pub(crate) enum StartOutcome {
    /// An answer that is looked into.
    Answer(reqwest::Response),
    /// One that goes to the app as it is.
    Passed(Response<Body>),
}

impl UnsentRequest {
    /// Has what the app approves judged, and sends the request.
    ///
    /// # Errors
    /// What the app hears. Where something was approved and sent, its outcome is unknown, but where nothing could be sent.
    pub(crate) async fn start(self, exchange: &mut Exchange) -> Result<StartOutcome, ApiError> {
        own_approvals::judge_approvals(exchange, self.previous.as_deref(), &self.sent).await?;
        self.send_request(exchange).await
    }

    /// Sends the request, in which everything is judged.
    ///
    /// # Errors
    /// The same.
    pub(crate) async fn send_request(self, exchange: &mut Exchange) -> Result<StartOutcome, ApiError> {
        if exchange.shared.closing.is_cancelled() {
            return Err(ApiError::shutting_down());
        }
        exchange.begin_approved();
        let text = exchange.create_request.first_body(self.previous.as_deref());
        let answer = if exchange.any_open() {
            exchange.send_approved(&self.sent, text).await?
        } else {
            let request = exchange.shared.upstream.build_request(Method::POST, "/responses", &self.sent);
            let answer = upstream::send_request(request.body(text)).await?;
            if !answer.status().is_success() {
                return pass_recorded(exchange, answer).await.map(StartOutcome::Passed);
            }
            answer
        };
        if let Some(conversation) = exchange.create_request.conversation() {
            exchange.record_made(conversation);
        }
        if exchange.create_request.background {
            return pass_recorded(exchange, answer).await.map(StartOutcome::Passed);
        }
        if is_coded(&answer) {
            let trouble = ApiError::bad_gateway("the endpoint's answer is compressed, and can't be read");
            return Err(exchange.or_unknown(trouble));
        }
        Ok(StartOutcome::Answer(answer))
    }
}

/// An answer that is passed as it is, and recorded where that is wanted: events are not, of an answer that goes on in the background.
async fn pass_recorded(exchange: &Exchange, answer: reqwest::Response) -> Result<Response<Body>, ApiError> {
    // Whose it is matters for who may answer what it asks.
    let read = exchange.recording.is_on() || exchange.create_request.background;
    if !read || streamed_answer::is_stream(&answer) {
        return Ok(pass_answer(answer));
    }
    let (status, headers) = answer_head(&answer);
    let text =
        read_limited(answer, LONGEST).await.map_err(|why| exchange.or_unknown(ApiError::bad_gateway(why)))?;
    exchange.recording.record_body(status.as_u16(), &text);
    if let Some(id) = id_of(&text) {
        exchange.record_made(&id);
    }
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

/// The id of a response.
fn id_of(text: &[u8]) -> Option<String> {
    Members::parse(std::str::from_utf8(text).ok()?).ok()?.string_member("id")
}
