//! Headers that are for one connection, and not for the next (RFC 9110, section 7.6.1).

use http::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, VIA,
};

/// What a connection's end may name for itself, and what it can't take away by naming it.
const NAMED_IN_VAIN: &[HeaderName] = &[http::header::HOST, CONTENT_LENGTH];

const VIA_MAYI: HeaderValue = HeaderValue::from_static("1.1 mayi");

/// Takes away what is for this connection alone: the headers that the standard names, and those that `Connection` names.
/// How long a body is is said anew by whoever sends it on.
pub(crate) fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| HeaderName::from_bytes(name.trim().as_bytes()).ok())
        .filter(|name| !NAMED_IN_VAIN.contains(name))
        .collect();
    for name in named {
        headers.remove(name);
    }
    let always = [
        CONNECTION,
        EXPECT,
        HeaderName::from_static("keep-alive"),
        HeaderName::from_static("proxy-connection"),
        PROXY_AUTHENTICATE,
        PROXY_AUTHORIZATION,
        TE,
        TRAILER,
        TRANSFER_ENCODING,
        UPGRADE,
    ];
    for name in always {
        headers.remove(name);
    }
    headers.append(VIA, VIA_MAYI);
}

/// Whether a request asks to become a WebSocket.
pub(crate) fn asks_for_websocket(headers: &HeaderMap) -> bool {
    headers.get_all(UPGRADE).iter().any(|value| {
        value.as_bytes().split(|b| *b == b',').any(|one| one.trim_ascii().eq_ignore_ascii_case(b"websocket"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is for one connection, or for this proxy, is not for the host; and how long a body is stays said.
    #[test]
    fn given_headers_then_those_of_the_connection_are_taken_away() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, X-Mine,, host"),
            ("connection", "Content-Length, \u{7f}"),
            ("x-mine", "1"),
            ("keep-alive", "5"),
            ("proxy-connection", "keep-alive"),
            ("proxy-authorization", "Basic x"),
            ("te", "trailers"),
            ("upgrade", "h2c, WebSocket"),
            ("host", "example.org"),
            ("content-length", "5"),
            ("accept", "*/*"),
        ] {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value);
            }
        }
        assert!(asks_for_websocket(&headers));
        strip_hop_by_hop(&mut headers);
        let mut left: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["accept", "content-length", "host", "via"]);
    }
}
