//! `approval/list`, `approval/respond`, `approval/respondMany`.

use std::collections::HashSet;

use jiff::Timestamp;
use jsonrpsee::server::RpcModule;
use mayi_core::approval::{
    ApprovalId, ApprovalResolved, ApprovalResponse, Card, Outcome as Choice, State, choice,
};
use mayi_core::gate::{Questions, parse_stored_card};
use mayi_core::store::{ApprovalQuery, StoredApproval};
use serde_json::Value;

use super::{RegisterResult, RpcContext, add_page_method, without_digest};
use crate::api::{Answered, ApprovalEntry, ApprovalList, Outcome, RespondMany};
use crate::backend::Backend;
use crate::cards;
use crate::error::RpcError;

/// So many of the recent past, if it is not said how many.
const RECENT: u32 = 50;
/// So many at most.
const MOST: u32 = 1000;

pub(super) fn register_methods(module: &mut RpcModule<RpcContext>) -> RegisterResult {
    add_page_method(module, "approval/list", |context, peer, wanted: ApprovalList| {
        let listed = list_approvals(&context.backend, &wanted)?;
        for entry in listed.iter().filter(|entry| entry.state == State::Pending) {
            peer.record_shown(entry.card.card.approval_id, &entry.card.card.digest);
        }
        Ok(listed)
    })?;
    add_page_method(module, "approval/respond", |context, peer, wanted: Value| {
        peer.require_person()?;
        let response = without_digest::read(&context.backend, peer, wanted)?;
        submit_response(&context.backend, response, &peer.name())
    })?;
    add_page_method(module, "approval/respondMany", |context, peer, many: RespondMany| {
        peer.require_person()?;
        let by = peer.name();
        // One answer is by itself in any case.
        let alone =
            if many.responses.len() > 1 { answered_alone_ids(&context.backend) } else { HashSet::new() };
        let results: Vec<Outcome> = many
            .responses
            .into_iter()
            .map(|response| {
                let approval_id = response.approval_id;
                let answered = match may_allow(&response) && alone.contains(&approval_id) {
                    true => Err(RpcError::Params(
                        "this one is answered by itself, and not together with others".to_owned(),
                    )),
                    false => submit_response(&context.backend, response, &by),
                };
                match answered {
                    Ok(resolved) => Outcome { approval_id, resolved: Some(resolved), error: None },
                    Err(refused) => {
                        let error = jsonrpsee::types::ErrorObjectOwned::from(refused).message().to_owned();
                        Outcome { approval_id, resolved: None, error: Some(error) }
                    }
                }
            })
            .collect();
        Ok(serde_json::json!({ "results": results }))
    })
}

/// Gives an answer to whoever asks. First answer wins.
fn submit_response(backend: &Backend, response: ApprovalResponse, by: &str) -> Result<Answered, RpcError> {
    let id = response.approval_id;
    if let Some(tab) = backend.asking_tab(id) {
        let resolved = tab.gate().answer(response, by)?;
        return Ok(Answered { resolved, tab_id: Some(tab.id().to_owned()) });
    }
    if let Some(chat) = backend.hosts.asking_chat(id) {
        return Ok(Answered { resolved: chat.gate().answer(response, by)?, tab_id: None });
    }
    backend.remote.answer(response, by)?;
    let settled = backend.remote.find_approval(id)?;
    let settled =
        settled.ok_or_else(|| RpcError::Internal("the answer was taken; the question is gone".to_owned()))?;
    Ok(Answered { resolved: resolved_approval(&settled), tab_id: None })
}

fn resolved_approval(approval: &StoredApproval) -> ApprovalResolved {
    let by = approval.by.clone().unwrap_or_else(|| "mayi".to_owned());
    let at = approval.settled_at.unwrap_or_else(Timestamp::now);
    ApprovalResolved::new(approval.id, approval.state, by, at, approval.reason.clone())
}

/// D6.18: what is asked about always, and switches of modes, are not allowed along with others.
fn answered_alone_ids(backend: &Backend) -> HashSet<ApprovalId> {
    let waiting = backend.waiting_cards().into_iter().filter(|card| card.alike.is_none());
    waiting.map(|card| card.card.approval_id).collect()
}

/// Whether the answer could allow something.
fn may_allow(response: &ApprovalResponse) -> bool {
    matches!(&response.response, Choice::Selected { option_id } if option_id != choice::DENY)
}

fn list_approvals(backend: &Backend, wanted: &ApprovalList) -> Result<Vec<ApprovalEntry>, RpcError> {
    let most = wanted.limit.unwrap_or(RECENT).min(MOST);
    let waiting = backend.waiting_cards().into_iter().map(|card| ApprovalEntry {
        state: card.card.state,
        card,
        by: None,
        at: None,
        reason: None,
    });
    if wanted.pending {
        return Ok(waiting.filter(|entry| is_wanted(wanted, &entry.card.card)).collect());
    }
    let mut entries: Vec<ApprovalEntry> =
        waiting.filter(|entry| is_wanted(wanted, &entry.card.card)).collect();
    entries.reverse();
    let known: Vec<_> = entries.iter().map(|entry| entry.card.card.approval_id).collect();
    let mut stored = Vec::new();
    if wanted.ids.is_empty() {
        let query = ApprovalQuery { limit: Some(most), ..ApprovalQuery::default() };
        stored.extend(backend.options.store.query_approvals(&query)?);
    } else {
        for id in wanted.ids.iter().take(MOST as usize) {
            let query = ApprovalQuery { id: Some(*id), ..ApprovalQuery::default() };
            stored.extend(backend.options.store.query_approvals(&query)?);
        }
    }
    stored.sort_by_key(|approval| std::cmp::Reverse(approval.id));
    entries.extend(
        stored
            .iter()
            .filter(|approval| !known.contains(&approval.id))
            .filter_map(|approval| stored_entry(backend, approval)),
    );
    entries.truncate(most as usize);
    Ok(entries)
}

fn is_wanted(wanted: &ApprovalList, card: &Card) -> bool {
    wanted.ids.is_empty() || wanted.ids.contains(&card.approval_id)
}

/// A question as it is kept: without secrets.
fn stored_entry(backend: &Backend, approval: &StoredApproval) -> Option<ApprovalEntry> {
    let mut card = parse_stored_card(approval)?;
    card.state = approval.state;
    let card = match (backend.asking_tab(approval.id), backend.hosts.asking_chat(approval.id)) {
        (Some(tab), _) => cards::of_tab(card, tab.id()),
        (None, Some(chat)) => {
            let of = chat.call_of(&card);
            cards::of_host(card, Some(of))
        }
        (None, None) => cards::of_another(card),
    };
    Some(ApprovalEntry {
        card,
        state: approval.state,
        by: approval.by.clone(),
        at: approval.settled_at,
        reason: approval.reason.clone(),
    })
}
