//! Answers that say no before the gateway has seen anything.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde_json::value::RawValue;

use crate::doors::mcp::{Frame, code};

/// A refusal: a status, and a JSON-RPC error for whoever reads it.
pub(super) struct Refusal {
    status: StatusCode,
    frame: Frame,
    header: Option<(header::HeaderName, HeaderValue)>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, message: &str) -> Self {
        Self::about(None, status, code::INVALID_REQUEST, message)
    }

    /// The refusal of the request `id`.
    pub(super) fn about(id: Option<&RawValue>, status: StatusCode, code: i64, message: &str) -> Self {
        Self { status, frame: Frame::error(id.unwrap_or(RawValue::NULL), code, message), header: None }
    }

    pub(super) fn answer(status: StatusCode, frame: Frame) -> Self {
        Self { status, frame, header: None }
    }

    pub(super) fn with(mut self, name: header::HeaderName, value: &'static str) -> Self {
        self.header = Some((name, HeaderValue::from_static(value)));
        self
    }

    pub(super) fn into_response(self) -> Response<Body> {
        let mut response = json(self.status, self.frame.text());
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// One message as a response.
pub(super) fn json(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A response without a body.
pub(super) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
