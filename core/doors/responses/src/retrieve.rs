//! A response that the app saw, and that several of the endpoint's stand behind: looked at, or deleted, as the one that it is
//! for the app.

use axum::body::Body;
use http::{HeaderMap, Method, Response};

use crate::door::Shared;
use crate::joined_response::{JoinedAnswer, Step, UnansweredReason};
use crate::refusal::ApiError;
use crate::response_chains::Chain;
use crate::upstream::{answer_head, pass_answer, read_limited};

/// The longest response.
const LONGEST: usize = 64 * 1024 * 1024;

/// The response as the app saw it.
///
/// # Errors
/// If the endpoint does not answer.
pub(crate) async fn retrieve_response(
    shared: &Shared,
    chain: &Chain,
    query: &str,
    sent: &HeaderMap,
) -> Result<Response<Body>, ApiError> {
    let mut joined = JoinedAnswer::default();
    let mut last = None;
    for (at, id) in chain.responses.iter().enumerate() {
        let request = shared.upstream.build_request(Method::GET, &format!("/responses/{id}{query}"), sent);
        let answer = crate::upstream::send_request(request).await?;
        if !answer.status().is_success() {
            return Ok(pass_answer(answer));
        }
        let (status, headers) = answer_head(&answer);
        let text = read_limited(answer, LONGEST).await.map_err(ApiError::bad_gateway)?;
        let text = match joined.add_whole(text) {
            Step::Asks(held) if at + 1 == chain.responses.len() => joined.close(held, UnansweredReason::Same),
            Step::Asks(_) => {
                joined.continue_answer();
                continue;
            }
            Step::Send(text) | Step::Close(text) => text,
            Step::Hide => Vec::new(),
        };
        last = Some((status, headers, text));
    }
    let (status, headers, text) =
        last.ok_or_else(|| ApiError::bad_gateway("nothing stands behind this response"))?;
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

/// Deletes all of them. The answer is the one about what the app saw.
///
/// # Errors
/// If the endpoint does not answer.
pub(crate) async fn delete_responses(
    shared: &Shared,
    chain: &Chain,
    sent: &HeaderMap,
) -> Result<Response<Body>, ApiError> {
    let mut first = None;
    for id in &chain.responses {
        let request = shared.upstream.build_request(Method::DELETE, &format!("/responses/{id}"), sent);
        let answer = crate::upstream::send_request(request).await?;
        first.get_or_insert(answer);
    }
    let answer = first.ok_or_else(|| ApiError::bad_gateway("nothing stands behind this response"))?;
    if let (true, Some(seen)) = (answer.status().is_success(), chain.responses.first()) {
        shared.chains.delete_chain(seen);
    }
    Ok(pass_answer(answer))
}
