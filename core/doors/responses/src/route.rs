//! Where a request goes: nothing that runs tools may pass by another name than the one that is looked at.

use http::{HeaderMap, Method, Uri, header};

use crate::refusal::Trouble;

/// What a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// A response is to be made: what mayi is here for.
    Create,
    /// A response that an app saw, by its id, and what of it.
    Seen { id: String, rest: String },
    /// A conversation is changed: what is in its items counts for the responses of it.
    Aside,
    /// Anything else.
    Other,
}

/// Where clients find the API.
pub(crate) const BASE: &str = "/v1";

/// Parts of the API in which the endpoint runs tools, or has a client approve them, by ways that mayi does not look into.
const UNSEEN: &[(&str, bool)] =
    &[("agents", false), ("batches", false), ("chatkit", false), ("evals", false), ("realtime", true)];

/// Where a request goes, and its path behind the endpoint's address, with its query.
///
/// # Errors
/// If it goes nowhere, or somewhere where tools would run unseen.
pub(crate) fn route(method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(Route, String), Trouble> {
    let path = uri.path();
    let nothing = || {
        let message = "nothing is here: the base URL of the API ends with /v1";
        Trouble::new(http::StatusCode::NOT_FOUND, "mayi_path", message)
    };
    let rest = path.strip_prefix(BASE).and_then(|rest| rest.strip_prefix('/')).ok_or_else(nothing)?;
    let plain = |segment: &str| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~:@".contains(&byte);
        !segment.is_empty() && segment != "." && segment != ".." && segment.bytes().all(known)
    };
    let segments: Vec<&str> = rest.split('/').collect();
    // An endpoint could read an odd spelling as another path than mayi does.
    if !segments.iter().all(|segment| plain(segment)) {
        return Err(Trouble::request("the path is not a plain one, so it is not passed on"));
    }
    if headers.contains_key(header::UPGRADE) {
        return Err(Trouble::refused(
            "WebSockets are not passed on: tools would run in them without being seen",
        ));
    }
    let first = segments.first().copied().unwrap_or_default();
    let lower = first.to_ascii_lowercase();
    let reads = matches!(*method, Method::GET | Method::HEAD | Method::DELETE);
    if let Some((name, _)) = UNSEEN.iter().find(|(name, always)| *name == lower && (*always || !reads)) {
        let message = format!("/{name} is not passed on: tools would run there without being seen");
        return Err(Trouble::refused(message));
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let target = format!("/{rest}{query}");
    let route = match segments.as_slice() {
        ["responses"] if *method == Method::POST => Route::Create,
        ["responses", id, rest @ ..] if !SPECIAL.contains(id) => {
            Route::Seen { id: (*id).to_owned(), rest: rest.join("/") }
        }
        ["conversations", ..] if !reads => Route::Aside,
        _ if matches!(&*lower, "responses" | "conversations") && first != lower => return Err(nothing()),
        _ => Route::Other,
    };
    Ok((route, target))
}

/// What stands at the place of a response's id, and is none. Neither of them runs anything.
const SPECIAL: &[&str] = &["compact", "input_tokens"];

#[cfg(test)]
mod tests {
    use super::*;

    fn at(method: &Method, path: &str) -> Result<Route, Trouble> {
        route(method, &path.parse().unwrap(), &HeaderMap::new()).map(|(route, _)| route)
    }

    /// Attack 351: a request that makes a response by another spelling of its path, or where mayi does not look.
    #[test]
    fn given_another_spelling_or_a_place_where_tools_run_unseen_then_it_is_not_passed_on() {
        assert_eq!(at(&Method::POST, "/v1/responses").unwrap(), Route::Create);
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
        ] {
            assert!(at(&Method::POST, path).is_err(), "{path}");
        }
        assert!(at(&Method::GET, "/v1/realtime").is_err());
        let mut headers = HeaderMap::new();
        headers.insert(header::UPGRADE, "websocket".parse().unwrap());
        assert!(route(&Method::GET, &"/v1/responses".parse().unwrap(), &headers).is_err());
    }

    /// "passes everything through".
    #[test]
    fn given_the_rest_of_the_api_then_it_passes_with_its_query() {
        let seen = |id: &str, rest: &str| Route::Seen { id: id.to_owned(), rest: rest.to_owned() };
        assert_eq!(at(&Method::GET, "/v1/responses/resp_1").unwrap(), seen("resp_1", ""));
        assert_eq!(
            at(&Method::GET, "/v1/responses/resp_1/input_items").unwrap(),
            seen("resp_1", "input_items")
        );
        assert_eq!(at(&Method::POST, "/v1/responses/input_tokens").unwrap(), Route::Other);
        assert_eq!(at(&Method::GET, "/v1/batches").unwrap(), Route::Other);
        let (route, target) =
            route(&Method::GET, &"/v1/models?a=%20b".parse().unwrap(), &HeaderMap::new()).unwrap();
        assert_eq!((route, target.as_str()), (Route::Other, "/models?a=%20b"));
    }
}
