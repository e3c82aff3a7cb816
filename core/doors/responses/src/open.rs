//! Without a key of mayi's (`--open`): whoever may come in then, and for what. The app's own key goes to the endpoint. Every
//! program of the user is the same caller, so nothing that one of them has may be another's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use http::request::Parts;
use http::{HeaderMap, HeaderName, Method, StatusCode, header};
use mayi_doors::listen::ClientConnection;
use mayi_doors::web::bearer_token;

use crate::refusal::ApiError;
use crate::route::BASE;

/// So many responses are known by their connections before those of connections that are gone are forgotten.
const MANY: usize = 4096;
/// So many are known at the very most.
const MOST: usize = 1 << 17;

/// The headers that an app's key is in.
const KEYS: [HeaderName; 2] = [header::AUTHORIZATION, HeaderName::from_static("api-key")];

/// The key that an app has sent: mayi's own, or with `--open` the endpoint's.
pub(crate) fn app_key(headers: &HeaderMap) -> Option<&str> {
    let other = || headers.get("api-key")?.to_str().ok();
    bearer_token(headers).or_else(other)
}

/// Whether a request is one that comes in without a key of mayi's.
///
/// # Errors
/// If not: why not.
pub(crate) fn check_open_request(parts: &Parts) -> Result<(), ApiError> {
    let headers = &parts.headers;
    // Browsers say so of every request of a page, also of those that have no Origin.
    if headers.contains_key("sec-fetch-site") {
        return Err(ApiError::forbidden("web pages are not served here"));
    }
    if !is_of_the_api(&parts.method, parts.uri.path()) {
        return Err(ApiError::forbidden(
            "only the methods of the Responses API are served without mayi's own key (--open)",
        ));
    }
    // Of two keys nobody knows which one the endpoint takes, and only one is kept out of recordings.
    if KEYS.iter().map(|name| headers.get_all(name).iter().count()).sum::<usize>() > 1 {
        return Err(ApiError::bad_request("there are two keys: send one"));
    }
    let kind = headers.get(header::CONTENT_TYPE).map(|kind| kind.to_str().unwrap_or_default());
    let is_json = |kind: &str| {
        kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
    };
    // Pages can have browsers send other kinds without asking first.
    let has_body = headers.contains_key(header::TRANSFER_ENCODING)
        || headers.get(header::CONTENT_LENGTH).is_some_and(|length| length != "0");
    if kind.map_or(has_body, |kind| !is_json(kind)) {
        let message = "requests are JSON: send them as application/json";
        return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "mayi_request", message));
    }
    Ok(())
}

/// The methods of the Responses API, and of what belongs to it: conversations, and the list of models.
fn is_of_the_api(method: &Method, path: &str) -> bool {
    let Some(rest) = path.strip_prefix(BASE).and_then(|rest| rest.strip_prefix('/')) else { return false };
    let segments: Vec<&str> = rest.split('/').collect();
    let methods: &[Method] = match segments.as_slice() {
        ["responses"]
        | ["responses", "compact" | "input_tokens"]
        | ["responses", _, "cancel"]
        | ["conversations"] => &[Method::POST],
        ["responses", _] | ["conversations", _, "items", _] => &[Method::GET, Method::DELETE],
        ["responses", _, "input_items"] | ["models"] | ["models", _] => &[Method::GET],
        ["conversations", _] => &[Method::GET, Method::POST, Method::DELETE],
        ["conversations", _, "items"] => &[Method::GET, Method::POST],
        _ => &[],
    };
    methods.contains(method)
}

/// Which connection has made which responses and conversations: nobody answers what another one is asked.
#[derive(Debug, Default)]
pub(crate) struct CreatedIds(Mutex<HashMap<String, Weak<ClientConnection>>>);

impl CreatedIds {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Weak<ClientConnection>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `by` has made these. What another connection made that is still there stays its own.
    pub(crate) fn add<'a>(&self, ids: impl IntoIterator<Item = &'a str>, by: &Arc<ClientConnection>) {
        let mut made = self.lock();
        if made.len() > MANY {
            made.retain(|_, visitor| visitor.strong_count() > 0);
        }
        for id in ids {
            if made.len() >= MOST {
                return;
            }
            let entry = made.entry(id.to_owned()).or_insert_with(|| Arc::downgrade(by));
            if entry.strong_count() == 0 {
                *entry = Arc::downgrade(by);
            }
        }
    }

    /// Whether `by` has made this.
    pub(crate) fn is_of(&self, id: &str, by: &Arc<ClientConnection>) -> bool {
        self.lock().get(id).and_then(Weak::upgrade).is_some_and(|visitor| Arc::ptr_eq(&visitor, by))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request_parts(method: &str, path: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = http::Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    /// Neither key is ever recorded, wherever the app puts its own. Attack 514.
    #[test]
    fn given_a_key_in_either_header_then_it_is_known() {
        for (name, value) in [("authorization", "Bearer k"), ("api-key", "k")] {
            assert_eq!(app_key(&request_parts("GET", "/v1/models", &[(name, value)]).headers), Some("k"));
        }
    }

    /// JSON only, the API's own methods only, and no page, also where it sends no Origin. Attack 381.
    #[test]
    fn given_no_key_then_only_json_for_the_apis_own_methods_comes_in() {
        let json = ("content-type", "application/json; charset=utf-8");
        let length = ("content-length", "2");
        for (method, path, headers, is_let_in) in [
            ("POST", "/v1/responses", vec![json, length], true),
            ("GET", "/v1/responses/resp_1", vec![], true),
            ("DELETE", "/v1/responses/resp_1", vec![], true),
            ("POST", "/v1/responses/resp_1/cancel", vec![("content-length", "0")], true),
            ("GET", "/v1/responses/resp_1/input_items", vec![json], true),
            ("GET", "/v1/models", vec![], true),
            ("POST", "/v1/conversations", vec![json, length], true),
            ("POST", "/v1/responses", vec![json, length, ("api-key", "k")], true),
            (
                "POST",
                "/v1/responses",
                vec![json, length, ("api-key", "k"), ("authorization", "Bearer k")],
                false,
            ),
            ("POST", "/v1/responses", vec![json, length, ("api-key", "k"), ("api-key", "l")], false),
            ("POST", "/v1/responses", vec![length], false),
            ("POST", "/v1/responses", vec![("transfer-encoding", "chunked")], false),
            ("POST", "/v1/responses", vec![("content-type", "text/plain"), length], false),
            ("POST", "/v1/responses", vec![("content-type", "multipart/form-data"), length], false),
            ("POST", "/v1/responses", vec![json, length, ("sec-fetch-site", "same-origin")], false),
            ("GET", "/v1/models", vec![("sec-fetch-site", "cross-site")], false),
            ("POST", "/v1/chat/completions", vec![json, length], false),
            ("GET", "/v1/files", vec![], false),
            ("GET", "/v1/responses", vec![], false),
            ("PUT", "/v1/responses", vec![json], false),
            ("POST", "/v1/responses/resp_1", vec![json, length], false),
            ("POST", "/v1/responses/resp_1/steer", vec![json, length], false),
            ("DELETE", "/v1/models/m", vec![], false),
            ("POST", "/responses", vec![json, length], false),
        ] {
            assert_eq!(
                check_open_request(&request_parts(method, path, &headers)).is_ok(),
                is_let_in,
                "{method} {path} {headers:?}"
            );
        }
    }
}
