//! `approval/list`, `approval/respond`, `approval/respondMany`.

use std::collections::HashSet;

use jiff::Timestamp;
use jsonrpsee::server::RpcModule;
use mayi_core::approval::{
    ApprovalId, ApprovalResolved, ApprovalResponse, Card, Outcome as Choice, State, choice,
};
use mayi_core::gate::{Questions, card};
use mayi_core::store::{ApprovalQuery, StoredApproval};
use serde_json::Value;

use super::{Context, Registered, for_page, undigested};
use crate::api::{Answered, ApprovalEntry, ApprovalList, Outcome, RespondMany};
use crate::backend::Backend;
use crate::cards;
use crate::error::Refused;

/// So many of the recent past, if it is not said how many.
const RECENT: u32 = 50;
/// So many at most.
const MOST: u32 = 1000;

pub(super) fn register(module: &mut RpcModule<Context>) -> Registered {
    for_page(module, "approval/list", |context, peer, wanted: ApprovalList| {
        let listed = list(&context.backend, &wanted)?;
        for entry in listed.iter().filter(|entry| entry.state == State::Pending) {
            peer.show(entry.card.card.approval_id, &entry.card.card.digest);
        }
        Ok(listed)
    })?;
    for_page(module, "approval/respond", |context, peer, wanted: Value| {
        let response = undigested::read(&context.backend, peer, wanted)?;
        respond(&context.backend, response, &peer.name())
    })?;
    for_page(module, "approval/respondMany", |context, peer, many: RespondMany| {
        let by = peer.name();
        // One answer is by itself in any case.
        let alone = if many.responses.len() > 1 { by_themselves(&context.backend) } else { HashSet::new() };
        let results: Vec<Outcome> = many
            .responses
            .into_iter()
            .map(|response| {
                let approval_id = response.approval_id;
                let answered = match allows(&response) && alone.contains(&approval_id) {
                    true => Err(Refused::Params(
                        "this one is answered by itself, and not together with others".to_owned(),
                    )),
                    false => respond(&context.backend, response, &by),
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
fn respond(backend: &Backend, response: ApprovalResponse, by: &str) -> Result<Answered, Refused> {
    let id = response.approval_id;
    if let Some(tab) = backend.asking(id) {
        let resolved = tab.gate().answer(response, by)?;
        return Ok(Answered { resolved, tab_id: Some(tab.id().to_owned()) });
    }
    backend.remote.answer(response, by)?;
    let settled = backend.remote.stored(id)?;
    let settled =
        settled.ok_or_else(|| Refused::Internal("the answer was taken; the question is gone".to_owned()))?;
    Ok(Answered { resolved: resolved(&settled), tab_id: None })
}

fn resolved(approval: &StoredApproval) -> ApprovalResolved {
    let by = approval.by.clone().unwrap_or_else(|| "mayi".to_owned());
    let at = approval.settled_at.unwrap_or_else(Timestamp::now);
    ApprovalResolved::new(approval.id, approval.state, by, at, approval.reason.clone())
}

/// D6.18: what is asked about always, and switches of modes, are not allowed along with others.
fn by_themselves(backend: &Backend) -> HashSet<ApprovalId> {
    let waiting = backend.waiting().into_iter().filter(|card| card.alike.is_none());
    waiting.map(|card| card.card.approval_id).collect()
}

/// Whether the answer could allow something.
fn allows(response: &ApprovalResponse) -> bool {
    matches!(&response.response, Choice::Selected { option_id } if option_id != choice::DENY)
}

fn list(backend: &Backend, wanted: &ApprovalList) -> Result<Vec<ApprovalEntry>, Refused> {
    let most = wanted.limit.unwrap_or(RECENT).min(MOST);
    let waiting = backend.waiting().into_iter().map(|card| ApprovalEntry {
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
        stored.extend(backend.options.store.approvals(&query)?);
    } else {
        for id in wanted.ids.iter().take(MOST as usize) {
            let query = ApprovalQuery { id: Some(*id), ..ApprovalQuery::default() };
            stored.extend(backend.options.store.approvals(&query)?);
        }
    }
    stored.sort_by_key(|approval| std::cmp::Reverse(approval.id));
    entries.extend(
        stored
            .iter()
            .filter(|approval| !known.contains(&approval.id))
            .filter_map(|approval| kept(backend, approval)),
    );
    entries.truncate(most as usize);
    Ok(entries)
}

fn is_wanted(wanted: &ApprovalList, card: &Card) -> bool {
    wanted.ids.is_empty() || wanted.ids.contains(&card.approval_id)
}

/// A question as it is kept: without secrets.
fn kept(backend: &Backend, approval: &StoredApproval) -> Option<ApprovalEntry> {
    let mut card = card(approval)?;
    card.state = approval.state;
    let tab = backend.asking(approval.id);
    let card = match &tab {
        Some(tab) => cards::of_tab(card, tab.id()),
        None => cards::of_another(card),
    };
    Some(ApprovalEntry {
        card,
        state: approval.state,
        by: approval.by.clone(),
        at: approval.settled_at,
        reason: approval.reason.clone(),
    })
}
