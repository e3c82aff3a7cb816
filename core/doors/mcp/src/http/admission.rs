//! Who may talk to the gateway at all: the name it is called by, the page that calls it, the token, the kind of
//! content.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};

use super::HttpOptions;
use super::refusal::HttpRefusal;
use crate::code;
pub(super) use mayi_doors::web::single_header;
use mayi_doors::web::{bearer_token, is_own, is_served, normalize_origin, same_token};

/// Whether a request may go on. Attack: a web page that has its own name resolved to this machine.
pub(super) fn admit_request(
    uri: &Uri,
    headers: &HeaderMap,
    options: &HttpOptions,
) -> Result<(), HttpRefusal> {
    if !is_served(uri, headers, &options.hosts) {
        let message = "this Host is not served here: start mayi with --allow-host to serve it";
        return Err(HttpRefusal::new(StatusCode::FORBIDDEN, message));
    }
    if headers.contains_key(header::ORIGIN)
        && !is_own(headers, &["http"])
        && allowed_origin(headers, options).is_none()
    {
        let message = "web pages of this Origin are not served: start mayi with --allow-origin to serve them";
        return Err(HttpRefusal::new(StatusCode::FORBIDDEN, message));
    }
    Ok(())
}

/// Whether the token is there, if there has to be one.
pub(super) fn authorize_request(headers: &HeaderMap, options: &HttpOptions) -> Result<(), HttpRefusal> {
    let Some(token) = &options.token else { return Ok(()) };
    if bearer_token(headers).is_some_and(|sent| same_token(sent, token)) {
        return Ok(());
    }
    let message = "there is no valid bearer token: send the one in the file that mayi names when it starts";
    Err(HttpRefusal::new(StatusCode::UNAUTHORIZED, message).with_header("www-authenticate", "Bearer"))
}

/// The Origin of a request, if it is one that is allowed.
pub(super) fn allowed_origin(headers: &HeaderMap, options: &HttpOptions) -> Option<HeaderValue> {
    let sent = single_header(headers, "origin").ok().flatten()?;
    let said = normalize_origin(sent)?;
    options.origins.iter().any(|allowed| normalize_origin(allowed).as_ref() == Some(&said)).then_some(())?;
    HeaderValue::from_str(sent).ok()
}

/// What a page of an allowed origin has to be told by the browser's rules, and what it may read.
pub(super) fn add_cors_headers(headers: &mut HeaderMap, origin: HeaderValue) {
    let exposed = HeaderValue::from_static("mcp-session-id, mcp-protocol-version");
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    headers.insert(header::VARY, HeaderValue::from_static("origin"));
}

/// The answer to a browser that asks before it sends a page's request.
pub(super) fn add_preflight_headers(headers: &mut HeaderMap, asked: Option<&HeaderValue>) {
    let methods = HeaderValue::from_static("GET, POST, DELETE");
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    if let Some(asked) = asked {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
    }
}

/// Whether the client takes all of `types`.
pub(super) fn accepts_all(headers: &HeaderMap, types: &[&str]) -> bool {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let taken: Vec<&str> = values.flat_map(|value| value.split(',')).filter_map(accepted_range).collect();
    types.iter().all(|kind| taken.iter().any(|range| media_range_matches(range, kind)))
}

fn media_range_matches(range: &str, kind: &str) -> bool {
    let group = kind.split('/').next().unwrap_or_default();
    range.eq_ignore_ascii_case(kind)
        || range == "*/*"
        || range.strip_suffix("/*").is_some_and(|sent| sent.eq_ignore_ascii_case(group))
}

/// A media range, unless its weight is zero.
fn accepted_range(entry: &str) -> Option<&str> {
    let mut parts = entry.split(';');
    let range = parts.next()?.trim();
    let refused = parts.any(|parameter| {
        let weight = parameter.trim().to_ascii_lowercase();
        weight.strip_prefix("q=").is_some_and(|weight| weight.parse::<f32>() == Ok(0.0))
    });
    (!refused).then_some(range)
}

/// Whether a POST is one of JSON, from a client that takes what it may get.
pub(super) fn check_content_headers(headers: &HeaderMap) -> Result<(), HttpRefusal> {
    if !accepts_all(headers, &["application/json", "text/event-stream"]) {
        let message = "the answer may be either: accept both application/json and text/event-stream";
        return Err(HttpRefusal::new(StatusCode::NOT_ACCEPTABLE, message));
    }
    let kind = single_header(headers, "content-type").ok().flatten().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let message = "messages are JSON: send them as application/json";
        return Err(HttpRefusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    // A coding could make a small body a large one.
    if headers.get(HeaderName::from_static("content-encoding")).is_some_and(|coding| coding != "identity") {
        let message = "compressed messages are not taken: send them as they are";
        return Err(HttpRefusal::for_request(
            None,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            code::INVALID_REQUEST,
            message,
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_origins_then_scheme_host_and_port_count() {
        let mut options = HttpOptions::for_localhost();
        options.origins = vec!["http://localhost:3000".to_owned(), "https://a.example".to_owned()];
        for (sent, allowed) in [
            ("http://localhost:3000", true),
            ("https://a.example", true),
            ("https://a.example:443", true),
            ("http://a.example", false),
            ("http://localhost:3001", false),
            ("null", false),
            ("file://", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ORIGIN, HeaderValue::from_static(sent));
            assert_eq!(allowed_origin(&headers, &options).is_some(), allowed, "{sent}");
        }
    }

    #[test]
    fn given_an_accept_then_a_weight_of_zero_is_a_no() {
        let taken = |accept: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            accepts_all(&headers, &["application/json", "text/event-stream"])
        };
        assert!(taken("application/json, text/event-stream;q=0.5"));
        assert!(taken("*/*") && taken("application/*, text/*"));
        assert!(!taken("application/json") && !taken("application/json, text/event-stream; q=0"));
    }
}
