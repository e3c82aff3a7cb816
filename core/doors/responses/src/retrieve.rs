//! A response that the app saw, and that several of the endpoint's stand behind: looked at, or deleted, as the one that it is
//! for the app.

use axum::body::Body;
use http::{HeaderMap, Method, Response};

use crate::chains::Chain;
use crate::door::Shared;
use crate::joined::{Joined, Step, Unanswered};
use crate::refusal::Trouble;
use crate::upstream::{head, passed, whole};

/// The longest response.
const LONGEST: usize = 64 * 1024 * 1024;

/// The response as the app saw it.
///
/// # Errors
/// If the endpoint does not answer.
pub(crate) async fn retrieved(
    shared: &Shared,
    chain: &Chain,
    query: &str,
    sent: &HeaderMap,
) -> Result<Response<Body>, Trouble> {
    let mut joined = Joined::default();
    let mut last = None;
    for (at, id) in chain.responses.iter().enumerate() {
        let request = shared.upstream.request(Method::GET, &format!("/responses/{id}{query}"), sent);
        let answer = crate::upstream::answer(request).await?;
        if !answer.status().is_success() {
            return Ok(passed(answer));
        }
        let (status, headers) = head(&answer);
        let text = whole(answer, LONGEST).await.map_err(Trouble::upstream)?;
        let text = match joined.whole(text) {
            Step::Asks(held) if at + 1 == chain.responses.len() => joined.close(held, Unanswered::Same),
            Step::Asks(_) => {
                joined.goes_on();
                continue;
            }
            Step::Send(text) | Step::Close(text) => text,
            Step::Hide => Vec::new(),
        };
        last = Some((status, headers, text));
    }
    let (status, headers, text) =
        last.ok_or_else(|| Trouble::upstream("nothing stands behind this response"))?;
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}

/// Deletes all of them. The answer is the one about what the app saw.
///
/// # Errors
/// If the endpoint does not answer.
pub(crate) async fn deleted(
    shared: &Shared,
    chain: &Chain,
    sent: &HeaderMap,
) -> Result<Response<Body>, Trouble> {
    let mut first = None;
    for id in &chain.responses {
        let request = shared.upstream.request(Method::DELETE, &format!("/responses/{id}"), sent);
        let answer = crate::upstream::answer(request).await?;
        first.get_or_insert(answer);
    }
    let answer = first.ok_or_else(|| Trouble::upstream("nothing stands behind this response"))?;
    if let (true, Some(seen)) = (answer.status().is_success(), chain.responses.first()) {
        shared.chains.forget(seen);
    }
    Ok(passed(answer))
}
