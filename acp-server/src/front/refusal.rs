//! Answers that say no before anything was read.

use http::{HeaderValue, Response, StatusCode, header};
use jsonrpsee::server::HttpBody;

/// A refusal: one line for whoever reads it.
pub(super) fn refusal_response(status: StatusCode, text: &str) -> Response<HttpBody> {
    let body = serde_json::json!({
        "jsonrpc": "2.0", "id": null, "error": { "code": -32030, "message": text },
    });
    let mut response = typed_response(status, "application/json", HttpBody::from(body.to_string()));
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    // What was sent along is not read.
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// A response of some type.
pub(super) fn typed_response(status: StatusCode, kind: &'static str, body: HttpBody) -> Response<HttpBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
