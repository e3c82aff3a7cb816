//! Answers that say no before the gateway has seen anything.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde_json::value::RawValue;

use crate::{Frame, code};

/// A refusal: a status, and a JSON-RPC error for whoever reads it.
pub(super) struct HttpRefusal {
    status: StatusCode,
    text: String,
    header: Option<(&'static str, &'static str)>,
}

impl HttpRefusal {
    /// A refusal of what is no message.
    pub(super) fn new(status: StatusCode, message: &str) -> Self {
        Self::for_request(None, status, code::INVALID_REQUEST, message)
    }

    /// The refusal of the request `id`.
    pub(super) fn for_request(id: Option<&RawValue>, status: StatusCode, code: i64, message: &str) -> Self {
        Self::from_frame(status, &Frame::error(id.unwrap_or(RawValue::NULL), code, message))
    }

    /// This error, with this status.
    pub(super) fn from_frame(status: StatusCode, frame: &Frame) -> Self {
        Self { status, text: frame.to_line(), header: None }
    }

    /// The same with a header.
    pub(super) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.header = Some((name, value));
        self
    }

    /// What is sent.
    pub(super) fn into_response(self) -> Response<Body> {
        let mut response = json_response(self.status, self.text);
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

/// One message as a response.
pub(super) fn json_response(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A response without a body.
pub(super) fn empty_response(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
