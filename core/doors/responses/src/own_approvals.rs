//! Approvals that the app sends itself: they are judged as any other, since an app can say yes to anything.

use http::{HeaderMap, Method};
use mayi_core::approval::escape_line;
use serde_json::Value;
use serde_json::value::to_raw_value;

use crate::exchange::Exchange;
use crate::refusal::ApiError;
use crate::request::CreateRequest;
use crate::upstream::read_limited;

/// The longest response that is looked at.
const LONGEST: usize = 64 * 1024 * 1024;

/// Whether the app approves anything, so that somebody may have to be asked before its request is sent.
pub(crate) fn has_approvals(asked: &CreateRequest) -> bool {
    let answers = |item: &Value| item.get("type").and_then(Value::as_str) == Some("mcp_approval_response");
    asked.input_items().iter().any(answers)
}

/// Has what the app approves judged; what may not run is denied in its place. `previous`: what the endpoint is told to go on
/// from.
///
/// # Errors
/// If it can't be known what is approved.
pub(crate) async fn judge_approvals(
    exchange: &mut Exchange,
    previous: Option<&str>,
    sent: &HeaderMap,
) -> Result<(), ApiError> {
    let (mut places, mut answers) = (Vec::new(), false);
    for (at, item) in exchange.create_request.input_items().iter().enumerate() {
        if item.get("type").and_then(Value::as_str) != Some("mcp_approval_response") {
            continue;
        }
        answers = true;
        let id = item.get("approval_request_id").and_then(Value::as_str);
        let (Some(id), Some(approve)) = (id, item.get("approve").and_then(Value::as_bool)) else {
            return Err(ApiError::bad_request(
                "an mcp_approval_response has no approval_request_id, or no approve",
            ));
        };
        if places.iter().any(|(_, other)| other == id) {
            return Err(ApiError::bad_request("an approval is answered twice"));
        }
        if approve {
            places.push((at, id.to_owned()));
        }
    }
    let from = exchange.create_request.previous.as_deref().or_else(|| exchange.create_request.conversation());
    let is_open = exchange.shared.upstream.has_apps_key();
    // Without a response to go on from, what was asked is only what the app says of it.
    if answers && is_open && !from.is_some_and(|id| exchange.is_its_own(id)) {
        return Err(ApiError::forbidden(
            "this goes on from what another connection has made, or from nothing: whoever was asked answers (--open)",
        ));
    }
    if places.is_empty() {
        return Ok(());
    }
    let mut known: Vec<Value> =
        if is_open { Vec::new() } else { exchange.create_request.input_items().to_vec() };
    if let Some(previous) = previous {
        known.extend(fetch_items(exchange, &format!("/responses/{}", path_segment(previous)?), sent).await?);
    } else if let Some(conversation) = exchange.create_request.conversation() {
        let folder = format!("/conversations/{}/items/", path_segment(conversation)?);
        for (_, id) in &places {
            known.extend(fetch_items(exchange, &format!("{folder}{}", path_segment(id)?), sent).await?);
        }
    }
    let mut requests = Vec::new();
    for (_, id) in &places {
        let is = |item: &&Value| {
            item.get("type").and_then(Value::as_str) == Some("mcp_approval_request")
                && item.get("id").and_then(Value::as_str) == Some(id)
        };
        let versions: Vec<Value> = known.iter().filter(is).cloned().collect();
        if versions.is_empty() {
            let message =
                format!("there is no approval request `{}` where this goes on from", escape_line(id));
            return Err(ApiError::bad_request(message));
        }
        requests.push((id.clone(), versions));
    }
    let said: Vec<_> = known.iter().filter_map(|item| to_raw_value(item).ok()).collect();
    let answers = exchange.approved_by_the_app(requests, &said).await;
    for answer in answers.iter().filter(|answer| !answer.approve) {
        if let Some((at, _)) = places.iter().find(|(_, id)| *id == answer.id) {
            exchange.create_request.replace_item(*at, answer.to_item());
        }
    }
    Ok(())
}

/// An id as a part of a path.
fn path_segment(id: &str) -> Result<&str, ApiError> {
    let plain =
        !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if plain { Ok(id) } else { Err(ApiError::bad_request(format!("`{}` is no id", escape_line(id)))) }
}

/// The items of a response, or the one that is there.
async fn fetch_items(exchange: &Exchange, target: &str, sent: &HeaderMap) -> Result<Vec<Value>, ApiError> {
    let mut headers = sent.clone();
    // Those of the app's own body.
    headers.remove(http::header::CONTENT_TYPE);
    headers.remove("idempotency-key");
    let request = exchange.shared.upstream.build_request(Method::GET, target, &headers);
    let answer = crate::upstream::send_request(request).await?;
    if !answer.status().is_success() {
        let message = format!("the endpoint does not say what is approved: it answers {}", answer.status());
        return Err(ApiError::bad_request(message));
    }
    let text = read_limited(answer, LONGEST).await.map_err(ApiError::bad_gateway)?;
    let text =
        String::from_utf8(text).map_err(|_| ApiError::bad_gateway("the endpoint's answer is no text"))?;
    let value = mayi_core::call::json::parse_strict(&text)
        .map_err(|error| ApiError::bad_gateway(escape_line(&error.to_string())))?;
    Ok(match value.get("output").and_then(Value::as_array) {
        Some(items) => items.clone(),
        None => vec![value],
    })
}
