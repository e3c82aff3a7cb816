//! The page for a second screen: its files, and pairing it.

use std::sync::Arc;

use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use jiff::Timestamp;
use jsonrpsee::server::HttpBody;
use serde::Deserialize;
use serde_json::json;

use super::listen::Front;
use super::pairing::WrongCode;
use super::refusal::{refusal_response, typed_response};

/// What a browser is let do with the page: nothing from anywhere else, and nobody may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The longest body of a request to pair.
const BODY: usize = 1024;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const MANIFEST: &str = "application/manifest+json";
const ICON: &str = "image/svg+xml";

macro_rules! files {
    ($($name:literal $kind:ident),* $(,)?) => {
        &[$(($name, $kind, include_str!(concat!("../../ui/", $name)))),*]
    };
}

/// The files of the page: they are part of the program.
const FILES: &[(&str, &str, &str)] = files![
    "index.html" HTML,
    "style.css" CSS,
    "answers.js" SCRIPT,
    "app.js" SCRIPT,
    "asked.js" SCRIPT,
    "card.js" SCRIPT,
    "diff.js" SCRIPT,
    "dom.js" SCRIPT,
    "forms.js" SCRIPT,
    "guard.js" SCRIPT,
    "icon.svg" ICON,
    "link.js" SCRIPT,
    "list.js" SCRIPT,
    "manifest.webmanifest" MANIFEST,
    "marks.js" SCRIPT,
    "notify.js" SCRIPT,
    "pair.js" SCRIPT,
    "rpc.js" SCRIPT,
    "seen.js" SCRIPT,
    "state.js" SCRIPT,
    "ticks.js" SCRIPT,
    "token.js" SCRIPT,
    "together.js" SCRIPT,
    "visible.js" SCRIPT,
    "what.js" SCRIPT,
    "wording.js" SCRIPT,
    "words.js" SCRIPT,
    "worker.js" SCRIPT,
];

/// A file of the page.
pub(super) fn page_file(name: &str) -> Response<HttpBody> {
    let Some((_, kind, text)) = FILES.iter().find(|(known, ..)| *known == name) else {
        return refusal_response(StatusCode::NOT_FOUND, "no file of the page is called that");
    };
    let mut response = typed_response(StatusCode::OK, kind, HttpBody::from(*text));
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

#[derive(Deserialize)]
struct Typed {
    code: String,
}

impl Front {
    /// Takes the code that was typed on the page.
    pub(super) async fn pair_page(
        self: &Arc<Self>,
        request: Request<Incoming>,
        page: bool,
    ) -> Response<HttpBody> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        // What a form of another page could send is not JSON.
        if *request.method() != Method::POST || !page || kind != Some("application/json") {
            return refusal_response(StatusCode::BAD_REQUEST, "the page sends its code as JSON");
        }
        let body =
            Limited::new(request.into_body(), BODY).collect().await.map(http_body_util::Collected::to_bytes);
        let typed: Option<Typed> = body.ok().and_then(|body| serde_json::from_slice(&body).ok());
        let (Some(Typed { code }), Some(pairings)) = (typed, &self.pairings) else {
            return refusal_response(StatusCode::BAD_REQUEST, "the page sends its code as JSON");
        };
        let answer = |status, text: serde_json::Value| {
            typed_response(status, "application/json", HttpBody::from(text.to_string()))
        };
        match pairings.redeem_code(&code, Timestamp::now()) {
            Ok(token) => answer(StatusCode::OK, json!({ "token": token })),
            Err(WrongCode::Wrong) => {
                answer(StatusCode::FORBIDDEN, json!({ "error": "this is not the code, or its time is over" }))
            }
            Err(WrongCode::TooMany) => {
                let text = "too many codes were wrong: have a new one shown";
                answer(StatusCode::TOO_MANY_REQUESTS, json!({ "error": text }))
            }
        }
    }
}
