//! One answer for all that are alike: each is listed first, and each gets an answer of its own to what was listed.

use std::sync::Arc;

use mayi_core::approval::{ApprovalResponse, Card, alike, choice, visible};
use mayi_core::gate::{Questions, Remote, card};
use mayi_core::store::StoredApproval;

use super::{NAME, summary, waiting};
use crate::commands::confirm::confirmed;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::Kept;
use crate::print;

/// Answers `approval`, and all alike that wait in its session, with `option`.
pub(super) fn answer(
    kept: Kept,
    approval: &StoredApproval,
    option: &str,
    reason: Option<&str>,
    yes: bool,
) -> Result<Exit, CliError> {
    let cards = alike_to(&kept, approval)?;
    let allows = option != choice::DENY;
    for card in &cards {
        print::note(format!("  {} ({})", visible(&summary(card)), visible(&card.agent_name)));
    }
    let (verb, many) = (if allows { "Allow" } else { "Deny" }, cards.len());
    let what = if many == 1 {
        "this one, there is no other like it".to_owned()
    } else {
        format!("all {many}, each once")
    };
    let answer =
        if yes { Some(true) } else { confirmed(&format!("{verb} {what}?"), "several answers at once")? };
    if answer != Some(true) {
        print::note("nothing was answered");
        return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
    }
    let remote = Remote::new(kept.store, Arc::new(kept.writer));
    let mut failed = 0;
    for card in &cards {
        let response =
            ApprovalResponse { reason: reason.map(str::to_owned), ..ApprovalResponse::pick(card, option) };
        if let Err(error) = remote.answer(response, NAME) {
            failed += 1;
            print::note(format!("! {}: {}", visible(&summary(card)), visible(&error.to_string())));
        }
    }
    let said = if allows { "allowed once" } else { "denied" };
    print::note(format!("{said}: {} of {many}", many - failed));
    Ok(if failed == 0 { Exit::Done } else { Exit::Unanswered })
}

/// The cards that one answer is about. D6.18: never what is asked about always, nor a switch of modes.
fn alike_to(kept: &Kept, approval: &StoredApproval) -> Result<Vec<Card>, CliError> {
    let read = |approval: &StoredApproval| card(approval).filter(|card| alike(card).is_some());
    let Some(key) = read(approval).and_then(|card| alike(&card)) else {
        return Err(CliError::usage(
            "this one is answered by itself, and not together with others: leave --alike out",
        ));
    };
    let same = |other: &&StoredApproval| other.session == approval.session && other.agent == approval.agent;
    let all = waiting(&*kept.store)?;
    let cards = all.iter().filter(same).filter_map(read);
    Ok(cards.filter(|card| alike(card).as_ref() == Some(&key)).collect())
}
