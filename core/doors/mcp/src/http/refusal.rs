//! Answers that say no before the gateway has seen anything.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde_json::value::RawValue;

use crate::{Frame, code};

/// A refusal: a status, and a JSON-RPC error for whoever reads it.
pub(super) struct Refusal {
    status: StatusCode,
    text: String,
    header: Option<(&'static str, &'static str)>,
}

impl Refusal {
    /// A refusal of what is no message.
    pub(super) fn new(status: StatusCode, message: &str) -> Self {
        Self::about(None, status, code::INVALID_REQUEST, message)
    }

    /// The refusal of the request `id`.
    pub(super) fn about(id: Option<&RawValue>, status: StatusCode, code: i64, message: &str) -> Self {
        Self::answer(status, &Frame::error(id.unwrap_or(RawValue::NULL), code, message))
    }

    /// This error, with this status.
    pub(super) fn answer(status: StatusCode, frame: &Frame) -> Self {
        Self { status, text: frame.text(), header: None }
    }

    /// The same with a header.
    pub(super) fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.header = Some((name, value));
        self
    }

    /// What is sent.
    pub(super) fn into_response(self) -> Response<Body> {
        let mut response = json(self.status, self.text);
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
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
