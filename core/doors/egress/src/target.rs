//! What a request names, read so that no two readers could take it for different hosts.

use http::{HeaderMap, Uri, header};
use mayi_call::UrlAccess;

/// What a request is for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// The whole address of a request over plain HTTP.
    pub(crate) url: Option<UrlAccess>,
}

/// Why a request was not understood: words for whoever sent it.
pub(crate) type Malformed = &'static str;

const HTTPS_PORT: u16 = 443;
const HTTP_PORT: u16 = 80;

/// The target of a CONNECT: `host:port`, and nothing else.
pub(crate) fn of_connect(uri: &Uri) -> Result<Target, Malformed> {
    const WANTED: Malformed = "a CONNECT names a host and a port";
    let authority = uri.authority().filter(|_| uri.scheme().is_none()).ok_or(WANTED)?.as_str();
    let digits = authority.rsplit_once(':').map(|(_, port)| port).unwrap_or_default();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(WANTED);
    }
    let (host, port) = host_and_port("https", authority, HTTPS_PORT)?;
    Ok(Target { host, port, url: None })
}

/// The target of a request over plain HTTP: an absolute address, which its `Host` agrees with.
pub(crate) fn of_request(uri: &Uri, headers: &HeaderMap, is_http_11: bool) -> Result<Target, Malformed> {
    match uri.scheme_str() {
        Some("http") => {}
        Some("https") => return Err("https goes through a CONNECT"),
        Some(_) => return Err("only http and https are passed on"),
        None => return Err("this is a proxy, and a request to it names a whole address"),
    }
    let authority = uri.authority().ok_or("an address without a host")?.as_str();
    let (host, port) = host_and_port("http", authority, HTTP_PORT)?;
    let named = named_host(headers)?;
    if named.is_none() && is_http_11 {
        return Err("a request without a Host");
    }
    if named.is_some_and(|named| named != (host.clone(), port)) {
        return Err("its Host is another one than that of its address");
    }
    let url = UrlAccess::parse(&uri.to_string()).map_err(|_| "not an address")?;
    Ok(Target { host, port, url: Some(url) })
}

/// The target of a request over plain HTTP within a tunnel to `host` and `port`: a path there.
pub(crate) fn of_request_within(
    uri: &Uri,
    headers: &HeaderMap,
    host: &str,
    port: u16,
) -> Result<Target, Malformed> {
    let path = uri.path_and_query().filter(|_| uri.authority().is_none()).map_or("", |path| path.as_str());
    if !path.starts_with('/') {
        return Err("a request within a tunnel names a path of its host");
    }
    if named_host(headers)? != Some((host.to_owned(), port)) {
        return Err("its Host is another one than that of the tunnel");
    }
    let url = UrlAccess::parse(&format!("http://{host}:{port}{path}")).map_err(|_| "not an address")?;
    Ok(Target { host: host.to_owned(), port, url: Some(url) })
}

/// What `Host` names, of which there may be one.
fn named_host(headers: &HeaderMap) -> Result<Option<(String, u16)>, Malformed> {
    let mut named = headers.get_all(header::HOST).iter();
    match (named.next(), named.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            let value = value.to_str().map_err(|_| "a Host that is no host")?;
            host_and_port("http", value, HTTP_PORT).map(Some)
        }
        (Some(_), Some(_)) => Err("a request with two Hosts"),
    }
}

/// Host and port of an authority that all readers read alike. An IPv4 address in another form (`0x7f.1`) becomes the usual one.
fn host_and_port(scheme: &str, authority: &str, default: u16) -> Result<(String, u16), Malformed> {
    // Before an `@` stands a user name, `%` begins an escape or a zone: clients take both away.
    let plain = |b: u8| b.is_ascii_alphanumeric() || b".-_:[]".contains(&b);
    if authority.is_empty() || !authority.bytes().all(plain) {
        return Err("a host that is no name and no address");
    }
    let url = UrlAccess::parse(&format!("{scheme}://{authority}/"))
        .map_err(|_| "a host that is no name and no address")?;
    let is_address = url.host.starts_with('[');
    if url.unsound || (url.other_host.is_some() && !is_address) {
        return Err("a host that could be read as another one");
    }
    match url.port.unwrap_or(default) {
        0 => Err("port 0 is none"),
        port => Ok((url.host, port)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connect(authority: &str) -> Result<(String, u16), Malformed> {
        let uri = authority.parse::<Uri>().map_err(|_| "no URI")?;
        of_connect(&uri).map(|target| (target.host, target.port))
    }

    /// Every form of a host is the one that rules are matched with, and what has two readings is none.
    #[test]
    fn given_a_connect_then_its_host_is_normal_or_refused() {
        for (authority, host, port) in [
            ("example.org:443", "example.org", 443),
            ("EXAMPLE.org.:8443", "example.org", 8443),
            ("127.0.0.1:80", "127.0.0.1", 80),
            ("2130706433:80", "127.0.0.1", 80),
            ("0x7f.1:80", "127.0.0.1", 80),
            ("017700000001:80", "127.0.0.1", 80),
            ("[::1]:443", "[::1]", 443),
            ("[::ffff:127.0.0.1]:443", "127.0.0.1", 443),
            ("[64:ff9b::7f00:1]:443", "[64:ff9b::7f00:1]", 443),
            ("xn--mnchen-3ya.example:443", "xn--mnchen-3ya.example", 443),
        ] {
            assert_eq!(connect(authority), Ok((host.to_owned(), port)), "{authority}");
        }
        for authority in [
            "example.org",
            "example.org:",
            "example.org:0",
            "example.org:+443",
            "example.org:65536",
            "example.org:443:443",
            "u:p@example.org:443",
            "u@example.org:443",
            "example.org%00.a:443",
            "example.org..:443",
            "[fe80::1%25eth0]:443",
            "256.1.1.1:80",
            "xn--a.example:443",
            ":443",
            "[::1:443",
            "a b:443",
            "/x",
            "http://example.org:443/",
        ] {
            assert!(connect(authority).is_err(), "{authority}");
        }
    }

    fn request(uri: &str, hosts: &[&str]) -> Result<Target, Malformed> {
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(header::HOST, host.parse().unwrap());
        }
        of_request(&uri.parse().map_err(|_| "no URI")?, &headers, true)
    }

    /// The address and its Host are one host, or the request is refused.
    #[test]
    fn given_a_request_then_its_host_agrees_or_it_is_refused() {
        let target = request("http://Example.org/a/../b?c", &["example.org:80"]).unwrap();
        assert_eq!((target.host.as_str(), target.port), ("example.org", 80));
        assert_eq!(target.url.unwrap().path, "/b?c");
        for (uri, hosts) in [
            ("http://example.org/", &[] as &[&str]),
            ("http://example.org/", &["other.example"]),
            ("http://example.org/", &["example.org:81"]),
            ("http://example.org/", &["example.org", "example.org"]),
            ("http://u:p@example.org/", &["example.org"]),
            ("http://example.org:0/", &["example.org:0"]),
            ("https://example.org/", &["example.org"]),
            ("ftp://example.org/", &["example.org"]),
            ("/x", &["example.org"]),
            ("*", &["example.org"]),
        ] {
            assert!(request(uri, hosts).is_err(), "{uri} {hosts:?}");
        }
    }
}
