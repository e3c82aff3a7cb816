//! The endpoint: how it is reached, and what goes there and comes back.

use std::fmt;
use std::sync::Once;
use std::time::Duration;

use axum::body::Body;
use futures::TryStreamExt;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use mayi_core::approval::escape_line;
use serde_json::Value;
use url::{Host, Url};

use crate::refusal::ApiError;

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

/// Headers of the endpoint that an app does not get: they would lead it there, around mayi.
const LEADS: &[&str] = &["alt-svc", "content-location", "location", "refresh", "set-cookie"];

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
        let base = Url::parse(address)
            .map_err(|error| format!("{} is no address: {error}", escape_line(address)))?;
        if !matches!(base.scheme(), "http" | "https") || base.host().is_none() {
            return Err(format!("{} is no web address: write https://…", escape_line(address)));
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
        let http = build_client(&base).map_err(|error| format!("can't make an HTTP client: {error}"))?;
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
    pub(crate) fn build_request(
        &self,
        method: Method,
        target: &str,
        sent: &HeaderMap,
    ) -> reqwest::RequestBuilder {
        let kept: Vec<&str> =
            KEPT.iter().copied().filter(|name| !(self.apps_key && CREDENTIALS.contains(name))).collect();
        let mut headers = forwarded_headers(sent, &kept);
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
fn build_client(base: &Url) -> Result<reqwest::Client, reqwest::Error> {
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

/// Sends a request, and waits for the head of its answer.
///
/// # Errors
/// If there is none, or it leads elsewhere: an app would go there without mayi.
pub(crate) async fn send_request(request: reqwest::RequestBuilder) -> Result<reqwest::Response, ApiError> {
    let answer = request.send().await.map_err(|error| unreachable_error(&error))?;
    if answer.status().is_redirection() {
        return Err(redirect_error(&answer));
    }
    Ok(answer)
}

/// What is said of an answer that leads elsewhere.
pub(crate) fn redirect_error(answer: &reqwest::Response) -> ApiError {
    let location = answer.headers().get(header::LOCATION).and_then(|place| place.to_str().ok());
    let place = location.and_then(|place| answer.url().join(place).ok()).map(|mut url| {
        let _ = (url.set_username(""), url.set_password(None));
        url.set_query(None);
        url.set_fragment(None);
        let text = url.as_str().trim_end_matches('/');
        text.strip_suffix("/responses").unwrap_or(text).to_owned()
    });
    let message = match place {
        Some(place) => format!(
            "the endpoint answers {} and leads elsewhere, which nobody follows: if that is where it is, write --upstream {}",
            answer.status().as_u16(),
            escape_line(&place)
        ),
        None => format!(
            "the endpoint answers {}: write as --upstream the address at which it answers itself",
            answer.status().as_u16()
        ),
    };
    ApiError::new(StatusCode::BAD_GATEWAY, "mayi_upstream", message)
}

/// The headers that go from one side to the other.
fn forwarded_headers(sent: &HeaderMap, kept: &[&str]) -> HeaderMap {
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
pub(crate) fn answer_head(answer: &reqwest::Response) -> (StatusCode, HeaderMap) {
    (answer.status(), forwarded_headers(answer.headers(), LEADS))
}

/// An answer as it is.
pub(crate) fn pass_answer(answer: reqwest::Response) -> Response<Body> {
    let (status, headers) = answer_head(&answer);
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
pub(crate) async fn read_limited(mut answer: reqwest::Response, most: usize) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| error_cause(&error))? {
        if text.len() + chunk.len() > most {
            return Err(format!("its answer has more than {most} bytes"));
        }
        text.extend_from_slice(&chunk);
    }
    Ok(text)
}

/// What is said of an endpoint that is silent.
pub(crate) const SILENT: &str = "the endpoint has said nothing for ten minutes";

/// So long may pass between two parts of an answer, where something may have run.
const IDLE: Duration = Duration::from_secs(600);

/// What an endpoint does within its time.
///
/// # Errors
/// If it does not do it, or it fails.
pub(crate) async fn with_idle_limit<T>(
    waited: impl Future<Output = Result<T, reqwest::Error>>,
) -> Result<T, String> {
    match tokio::time::timeout(IDLE, waited).await {
        Ok(done) => done.map_err(|error| error_cause(&error)),
        Err(_) => Err(SILENT.to_owned()),
    }
}

/// The same as [`read_limited`], from an endpoint that must not be silent for too long.
///
/// # Errors
/// If it is, if its answer is longer, or breaks off.
pub(crate) async fn read_with_idle_limit(
    mut answer: reqwest::Response,
    most: usize,
) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    while let Some(chunk) = with_idle_limit(answer.chunk()).await? {
        if text.len() + chunk.len() > most {
            return Err(format!("its answer has more than {most} bytes"));
        }
        text.extend_from_slice(&chunk);
    }
    Ok(text)
}

/// What an answer that is no success says, in one line.
pub(crate) async fn describe_error_answer(answer: reqwest::Response) -> String {
    let status = answer.status();
    let text = read_with_idle_limit(answer, 64 * 1024).await.unwrap_or_default();
    let said: Value = serde_json::from_slice(&text).unwrap_or_default();
    let said = said.get("error").and_then(|error| error.get("message")).and_then(Value::as_str);
    format!("the endpoint answers {status}: {}", escape_line(said.unwrap_or("without a word")))
}

/// Why a request failed, without the address, in which there may be more than people should see.
pub(crate) fn error_cause(error: &reqwest::Error) -> String {
    let mut last: &dyn std::error::Error = error;
    while let Some(source) = last.source() {
        last = source;
    }
    escape_line(&last.to_string())
}

/// What the app hears where the endpoint could not be asked at all.
pub(crate) fn unreachable_error(error: &reqwest::Error) -> ApiError {
    ApiError::bad_gateway(format!("the endpoint did not answer: {}", error_cause(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S6.12, attack 512: an endpoint that has an approval, and says nothing more.
    #[tokio::test(start_paused = true)]
    async fn given_an_endpoint_that_is_silent_then_it_is_not_waited_for_without_end() {
        let silent = with_idle_limit(std::future::pending::<Result<(), reqwest::Error>>()).await;
        assert_eq!(silent, Err(SILENT.to_owned()));
        assert_eq!(with_idle_limit(async { Ok(7) }).await, Ok(7));
    }
}
