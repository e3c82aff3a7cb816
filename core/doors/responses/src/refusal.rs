//! What an app hears where mayi itself answers: errors in the shape that the API's clients know.

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header};
use mayi_doors::listen::RETRY_AFTER;
use serde_json::{Value, json};

/// An error of mayi's own, or one of the endpoint's that ends an answer which has begun.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    /// A word for programs.
    pub(crate) code: &'static str,
    /// One line, for people.
    pub(crate) message: String,
    /// Whether it makes sense to send the request again. The official clients do so by themselves, and must not where a
    /// tool may have run.
    pub(crate) retryable: bool,
    /// Whether the connection is to end: whoever is at its other end is not let in on it.
    pub(crate) closes: bool,
    /// When that makes sense, as the endpoint says it.
    pub(crate) retry_after: Option<HeaderValue>,
}

/// What is said where all places are taken.
pub(crate) fn busy_response() -> Response<Body> {
    ApiError::busy().into_response()
}

impl ApiError {
    /// A request that can't be served as it is.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "mayi_request", message)
    }

    /// A request that is not let in.
    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "mayi_refused", message)
    }

    /// The endpoint can't be talked to, and nothing ran.
    pub(crate) fn bad_gateway(message: impl Into<String>) -> Self {
        Self { retryable: true, ..Self::new(StatusCode::BAD_GATEWAY, "mayi_upstream", message) }
    }

    /// A call was approved, and nobody knows whether it ran.
    pub(crate) fn outcome_unknown(message: &str) -> Self {
        let message = format!(
            "a tool call was approved, and its outcome is unknown: {message}. It may have run; look before it is \
             tried again"
        );
        Self::new(StatusCode::BAD_GATEWAY, "mayi_outcome_unknown", message)
    }

    /// All places are taken.
    pub(crate) fn busy() -> Self {
        let message = "too many apps are connected: come back in a moment";
        let busy = Self::new(StatusCode::SERVICE_UNAVAILABLE, "mayi_busy", message);
        Self { retryable: true, retry_after: Some(HeaderValue::from_static(RETRY_AFTER)), ..busy }
    }

    /// mayi ends.
    pub(crate) fn shutting_down() -> Self {
        let message = "mayi was ended while an approval waited, and nothing was approved";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "mayi_ended", message)
    }

    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), retryable: false, closes: false, retry_after: None }
    }

    fn error_object(&self) -> Value {
        let kind = match self.status {
            status if status.is_server_error() => "server_error",
            StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
            _ => "invalid_request_error",
        };
        json!({ "message": format!("mayi: {}", self.message), "type": kind, "param": null, "code": self.code })
    }

    /// The body of an answer.
    pub(crate) fn error_body(&self) -> String {
        json!({ "error": self.error_object() }).to_string()
    }

    /// As an answer.
    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.error_body()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if self.closes {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(after) = self.retry_after {
            headers.insert(header::RETRY_AFTER, after);
        }
        if !self.retryable {
            headers.insert("x-should-retry", HeaderValue::from_static("false"));
        }
        response
    }

    /// As the last event of a stream. Clients raise where an event has an `error`.
    pub(crate) fn error_event(&self, sequence: Option<u64>) -> Vec<u8> {
        let error = self.error_object();
        let mut data = json!({
            "type": "error", "code": self.code, "message": error.get("message"), "param": null, "error": error,
        });
        if let (Some(members), Some(sequence)) = (data.as_object_mut(), sequence) {
            members.insert("sequence_number".to_owned(), json!(sequence));
        }
        format!("event: error\ndata: {data}\n\n").into_bytes()
    }
}
