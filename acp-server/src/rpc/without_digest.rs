//! Answers that do not say which digest was shown: `approval-response` with an id of the agent's own option, and
//! `tool_approval_response`. What was shown is what this connection was shown, so they count only for a card that it was
//! shown in one form alone, and only as allow once or deny (D6.32).

use mayi_core::approval::{AnswerError, ApprovalId, ApprovalResponse, Card, OptionKind, Outcome, choice};
use mayi_core::policy::Effect;
use serde::Deserialize;
use serde_json::Value;

use crate::backend::Backend;
use crate::error::RpcError;
use crate::front::Peer;

/// `approval-response`, as clients send it that answer with ACP's outcome and nothing more.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfCard {
    approval_id: ApprovalId,
    response: Response,
    #[serde(default)]
    bypass_all: bool,
    #[serde(default)]
    bypass_session: bool,
    #[serde(default)]
    remember: Option<Value>,
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Response {
    outcome: Outcome,
}

/// `tool_approval_response`.
#[derive(Deserialize)]
struct OfCall {
    tool_call_id: String,
    decision: String,
}

/// All that such an answer can be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SimpleAnswer {
    AllowOnce,
    Deny,
}

/// The answer that `wanted` is, from whoever was shown what `peer` was.
pub(super) fn read(backend: &Backend, peer: &Peer, wanted: Value) -> Result<ApprovalResponse, RpcError> {
    let misread =
        |error: serde_json::Error| RpcError::Params(format!("the parameters are not understood: {error}"));
    if wanted.get("digest").is_some() {
        return serde_json::from_value(wanted).map_err(misread);
    }
    if wanted.get("tool_call_id").is_some() {
        let OfCall { tool_call_id, decision } = serde_json::from_value(wanted).map_err(misread)?;
        let wish = match decision.as_str() {
            "allow" | "allow_once" | "approve" => SimpleAnswer::AllowOnce,
            "deny" | "reject" => SimpleAnswer::Deny,
            _ => return Err(digest_needed_error("the decision is `allow` or `deny`")),
        };
        let shown = |card: &Card| {
            card.tool_call.tool_call_id.as_ref() == Some(&tool_call_id)
                && peer.shown_digest(card.approval_id).is_some()
        };
        let mut cards = backend.waiting_cards().into_iter().map(|card| card.card).filter(shown);
        // Ids of tool calls are the agents': two may have the same.
        return match (cards.next(), cards.next()) {
            (Some(card), None) => build_response(peer, &card, wish, None),
            (None, _) => Err(AnswerError::Unknown.into()),
            (Some(_), Some(_)) => {
                Err(digest_needed_error("several cards have this tool call's id: name the card"))
            }
        };
    }
    let OfCard { approval_id, response, bypass_all, bypass_session, remember, reason } =
        serde_json::from_value(wanted).map_err(misread)?;
    if bypass_all || bypass_session || remember.is_some_and(|remember| !remember.is_null()) {
        return Err(digest_needed_error("a bypass, and what is remembered, need the digest"));
    }
    let Outcome::Selected { option_id } = response.outcome else {
        return Err(digest_needed_error("a cancelled turn needs the digest"));
    };
    let waiting = backend.waiting_cards().into_iter().map(|card| card.card);
    let Some(card) = waiting.into_iter().find(|card| card.approval_id == approval_id) else {
        // Whoever keeps it says whether it is settled, and by whom: nothing that is settled waits again.
        let digest = peer.shown_digest(approval_id).ok_or(AnswerError::Unknown)?;
        let response = Outcome::Selected { option_id: choice::DENY.to_owned() };
        return Ok(ApprovalResponse {
            approval_id,
            digest,
            response,
            bypass_all: false,
            bypass_session: false,
            remember: None,
            reason: None,
        });
    };
    let wish = simple_answer(&card, &option_id)?;
    build_response(peer, &card, wish, reason)
}

/// What an option's id stands for: one of mayi's, or one of the agent's that is alone of its kind.
fn simple_answer(card: &Card, option_id: &str) -> Result<SimpleAnswer, RpcError> {
    let own = match option_id {
        choice::ALLOW_ONCE => Some(OptionKind::AllowOnce),
        choice::DENY => Some(OptionKind::RejectOnce),
        _ => None,
    };
    let mut kinds: Vec<OptionKind> = own.into_iter().collect();
    let of_agent = card.agent_options.iter().filter(|option| option.option_id == option_id);
    kinds.extend(of_agent.map(|option| option.kind));
    kinds.dedup();
    let alone =
        |kind: OptionKind| card.agent_options.iter().filter(|option| option.kind == kind).count() <= 1;
    match kinds.as_slice() {
        [OptionKind::AllowOnce] if own.is_some() || alone(OptionKind::AllowOnce) => {
            Ok(SimpleAnswer::AllowOnce)
        }
        [OptionKind::RejectOnce] if own.is_some() || alone(OptionKind::RejectOnce) => Ok(SimpleAnswer::Deny),
        [] => Err(AnswerError::Option(option_id.to_owned()).into()),
        _ => Err(digest_needed_error(
            "this option is more than allowing once or denying, or another one is like it",
        )),
    }
}

fn build_response(
    peer: &Peer,
    card: &Card,
    wish: SimpleAnswer,
    reason: Option<String>,
) -> Result<ApprovalResponse, RpcError> {
    let Some(digest) = peer.shown_digest(card.approval_id) else {
        return Err(digest_needed_error("this card was not shown to this connection, or has changed since"));
    };
    if digest != card.digest {
        return Err(AnswerError::Changed.into());
    }
    let by_hand = card.why.iter().any(|finding| finding.effect == Effect::Ask && finding.always)
        || card.accesses.iter().any(|access| access.access == "mode")
        || !card.options.iter().any(|option| option.option_id == choice::ALLOW_ONCE);
    if wish == SimpleAnswer::AllowOnce && by_hand {
        return Err(digest_needed_error(
            "what is asked about always, and a switch of modes, need the digest",
        ));
    }
    let option = if wish == SimpleAnswer::AllowOnce { choice::ALLOW_ONCE } else { choice::DENY };
    Ok(ApprovalResponse { reason, digest, ..ApprovalResponse::pick(card, option) })
}

fn digest_needed_error(why: &str) -> RpcError {
    RpcError::Params(format!(
        "an answer without a digest allows once or denies, and nothing else: {why}. Send the card's `digest` along"
    ))
}
