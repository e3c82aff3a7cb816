//! The first request of an exchange: how it is sent, and what comes before it.

use std::time::Duration;

use axum::body::Body;
use http::{HeaderMap, Method, Response};
use mayi_doors::members::Members;

use crate::exchange::Exchange;
use crate::refusal::Trouble;
use crate::upstream::{self, elsewhere, head, is_coded, passed, unreachable, whole};
use crate::{own, streamed};

/// The longest answer that is recorded.
const LONGEST: usize = 64 * 1024 * 1024;
/// Headers have to come in this time where something may have run.
pub(crate) const HEADERS: Duration = Duration::from_secs(600);

/// What an answer to the app begins with.
pub(crate) enum First {
    /// What the endpoint has answered.
    Response(reqwest::Response),
    /// What the app itself approves, which is judged before anything is sent.
    Own(Start),
}

/// A first request that is not sent yet.
pub(crate) struct Start {
    /// What the endpoint is told to go on from.
    pub(crate) previous: Option<String>,
    /// The app's headers.
    pub(crate) sent: HeaderMap,
}

/// What came of it.
pub(crate) enum Started {
    /// An answer that is looked into.
    Answer(reqwest::Response),
    /// One that goes to the app as it is.
    Passed(Response<Body>),
}

impl Start {
    /// Has what the app approves judged, and sends the request.
    ///
    /// # Errors
    /// What the app hears. Where something was approved and sent, its outcome is unknown, but where nothing could be sent.
    pub(crate) async fn start(self, exchange: &mut Exchange) -> Result<Started, Trouble> {
        own::judged(exchange, self.previous.as_deref(), &self.sent).await?;
        self.sent(exchange).await
    }

    /// Sends the request, in which everything is judged.
    ///
    /// # Errors
    /// The same.
    pub(crate) async fn sent(self, exchange: &mut Exchange) -> Result<Started, Trouble> {
        if exchange.shared.closing.is_cancelled() {
            return Err(Trouble::ending());
        }
        exchange.begin();
        let text = exchange.asked.first(self.previous.as_deref());
        let request = exchange.shared.upstream.request(Method::POST, "/responses", &self.sent).body(text);
        let answer = if exchange.any_open() {
            match tokio::time::timeout(HEADERS, request.send()).await {
                Ok(answer) => answer,
                Err(_) => return Err(exchange.broken(upstream::SILENT)),
            }
        } else {
            request.send().await
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) if error.is_connect() => {
                exchange.nothing_ran();
                return Err(unreachable(&error));
            }
            Err(error) if exchange.any_open() => return Err(exchange.broken(&upstream::why(&error))),
            Err(error) => return Err(unreachable(&error)),
        };
        if answer.status().is_redirection() {
            return Err(exchange.or_unknown(elsewhere(&answer)));
        }
        if !answer.status().is_success() {
            if exchange.any_open() {
                return Err(exchange.broken(&upstream::said(answer).await));
            }
            return recorded(exchange, answer).await.map(Started::Passed);
        }
        if let Some(conversation) = exchange.asked.conversation() {
            exchange.made(conversation);
        }
        if exchange.asked.background {
            return recorded(exchange, answer).await.map(Started::Passed);
        }
        if is_coded(&answer) {
            let trouble = Trouble::upstream("the endpoint's answer is compressed, and can't be read");
            return Err(exchange.or_unknown(trouble));
        }
        Ok(Started::Answer(answer))
    }
}

/// An answer that is passed as it is, and recorded where that is wanted: events are not, of an answer that goes on in the background.
async fn recorded(exchange: &Exchange, answer: reqwest::Response) -> Result<Response<Body>, Trouble> {
    // Whose it is matters for who may answer what it asks.
    let read = exchange.recording.is_on() || exchange.asked.background;
    if !read || streamed::is_stream(&answer) {
        return Ok(passed(answer));
    }
    let (status, headers) = head(&answer);
    let text = whole(answer, LONGEST).await.map_err(|why| exchange.or_unknown(Trouble::upstream(why)))?;
    exchange.recording.body(status.as_u16(), &text);
    if let Some(id) = id_of(&text) {
        exchange.made(&id);
    }
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

/// The id of a response.
fn id_of(text: &[u8]) -> Option<String> {
    Members::parse(std::str::from_utf8(text).ok()?).ok()?.string("id")
}
