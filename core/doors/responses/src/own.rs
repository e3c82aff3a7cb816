//! Approvals that the app sends itself: they are judged as any other, since an app can say yes to anything.

use http::{HeaderMap, Method};
use mayi_core::approval::visible;
use serde_json::Value;
use serde_json::value::to_raw_value;

use crate::exchange::Exchange;
use crate::refusal::Trouble;
use crate::request::Asked;
use crate::upstream::whole;

/// The longest response that is looked at.
const LONGEST: usize = 64 * 1024 * 1024;

/// Whether the app approves anything, so that somebody may have to be asked before its request is sent.
pub(crate) fn approves(asked: &Asked) -> bool {
    let answers = |item: &Value| item.get("type").and_then(Value::as_str) == Some("mcp_approval_response");
    asked.items().iter().any(answers)
}

/// Has what the app approves judged; what may not run is denied in its place. `previous`: what the endpoint is told to go on
/// from.
///
/// # Errors
/// If it can't be known what is approved.
pub(crate) async fn judged(
    exchange: &mut Exchange,
    previous: Option<&str>,
    sent: &HeaderMap,
) -> Result<(), Trouble> {
    let (mut places, mut answers) = (Vec::new(), false);
    for (at, item) in exchange.asked.items().iter().enumerate() {
        if item.get("type").and_then(Value::as_str) != Some("mcp_approval_response") {
            continue;
        }
        answers = true;
        let id = item.get("approval_request_id").and_then(Value::as_str);
        let (Some(id), Some(approve)) = (id, item.get("approve").and_then(Value::as_bool)) else {
            return Err(Trouble::request(
                "an mcp_approval_response has no approval_request_id, or no approve",
            ));
        };
        if places.iter().any(|(_, other)| other == id) {
            return Err(Trouble::request("an approval is answered twice"));
        }
        if approve {
            places.push((at, id.to_owned()));
        }
    }
    let from = exchange.asked.previous.as_deref().or_else(|| exchange.asked.conversation());
    let is_open = exchange.shared.upstream.has_apps_key();
    // Without a response to go on from, what was asked is only what the app says of it.
    if answers && is_open && !from.is_some_and(|id| exchange.is_its_own(id)) {
        return Err(Trouble::refused(
            "this goes on from what another connection has made, or from nothing: whoever was asked answers (--open)",
        ));
    }
    if places.is_empty() {
        return Ok(());
    }
    let mut known: Vec<Value> = if is_open { Vec::new() } else { exchange.asked.items().to_vec() };
    if let Some(previous) = previous {
        known.extend(output(exchange, &format!("/responses/{}", segment(previous)?), sent).await?);
    } else if let Some(conversation) = exchange.asked.conversation() {
        let folder = format!("/conversations/{}/items/", segment(conversation)?);
        for (_, id) in &places {
            known.extend(output(exchange, &format!("{folder}{}", segment(id)?), sent).await?);
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
            let message = format!("there is no approval request `{}` where this goes on from", visible(id));
            return Err(Trouble::request(message));
        }
        requests.push((id.clone(), versions));
    }
    let said: Vec<_> = known.iter().filter_map(|item| to_raw_value(item).ok()).collect();
    let answers = exchange.approved_by_the_app(requests, &said).await;
    for answer in answers.iter().filter(|answer| !answer.approve) {
        if let Some((at, _)) = places.iter().find(|(_, id)| *id == answer.id) {
            exchange.asked.put(*at, answer.item());
        }
    }
    Ok(())
}

/// An id as a part of a path.
fn segment(id: &str) -> Result<&str, Trouble> {
    let plain =
        !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if plain { Ok(id) } else { Err(Trouble::request(format!("`{}` is no id", visible(id)))) }
}

/// The items of a response, or the one that is there.
async fn output(exchange: &Exchange, target: &str, sent: &HeaderMap) -> Result<Vec<Value>, Trouble> {
    let mut headers = sent.clone();
    // Those of the app's own body.
    headers.remove(http::header::CONTENT_TYPE);
    headers.remove("idempotency-key");
    let request = exchange.shared.upstream.request(Method::GET, target, &headers);
    let answer = crate::upstream::answer(request).await?;
    if !answer.status().is_success() {
        let message = format!("the endpoint does not say what is approved: it answers {}", answer.status());
        return Err(Trouble::request(message));
    }
    let text = whole(answer, LONGEST).await.map_err(Trouble::upstream)?;
    let text = String::from_utf8(text).map_err(|_| Trouble::upstream("the endpoint's answer is no text"))?;
    let value = mayi_core::call::json::strict(&text)
        .map_err(|error| Trouble::upstream(visible(&error.to_string())))?;
    Ok(match value.get("output").and_then(Value::as_array) {
        Some(items) => items.clone(),
        None => vec![value],
    })
}
