//! The endpoint: how it is reached, and what goes there and comes back.

use std::fmt;
use std::sync::Once;
use std::time::Duration;

use axum::body::Body;
use futures::TryStreamExt;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use mayi_core::approval::visible;
use url::{Host, Url};

use crate::refusal::Trouble;

/// A connection has to be there in this time.
const CONNECT: Duration = Duration::from_secs(15);

/// Headers that belong to one connection (RFC 9110, section 7.6.1), or to mayi's own with each side.
const OWN: &[&str] = &[
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Headers of the app that the endpoint does not get: its credential is mayi's, and what it is sent has to be readable here.
const KEPT: &[&str] = &[
    "accept-encoding",
    "api-key",
    "authorization",
    "cookie",
    "expect",
    "origin",
    "referer",
    // Another method than the one that was looked at.
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
];

/// Those of them that hold its credential, where that is its own: they are sent then.
const CREDENTIALS: &[&str] = &["api-key", "authorization"];

/// The endpoint.
#[derive(Clone)]
pub struct Upstream {
    http: reqwest::Client,
    base: Url,
    key: Option<HeaderValue>,
    apps_key: bool,
}

impl Upstream {
    /// The endpoint at `address`, such as `https://api.openai.com/v1`, which is sent `key`.
    ///
    /// # Errors
    /// If that is no address, or no key; one line.
    pub fn new(address: &str, key: Option<&str>) -> Result<Self, String> {
        let base =
            Url::parse(address).map_err(|error| format!("{} is no address: {error}", visible(address)))?;
        if !matches!(base.scheme(), "http" | "https") || base.host().is_none() {
            return Err(format!("{} is no web address: write https://…", visible(address)));
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(
                "the address holds a password: name a variable with the key instead (--key-env)".to_owned()
            );
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err("the address of an API has no ? or #".to_owned());
        }
        let key = key.map(|key| {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}"))
                .map_err(|_| "the key can't be sent in a header".to_owned())?;
            value.set_sensitive(true);
            Ok::<_, String>(value)
        });
        let http = client(&base).map_err(|error| format!("can't make an HTTP client: {error}"))?;
        Ok(Self { http, key: key.transpose()?, base, apps_key: false })
    }

    /// The same, where apps send it a key of their own.
    #[must_use]
    pub fn with_apps_key(self) -> Self {
        Self { apps_key: true, ..self }
    }

    /// Whether apps send it a key of their own.
    pub(crate) fn has_apps_key(&self) -> bool {
        self.apps_key
    }

    /// Its address, without a slash at its end.
    #[must_use]
    pub fn address(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Whether nobody on the way can read what is sent: over TLS, or within this machine.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.base.scheme() == "https" || is_loopback(&self.base)
    }

    /// A request with the app's headers, `target` being the path behind the address.
    pub(crate) fn request(&self, method: Method, target: &str, sent: &HeaderMap) -> reqwest::RequestBuilder {
        let kept: Vec<&str> =
            KEPT.iter().copied().filter(|name| !(self.apps_key && CREDENTIALS.contains(name))).collect();
        let mut headers = through(sent, &kept);
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if let Some(key) = &self.key {
            headers.insert(header::AUTHORIZATION, key.clone());
        }
        self.http.request(method, format!("{}{target}", self.address())).headers(headers)
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

/// A client for this endpoint: no cookies, no redirects, which could carry the key elsewhere.
fn client(base: &Url) -> Result<reqwest::Client, reqwest::Error> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error says that there is a provider already.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let builder = reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .tcp_keepalive(Duration::from_secs(30))
        .redirect(reqwest::redirect::Policy::none());
    // What runs on this machine is not behind a proxy.
    if is_loopback(base) { builder.no_proxy() } else { builder }.build()
}

/// Whether `url` is on this machine.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The headers that go from one side to the other.
fn through(sent: &HeaderMap, kept: &[&str]) -> HeaderMap {
    let named: Vec<String> = sent
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let stays = |name: &HeaderName| {
        let name = name.as_str();
        OWN.contains(&name) || kept.contains(&name) || named.iter().any(|own| own == name)
    };
    let mut headers = HeaderMap::new();
    for (name, value) in sent.iter().filter(|(name, _)| !stays(name)) {
        headers.append(name.clone(), value.clone());
    }
    headers
}

/// The head of an answer, as the app gets it.
pub(crate) fn head(answer: &reqwest::Response) -> (StatusCode, HeaderMap) {
    (answer.status(), through(answer.headers(), &["set-cookie"]))
}

/// An answer as it is.
pub(crate) fn passed(answer: reqwest::Response) -> Response<Body> {
    let (status, headers) = head(&answer);
    let length = answer.headers().get(header::CONTENT_LENGTH).cloned();
    let mut response = Response::new(Body::from_stream(answer.bytes_stream().map_err(std::io::Error::other)));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    if let Some(length) = length {
        response.headers_mut().insert(header::CONTENT_LENGTH, length);
    }
    response
}

/// Whether an answer is in a coding that was not asked for, so that it can't be read here.
pub(crate) fn is_coded(answer: &reqwest::Response) -> bool {
    answer.headers().get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity")
}

/// Reads an answer of at most `most` bytes.
///
/// # Errors
/// If it is longer, or breaks off.
pub(crate) async fn whole(mut answer: reqwest::Response, most: usize) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| why(&error))? {
        if text.len() + chunk.len() > most {
            return Err(format!("its answer has more than {most} bytes"));
        }
        text.extend_from_slice(&chunk);
    }
    Ok(text)
}

/// Why a request failed, without the address, in which there may be more than people should see.
pub(crate) fn why(error: &reqwest::Error) -> String {
    let mut last: &dyn std::error::Error = error;
    while let Some(source) = last.source() {
        last = source;
    }
    visible(&last.to_string())
}

/// What the app hears where the endpoint could not be asked at all.
pub(crate) fn unreachable(error: &reqwest::Error) -> Trouble {
    Trouble::upstream(format!("the endpoint did not answer: {}", why(error)))
}
