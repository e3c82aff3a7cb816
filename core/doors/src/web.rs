//! Requests over HTTP, before anybody looks at what they want: the name that is called, the page that calls, the token.
//! The same for every listener of mayi (S3.2).

use http::{HeaderMap, Uri, header};
use sha2::{Digest as _, Sha256};
use url::{Host, Url};

/// The value of a header that may be there once; an error if it is there twice or is no text.
///
/// # Errors
/// Says which.
pub fn single_header<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, String> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(format!("the header {} is there twice", mayi_core::approval::escape_line(name)));
    }
    value
        .to_str()
        .map(Some)
        .map_err(|_| format!("the header {} is no plain text", mayi_core::approval::escape_line(name)))
}

/// Whether the request calls this machine by one of `hosts`; without a port in them, any will do. Attack: a web page that
/// has its own name resolved to this machine.
#[must_use]
pub fn is_served(uri: &Uri, headers: &HeaderMap, hosts: &[String]) -> bool {
    // Two of them are no better than none.
    let Ok(said) = single_header(headers, "host") else { return false };
    let host = said.map(str::to_owned).or_else(|| uri.authority().map(ToString::to_string));
    host.is_some_and(|host| hosts.iter().any(|allowed| is_host(allowed, &host)))
}

/// Whether the page that calls is of the address that is served here: the Host, which was looked at already, over `http`
/// or, where somebody else speaks TLS for us, `https`. No page of anybody else has that origin.
#[must_use]
pub fn is_own(headers: &HeaderMap, schemes: &[&str]) -> bool {
    let one = |name| single_header(headers, name).ok().flatten();
    let (Some(origin), Some(host)) = (one("origin"), one("host")) else { return false };
    let Some(origin) = normalize_origin(origin) else { return false };
    schemes.iter().any(|scheme| normalize_origin(&format!("{scheme}://{host}")).as_ref() == Some(&origin))
}

/// The token of an `Authorization: Bearer` header.
#[must_use]
pub fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) =
        single_header(headers, header::AUTHORIZATION.as_str()).ok().flatten()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Compares digests, so that the time it takes tells nothing about the token.
#[must_use]
pub fn same_token(sent: &str, token: &str) -> bool {
    let (sent, token) = (Sha256::digest(sent), Sha256::digest(token));
    sent.iter().zip(token.iter()).fold(0, |differing, (a, b)| differing | (a ^ b)) == 0
}

/// Scheme, host and port. `null`, which many pages are, is none of them.
#[must_use]
pub fn normalize_origin(origin: &str) -> Option<String> {
    let origin = Url::parse(origin).ok()?.origin();
    origin.is_tuple().then(|| origin.ascii_serialization())
}

/// Whether `host` is `allowed`, which has a port only if it has to be that one.
fn is_host(allowed: &str, host: &str) -> bool {
    match (parse_authority(allowed), parse_authority(host)) {
        (Some((name, port)), Some((said, at))) => name == said && port.is_none_or(|port| at == Some(port)),
        _ => false,
    }
}

fn parse_authority(text: &str) -> Option<(Host, Option<u16>)> {
    if text.contains(['/', '@', '?', '#', '\\', ' ']) {
        return None;
    }
    // A scheme without a port of its own, so that every port that is there is said.
    let url = Url::parse(&format!("http://{text}")).ok()?;
    let port = text.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
    Some((url.host()?.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attack: two names, of which whoever stands in front reads the other one.
    #[test]
    fn given_two_hosts_then_none_of_them_counts_nor_does_the_address() {
        let (uri, hosts) = (Uri::from_static("http://localhost/"), ["localhost".to_owned()]);
        let mut headers = HeaderMap::new();
        assert!(is_served(&uri, &headers, &hosts));
        for host in ["evil.example", "localhost"] {
            headers.append("host", host.parse().unwrap());
            assert!(!is_served(&uri, &headers, &hosts));
        }
    }

    /// Attack: DNS rebinding (MCP, transports, "Security warning").
    #[test]
    fn given_names_then_only_the_allowed_ones_are_served() {
        for (allowed, host, served) in [
            ("localhost", "localhost:8931", true),
            ("localhost", "LOCALHOST", true),
            ("127.0.0.1", "127.0.0.1:1", true),
            ("[::1]", "[::1]:80", true),
            ("[::1]", "[0:0:0:0:0:0:0:1]", true),
            ("gate.example:8443", "gate.example:8443", true),
            ("gate.example:8443", "gate.example", false),
            ("localhost", "localhost.evil.example", false),
            ("localhost", "evil.example:8931", false),
            ("localhost", "user@localhost", false),
            ("localhost", "localhost/..", false),
            ("localhost", "", false),
        ] {
            assert_eq!(is_host(allowed, host), served, "{allowed} {host}");
        }
    }
}
