//! Refusals: for programs a status, for people and agents the words wherever a tool might show them.

use http::header::{CONTENT_TYPE, HeaderName, HeaderValue, PROXY_AUTHENTICATE};
use http::{Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Empty, Full};
use hyper::body::Bytes;
use hyper::ext::ReasonPhrase;

use crate::event::Reason;
use crate::judge::Wish;
use crate::resolve::NotReached;
use crate::target::Malformed;

/// The body of an answer.
pub(crate) type Body = BoxBody<Bytes, hyper::Error>;

/// The words again, where only headers are shown.
const REASON: HeaderName = HeaderName::from_static("x-mayi-reason");
/// The longest words that are sent, in bytes.
const LONGEST: usize = 1000;
/// The longest in the status line: some tools show it, and some read no longer ones.
const LONGEST_PHRASE: usize = 240;

/// Why a request is not carried out.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    pub(crate) reason: Reason,
    pub(crate) words: String,
}

impl Refusal {
    fn new(status: StatusCode, reason: Reason, words: &str) -> Self {
        Self { status, reason, words: plain(words) }
    }

    pub(crate) fn malformed(why: Malformed) -> Self {
        Self::new(StatusCode::BAD_REQUEST, Reason::Malformed, &format!("mayi: not passed on: {why}."))
    }

    pub(crate) fn denied(words: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, Reason::Denied, words)
    }

    pub(crate) fn no_answer(wish: &Wish) -> Self {
        let words = format!(
            "mayi: nobody has answered yet whether {} may be reached. It is asked about still: try this again later, and nothing else.",
            wish.host
        );
        Self::new(StatusCode::FORBIDDEN, Reason::NoAnswer, &words)
    }

    pub(crate) fn too_many(what: &str) -> Self {
        let words = format!("mayi: too many {what} at once.");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, Reason::TooMany, &words)
    }

    pub(crate) fn unsupported(words: &str) -> Self {
        Self::new(StatusCode::NOT_IMPLEMENTED, Reason::Unsupported, words)
    }

    pub(crate) fn bad_answer(wish: &Wish) -> Self {
        let words = format!("mayi: {} has not answered with HTTP.", wish.host);
        Self::new(StatusCode::BAD_GATEWAY, Reason::BadAnswer, &words)
    }

    pub(crate) fn not_reached(wish: &Wish, why: NotReached) -> Self {
        let host = &wish.host;
        match why {
            NotReached::Unresolved => {
                let words = format!("mayi: {host} was allowed, and no address of it was found.");
                Self::new(StatusCode::BAD_GATEWAY, Reason::Unresolved, &words)
            }
            NotReached::Unreachable => {
                let words = format!("mayi: {host} was allowed, and can't be reached at port {}.", wish.port);
                Self::new(StatusCode::BAD_GATEWAY, Reason::Unreachable, &words)
            }
            NotReached::Address(address, kind) => {
                let words = format!(
                    "mayi: {host} leads to {address}, {kind}, which is reached only where a person has named it. Do not try another way."
                );
                Self::new(StatusCode::FORBIDDEN, Reason::Address(address, kind), &words)
            }
        }
    }

    /// The answer that says so.
    pub(crate) fn response(&self) -> Response<Body> {
        let ascii: String = self
            .words
            .chars()
            .map(|char| if char.is_ascii() { char } else { '?' })
            .take(LONGEST_PHRASE)
            .collect();
        let mut response = Response::new(text(format!("{}\n", self.words)));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        if let Ok(value) = HeaderValue::from_str(&ascii) {
            headers.insert(REASON, value);
        }
        if let Ok(phrase) = ReasonPhrase::try_from(ascii) {
            response.extensions_mut().insert(phrase);
        }
        response
    }
}

/// The answer to who shows no secret, or one that nobody has.
pub(crate) fn authentication_required() -> Response<Body> {
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::PROXY_AUTHENTICATION_REQUIRED;
    response.headers_mut().insert(PROXY_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"mayi\""));
    response
}

pub(crate) fn empty() -> Body {
    Empty::new().map_err(|never| match never {}).boxed()
}

fn text(text: String) -> Body {
    Full::new(Bytes::from(text)).map_err(|never| match never {}).boxed()
}

/// Words on one line, and not too long.
fn plain(words: &str) -> String {
    let mut kept = String::new();
    for char in words.chars().map(|char| if char.is_control() { ' ' } else { char }) {
        if kept.len() + char.len_utf8() > LONGEST {
            break;
        }
        kept.push(char);
    }
    kept
}

/// The words for a tunnel that names another host than was allowed, or none.
pub(crate) fn other_name(wish: &Wish, named: Option<&str>) -> String {
    let other = named.unwrap_or("no host");
    plain(&format!("mayi: {} was allowed, and the TLS connection names {other}.", wish.host))
}

/// The words for a tunnel that is not TLS.
pub(crate) fn not_tls(wish: &Wish) -> String {
    plain(&format!("mayi: {}:{} was allowed for TLS, and something else was sent.", wish.host, wish.port))
}
