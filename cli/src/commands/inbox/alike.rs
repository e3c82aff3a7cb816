//! One answer for several, those that are named or all that are alike: each gets an answer of its own to what was listed.

use std::sync::Arc;

use mayi_core::approval::{ApprovalResponse, Card, choice, escape_line, likeness_key};
use mayi_core::gate::{Questions, RemoteQuestions, parse_stored_card};
use mayi_core::store::StoredApproval;

use super::{NAME, card_summary, shown_approvals};
use crate::commands::confirm::ask_to_confirm;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::WritableStore;
use crate::print;

/// Answers `approval`, and all alike that wait in its session, with `option`.
pub(super) fn answer_alike(
    kept: WritableStore,
    approval: &StoredApproval,
    option: &str,
    reason: Option<&str>,
    yes: bool,
) -> Result<Exit, CliError> {
    let cards = alike_to(&kept, approval)?;
    let allows = option != choice::DENY;
    for card in &cards {
        print::stderr_line(format!(
            "  {} ({})",
            escape_line(&card_summary(card)),
            escape_line(&card.agent_name)
        ));
    }
    let (verb, many) = (if allows { "Allow" } else { "Deny" }, cards.len());
    let what = if many == 1 {
        "this one, there is no other like it".to_owned()
    } else {
        format!("all {many}, each once")
    };
    let answer =
        if yes { Some(true) } else { ask_to_confirm(&format!("{verb} {what}?"), "several answers at once")? };
    if answer != Some(true) {
        print::stderr_line("nothing was answered");
        return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
    }
    Ok(send_answers(kept, &cards, option, reason))
}

/// Answers those whose IDs were written, each as it was listed, with `option`: all of them, or none where one of them can't be.
pub(super) fn answer_named(
    kept: WritableStore,
    approvals: &[StoredApproval],
    option: &str,
    reason: Option<&str>,
) -> Result<Exit, CliError> {
    let mut cards = Vec::new();
    for approval in approvals {
        let Some(card) = parse_stored_card(approval) else {
            return Err(CliError::usage("another version of mayi asks one of these: answer it there"));
        };
        if option != choice::DENY && (likeness_key(&card).is_none() || !card.not_shown.is_empty()) {
            let what = escape_line(&card_summary(&card));
            return Err(CliError::usage(format!("answered by itself, and not together with others: {what}")));
        }
        cards.push(card);
    }
    Ok(send_answers(kept, &cards, option, reason))
}

/// An answer to each card, bound to what was shown of it.
fn send_answers(kept: WritableStore, cards: &[Card], option: &str, reason: Option<&str>) -> Exit {
    let remote = RemoteQuestions::new(kept.store, Arc::new(kept.writer));
    let mut failed = 0;
    for card in cards {
        let response =
            ApprovalResponse { reason: reason.map(str::to_owned), ..ApprovalResponse::pick(card, option) };
        if let Err(error) = remote.answer(response, NAME) {
            failed += 1;
            print::stderr_line(format!(
                "! {}: {}",
                escape_line(&card_summary(card)),
                escape_line(&error.to_string())
            ));
        }
    }
    let said = if option == choice::DENY { "denied" } else { "allowed once" };
    print::stderr_line(format!("{said}: {} of {}", cards.len() - failed, cards.len()));
    if failed == 0 { Exit::Done } else { Exit::Unanswered }
}

/// The cards that one answer is about. D6.18: never what is asked about always, nor a switch of modes.
fn alike_to(kept: &WritableStore, approval: &StoredApproval) -> Result<Vec<Card>, CliError> {
    let read =
        |approval: &StoredApproval| parse_stored_card(approval).filter(|card| likeness_key(card).is_some());
    let Some(key) = read(approval).and_then(|card| likeness_key(&card)) else {
        return Err(CliError::usage(
            "this one is answered by itself, and not together with others: leave --alike out",
        ));
    };
    let same = |other: &&StoredApproval| other.session == approval.session && other.agent == approval.agent;
    let all = shown_approvals(&*kept.store)?;
    let cards = all.iter().filter(same).filter_map(read);
    Ok(cards.filter(|card| likeness_key(card).as_ref() == Some(&key)).collect())
}
