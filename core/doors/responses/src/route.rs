//! Where a request goes: nothing that runs tools may pass by another name than the one that is looked at.

use http::{HeaderMap, Method, Uri, header};

use crate::refusal::ApiError;

/// What a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// A response is to be made: what mayi is here for.
    Create,
    /// A response that an app saw, by its id, and what of it.
    Seen { id: String, rest: String },
    /// What counts for responses that are made elsewhere, such as the items of a conversation.
    Aside,
    /// Anything else.
    Other,
}

/// Where clients find the API.
pub(crate) const BASE: &str = "/v1";

/// Parts of the API in which the endpoint runs tools, or has a client approve them, by ways that mayi does not look into.
/// Endpoints have them under further paths too (`/openai/v1/…`, `/deployments/ID/…`).
const UNSEEN: &[&str] = &["agents", "batches", "chatkit", "evals", "realtime"];
/// Parts that mayi looks into, where it knows them.
const SEEN: &[&str] = &["responses", "conversations"];

/// Where a request goes, and its path behind the endpoint's address, with its query.
///
/// # Errors
/// If it goes nowhere, or somewhere where tools would run unseen.
pub(crate) fn route_request(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(Route, String), ApiError> {
    let path = uri.path();
    let nothing = || {
        let message = "nothing is here: the base URL of the API ends with /v1";
        ApiError::new(http::StatusCode::NOT_FOUND, "mayi_path", message)
    };
    let rest = path.strip_prefix(BASE).and_then(|rest| rest.strip_prefix('/')).ok_or_else(nothing)?;
    let plain = |segment: &str| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~:@".contains(&byte);
        !segment.is_empty() && segment != "." && segment != ".." && segment.bytes().all(known)
    };
    let segments: Vec<&str> = rest.split('/').collect();
    // An endpoint could read an odd spelling as another path than mayi does.
    if !segments.iter().all(|segment| plain(segment)) {
        return Err(ApiError::bad_request("the path is not a plain one, so it is not passed on"));
    }
    if headers.contains_key(header::UPGRADE) {
        return Err(ApiError::forbidden(
            "WebSockets are not passed on: tools would run in them without being seen",
        ));
    }
    let reads = matches!(*method, Method::GET | Method::HEAD | Method::DELETE);
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let target = format!("/{rest}{query}");
    let (route, known) = match segments.as_slice() {
        ["responses"] if *method == Method::POST => (Route::Create, 1),
        ["responses", id, rest @ ..] if !SPECIAL.contains(id) && (reads || *method == Method::POST) => {
            (Route::Seen { id: (*id).to_owned(), rest: rest.join("/") }, 1)
        }
        ["responses", id] if SPECIAL.contains(id) && *method == Method::POST => (Route::Aside, 1),
        ["conversations", ..] if !reads => (Route::Aside, 1),
        _ => (Route::Other, 0),
    };
    for (at, segment) in segments.iter().enumerate() {
        let unseen = |word: &&str| {
            let word = word.to_ascii_lowercase();
            let is = |names: &[&str]| names.contains(&&*word);
            word == "realtime" || (!reads && (is(UNSEEN) || (is(SEEN) && at >= known)))
        };
        if let Some(word) = segment.split(['.', ':', '@', '~']).find(unseen) {
            let message = format!(
                "{path}, with `{word}` in it, is not passed on: tools would run there without being seen"
            );
            return Err(ApiError::forbidden(message));
        }
    }
    let odd = |first: &&&str| !SEEN.contains(*first) && SEEN.contains(&&*first.to_ascii_lowercase());
    if segments.first().filter(odd).is_some() {
        return Err(nothing());
    }
    Ok((route, target))
}

/// What stands at the place of a response's id, and is none. None of them runs anything.
const SPECIAL: &[&str] = &["compact", "input_tokens"];

#[cfg(test)]
mod tests {
    use super::*;

    fn route_of_path(method: &Method, path: &str) -> Result<Route, ApiError> {
        route_request(method, &path.parse().unwrap(), &HeaderMap::new()).map(|(route, _)| route)
    }

    /// Attack 351: a request that makes a response by another spelling of its path, or where mayi does not look.
    #[test]
    fn given_another_spelling_or_a_place_where_tools_run_unseen_then_it_is_not_passed_on() {
        assert_eq!(route_of_path(&Method::POST, "/v1/responses").unwrap(), Route::Create);
        for path in [
            "/v1/Responses",
            "/v1//responses",
            "/v1/responses/",
            "/v1/./responses",
            "/v1/models/../responses",
            "/v1/%72esponses",
            "/v1/responses;x=1",
            "/responses",
            "/V1/responses",
            "/v1",
            "/v1/realtime/calls",
            "/v1/batches",
            "/v1/Batches",
            "/v1/evals/x/runs",
            "/v1/v1/responses",
            "/v1/openai/v1/responses",
            "/v1/openai/Responses",
            "/v1/deployments/a/responses",
            "/v1/models/m:responses",
            "/v1/x/conversations/conv_1/items",
            "/v1/x/realtime",
            "/v1/x/batches",
            "/v1/responses/resp_1/responses",
            "/v1/conversations/conv_1/responses",
            "/v1/responses/compact/x",
        ] {
            assert!(route_of_path(&Method::POST, path).is_err(), "{path}");
        }
        for method in [Method::PUT, Method::PATCH, Method::OPTIONS] {
            assert!(
                route_of_path(&method, "/v1/responses").is_err()
                    && route_of_path(&method, "/v1/responses/resp_1").is_err()
            );
        }
        assert!(route_of_path(&Method::GET, "/v1/realtime").is_err());
        let mut headers = HeaderMap::new();
        headers.insert(header::UPGRADE, "websocket".parse().unwrap());
        assert!(route_request(&Method::GET, &"/v1/responses".parse().unwrap(), &headers).is_err());
    }

    /// "passes everything through".
    #[test]
    fn given_the_rest_of_the_api_then_it_passes_with_its_query() {
        let seen = |id: &str, rest: &str| Route::Seen { id: id.to_owned(), rest: rest.to_owned() };
        assert_eq!(route_of_path(&Method::GET, "/v1/responses/resp_1").unwrap(), seen("resp_1", ""));
        assert_eq!(
            route_of_path(&Method::GET, "/v1/responses/resp_1/input_items").unwrap(),
            seen("resp_1", "input_items")
        );
        assert_eq!(route_of_path(&Method::POST, "/v1/responses/input_tokens").unwrap(), Route::Aside);
        assert_eq!(route_of_path(&Method::POST, "/v1/responses/compact").unwrap(), Route::Aside);
        assert_eq!(route_of_path(&Method::POST, "/v1/chat/completions").unwrap(), Route::Other);
        assert_eq!(route_of_path(&Method::GET, "/v1/x/responses").unwrap(), Route::Other);
        assert_eq!(
            route_of_path(&Method::POST, "/v1/responses/resp_1/cancel").unwrap(),
            seen("resp_1", "cancel")
        );
        assert_eq!(route_of_path(&Method::GET, "/v1/batches").unwrap(), Route::Other);
        let (route, target) =
            route_request(&Method::GET, &"/v1/models?a=%20b".parse().unwrap(), &HeaderMap::new()).unwrap();
        assert_eq!((route, target.as_str()), (Route::Other, "/models?a=%20b"));
    }
}
