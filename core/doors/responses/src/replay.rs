//! A recording, played to an app again: each request gets what its like got when it was recorded. No network, no endpoint, no
//! questions.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes, to_bytes};
use futures::{StreamExt, stream};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use mayi_core::record::Redactor;
use mayi_doors::listen::{self, ClientConnection};
use mayi_doors::web::{bearer_token, is_served, same_token};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::front::Admission;
use crate::recording::{format_event, redact_value};
use crate::refusal::{ApiError, busy_response};

/// The longest request.
const LONGEST: usize = 64 * 1024 * 1024;
/// The most connections at a time.
const CONNECTIONS: usize = 64;

/// A recording that was read.
pub struct Replay {
    exchanges: Vec<ReplayedExchange>,
    /// How often each was played.
    played: Mutex<Vec<u32>>,
    redactor: Redactor,
    admission: Admission,
}

impl std::fmt::Debug for Replay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replay").field("exchanges", &self.exchanges.len()).finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, Default)]
struct ReplayedExchange {
    number: u64,
    request: Value,
    status: u16,
    events: Vec<Value>,
    body: Option<Value>,
    whole: bool,
}

impl Replay {
    /// Reads a recording, for apps that `admission` lets in.
    ///
    /// # Errors
    /// If it can't be read, or is none; one line.
    pub fn read(path: &Path, redactor: Redactor, admission: Admission) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        let mut exchanges: Vec<ReplayedExchange> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let wrong = |what: &str| format!("line {}: {what}", at + 1);
            let line: Value = serde_json::from_str(line).map_err(|error| wrong(&error.to_string()))?;
            let kind = line.get("kind").and_then(Value::as_str).unwrap_or_default();
            let own = |name: &str| line.get(name).cloned().unwrap_or_default();
            if at == 0 {
                if kind != "recording" || own("version") != 1 {
                    return Err("it is no recording of mayi's, or one of a later version".to_owned());
                }
                continue;
            }
            let number = own("exchange").as_u64().ok_or_else(|| wrong("it belongs to no exchange"))?;
            if kind == "request" {
                exchanges.push(ReplayedExchange {
                    number,
                    request: own("body"),
                    ..ReplayedExchange::default()
                });
                continue;
            }
            let exchange = exchanges.iter_mut().find(|exchange| exchange.number == number);
            let exchange = exchange.ok_or_else(|| wrong("its exchange has no request"))?;
            match kind {
                "begin" => {
                    exchange.status =
                        own("status").as_u64().and_then(|code| code.try_into().ok()).unwrap_or(0)
                }
                "event" => exchange.events.push(own("data")),
                "body" => exchange.body = Some(own("body")),
                "end" => exchange.whole = own("whole") == true,
                // What was asked and answered: for those who read it.
                _ => {}
            }
        }
        let played = Mutex::new(vec![0; exchanges.len()]);
        Ok(Self { exchanges, played, redactor, admission })
    }

    /// Plays it to apps, until `shutdown` is there.
    pub async fn serve(self, listener: TcpListener, shutdown: impl Future<Output = ()> + Send) {
        let replay = Arc::new(self);
        let handle = move |request: Request<Incoming>, visitor: Arc<ClientConnection>| {
            let replay = Arc::clone(&replay);
            async move {
                replay
                    .answer_request(request.map(Body::new), &visitor)
                    .await
                    .unwrap_or_else(ApiError::into_response)
            }
        };
        listen::serve_requests(listener, CONNECTIONS, (handle, busy_response), shutdown).await;
    }

    async fn answer_request(
        &self,
        request: Request<Body>,
        visitor: &ClientConnection,
    ) -> Result<Response<Body>, ApiError> {
        let (parts, body) = request.into_parts();
        let headers = &parts.headers;
        if !is_served(&parts.uri, headers, &self.admission.hosts) || headers.contains_key(header::ORIGIN) {
            return Err(ApiError::forbidden("this Host, or web pages, are not served here"));
        }
        let token = self.admission.token.as_deref().unwrap_or_default();
        if token.is_empty() || !bearer_token(headers).is_some_and(|sent| same_token(sent, token)) {
            return Err(ApiError::new(StatusCode::UNAUTHORIZED, "mayi_token", "there is no valid API key"));
        }
        visitor.stranger.mark_known();
        if parts.uri.path() != "/v1/responses" || parts.method != Method::POST {
            return Err(ApiError::new(
                StatusCode::NOT_FOUND,
                "mayi_replay",
                "a recording has POST /v1/responses alone",
            ));
        }
        let text =
            to_bytes(body, LONGEST).await.map_err(|_| ApiError::bad_request("the request is too long"))?;
        let asked: Value =
            serde_json::from_slice(&text).map_err(|error| ApiError::bad_request(error.to_string()))?;
        let asked = redact_value(asked, &self.redactor, None);
        let found = self.next(&asked);
        let recorded = found.ok_or_else(|| {
            ApiError::new(StatusCode::NOT_FOUND, "mayi_replay", "there is no such request in the recording")
        })?;
        Ok(play_exchange(recorded))
    }

    /// What was recorded for this request: what was played least often, in the order of the recording.
    fn next(&self, asked: &Value) -> Option<&ReplayedExchange> {
        let mut played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        let alike =
            self.exchanges.iter().zip(played.iter_mut()).filter(|(recorded, _)| recorded.request == *asked);
        let (recorded, times) = alike.min_by_key(|(_, times)| **times)?;
        *times += 1;
        Some(recorded)
    }
}

fn play_exchange(recorded: &ReplayedExchange) -> Response<Body> {
    let (kind, body) = match &recorded.body {
        Some(body) => ("application/json", Body::from(body.to_string())),
        None => {
            let pieces: Vec<Bytes> = recorded.events.iter().map(|data| format_event(data).into()).collect();
            let pieces = stream::iter(pieces.into_iter().map(Ok));
            let whole = recorded.whole;
            let end = stream::once(async move {
                // What comes before is sent first.
                tokio::task::yield_now().await;
                let broken = || std::io::Error::other("the recording breaks off here");
                if whole { Ok(Bytes::new()) } else { Err(broken()) }
            });
            ("text/event-stream", Body::from_stream(pieces.chain(end)))
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(recorded.status).unwrap_or(StatusCode::BAD_GATEWAY);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
